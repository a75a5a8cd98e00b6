// The puzzle of the page: one state that all views share, with its history.

import { request } from "./server.js";

const MOST_STEPS = 1000;
const shapes = new Map();

// The description of a shape; each is requested once.
export function shapeNamed(name) {
  if (!shapes.has(name)) {
    const found = request("/api/shape?name=" + encodeURIComponent(name)).then(prepared);
    found.catch(() => shapes.delete(name));
    shapes.set(name, found);
  }
  return shapes.get(name);
}

function prepared(shape) {
  const cells = shape.size ** 2;
  const peers = Array.from({ length: cells }, () => new Set());
  for (const [, house] of shape.houses) {
    for (const cell of house) for (const other of house) if (other !== cell) peers[cell].add(other);
  }
  for (const [a, b] of shape.pairs) {
    peers[a].add(b);
    peers[b].add(a);
  }
  shape.peers = peers.map((of) => [...of]);
  shape.cellName = (cell) => `R${Math.floor(cell / shape.size) + 1}C${(cell % shape.size) + 1}`;
  shape.full = 2 ** shape.size - 1;
  return shape;
}

// What contradicts: cells whose value a peer has, and blank cells without a candidate.
export function problems({ shape, values, marks, restricts }) {
  const conflicts = new Set();
  const empty = new Set();
  values.forEach((value, cell) => {
    if (value) {
      if (shape.peers[cell].some((peer) => values[peer] === value)) conflicts.add(cell);
    } else if (!candidatesOf({ shape, values, marks, restricts }, cell)) empty.add(cell);
  });
  return { conflicts, empty };
}

// The candidates of a blank cell as bits.
export function candidatesOf({ shape, values, marks, restricts }, cell) {
  let bits = restricts && marks[cell] ? marks[cell] : shape.full;
  for (const peer of shape.peers[cell]) if (values[peer]) bits &= ~(1 << (values[peer] - 1));
  return bits;
}

export function bitsOf(bits) {
  const values = [];
  for (let value = 1; bits; value += 1, bits >>>= 1) if (bits & 1) values.push(value);
  return values;
}

// The state: `values` are typed (or given), `found` are those of an answer, `marks` candidates.
class PuzzleState extends EventTarget {
  shape = null;
  values = [];
  marks = [];
  restricts = false;
  found = null;
  name = "";
  #past = [];
  #future = [];

  // Show an empty board of a shape, or a puzzle of the server.
  async open(puzzle, { isFirst = false } = {}) {
    const shape = await shapeNamed(puzzle.shape);
    if (!isFirst) this.#remember();
    const cells = shape.size ** 2;
    this.shape = shape;
    this.values = puzzle.givens ? [...puzzle.givens] : new Array(cells).fill(0);
    this.restricts = Boolean(puzzle.marks);
    this.marks = puzzle.marks ? [...puzzle.marks] : new Array(cells).fill(0);
    this.name = puzzle.name ?? "";
    this.found = puzzle.grid ?? null;
    this.#changed();
  }

  // Open the puzzle of a link, unless it is shown already.
  async openLink(query) {
    const name = query.get("shape") ?? "9x9";
    const shape = await shapeNamed(name);
    const line = query.get("puzzle") ?? ".".repeat(shape.size ** 2);
    if (line.length !== shape.size ** 2) throw new Error(`The puzzle of the link has ${line.length} symbols, not ${shape.size ** 2}.`);
    const givens = valuesOf(line, shape);
    if (shape === this.shape && lineOf(givens, shape) === this.line) return;
    await this.open({ shape: name, givens }, { isFirst: !this.values.some(Boolean) });
  }

  setValue(cell, value) {
    this.setValues([[cell, value]]);
  }

  setValues(pairs) {
    if (pairs.every(([cell, value]) => this.values[cell] === value)) return;
    this.#remember();
    this.values = [...this.values];
    for (const [cell, value] of pairs) this.values[cell] = value;
    this.found = null;
    this.#changed();
  }

  toggleMark(cell, value) {
    if (this.values[cell]) return;
    this.#remember();
    this.marks = [...this.marks];
    this.marks[cell] ^= 1 << (value - 1);
    this.#changed();
  }

  clearCell(cell) {
    if (!this.values[cell] && !this.marks[cell]) return;
    this.#remember();
    this.values = [...this.values];
    this.marks = [...this.marks];
    if (this.values[cell]) this.values[cell] = 0;
    else this.marks[cell] = 0;
    this.found = null;
    this.#changed();
  }

  setMarksAsCandidates() {
    this.#remember();
    this.marks = this.values.map((value, cell) => (value ? 0 : candidatesOf({ ...this, restricts: false }, cell)));
    this.#changed();
  }

  setRestricts(restricts) {
    this.#remember();
    this.restricts = restricts;
    this.#changed();
  }

  clear() {
    this.#remember();
    this.values = this.values.map(() => 0);
    this.marks = this.marks.map(() => 0);
    this.found = null;
    this.#changed();
  }

  showFound(grid) {
    this.found = grid;
    this.#changed();
  }

  get canUndo() {
    return this.#past.length > 0;
  }

  get canRedo() {
    return this.#future.length > 0;
  }

  undo() {
    this.#move(this.#past, this.#future);
  }

  redo() {
    this.#move(this.#future, this.#past);
  }

  // The puzzle as the server takes it.
  get data() {
    const marks = this.restricts
      ? this.marks.map((bits, cell) => (this.values[cell] ? 1 << (this.values[cell] - 1) : bits || this.shape.full))
      : null;
    return { shape: this.shape.definition, givens: this.values, marks, name: this.name, grid: null };
  }

  get line() {
    return lineOf(this.values, this.shape);
  }

  // The link of the puzzle, as the part of the address after "#board?".
  get link() {
    const parts = { shape: this.shape.definition, puzzle: this.line };
    return new URLSearchParams(parts).toString();
  }

  #snapshot() {
    const { shape, values, marks, restricts, found, name } = this;
    return { shape, values, marks, restricts, found, name };
  }

  #remember() {
    if (!this.shape) return;
    this.#past.push(this.#snapshot());
    if (this.#past.length > MOST_STEPS) this.#past.shift();
    this.#future = [];
  }

  #move(from, to) {
    if (!from.length) return;
    to.push(this.#snapshot());
    Object.assign(this, from.pop());
    this.#changed();
  }

  #changed() {
    this.dispatchEvent(new Event("change"));
  }
}

export function lineOf(values, shape) {
  return values.map((value) => (value ? shape.symbols[value - 1] : ".")).join("");
}

export function valuesOf(line, shape) {
  return [...line].map((symbol) => shape.symbols.indexOf(symbol.toUpperCase()) + 1);
}

export const puzzle = new PuzzleState();
