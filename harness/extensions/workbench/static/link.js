// A puzzle in the address: its shape, its values, its candidates, and whether they restrict it.

import { request } from "./server.js";

// The parameters of an address that describe a puzzle.
export const LINK_PARTS = ["shape", "puzzle", "candidates", "restrict"];

const BITS = 5;  // of a digit in base 32

// Candidates as a text, as harness/extensions/workbench/boards.py describes it.
export function candidateText(marks, size) {
  const width = Math.ceil(size / BITS);
  return marks.map((bits) => (bits ? bits.toString(32).padStart(width, "0") : ".")).join("").replace(/\.+$/, "");
}

function candidatesIn(text, shape) {
  const width = Math.ceil(shape.size / BITS);
  const marks = [];
  for (let at = 0; at < text.length;) {
    if (marks.length === shape.size ** 2) throw new Error(`The link has candidates for more than ${shape.size ** 2} cells.`);
    const part = text[at] === "." ? "." : text.slice(at, at + width);
    const bits = part === "." ? 0 : part.length === width && /^[0-9a-v]+$/.test(part) ? parseInt(part, 32) : -1;
    if (bits < 0 || bits > shape.full || (bits === 0 && part !== ".")) {
      const digits = width === 1 ? "a digit" : `${width} digits`;
      throw new Error(`The candidates of the link are malformed at ${shape.cellName(marks.length)}: "${part}"; expected . or ${digits} of base 32.`);
    }
    marks.push(bits);
    at += part.length;
  }
  return [...marks, ...new Array(shape.size ** 2 - marks.length).fill(0)];
}

// The puzzle of a link as `open` takes it. An error says what is wrong with the link.
export async function linkedPuzzle(query, shape) {
  const cells = shape.size ** 2;
  const restrict = query.get("restrict") ?? "";
  if (!["", "1"].includes(restrict)) throw new Error(`The link has restrict=${restrict.slice(0, 20)}; expected restrict=1.`);
  const found = await valuesIn(query.get("puzzle") ?? ".".repeat(cells), shape);
  const text = query.get("candidates");
  if (text === null && !restrict) return found;
  return { ...found, marks: candidatesIn(text ?? "", shape), restricts: Boolean(restrict) };
}

// The page itself reads lines as it writes them; the server reads other lines, like pasted text.
async function valuesIn(line, shape) {
  const symbols = [...line];
  const givens = symbols.map((symbol) => (symbol === "." ? 0 : shape.symbols.indexOf(symbol) + 1 || -1));
  if (givens.length === shape.size ** 2 && !givens.includes(-1)) return { shape: shape.definition, givens };
  const format = symbols.length === shape.size ** 3 ? "sukaku" : "line";
  const { puzzles } = await request("/api/read", { method: "POST", body: { text: line, shape: shape.definition, format } });
  return puzzles[0];
}
