// The view that generates puzzles.

import { Board } from "./board.js";
import { button, make } from "./elements.js";
import { startJob } from "./jobs.js";
import { lineOf, puzzle, shapeNamed } from "./puzzle.js";
import { load } from "./server.js";
import { SHAPES, shapeTitle } from "./shapes.js";

const LEVELS = {
  naive: "naive: 35 to 40 blanks in a 9x9",
  easy: "easy: naked singles do not finish it",
  normal: "normal: singles do not finish it",
  hard: "hard: singles and cycles do not finish it",
  minimal: "minimal: each clue is needed",
};

function build(section) {
  const field = {};
  const labelled = (name, text, element) => {
    field[name] = element;
    return make("label", {}, text, element);
  };
  const list = (choices) => make("select", {}, ...choices.map(([value, text]) => make("option", { value, text })));
  const number = (value, least, most) => make("input", { type: "number", value, min: least, max: most, size: 6 });
  let cancel = null;
  let found = [];
  const bar = make("progress", { max: 1, value: 0, "aria-label": "Puzzles generated", hidden: true });
  const status = make("p", { class: "quiet", role: "status" });
  const start = button("Generate", run, { class: "main" });
  const stop = button("Cancel", () => cancel?.(), { disabled: true });
  const rows = make("tbody");
  const table = make("table", { hidden: true },
    make("caption", { text: "Generated puzzles" }),
    make("thead", {}, make("tr", {}, ...["Number", "Givens", "Solutions"].map((text, at) =>
      make("th", { text, scope: "col", class: at < 2 ? "number" : null })),
      make("th", { scope: "col" }, make("span", { class: "only-spoken", text: "Actions" })))),
    rows);
  const saving = button("Save all as lines", save, { hidden: true });
  const board = new Board({ label: "Generated puzzle" });
  const frame = make("div", { hidden: true }, board.element);
  const symmetry = list([["", "none"]]);
  const model = list([["", "none: removed clues"]]);
  const lack = make("p", { class: "warning", role: "status", hidden: true });
  load("/api/generate", (choices) => {
    for (const value of choices.symmetry) symmetry.append(make("option", { value, text: value }));
    for (const value of choices.model) model.append(make("option", { value, text: value }));
  }, (reason) => {
    lack.textContent = reason;
    lack.hidden = !reason;
  });

  async function run() {
    const value = (name) => field[name].value.trim();
    const body = {
      shape: value("shape"), count: Number(value("count")) || 1, seed: Number(value("seed")) || 0,
      clues: value("clues"), minimal: field.minimal.checked, level: value("level") || null,
      solutions: value("solutions") === "" ? 1 : Number(value("solutions")),
      symmetry: value("symmetry") || null, model: value("model") || null,
      hard: Number(value("hard")) || 0, pencilmarks: field.pencilmarks.checked,
    };
    found = [];
    rows.replaceChildren();
    table.hidden = saving.hidden = true;
    start.disabled = true;
    stop.disabled = false;
    bar.hidden = false;
    bar.value = 0;
    status.textContent = "generating";
    cancel = await startJob("/api/generate", body, { part: take, end });
    if (!cancel) end({ state: "failed" });
  }

  function take({ done, count, made }) {
    bar.max = count;
    bar.value = done;
    status.textContent = `${done} of ${count}`;
    if (!made?.puzzle || found.some((puzzle) => puzzle.number === made.number)) return;
    found.push(made);
    rows.append(row(made));
    table.hidden = saving.hidden = false;
    if (found.length === 1) show(made);
  }

  function end({ state }) {
    start.disabled = false;
    stop.disabled = true;
    bar.hidden = true;
    status.textContent = state === "cancelled" ? `cancelled after ${found.length}` : `${found.length} generated`;
  }

  function row(made) {
    const givens = made.puzzle.givens.filter(Boolean).length;
    return make("tr", {},
      make("td", { class: "number", text: made.number }),
      make("td", { class: "number", text: givens }),
      make("td", { text: made.solutions.split(":")[0] }),
      make("td", {}, make("div", { class: "row" },
        button("View", () => show(made), { "aria-label": `View puzzle ${made.number}` }),
        button("Open", () => open(made), { "aria-label": `Open puzzle ${made.number} on the board` }))));
  }

  async function show(made) {
    const shape = await shapeNamed(made.puzzle.shape);
    frame.hidden = false;
    board.show({ shape, values: made.puzzle.givens, marks: made.puzzle.marks });
  }

  async function open(made) {
    await puzzle.open(made.puzzle);
    location.hash = "#board?" + puzzle.link;
  }

  async function save() {
    const lines = await Promise.all(found.map(async ({ puzzle: of }) => lineOf(of.givens, await shapeNamed(of.shape))));
    const link = make("a", { href: URL.createObjectURL(new Blob([lines.join("\n") + "\n"])), download: "puzzles.txt" });
    link.click();
    URL.revokeObjectURL(link.href);
  }

  const check = (name, text) => {
    field[name] = make("input", { type: "checkbox" });
    return make("label", {}, field[name], text);
  };
  section.append(make("div", { class: "columns" },
    make("div", { class: "side" }, make("form", { class: "panel", submit: (event) => { event.preventDefault(); run(); } },
      make("h2", { text: "Generate puzzles" }), lack,
      make("div", { class: "row" },
        labelled("shape", "Shape", list(SHAPES.map((name) => [name, shapeTitle(name)]))),
        labelled("count", "Number", number(1, 1, 1000)), labelled("seed", "Seed", number(0, 0))),
      make("div", { class: "row" },
        labelled("level", "Level", list([["", "none"], ...Object.entries(LEVELS)])),
        labelled("symmetry", "Symmetry", symmetry)),
      make("div", { class: "row" },
        labelled("clues", "Clues", make("input", { placeholder: "24, 22-26 or 45%", size: 12 })),
        labelled("solutions", "Solutions", number(1, 0, 1000)), check("minimal", "each clue is needed")),
      make("details", {}, make("summary", { text: "Further options" }),
        make("div", { class: "row" }, labelled("model", "Model", model),
          labelled("hard", "Steps in search of a harder puzzle", number(0, 0, 10000)),
          check("pencilmarks", "restrict candidates in place of givens"))),
      make("div", { class: "row" }, start, stop), bar, status),
    make("div", { class: "scroll" }, table),
    make("div", { class: "row" }, saving)),
    make("div", { class: "stage" }, frame)));
  field.shape.value = "9x9";
  start.type = "submit";
  start.removeEventListener("click", run);
}

export const generateView = { name: "generate", title: "Generate", build };
