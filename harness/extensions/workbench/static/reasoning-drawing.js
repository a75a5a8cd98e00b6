// What a step does to cells and candidates of a board, and its drawing, which the server makes.

import { make } from "./elements.js";
import { request } from "./server.js";

const KINDS = { placement: "placed", guess: "placed guess", "dead end": "conflict", options: "touched" };

// The classes of cells and the looks of candidates by which a board shows the step from it.
export function marksOf(step) {
  const classes = new Map();
  const looks = new Map();
  if (!step) return { classes, looks };
  const look = ([cell, value], name) => looks.set(cell, (looks.get(cell) ?? new Map()).set(value, name));
  for (const candidate of step.candidates.flat()) look(candidate, "marked");
  for (const value of step.options) look([step.cell, value], "marked");
  for (const candidate of step.removed) look(candidate, "removed");
  if (KINDS[step.kind]) classes.set(step.cell, KINDS[step.kind]);
  for (const cell of step.blank) classes.set(cell, "touched");
  return { classes, looks };
}

// The drawing below and above the values of a board.
export class Overlay {
  #wanted = "";

  constructor(board) {
    this.board = board;
    this.layers = ["under", "over"].map((name) => make("div", { class: `overlay thought ${name}`, "aria-hidden": "true" }));
  }

  // Draw a step on the board before it, and perhaps the bilocation graph; `take` gets its number of links.
  async show(step, before, { hasGraph, take }) {
    const hasStep = Boolean(step?.cells.length || step?.options.length);
    const { shape } = this.board;
    const body = (hasStep || hasGraph) && {
      shape: shape.definition, values: before.values, candidates: before.candidates,
      step: hasStep ? step.record : null, has_graph: hasGraph,
    };
    const wanted = JSON.stringify(body);
    const { element } = this.board;
    if (this.layers[0].parentNode !== element) {
      element.prepend(this.layers[0]);
      element.append(this.layers[1]);
    }
    if (wanted === this.#wanted) return;
    this.#wanted = wanted;
    this.#fill("", "");
    if (!body) return;
    const drawing = await request("/api/reasoning/drawing", { method: "POST", body }).catch(() => null);
    if (wanted !== this.#wanted) return;
    if (!drawing) this.#wanted = "";  // the next call tries again
    else {
      this.#fill(drawing.under, drawing.over);
      if (hasGraph) take(drawing.links);
    }
  }

  #fill(...texts) {
    this.layers.forEach((layer, at) => {
      layer.replaceChildren(...(texts[at] ? [new DOMParser().parseFromString(texts[at], "image/svg+xml").documentElement] : []));
    });
  }
}
