// What a step marks on a board: houses, cells, candidates, walks, links, strokes.

import { drawn } from "./elements.js";

const BEND = 0.1;
const BENDS = [BEND, -BEND, 0.16, -0.16];  // links of a walk in one line stay apart

// The classes of cells and the looks of candidates that a step gives the board before it.
export function marksOf(step, before, shape) {
  const classes = new Map();
  const looks = new Map();
  const add = (cell, name) => classes.set(cell, `${classes.get(cell) ?? ""} ${name}`.trim());
  const look = (cell, value, name) => {
    if (!looks.has(cell)) looks.set(cell, new Map());
    if (!looks.get(cell).has(value)) looks.get(cell).set(value, name);
  };
  if (!step) return { classes, looks, showsValue: false };
  const walks = step.walks ?? [];
  const groups = step.groups ?? [];
  for (const [cell, value] of step.removed ?? []) look(cell, value, "removed");
  const showsValue = step.kind === "guess" || (step.kind === "placement" && !walks.length);
  if (step.cell !== undefined && step.value && step.kind !== "dead end") {
    add(step.cell, step.kind === "guess" ? "placed guess" : "placed");
    if (!showsValue) look(step.cell, step.value, "placed");
  }
  if (step.kind === "dead end") add(step.cell, "conflict");
  if (step.kind === "options") {
    add(step.cell, "touched");
    for (const value of step.options) look(step.cell, value, "group0");
  }
  for (const cell of step.blank ?? []) add(cell, "touched");
  const seen = new Set();
  walks.forEach((walk, number) => {
    for (const [source, target] of walk) {
      for (const cell of [source, target]) {
        if (!seen.has(cell) && cell !== step.cell) add(cell, `walk${Math.min(number, 2)}`);
        seen.add(cell);
      }
    }
  });
  groups.forEach((group, number) => {
    for (const [cell, value] of group) look(cell, value, `group${groups.length === 1 ? 0 : 1 + Math.min(number, 2)}`);
  });
  if (!walks.length) for (const cell of step.cells ?? []) if (!classes.has(cell)) add(cell, "touched");
  for (const house of (step.houses ?? []).flat()) {
    for (const cell of shape.houses[house][1]) if (!classes.has(cell)) add(cell, "house");
  }
  return { classes, looks, showsValue };
}

// The drawing above the cells of a board.
export class Overlay {
  constructor(board) {
    this.board = board;
    this.element = drawn("svg", { class: "overlay thought", "aria-hidden": "true" });
  }

  // Draw a step, and the links of a graph: [cell, cell, value].
  show(step, graph = []) {
    const { shape } = this.board;
    if (this.element.parentNode !== this.board.element) this.board.element.append(this.element);
    this.element.setAttribute("viewBox", `0 0 ${shape.size} ${shape.size}`);
    this.scale = Math.min(1, 3 / shape.candidate_columns);
    const parts = [];
    for (const [a, b, value] of graph) parts.push(this.#curve(this.#points(a, b, value), "graph", 0.02));
    (step?.houses ?? []).forEach((group, number) => {
      for (const house of group) parts.push(this.#outline(shape.houses[house][1], number ? "cover" : "base"));
    });
    for (const [a, b, value] of step?.pairs ?? []) parts.push(this.#curve(this.#points(a, b, value), "pair", 0.035));
    const labels = [];
    (step?.walks ?? []).forEach((walk, number) => {
      const name = `walk${Math.min(number, 2)}`;
      walk.forEach(([source, target, value, given], at) => {
        const points = this.#points(source, target, value, BENDS[at % BENDS.length]);
        parts.push(this.#curve(points, `${name}${value === given ? "" : " weak"}`, 0.045));
        parts.push(this.#head(points, name));
        labels.push(this.#label(points, value, name));
      });
    });
    for (const [cell, value] of step?.removed ?? []) parts.push(this.#stroke(cell, value));
    this.element.replaceChildren(...parts, ...labels);
  }

  // The two ends of a link and the point that bends it.
  #points(a, b, value, bend = BEND) {
    const room = 0.13 * this.scale;
    const [start, end] = [this.board.middle(a, value), this.board.middle(b, value)];
    const [dx, dy] = [end[0] - start[0], end[1] - start[1]];
    const control = [(start[0] + end[0]) / 2 + bend * dy, (start[1] + end[1]) / 2 - bend * dx];
    return { start: towards(start, control, room), control, end: towards(end, control, room) };
  }

  #curve({ start, control, end }, name, width) {
    return drawn("path", { class: `link ${name}`, d: `M${start}Q${control} ${end}`, "stroke-width": width * Math.max(this.scale, 0.6) });
  }

  #head({ control, end }, name) {
    const length = Math.hypot(end[0] - control[0], end[1] - control[1]) || 1;
    const [x, y] = [(end[0] - control[0]) / length, (end[1] - control[1]) / length];
    const size = 0.13 * Math.max(this.scale, 0.6);
    const [left, right] = [1, -1].map((side) =>
      [end[0] - size * x + (side * size * y) / 2, end[1] - size * y - (side * size * x) / 2]);
    return drawn("polygon", { class: `head ${name}`, points: `${end} ${left} ${right}` });
  }

  // The value of a link: on a disc in the first walk, a square in the second, a rhombus in the third.
  #label({ start, control, end }, value, name) {
    const [x, y] = [0, 1].map((at) => (start[at] + 2 * control[at] + end[at]) / 4);
    const radius = 0.12 * Math.max(this.scale, 0.6);
    const forms = {
      walk0: () => drawn("circle", { cx: x, cy: y, r: radius }),
      walk1: () => drawn("rect", { x: x - radius * 0.9, y: y - radius * 0.9, width: radius * 1.8, height: radius * 1.8 }),
      walk2: () => drawn("polygon", { points: [[x, y - 1.3 * radius], [x + 1.3 * radius, y], [x, y + 1.3 * radius], [x - 1.3 * radius, y]].join(" ") }),
    };
    const text = drawn("text", { x, y: y + 0.35 * 1.5 * radius, "font-size": 1.5 * radius, text: this.board.shape.symbols[value - 1] });
    return drawn("g", { class: `label ${name}` }, forms[name](), text);
  }

  #stroke(cell, value) {
    const [x, y] = this.board.middle(cell, value);
    const radius = 0.14 * this.scale;
    return drawn("path", { class: "stroke", d: `M${x - radius} ${y + radius}L${x + radius} ${y - radius}`, "stroke-width": 0.045 * Math.max(this.scale, 0.6) });
  }

  // The border of a set of cells.
  #outline(cells, name) {
    const { size } = this.board.shape;
    const inside = new Set(cells);
    const gap = 0.05;
    let path = "";
    for (const cell of cells) {
      const [row, column] = [Math.floor(cell / size), cell % size];
      const has = (down, right) => {
        const [r, c] = [row + down, column + right];
        return r >= 0 && c >= 0 && r < size && c < size && inside.has(r * size + c);
      };
      if (!has(-1, 0)) path += `M${column} ${row + gap}h1`;
      if (!has(1, 0)) path += `M${column} ${row + 1 - gap}h1`;
      if (!has(0, -1)) path += `M${column + gap} ${row}v1`;
      if (!has(0, 1)) path += `M${column + 1 - gap} ${row}v1`;
    }
    return drawn("path", { class: `outline ${name}`, d: path, "stroke-width": 0.07 });
  }
}

function towards(point, other, distance) {
  const length = Math.hypot(other[0] - point[0], other[1] - point[1]) || 1;
  return [0, 1].map((at) => point[at] + ((other[at] - point[at]) * Math.min(distance, length / 2)) / length);
}
