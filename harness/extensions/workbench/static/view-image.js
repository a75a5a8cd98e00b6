// The view that reads a puzzle from an image.

import { Board } from "./board.js";
import { button, drawn, make, message, numberOf } from "./elements.js";
import { startJob } from "./jobs.js";
import { drawingPad } from "./drawing-pad.js";
import { moved, typed } from "./keys.js";
import { problems, puzzle, shapeNamed, valuesOf } from "./puzzle.js";
import { SHAPES, shapeTitle } from "./shapes.js";

const MOST_BYTES = 20e6;

function build(section) {
  // What is shown: the reading of an image with its corrections, and the image itself. An image that
  // cannot be read changes none of it.
  let read = null;
  let shape = null;
  let values = [];
  let original = [];  // the values as they were read
  let past = [];
  let future = [];
  // The image that is being read.
  let turn = 0;
  let cancel = null;
  const file = make("input", { type: "file", accept: "image/*", "aria-label": "Image",
    change: () => { if (file.files.length) start(file.files[0]); } });
  const shapes = make("select", {}, make("option", { value: "", text: "as its lines show" }),
    ...SHAPES.map((value) => make("option", { value, text: shapeTitle(value) })));
  const status = make("p", { class: "quiet", role: "status" });
  const stop = button("Cancel", () => cancel?.(), { disabled: true });
  const image = make("img", { alt: "The image that was read", class: "read-image" });
  const outline = drawn("svg", { class: "outline", viewBox: "0 0 1 1", preserveAspectRatio: "none", "aria-hidden": "true" });
  const preview = make("div", { class: "preview", hidden: true }, image, outline);
  const board = new Board({ label: "The puzzle of the image", select: showCell, foundWords: "handwritten" });
  const undo = button("Undo", () => move(past, future), { title: "Ctrl+Z", disabled: true });
  const redo = button("Redo", () => move(future, past), { title: "Ctrl+Y", disabled: true });
  const frame = make("div", { hidden: true }, make("div", { class: "row" }, undo, redo), board.element);
  const details = make("div", { role: "status" });
  const doubtful = make("ul", { class: "doubtful" });
  const accept = button("Open on the board", open, { class: "main", disabled: true });
  const pad = drawingPad({ shape: () => shape, selected: () => board.selected, put: set });
  const drop = make("div", { class: "drop panel", tabindex: "0",
    dragover: (event) => event.preventDefault(),
    drop: (event) => { event.preventDefault(); take(event.dataTransfer.files); } },
    make("p", { text: "Choose an image, drop it here, or paste it: a photograph, a scan or a screenshot." }), file);

  document.addEventListener("paste", (event) => {
    if (!section.hidden && event.clipboardData.files.length) {
      event.preventDefault();
      take(event.clipboardData.files);
    }
  });

  function take(files) {
    if (files.length) start(files[0]);
  }

  async function start(chosen) {
    if (chosen.size > MOST_BYTES) {
      message("The image has more than 20 MB.", { isError: true });
      return;
    }
    const mine = (turn += 1);
    cancel?.();
    cancel = null;
    const address = URL.createObjectURL(chosen);
    if (!read) showImage(address);
    status.textContent = "reading the image";
    stop.disabled = false;
    file.value = "";
    const query = shapes.value ? "?shape=" + encodeURIComponent(shapes.value) : "";
    let isEnded = false;
    let isTaken = false;
    const part = async (found) => {
      if (isTaken) return;  // a part may come twice
      isTaken = true;
      const of = await shapeNamed(found.shape);
      if (mine === turn) show(found, of, address);
    };
    const end = ({ state }) => {
      isEnded = true;
      if (state !== "done" && image.src !== address) URL.revokeObjectURL(address);
      if (mine === turn) ended(state);
    };
    const started = await startJob("/api/image" + query, chosen, { part, end });
    if (!started) end({ state: "failed" });
    else if (mine !== turn) started();
    else if (!isEnded) cancel = started;
  }

  function ended(state) {
    stop.disabled = true;
    cancel = null;
    if (state === "done") return;
    const what = state === "cancelled" ? "Cancelled." : "The image was not read.";
    status.textContent = read ? `${what} This is still the previous image, with its puzzle.` : what;
  }

  function showImage(address) {
    URL.revokeObjectURL(image.src);
    image.src = address;
    outline.replaceChildren();
    preview.hidden = false;
  }

  function show(found, of, address) {
    if (image.src !== address) showImage(address);
    read = found;
    shape = of;
    values = original = valuesOf(found.puzzle, shape);
    past = [];
    future = [];
    outline.replaceChildren(drawn("polygon", { points: found.corners.map(([x, y]) => `${x},${y}`).join(" ") }));
    frame.hidden = false;
    accept.disabled = false;
    showDoubtful();
    showValues();
    const first = found.doubtful.length ? shape.cellNamed(found.doubtful[0].cell) : Math.min(board.selected, values.length - 1);
    board.moveTo(first, false);
    showCell(first);
  }

  // Show the values, and what the reading says about them; nothing about changed ones.
  function showValues() {
    const classes = new Map(read.doubtful.map((of) => [shape.cellNamed(of.cell), of.uncertain ? "doubtful uncertain" : "doubtful"]));
    const { conflicts, empty } = problems({ shape, values, marks: values.map(() => 0), restricts: false });
    const also = (cell, kind) => classes.set(cell, [classes.get(cell) ?? "", kind].join(" ").trim());
    for (const cell of empty) also(cell, "empty-handed");
    for (const cell of conflicts) also(cell, "conflict");
    const entries = new Set(read.entries.map(shape.cellNamed).filter((cell) => values[cell] && values[cell] === original[cell]));
    board.show({ shape, values: values.map((value, cell) => (entries.has(cell) ? 0 : value)), found: values, classes });
    const number = values.filter(Boolean).length - entries.size;
    const written = entries.size ? `, ${entries.size} handwritten` : "";
    status.textContent = `${shape.name}, ${number} givens${written}, ${read.doubtful.length} doubtful`;
    const isChanged = values.some((value, cell) => value !== original[cell]);
    details.replaceChildren(...(isChanged
      ? [make("p", { text: "You changed the reading. Open it on the board to count its solutions." })] : aboutReading()));
    for (const choice of doubtful.querySelectorAll("button[data-value]")) {
      choice.setAttribute("aria-pressed", String(values[choice.dataset.cell] === Number(choice.dataset.value)));
    }
    for (const [control, list, other] of [[undo, past, redo], [redo, future, undo]]) {
      const hadFocus = document.activeElement === control;
      control.disabled = !list.length;
      if (hadFocus && control.disabled) (other.disabled ? board.cells[board.selected] : other).focus();
    }
  }

  function aboutReading() {
    const parts = [];
    if (read.unique) parts.push(make("p", { class: "good", text: "This reading has exactly one solution." }));
    else parts.push(make("p", { class: "bad", text: `This is the likeliest reading: ${read.reason}.` }));
    if (read.unique && !read.certain) parts.push(make("p", { class: "bad", text: "It is uncertain: compare the marked cells with the image." }));
    if (!read.shape_is_clear) parts.push(make("p", { text: `The lines show no boxes; ${shape.name} is assumed.` }));
    const changed = read.doubtful.filter((cell) => cell.changed).length;
    if (changed) parts.push(make("p", { text: `The search for one solution changed ${numberOf(changed, "cell")}.` }));
    return parts;
  }

  function showDoubtful() {
    doubtful.replaceChildren(...read.doubtful.map((of) => {
      const cell = shape.cellNamed(of.cell);
      return make("li", {}, button(of.cell, () => board.moveTo(cell)), " ",
        ...of.likely.slice(0, 4).map(({ value: symbol, probability }) => {
          const value = symbol === "." ? 0 : shape.symbols.indexOf(symbol) + 1;
          const name = value ? symbol : "blank";
          return button(`${name}: ${Math.round(100 * probability)} %`, () => { board.moveTo(cell, false); set(value, cell); },
            { "data-cell": cell, "data-value": value, "aria-label": `${of.cell}: ${name}` });
        }));
    }));
  }

  function showCell(cell) {
    if (read) pad.label(shape.cellName(cell));
  }

  // The user corrects a cell.
  function set(value, cell) {
    if (!read || values[cell] === value) return;
    past.push(values);
    future = [];
    values = values.with(cell, value);
    showValues();
  }

  function move(from, to) {
    if (!from.length) return;
    to.push(values);
    values = from.pop();
    showValues();
  }

  async function open() {
    await puzzle.open({ shape: shape.definition, givens: values });
    location.hash = "#board?" + puzzle.link;
  }

  board.element.addEventListener("keydown", (event) => {
    const to = moved(event, board.selected, shape.size);
    const value = typed(event, shape.symbols);
    if (to !== null) board.moveTo(to);
    else if (value !== null) set(value, board.selected);
    else return;
    event.preventDefault();
  });
  document.addEventListener("keydown", (event) => {
    if (section.hidden || !(event.ctrlKey || event.metaKey) || event.altKey) return;
    const key = event.key.toLowerCase();
    if (key === "y" || (key === "z" && event.shiftKey)) move(future, past);
    else if (key === "z") move(past, future);
    else return;
    event.preventDefault();
  });

  section.append(make("div", { class: "columns" },
    make("div", { class: "stage" }, drop,
      make("div", { class: "row" }, make("label", {}, "Shape", shapes), stop),
      status, preview),
    make("div", { class: "side" }, frame, details, doubtful,
      make("div", { class: "row" }, accept), pad.panel)));
}

export const imageView = { name: "image", title: "Image", build };
