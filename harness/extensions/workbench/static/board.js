// A board: cells as a grid that keyboard, mouse, touch and screen readers can use.

import { make } from "./elements.js";
import { bitsOf } from "./puzzle.js";

export class Board {
  // `select` is called with a cell when the user moves to it; `label` names the board, and
  // `foundWords` says where values that are not givens come from.
  constructor({ label, select = () => {}, foundWords = "from the answer" }) {
    this.foundWords = foundWords;
    this.element = make("div", { class: "board", role: "grid", "aria-label": label });
    this.select = select;
    this.selected = 0;
    this.shape = null;
    this.element.addEventListener("pointerdown", (event) => {
      const cell = event.target.closest(".cell");
      if (cell) this.#choose(Number(cell.dataset.cell), true);
    });
    this.element.addEventListener("focusin", (event) => {
      const cell = event.target.closest(".cell");
      if (cell) this.#choose(Number(cell.dataset.cell), false);
    });
  }

  #choose(cell, focus) {
    this.moveTo(cell, focus);
    this.select(cell);
  }

  // Make another cell the selected one.
  moveTo(cell, focus = true) {
    const before = this.cells[this.selected];
    before?.classList.remove("selected");
    before?.setAttribute("tabindex", "-1");
    this.selected = cell;
    this.cells[cell].classList.add("selected");
    this.cells[cell].setAttribute("tabindex", "0");
    if (focus && document.activeElement !== this.cells[cell]) this.cells[cell].focus({ preventScroll: true });
  }

  // Show a state: values, found values, candidates as bits, and classes of cells.
  show({ shape, values, found = null, marks = null, own = null, classes = new Map(), looks = new Map() }) {
    if (shape !== this.shape) this.#build(shape);
    for (let cell = 0; cell < values.length; cell += 1) {
      const value = values[cell] || found?.[cell] || 0;
      const bits = value || !marks ? 0 : marks[cell];
      const extra = classes.get(cell) ?? "";
      const look = looks.get(cell);
      const key = `${values[cell]},${value},${bits},${own?.[cell] ?? 0},${extra},${look ? JSON.stringify([...look]) : ""}`;
      if (key !== this.keys[cell]) {
        this.keys[cell] = key;
        this.#draw(cell, { value, isGiven: Boolean(values[cell]), bits, own: own?.[cell] ?? 0, extra, look });
      }
    }
  }

  #build(shape) {
    this.shape = shape;
    this.element.style.setProperty("--size", shape.size);
    this.element.style.setProperty("--columns", shape.candidate_columns);
    this.element.style.setProperty("--rows", Math.ceil(shape.size / shape.candidate_columns));
    this.element.setAttribute("aria-rowcount", shape.size);
    this.element.setAttribute("aria-colcount", shape.size);
    this.cells = [];
    this.fixed = fixedClasses(shape);
    this.keys = new Array(shape.size ** 2).fill(null);
    const rows = make("div", { class: "board-rows", role: "presentation" });
    for (let row = 0; row < shape.size; row += 1) {
      const line = make("div", { class: "board-row", role: "row" });
      for (let column = 0; column < shape.size; column += 1) {
        const at = row * shape.size + column;
        const cell = make("div", { role: "gridcell", tabindex: "-1", "data-cell": at });
        this.cells.push(cell);
        line.append(cell);
      }
      rows.append(line);
    }
    const hasFocus = this.element.contains(document.activeElement);
    const { constraints, rooms } = shape;
    this.element.classList.toggle("constrained", constraints.length > 0);
    ["left", "above", "right", "below"].forEach((side, at) => this.element.style.setProperty(`--${side}`, rooms[at]));
    const layer = (name) => make("img", {
      class: "layer", alt: "", src: `/api/marks.svg?${new URLSearchParams({ shape: shape.definition, layer: name })}`,
    });
    this.element.replaceChildren(...(constraints.length ? [layer("under"), rows, layer("over")] : [rows]));
    this.selected = Math.min(this.selected, this.cells.length - 1);
    this.cells[this.selected].setAttribute("tabindex", "0");
    if (hasFocus) this.moveTo(this.selected);
  }

  #draw(cell, { value, isGiven, bits, own, extra, look }) {
    const element = this.cells[cell];
    const symbol = value ? this.shape.symbols[value - 1] : "";
    const kind = value ? (isGiven ? " given" : " found") : "";
    const selected = cell === this.selected && element.classList.contains("selected") ? " selected" : "";
    element.className = `cell${this.fixed[cell]}${kind}${extra ? " " + extra : ""}${selected}`;
    element.setAttribute("aria-label", this.#words(cell, symbol, isGiven, bits, extra));
    if (!bits) {
      element.replaceChildren(...(symbol ? [symbol] : []));
      return;
    }
    let marks = element.lastElementChild;
    if (!marks || element.childNodes.length > 1) {
      marks = make("div", { class: "marks", "aria-hidden": "true" });
      marks.append(...Array.from({ length: this.shape.size }, () => make("span")));
      element.replaceChildren(marks);
    }
    this.#showMarks(marks.children, bits, own, look);
  }

  // Change only the marks that differ: a value removes one candidate from each of many cells.
  #showMarks(marks, bits, own, look) {
    for (let value = 1; value <= this.shape.size; value += 1) {
      const bit = 1 << (value - 1);
      const mark = marks[value - 1];
      // The style shows the symbol; the label of the cell names it for screen readers.
      const symbol = bits & bit ? this.shape.symbols[value - 1] : "";
      if ((mark.dataset.mark ?? "") !== symbol) {
        if (symbol) mark.dataset.mark = symbol;
        else delete mark.dataset.mark;
      }
      const kind = look?.get(value) ?? (own & bit ? "own" : "");
      if (mark.className !== kind) mark.className = kind;
    }
  }

  #words(cell, symbol, isGiven, bits, extra) {
    const parts = [this.shape.cellName(cell)];
    if (symbol) parts.push(isGiven ? symbol : `${symbol}, ${this.foundWords}`);
    else parts.push("blank");
    if (bits) parts.push("candidates " + bitsOf(bits).map((value) => this.shape.symbols[value - 1]).join(" "));
    if (extra.includes("conflict")) parts.push("conflict");
    if (extra.includes("empty-handed")) parts.push("no candidate");
    if (extra.includes("doubtful")) parts.push("doubtful");
    return parts.join(", ");
  }
}

function fixedClasses(shape) {
  const { size, regions } = shape;
  const shaded = new Set();
  const falling = new Set();
  const rising = new Set();
  shape.houses.forEach(([, cells], number) => {
    const kind = shape.kinds[number];
    if (kind === "window") for (const cell of cells) shaded.add(cell);
    if (kind === "diagonal") {
      const isFalling = cells.every((cell) => Math.floor(cell / size) === cell % size);
      for (const cell of cells) (isFalling ? falling : rising).add(cell);
    }
  });
  return regions.map((region, cell) => {
    const parts = [""];
    const isLast = cell % size === size - 1;
    if (isLast) parts.push("last");
    else if (regions[cell + 1] !== region) parts.push("right");
    if (cell + size < size * size && regions[cell + size] !== region) parts.push("below");
    if (shaded.has(cell)) parts.push("shade");
    if (falling.has(cell)) parts.push("falling");
    else if (rising.has(cell)) parts.push("diagonal");
    return parts.join(" ");
  });
}
