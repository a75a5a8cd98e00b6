// The question to backends: the chosen configurations at once, with their answers as they come.

import { button, checkbox, make, message, seconds, select } from "./elements.js";
import { puzzle, valuesOf } from "./puzzle.js";
import { listen, request, requested } from "./server.js";

const CORE = ["native", "cpsat", "milp", "cnf"];

export function askPanel() {
  const chosen = new Set(CORE);
  const state = { question: null, answers: new Map(), task: "solve", limit: 1000, timeout: 60, puzzle: null };
  const boxes = make("fieldset", { class: "row" }, make("legend", { text: "Configurations" }));
  const further = make("select", { "aria-label": "Further backends", change: () => { add(further.value); further.value = ""; } });
  const spec = make("input", { placeholder: "cnf[solver=glucose4]", "aria-label": "Configuration", size: 18,
    keydown: (event) => { if (event.key === "Enter") addSpec(); } });
  const limit = make("input", { type: "number", min: 1, value: 1000, "aria-label": "Limit of the count",
    change: () => { state.limit = Math.max(1, Number(limit.value) || 1); } });
  const limitLabel = make("label", { hidden: true }, "up to", limit);
  const timeout = make("input", { type: "number", min: 1, value: 60, "aria-label": "Time limit in seconds",
    change: () => { state.timeout = Math.max(0.1, Number(timeout.value) || 60); } });
  const ask = button("Ask", start, { class: "main", title: "Ctrl+Enter" });
  const cancel = button("Cancel", () => requested(`/api/questions/${state.question}`, { method: "DELETE" }), { disabled: true });
  const body = make("tbody");
  const table = make("table", { hidden: true },
    make("caption", { text: "Answers" }),
    make("thead", {}, make("tr", {}, ...["Configuration", "Answer", "Time", "Nodes", ""].map((text, at) =>
      make("th", { text, scope: "col", class: at === 2 || at === 3 ? "number" : null })))),
    body);
  const summary = make("div", { role: "status" });

  function add(name) {
    if (!name) return;
    chosen.add(name);
    showBoxes();
  }

  function addSpec() {
    add(spec.value.trim());
    spec.value = "";
  }

  const offered = [...CORE];
  function showBoxes() {
    for (const name of chosen) if (!offered.includes(name)) offered.push(name);
    boxes.replaceChildren(boxes.firstChild, ...offered.map((name) =>
      checkbox(name, chosen.has(name), (checked) => (checked ? chosen.add(name) : chosen.delete(name)))));
  }

  async function showBackends() {
    const found = await requested("/api/backends");
    if (!found) return;
    const known = new Map(found.known.map((of) => [of.name, of]));
    further.replaceChildren(make("option", { value: "", text: "further backends" }), ...found.names
      .filter((name) => !CORE.includes(name))
      .map((name) => {
        const reason = known.get(name)?.reason;
        return make("option", { value: name, text: reason ? `${name} (${reason})` : name, disabled: Boolean(reason) });
      }));
  }

  async function start() {
    if (!chosen.size) {
      message("Choose a configuration first.", { isError: true });
      return;
    }
    state.puzzle = puzzle.data;
    ask.disabled = true;
    const body = { puzzle: state.puzzle, configurations: [...chosen], task: state.task, limit: state.limit, timeout_s: state.timeout };
    const found = await requested("/api/questions", { method: "POST", body });
    ask.disabled = false;
    if (!found) return;
    state.question = found.question;
    state.answers = new Map(found.answers.map((answer) => [answer.configuration, answer]));
    show();
  }

  function take(answer) {
    if (answer.question !== state.question) return;
    state.answers.set(answer.configuration, answer);
    show();
  }

  function show() {
    const answers = [...state.answers.values()];
    table.hidden = !answers.length;
    cancel.disabled = !answers.some((of) => of.state === "waiting" || of.state === "running");
    body.replaceChildren(...answers.map(row));
  }

  function row(of) {
    const answer = of.answer;
    const grid = answer?.solution;
    return make("tr", { "data-configuration": of.configuration, "data-state": of.state },
      make("th", { text: of.configuration, scope: "row" }),
      make("td", { text: words(of) }),
      make("td", { class: "number", text: answer ? seconds(answer.wall_s) : "" }),
      make("td", { class: "number", text: nodes(answer) }),
      make("td", {}, ...(grid ? [button("Show", () => puzzle.showFound(valuesOf(grid, puzzle.shape)), {
        "aria-label": `Show the solution of ${of.configuration}` })] : [])));
  }

  // The configurations of an address "#board?...&ask=native,cnf[solver=glucose4]".
  function chooseNamed() {
    const names = new URLSearchParams(location.hash.split("?")[1] ?? "").get("ask");
    if (!names) return;
    chosen.clear();
    for (const name of names.split(/,(?![^[]*\])/)) if (name) chosen.add(name);
    showBoxes();
  }

  window.addEventListener("hashchange", chooseNamed);
  listen("question", take);
  listen("backends", showBackends);
  listen("hello", async ({ isNew }) => {
    if (isNew || !state.question) return;
    const found = await request(`/api/questions/${state.question}`).catch(() => null);
    for (const answer of found?.answers ?? []) take(answer);
  });
  document.addEventListener("keydown", (event) => {
    if ((event.ctrlKey || event.metaKey) && event.key === "Enter" && panel.offsetParent) start();
  });
  showBoxes();
  chooseNamed();
  showBackends();

  const panel = make("section", { class: "panel", "aria-labelledby": "ask-title" },
    make("h2", { id: "ask-title", text: "Ask backends" }),
    boxes,
    make("div", { class: "row" }, further, spec, button("Add", addSpec)),
    make("div", { class: "row" },
      select("Task", [["solve", "solve"], ["count", "count"]], "solve", (task) => {
        state.task = task;
        limitLabel.hidden = task !== "count";
      }),
      limitLabel, make("label", {}, "Time limit", timeout, "s")),
    make("div", { class: "row" }, ask, cancel),
    summary, make("div", { class: "scroll" }, table));
  return panel;
}

function words({ state, answer, error }) {
  if (state === "failed") return error;
  if (!answer) return error ? `${state}: ${error}` : state;
  const reason = answer.reason ? `: ${answer.reason.trim().split("\n").at(-1)}` : "";
  if (answer.verdict !== "counted") return answer.verdict + reason;
  const number = `${answer.count.toLocaleString("en")} solution${answer.count === 1 ? "" : "s"}`;
  return answer.exact ? number : `${number} or more`;
}

const NODES = ["nodes", "branches", "decisions", "conflicts", "guesses"];

function nodes(answer) {
  const name = NODES.find((of) => answer?.stats[of] !== undefined && answer.stats[of] !== null);
  return name ? answer.stats[name].toLocaleString("en") + (name === "nodes" ? "" : ` ${name}`) : "";
}
