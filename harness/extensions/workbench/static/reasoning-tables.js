// The tables of the articles for the present step: TRACKER, TRACKHIST, PAV, and the branches.

import { button, headers, make } from "./elements.js";
import { words } from "./reasoning-tree.js";

const MOST_ROWS = 100;
const DEAD_END = 9999;

export const TABLES = [
  ["tracker", "TRACKER: the present assignments"],
  ["history", "TRACKHIST: the history of assignments"],
  ["tried", "PAV: the values tried in each cell"],
  ["branches", "Branches: the nodes of the search"],
];

// The state of the trackers after a number of steps.
export function trackers(trace, number) {
  const history = trace.steps.slice(0, number).flatMap((step) => step.rows);
  const current = [];
  const tried = new Map();
  for (const row of history) {
    const [, options, cell, value] = row;
    if (value === DEAD_END) continue;
    if (value === 0) {
      const last = current.pop();
      if (last[1] === 1) tried.delete(last[2]);
    } else {
      current.push(row);
      tried.set(cell, [...(tried.get(cell) ?? []), value]);
    }
  }
  return { history, current, tried };
}

// A table of a trace after a number of steps; `jump` is called with the number of a step.
export function tableOf(name, trace, number, jump) {
  const { shape } = trace;
  if (name === "branches") return branches(trace, number, jump);
  const { history, current, tried } = trackers(trace, number);
  if (name === "tried") {
    const rows = [...tried].sort(([a], [b]) => a - b).map(([cell, values]) => [`${cell} (${shape.cellName(cell - 1)})`, values.join(" ")]);
    return table("PAV: the values tried in each cell", ["Cell", "Values"], rows);
  }
  const rows = (name === "tracker" ? current : history).map(([counter, options, cell, value]) =>
    [counter, options, cell ? `${cell} (${shape.cellName(cell - 1)})` : "", value]);
  const caption = name === "tracker"
    ? "TRACKER: the present assignments"
    : "TRACKHIST: the history; 9999 is a dead end, 0 a cell that is blank again";
  return table(caption, ["CTR", "Options", "Cell", "Value"], rows);
}

function branches(trace, number, jump) {
  const rows = trace.nodes.filter((node) => node.entered <= number).map((node) => {
    const outcome = trace.outcomeAt(node, number);
    const path = [];
    for (let at = node; at.parent; at = at.parent) path.unshift(`${trace.shape.cellName(at.cell)}=${trace.shape.symbols[at.value - 1]}`);
    const step = button(String(node.entered), () => jump(node.entered), { "aria-label": `Step ${node.entered}, ${node.branch}` });
    return [node.branch, words(outcome, trace.shape), path.length > 6 ? `${path[0]} .. ${path.slice(-4).join(" ")}` : path.join(" "), step];
  });
  return table("The nodes of the search, with their outcomes", ["Node", "Outcome", "Guesses", "Step"], rows);
}

// The last rows of a table, and a note on the number of all rows if it leaves out any.
function table(caption, heads, rows) {
  const shown = rows.slice(-MOST_ROWS);
  const element = make("table", {},
    make("caption", { text: caption }),
    headers(heads),
    make("tbody", {}, ...shown.map((row) => make("tr", {}, ...row.map((part) =>
      (part instanceof Node ? make("td", {}, part) : make("td", { text: String(part) })))))));
  const left = rows.length - shown.length;
  const note = left ? `The last ${MOST_ROWS} of ${rows.length.toLocaleString("en")} rows.` : rows.length ? "" : "No rows.";
  return [element, ...(note ? [make("p", { class: "quiet", text: note })] : [])];
}
