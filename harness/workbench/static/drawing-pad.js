// A field on which the user draws the value of a cell, with a mouse, a pen or a finger.

import { button, make } from "./elements.js";
import { requested } from "./server.js";

const WAIT_MS = 600;
const SIDE = 240;

// `size` returns the rows of the board, and `put` takes a value. Returns the panel, and a function
// that names the cell.
export function drawingPad(size, put) {
  let strokes = [];
  let timer = null;
  const canvas = make("canvas", { class: "pad", width: SIDE, height: SIDE, role: "img", "aria-label": "Drawing field" });
  const guesses = make("div", { class: "row", role: "status" });
  const title = make("h2", { text: "Draw a value" });
  const context = canvas.getContext("2d");

  function point(event) {
    const box = canvas.getBoundingClientRect();
    return [(event.clientX - box.left) / box.width, (event.clientY - box.top) / box.height];
  }

  function paint() {
    context.clearRect(0, 0, SIDE, SIDE);
    context.lineWidth = 12;
    context.lineCap = context.lineJoin = "round";
    context.strokeStyle = getComputedStyle(canvas).color;
    for (const stroke of strokes) {
      context.beginPath();
      stroke.forEach(([x, y], at) => (at ? context.lineTo(x * SIDE, y * SIDE) : context.moveTo(x * SIDE, y * SIDE)));
      context.stroke();
    }
  }

  function clear() {
    strokes = [];
    clearTimeout(timer);
    paint();
  }

  async function recognize() {
    const found = await requested("/api/strokes", { method: "POST", body: { strokes, size: size() } });
    if (!found) return;
    const ranked = found.probabilities
      .map((probability, value) => ({ probability, value }))
      .filter(({ value }) => value > 0)
      .sort((a, b) => b.probability - a.probability);
    put(ranked[0].value);
    guesses.replaceChildren(...ranked.slice(0, 4).map(({ probability, value }) =>
      button(`${value} ${Math.round(100 * probability)} %`, () => put(value))));
    strokes = [];
    setTimeout(paint, 300);
  }

  canvas.addEventListener("pointerdown", (event) => {
    canvas.setPointerCapture(event.pointerId);
    clearTimeout(timer);
    strokes.push([point(event)]);
    event.preventDefault();
  });
  canvas.addEventListener("pointermove", (event) => {
    if (!canvas.hasPointerCapture(event.pointerId) || !strokes.length) return;
    strokes.at(-1).push(point(event));
    paint();
  });
  canvas.addEventListener("pointerup", () => {
    paint();
    timer = setTimeout(recognize, WAIT_MS);
  });

  const panel = make("section", { class: "panel", "aria-label": "Drawing" }, title, canvas, guesses,
    make("div", { class: "row" }, button("Clear the drawing", clear)));
  return { panel, label: (name) => { title.textContent = `Draw the value of ${name}`; } };
}
