// The constraints of the puzzle: one per line, as the harness reads them.

import { button, make, message } from "./elements.js";
import { puzzle, shapeNamed } from "./puzzle.js";
import { load } from "./server.js";

export function constraintsPanel() {
  const area = make("textarea", { "aria-label": "Constraints", placeholder: "killer 15: R1C1 R1C2" });
  const kinds = make("select", { "aria-label": "Add a constraint", change: () => add(kinds.value) });
  const title = make("p", { class: "quiet", role: "status" });
  let known = [];
  load("/api/kinds", (found) => {
    known = found;
    kinds.replaceChildren(make("option", { value: "", text: "add a constraint" }),
      ...found.map(({ name }) => make("option", { value: name, text: name })));
  }, () => {});

  function add(name) {
    const kind = known.find((each) => each.name === name);
    kinds.value = "";
    if (!kind) return;
    title.textContent = `${kind.name}: ${kind.title}`;
    area.value = `${area.value.trimEnd()}\n${kind.example}`.trimStart();
    area.focus();
  }

  async function apply() {
    const { shape, values, marks, restricts, name } = puzzle;
    const texts = area.value.split(/[\n;]/).map((text) => text.trim()).filter(Boolean);
    try {
      const made = await shapeNamed([shape.plain, ...texts].join("; "));
      await puzzle.open({ shape: made.definition, givens: values, marks, restricts, name });
    } catch (error) {
      message(error.message, { isError: true });
    }
  }

  let last = null;
  function show() {
    const { shape } = puzzle;
    if (shape === last) return;
    last = shape;
    area.value = shape.constraints.join("\n");
  }
  puzzle.addEventListener("change", show);
  if (puzzle.shape) show();
  return make("section", { class: "panel", "aria-labelledby": "constraints-title" },
    make("h2", { id: "constraints-title", text: "Constraints" }), area, title,
    make("div", { class: "row" }, button("Apply", apply), kinds));
}
