// Puzzles as text: paste, copy, links and drawings.

import { button, make, message, select } from "./elements.js";
import { isInTextField } from "./keys.js";
import { candidateText } from "./link.js";
import { lineOf, puzzle } from "./puzzle.js";
import { load, requested } from "./server.js";

// The panel for texts. Paste and copy work as keys while `section` shows; `shownMarks` returns the
// candidates on the board.
export function filePanel(section, shownMarks) {
  const formats = make("select", { "aria-label": "Format" }, make("option", { value: "", text: "read any format, write lines" }));
  load("/api/formats", (known) => {
    formats.append(...known.map(({ name, title }) => make("option", { value: name, text: `${name}: ${title}` })));
  }, () => {});  // the bar of the page shows that the server does not answer
  const choices = make("div");
  const area = make("textarea", { "aria-label": "Text with puzzles", placeholder: "Paste puzzles in any format here" });

  const sameShape = make("input", { type: "checkbox" });

  async function read(text, format = "") {
    const shape = sameShape.checked ? puzzle.shape.definition : "";
    const found = await requested("/api/read", { method: "POST", body: { text, shape, format } });
    if (!found) return;
    const { puzzles, number, notes } = found;
    await puzzle.open(puzzles[0]);
    if (notes.length) message(`Note: ${notes.join("; ")}.`);
    choices.replaceChildren();
    if (puzzles.length > 1) {
      const list = puzzles.map((each, at) => [String(at), each.name || `puzzle ${at + 1}`]);
      const some = number > puzzles.length ? `the first ${puzzles.length} of ` : "";
      choices.append(select(`${some}${number.toLocaleString("en")} puzzles`, list, "0", (at) => puzzle.open(puzzles[Number(at)])));
    }
  }

  async function write() {
    const found = await requested("/api/write", { method: "POST", body: { puzzle: puzzle.data, format: formats.value || "line" } });
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
    const marks = shownMarks();
    if (marks.some(Boolean)) parts.set("candidates", candidateText(marks, puzzle.shape.size));
    if (puzzle.found) parts.set("grid", lineOf(puzzle.found, puzzle.shape));
    const link = make("a", { href: `/api/board.${kind}?${parts}`, download: `puzzle.${kind}` });
    link.click();
  }

  document.addEventListener("paste", (event) => {
    if (section.hidden || isInTextField(event)) return;
    const text = event.clipboardData.getData("text");
    if (text) read(text);
    else if (event.clipboardData.files.length) message("Puzzles in images are read in the view Image. Open it and paste the image there.", { isError: true });
    else return;
    event.preventDefault();
  });
  document.addEventListener("copy", (event) => {
    if (section.hidden || isInTextField(event) || String(getSelection())) return;
    event.clipboardData.setData("text/plain", puzzle.text);
    event.preventDefault();
    message("Puzzle copied.");
  });

  return make("section", { class: "panel", "aria-labelledby": "texts-title" },
    make("h2", { id: "texts-title", text: "Text, links and drawings" }),
    area,
    make("div", { class: "row" }, button("Read the text", () => read(area.value, formats.value)),
      button("Write it here", async () => { area.value = (await write()) ?? area.value; }),
      button("Copy", async () => copy(await write(), "Text")), choices),
    make("div", { class: "row" }, make("label", {}, "Format", formats),
      make("label", {}, sameShape, "in the shape of the board")),
    make("div", { class: "row" },
      button("Copy link", () => copy(`${location.origin}/#board?${puzzle.link}`, "Link")),
      button("SVG", () => drawing("svg")), button("PNG", () => drawing("png"))),
  );
}
