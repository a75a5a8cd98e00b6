// A field on which the user draws the value of a cell, with a mouse, a pen or a finger.

import { button, make } from "./elements.js";
import { requested } from "./server.js";

const WAIT_MS = 600;
const SIDE = 240;
const LEAST = 0.5;  // the probability from which a value is written
const MOST_GUESSES = 4;

// `shape` returns the shape of the board, or null without one; `selected` returns its selected cell.
// `put` takes a value and the cell of the drawing, which was selected when the drawing began.
// Returns the panel, and a function that names the cell.
export function drawingPad({ shape, selected, put }) {
  let drawing = null;
  let turn = 0;
  let cleared = 0;  // the last drawing whose value is no longer wanted
  const canvas = make("canvas", { class: "pad", width: SIDE, height: SIDE, role: "img", "aria-label": "Drawing field" });
  const words = make("p", { class: "quiet", role: "status" });
  const guesses = make("div", { class: "row" });
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
    for (const stroke of drawing?.strokes ?? []) {
      context.beginPath();
      stroke.forEach(([x, y], at) => (at ? context.lineTo(x * SIDE, y * SIDE) : context.moveTo(x * SIDE, y * SIDE)));
      if (stroke.length === 1) context.lineTo(stroke[0][0] * SIDE, stroke[0][1] * SIDE);
      context.stroke();
    }
  }

  function clear() {
    clearTimeout(drawing?.timer);
    drawing = null;
    cleared = turn;
    say("");
    paint();
  }

  function say(text, ...buttons) {
    words.textContent = text;
    guesses.replaceChildren(...buttons);
  }

  function begin() {
    if (drawing && (drawing.cell !== selected() || drawing.shape !== shape())) recognize();
    drawing ??= { strokes: [], cell: selected(), shape: shape(), timer: null };
    clearTimeout(drawing.timer);
  }

  async function recognize() {
    const { strokes, cell, shape: of, timer } = drawing;
    clearTimeout(timer);
    drawing = null;
    const mine = (turn += 1);
    if (!of) {
      say("Read an image first: there is no cell for the value yet.");
      paint();
      return;
    }
    const found = await requested("/api/strokes", { method: "POST", body: { strokes, size: of.size } });
    setTimeout(paint, 300);
    if (!found || mine <= cleared) return;
    const isLatest = mine === turn;
    const [first, ...others] = found.probabilities
      .map((probability, value) => ({ probability, value }))
      .sort((a, b) => b.probability - a.probability);
    const name = of.cellName(cell);
    if (of !== shape()) {
      if (isLatest) say(`The board has another shape now, so nothing was written into ${name}.`);
      return;
    }
    const isValue = first.value > 0 && first.probability >= LEAST;
    if (isValue) put(first.value, cell);
    if (!isLatest) return;
    const likely = [first, ...others].filter(({ value, probability }) => value > 0 && probability >= 0.005).slice(0, MOST_GUESSES);
    const offered = likely.map(({ probability, value }) => {
      const symbol = of.symbols[value - 1];
      return button(`${symbol}: ${Math.round(100 * probability)} %`, () => { if (of === shape()) put(value, cell); },
        { "aria-label": `${name}: ${symbol}, ${Math.round(100 * probability)} %` });
    });
    if (isValue) say(`${name} was read as ${of.symbols[first.value - 1]}.`, ...offered);
    else if (offered.length) say(`Nothing was written into ${name}: it is unclear which value the drawing shows. Draw it again, or choose a value:`, ...offered);
    else say(`Nothing was written into ${name}: the drawing is not a value.`);
  }

  canvas.addEventListener("pointerdown", (event) => {
    canvas.setPointerCapture(event.pointerId);
    begin();
    drawing.strokes.push([point(event)]);
    event.preventDefault();
  });
  canvas.addEventListener("pointermove", (event) => {
    if (!canvas.hasPointerCapture(event.pointerId) || !drawing) return;
    drawing.strokes.at(-1).push(point(event));
    paint();
  });
  // A gesture that the system takes over ends a stroke too.
  for (const name of ["pointerup", "pointercancel"]) {
    canvas.addEventListener(name, () => {
      if (!drawing) return;
      paint();
      drawing.timer = setTimeout(recognize, WAIT_MS);
    });
  }

  const panel = make("section", { class: "panel", "aria-label": "Drawing" }, title, canvas, words, guesses,
    make("div", { class: "row" }, button("Clear the drawing", clear)));
  return { panel, label: (name) => { title.textContent = `Draw the value of ${name}`; } };
}
