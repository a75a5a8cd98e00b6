// The puzzle of the page: one state that all views share, with its history.

import { candidateText, linkedPuzzle } from "./link.js";
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
  shape.peers = peers.map((cells) => [...cells]);
  shape.cellName = (cell) => `R${Math.floor(cell / shape.size) + 1}C${(cell % shape.size) + 1}`;
  shape.cellNamed = (name) => {
    const [, row, column] = /^R(\d+)C(\d+)$/.exec(name);
    return (Number(row) - 1) * shape.size + Number(column) - 1;
  };
  shape.full = 2 ** shape.size - 1;
  return shape;
}

// The contradictions: cells whose value a peer has too, and blank cells without a candidate.
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

  // Show an empty board of a shape, or a puzzle from the server.
  async open(puzzle, { isFirst = false } = {}) {
    const shape = await shapeNamed(puzzle.shape);
    if (!isFirst) this.#remember();
    const cells = shape.size ** 2;
    this.shape = shape;
    this.values = puzzle.givens ? [...puzzle.givens] : new Array(cells).fill(0);
    this.restricts = puzzle.restricts ?? Boolean(puzzle.marks);
    this.marks = puzzle.marks ? [...puzzle.marks] : new Array(cells).fill(0);
    this.name = puzzle.name ?? "";
    this.found = null;
    this.#changed();
  }

  // Open the puzzle of a link, unless it is shown already. With a broken link the board is empty,
  // in the shape of the link, and the error says what is wrong.
  async openLink(query) {
    const shape = await shapeNamed(query.get("shape") ?? "9x9");
    const options = { isFirst: !this.#past.length && this.isEmpty };
    let linked;
    try {
      linked = await linkedPuzzle(query, shape);
    } catch (error) {
      await this.open({ shape: shape.definition }, options);
      throw error;
    }
    if (!this.#shows(shape, linked)) await this.open(linked, options);
  }

  #shows(shape, { givens, marks = null, restricts = Boolean(marks) }) {
    const isSame = (some, others) => some.every((value, at) => value === others[at]);
    return shape === this.shape && isSame(givens, this.values) && restricts === this.restricts && (!marks || isSame(marks, this.marks));
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
    this.#setMarks(cell, this.marks[cell] ^ (1 << (value - 1)));
  }

  addMark(cell, value) {
    this.#setMarks(cell, this.marks[cell] | (1 << (value - 1)));
  }

  #setMarks(cell, bits) {
    if (this.values[cell] || (bits === this.marks[cell] && !this.found)) return;
    this.#remember();
    this.marks = [...this.marks];
    this.marks[cell] = bits;
    this.found = null;
    this.#changed();
  }

  // Remove the value of a cell, or its candidates. A value of a shown solution is removed with the
  // solution.
  clearCell(cell) {
    if (this.found && !this.values[cell]) {
      this.hideFound();
      return;
    }
    if (!this.values[cell] && !this.marks[cell]) return;
    this.#remember();
    this.values = [...this.values];
    this.marks = [...this.marks];
    if (this.values[cell]) this.values[cell] = 0;
    else this.marks[cell] = 0;
    this.found = null;
    this.#changed();
  }

  setRestricts(restricts) {
    this.#remember();
    this.restricts = restricts;
    this.found = null;
    this.#changed();
  }

  clear() {
    this.#remember();
    this.values = this.values.map(() => 0);
    this.marks = this.marks.map(() => 0);
    this.found = null;
    this.#changed();
  }

  // Fill in a solution, as a step that can be undone.
  showFound(grid) {
    this.#remember();
    this.found = grid;
    this.#changed();
  }

  hideFound() {
    if (this.found) this.showFound(null);
  }

  // Show the board of a snapshot again, perhaps with a solution.
  restore(snapshot, found = null) {
    this.#remember();
    Object.assign(this, snapshot, { found });
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
    return { shape: this.shape.definition, givens: this.values, marks, name: this.name };
  }

  get line() {
    return lineOf(this.values, this.shape);
  }

  get isEmpty() {
    return !this.values.some(Boolean) && !this.marks.some(Boolean);
  }

  // Equal only for the same puzzle; candidates that do not restrict it make no difference.
  get key() {
    const { shape, givens, marks } = this.data;
    return JSON.stringify([shape, givens, marks]);
  }

  // The link of the puzzle, as the part of the address after "#board?".
  get link() {
    const parts = { shape: this.shape.definition, puzzle: this.line };
    if (this.marks.some(Boolean)) parts.candidates = candidateText(this.marks, this.shape.size);
    if (this.restricts) parts.restrict = "1";
    return new URLSearchParams(parts).toString();
  }

  // The puzzle as a text from which the harness reads the same puzzle: a line, below comments if its
  // length does not determine the shape and the symbols, or a JSON record with all candidates.
  get text() {
    const { shape, line } = this;
    const { marks } = this.data;
    if (marks?.some((bits, cell) => !this.values[cell] && bits !== shape.full)) {
      const candidates = marks.map((bits) => [...shape.symbols].map((symbol, at) => ((bits >> at) & 1 ? symbol : ".")).join(""));
      return JSON.stringify({ shape: shape.definition, puzzle: candidates.join("") }) + "\n";
    }
    const isPlain = shape.definition === `${shape.size}x${shape.size}`;
    const comments = (isPlain ? "" : `# shape: ${shape.definition}\n`) + (shape.size > 9 ? "# symbols: letters\n" : "");
    return comments ? `${comments}${line}\n` : line;
  }

  get snapshot() {
    const { shape, values, marks, restricts, found, name } = this;
    return { shape, values, marks, restricts, found, name };
  }

  #remember() {
    if (!this.shape) return;
    this.#past.push(this.snapshot);
    if (this.#past.length > MOST_STEPS) this.#past.shift();
    this.#future = [];
  }

  #move(from, to) {
    if (!from.length) return;
    to.push(this.snapshot);
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
