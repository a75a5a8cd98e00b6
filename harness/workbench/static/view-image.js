// The view that reads a puzzle from an image.

import { Board } from "./board.js";
import { button, drawn, make, message } from "./elements.js";
import { startJob } from "./jobs.js";
import { drawingPad } from "./drawing-pad.js";
import { moved, typed } from "./keys.js";
import { problems, puzzle, shapeNamed, valuesOf } from "./puzzle.js";
import { SHAPES, shapeTitle } from "./shapes.js";

const MOST_BYTES = 20e6;

function build(section) {
  let read = null;
  let shape = null;
  let values = [];
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
  const board = new Board({ label: "The puzzle of the image", select: showCell });
  const frame = make("div", { hidden: true }, board.element);
  const details = make("div", { role: "status" });
  const doubtful = make("ul", { class: "doubtful" });
  const accept = button("Open on the board", open, { class: "main", disabled: true });
  const pad = drawingPad(() => shape?.size ?? 9, (value) => set(value));
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
    cancel?.();
    URL.revokeObjectURL(image.src);
    image.src = URL.createObjectURL(chosen);
    outline.replaceChildren();
    preview.hidden = false;
    status.textContent = "reading the image";
    details.replaceChildren();
    stop.disabled = false;
    const query = shapes.value ? "?shape=" + encodeURIComponent(shapes.value) : "";
    cancel = await startJob("/api/image" + query, chosen, { part: show, end });
    if (!cancel) end({ state: "failed" });
  }

  function end({ state }) {
    stop.disabled = true;
    cancel = null;
    if (state === "failed") status.textContent = "The image was not read.";
    if (state === "cancelled") status.textContent = "cancelled";
    file.value = "";
  }

  async function show(found) {
    read = found;
    shape = await shapeNamed(found.shape);
    values = valuesOf(found.puzzle, shape);
    outline.replaceChildren(drawn("polygon", { points: found.corners.map(([x, y]) => `${x},${y}`).join(" ") }));
    frame.hidden = false;
    accept.disabled = false;
    showBoard();
    showDetails();
    if (found.doubtful.length) board.moveTo(cellNamed(found.doubtful[0].cell), false);
  }

  function showBoard() {
    const classes = new Map(read.doubtful.map((of) => [cellNamed(of.cell), "doubtful"]));
    const { conflicts, empty } = problems({ shape, values, marks: values.map(() => 0), restricts: false });
    for (const cell of empty) classes.set(cell, "empty-handed");
    for (const cell of conflicts) classes.set(cell, "conflict");
    board.show({ shape, values, classes });
  }

  function showDetails() {
    const number = values.filter(Boolean).length;
    status.textContent = `${shape.name}, ${number} givens, ${read.doubtful.length} doubtful`;
    const parts = [];
    if (read.unique) parts.push(make("p", { class: "good", text: "This reading has exactly one solution." }));
    else parts.push(make("p", { class: "bad", text: `This is the likeliest reading: ${read.reason}.` }));
    if (!read.shape_is_clear) parts.push(make("p", { text: `The lines show no boxes; ${shape.name} is assumed.` }));
    const changed = read.doubtful.filter((of) => of.changed).length;
    if (changed) parts.push(make("p", { text: `The search for one solution changed ${changed} cell${changed === 1 ? "" : "s"}.` }));
    details.replaceChildren(...parts);
    doubtful.replaceChildren(...read.doubtful.map((of) => make("li", {},
      button(of.cell, () => board.moveTo(cellNamed(of.cell))), " ",
      ...of.likely.slice(0, 4).map(({ value, probability }) => button(
        `${value === "." ? "blank" : value} ${Math.round(100 * probability)} %`,
        () => { board.moveTo(cellNamed(of.cell)); set(value === "." ? 0 : shape.symbols.indexOf(value) + 1); },
        { "aria-pressed": String(of.value === value), "aria-label": `${of.cell}: ${value === "." ? "blank" : value}` })))));
  }

  function cellNamed(name) {
    const [, row, column] = /^R(\d+)C(\d+)$/.exec(name);
    return (Number(row) - 1) * shape.size + Number(column) - 1;
  }

  function showCell(cell) {
    if (read) pad.label(shape.cellName(cell));
  }

  // The user corrects the selected cell.
  function set(value) {
    if (!read) return;
    values = [...values];
    values[board.selected] = value;
    showBoard();
    details.replaceChildren(make("p", { text: "You changed the reading. Open it on the board to count its solutions." }));
  }

  async function open() {
    await puzzle.open({ shape: shape.definition, givens: values });
    location.hash = "#board?" + puzzle.link;
  }

  board.element.addEventListener("keydown", (event) => {
    const to = moved(event, board.selected, shape.size);
    const value = typed(event, shape.symbols);
    if (to !== null) board.moveTo(to);
    else if (value !== null) set(value);
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
