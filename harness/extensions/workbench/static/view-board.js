// The view of the board: typing a puzzle, and putting it to backends.

import { Board } from "./board.js";
import { button, checkbox, make, message, numberOf, select } from "./elements.js";
import { drawingPad } from "./drawing-pad.js";
import { askPanel } from "./ask.js";
import { constraintsPanel } from "./constraints.js";
import { isInTextField, moved, typed } from "./keys.js";
import { candidatesOf, problems, puzzle } from "./puzzle.js";
import { request } from "./server.js";
import { SHAPES, shapeTitle } from "./shapes.js";
import { filePanel } from "./texts.js";

function build(section) {
  const settings = { candidates: false, notes: false };
  const board = new Board({ label: "Puzzle", select: () => {} });
  const status = make("p", { class: "quiet", role: "status" });
  const keypad = make("div", { class: "keypad", role: "group", "aria-label": "Values" });
  const undo = button("Undo", () => puzzle.undo(), { title: "Ctrl+Z" });
  const redo = button("Redo", () => puzzle.redo(), { title: "Ctrl+Y" });
  const hide = button("Hide the solution", () => puzzle.hideFound(), { hidden: true });
  const shapes = make("select", { "aria-label": "Shape", change: () => open(shapes.value) });
  const notes = button("Candidates", () => setNotes(!settings.notes), {
    title: "Type candidates instead of values; Shift does so for one key", "aria-pressed": "false",
  });

  function setNotes(on) {
    settings.notes = on;
    notes.setAttribute("aria-pressed", String(on));
  }

  async function open(name) {
    try {
      await puzzle.open({ shape: name });
    } catch (error) {
      message(error.message, { isError: true });
    }
  }

  function put(value, asMark) {
    const cell = board.selected;
    if (!value) puzzle.clearCell(cell);
    else if (asMark) puzzle.toggleMark(cell, value);
    else puzzle.setValue(cell, puzzle.values[cell] === value ? 0 : value);
  }

  // The cell has a drawn value afterwards: drawing the same value again changes nothing.
  function putDrawn(value, cell) {
    if (!value) puzzle.clearCell(cell);
    else if (settings.notes) puzzle.addMark(cell, value);
    else puzzle.setValue(cell, value);
  }

  board.element.addEventListener("keydown", (event) => {
    const to = moved(event, board.selected, puzzle.shape.size);
    const value = typed(event, puzzle.shape.symbols);
    if (to !== null) board.moveTo(to);
    else if (value !== null) put(value, settings.notes !== event.shiftKey);
    else return;
    event.preventDefault();
  });
  document.addEventListener("keydown", (event) => {
    if (section.hidden || !(event.ctrlKey || event.metaKey) || isInTextField(event)) return;
    const key = event.key.toLowerCase();
    if (key === "z") (event.shiftKey ? puzzle.redo() : puzzle.undo());
    else if (key === "y") puzzle.redo();
    else return;
    event.preventDefault();
  });

  function show() {
    const { shape, values, found, marks, restricts } = puzzle;
    const { conflicts, empty } = problems(puzzle);
    const { cells, findings } = brokenConstraints();
    for (const cell of cells) if (values[cell]) conflicts.add(cell);
    const classes = new Map();
    for (const cell of conflicts) classes.set(cell, "conflict");
    for (const cell of empty) classes.set(cell, "empty-handed");
    board.show({ shape, values, found, marks: shownMarks(), own: marks, classes });
    hide.hidden = !found;
    undo.disabled = !puzzle.canUndo;
    redo.disabled = !puzzle.canRedo;
    const clues = values.filter(Boolean).length;
    const parts = [`${shape.name}, ${numberOf(clues, "given")}`];
    if (conflicts.size) parts.push(`${conflicts.size} cells in conflict`);
    if (empty.size) parts.push(`${numberOf(empty.size, "cell")} without a candidate`);
    status.textContent = [...parts, ...findings].join("; ");
    status.classList.toggle("bad", conflicts.size + empty.size + findings.length > 0);
    restrict.querySelector("input").checked = restricts;
    showShape(shape);
  }

  // The broken constraints that the server finds; the board shows them when the answer arrives.
  const nothing = { cells: [], findings: [] };
  let checked = { key: "", ...nothing };
  function brokenConstraints() {
    if (!puzzle.shape.constraints.length) return nothing;
    const { key } = puzzle;
    if (checked.key !== key) {
      checked = { key, ...nothing };
      request("/api/check", { method: "POST", body: puzzle.data }).then((found) => {
        if (checked.key !== key) return;
        checked = { key, cells: found.cells, findings: found.findings.slice(0, 1) };
        show();
      }, () => {});  // the bar of the page shows that the server does not answer
    }
    return checked;
  }

  // The candidates that blank cells show, as bits.
  function shownMarks() {
    const { values, marks, restricts } = puzzle;
    return values.map((value, cell) => {
      if (value) return 0;
      return settings.candidates ? candidatesOf(puzzle, cell) | (restricts ? 0 : marks[cell]) : marks[cell];
    });
  }

  let lastShape = null;
  function showShape(shape) {
    if (shape === lastShape) return;
    lastShape = shape;
    const options = SHAPES.includes(shape.definition) ? SHAPES : [...SHAPES, shape.definition];
    shapes.replaceChildren(
      ...options.map((value) => make("option", {
        value, text: shapeTitle(value === shape.definition && shape.constraints.length ? shape.name : value), selected: value === shape.definition,
      })),
    );
    keypad.replaceChildren(
      ...[...shape.symbols].map((symbol, at) => button(symbol, () => {
        put(at + 1, settings.notes);
        board.moveTo(board.selected);
      }, { "aria-label": `Value ${symbol}` })),
      button("Clear", () => put(0, false), { "aria-label": "Clear the cell" }),
    );
  }

  const ask = askPanel();
  const pad = drawingPad({ shape: () => puzzle.shape, selected: () => board.selected, put: putDrawn });
  const restrict = checkbox("Allow only these candidates", false, (checked) => puzzle.setRestricts(checked));
  section.append(
    make("div", { class: "columns" },
      make("div", { class: "stage" },
        make("div", { class: "row" }, make("label", {}, "Shape", shapes), undo, redo,
          button("Empty board", () => puzzle.clear()), hide),
        board.element,
        status,
        keypad,
        make("div", { class: "row" }, notes,
          checkbox("Show all candidates", false, (checked) => { settings.candidates = checked; show(); }),
          restrict),
      ),
      make("div", { class: "side" }, ask.panel, filePanel(section, shownMarks), constraintsPanel(), pad.panel),
    ),
  );
  puzzle.addEventListener("change", show);
  show();
  board.moveTo(0, false);
  return (query) => {
    if (query.has("ask")) ask.choose(query.get("ask"));
  };
}

export const boardView = { name: "board", title: "Board", build };
