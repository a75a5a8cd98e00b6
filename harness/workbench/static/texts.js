// Puzzles as text: paste, copy, links and drawings.

import { button, make, message, select } from "./elements.js";
import { lineOf, puzzle } from "./puzzle.js";
import { load, requested } from "./server.js";

// The panel for texts; `section` is where paste and copy work as keys.
export function filePanel(section) {
  let format = "line";
  const formats = make("select", { "aria-label": "Format", change: () => { format = formats.value; } });
  formats.append(make("option", { value: "line", text: "line" }));
  load("/api/formats", (known) => {
    formats.replaceChildren(
      ...known.map(({ name, title }) => make("option", { value: name, text: `${name}: ${title}`, selected: name === "line" })),
    );
  }, () => {});  // the bar of the page shows that the server does not answer
  const choices = make("div");
  const area = make("textarea", { "aria-label": "Text with puzzles", placeholder: "Paste puzzles of any format here" });

  const sameShape = make("input", { type: "checkbox" });

  async function read(text) {
    const shape = sameShape.checked ? puzzle.shape.definition : "";
    const found = await requested("/api/read", { method: "POST", body: { text, shape } });
    if (!found) return;
    await puzzle.open(found[0]);
    choices.replaceChildren();
    if (found.length > 1) {
      const list = found.map((of, at) => [String(at), of.name || `puzzle ${at + 1}`]);
      choices.append(select(`${found.length} puzzles`, list, "0", (at) => puzzle.open(found[Number(at)])));
    }
  }

  async function write() {
    const found = await requested("/api/write", { method: "POST", body: { puzzle: puzzle.data, format } });
    return found?.text ?? null;
  }

  async function copy(text, what) {
    if (text === null) return;
    try {
      await navigator.clipboard.writeText(text);
      message(`${what} copied.`);
    } catch {
      area.value = text;
      area.select();
      message(`The browser does not allow copying. ${what} is in the text field.`);
    }
  }

  function drawing(kind) {
    const parts = new URLSearchParams({ shape: puzzle.shape.definition, puzzle: puzzle.line });
    if (puzzle.found) parts.set("grid", lineOf(puzzle.found, puzzle.shape));
    const link = make("a", { href: `/api/board.${kind}?${parts}`, download: `puzzle.${kind}` });
    link.click();
  }

  section.addEventListener("paste", (event) => {
    if (event.target.closest("input, textarea")) return;
    const text = event.clipboardData.getData("text");
    if (text) {
      event.preventDefault();
      read(text);
    }
  });
  section.addEventListener("copy", (event) => {
    if (event.target.closest("input, textarea") || String(getSelection())) return;
    event.clipboardData.setData("text/plain", puzzle.line);
    event.preventDefault();
    message("Line copied.");
  });

  return make("section", { class: "panel", "aria-labelledby": "texts-title" },
    make("h2", { id: "texts-title", text: "Text, links and drawings" }),
    area,
    make("div", { class: "row" }, button("Read the text", () => read(area.value)),
      make("label", {}, sameShape, "in the shape of the board"), choices),
    make("div", { class: "row" }, make("label", {}, "Format", formats),
      button("Copy", async () => copy(await write(), "Text")),
      button("Show", async () => { area.value = (await write()) ?? area.value; })),
    make("div", { class: "row" },
      button("Copy link", () => copy(`${location.origin}/#board?${puzzle.link}`, "Link")),
      button("SVG", () => drawing("svg")), button("PNG", () => drawing("png"))),
  );
}
