// The question to backends: the chosen configurations at once, with their answers as they come.

import { EarlierNote, present } from "./earlier.js";
import { button, checkbox, make, message, numberOf, seconds, select } from "./elements.js";
import { startJob } from "./jobs.js";
import { numberField } from "./number-field.js";
import { puzzle } from "./puzzle.js";
import { listen, page, request, requested } from "./server.js";

const CORE = ["native", "cpsat", "milp", "cnf"];

// The panel, and a function that ticks configurations.
export function askPanel() {
  const chosen = new Set(CORE);
  const state = { question: null, answers: new Map(), task: "solve", limit: 1000, timeout: 60, isAsking: false, isWanted: false };
  const boxes = make("fieldset", { class: "row" }, make("legend", { text: "Configurations" }));
  const further = make("select", { "aria-label": "Further backends", change: () => { add(further.value); further.value = ""; },
    focus: () => { if (further.length < 2) showBackends(); } });
  further.append(make("option", { value: "", text: "further backends" }));
  const spec = make("input", { placeholder: "cnf[solver=glucose4]", "aria-label": "Configuration", size: 18,
    keydown: (event) => { if (event.key === "Enter") addSpec(); } });
  const limit = numberField({ label: "up to", name: "Limit of the count", unit: "solutions", value: state.limit, least: 1, most: 1e12,
    take: (value) => { state.limit = value; } });
  limit.element.title = "The limit of Prove and of the task count";
  const timeout = numberField({ label: "Time limit", name: "Time limit in seconds", unit: "s", value: state.timeout, least: 0.1, most: 86400, step: "any",
    take: (value) => { state.timeout = value; } });
  const ask = button("Ask", start, { class: "main", title: "Ctrl+Enter" });
  const cancel = button("Cancel", () => requested(`/api/questions/${state.question}`, { method: "DELETE" }), { disabled: true });
  const body = make("tbody");
  const table = make("table", { hidden: true, class: "answers" },
    make("caption", { text: "Answers" }),
    make("thead", {}, make("tr", {}, ...["Configuration", "Answer", "Time", "Nodes", "Solution"].map((text, at) =>
      make("th", { scope: "col", class: at === 2 || at === 3 ? "number" : null }, at < 4 ? text : make("span", { class: "only-spoken", text }))))),
    body);
  const summary = make("div", { role: "status" });
  const cause = make("p", { role: "status", class: "bad" });
  const proof = make("div", { role: "status" });
  const earlier = new EarlierNote("These are the answers for an earlier puzzle.", table, summary, cause);
  const earlierProof = new EarlierNote("This is the proof for an earlier puzzle.", proof);
  let contradicted = new Set();
  let proofs = 0;
  let cancelProof = null;

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

  // The first request makes the server load all backends, so it is sent only when the user wants them.
  async function showBackends() {
    const found = await requested("/api/backends");
    if (!found) return;
    const known = new Map(found.known.map((backend) => [backend.name, backend]));
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
    if (!timeout.isValid() || (state.task === "count" && !limit.isValid())) return;
    if (state.isAsking) {
      state.isWanted = true;
      return;
    }
    state.isAsking = true;
    const of = present();
    const body = { puzzle: puzzle.data, configurations: [...chosen], task: state.task, limit: state.limit, timeout_s: state.timeout, page };
    const found = await requested("/api/questions", { method: "POST", body });
    state.isAsking = false;
    const isOld = state.isWanted && of.key !== puzzle.key;  // the puzzle changed, and Ask was pressed again
    state.isWanted = false;
    if (isOld) return start();
    if (!found) return;
    state.question = found.question;
    state.puzzle = body.puzzle;
    cause.textContent = "";
    earlier.belongTo(of);
    showContradictions({ claims: [], standing_out: [], wrong: [], witnesses: [] });
    state.answers = new Map(found.answers.map((answer) => [answer.configuration, answer]));
    show();
    refresh();  // answers may have come before this one
  }

  // Get the state of the question from the server.
  async function refresh() {
    const name = state.question;
    const found = await request(`/api/questions/${name}`).catch(() => null);
    if (!found || name !== state.question) return;
    for (const answer of found.answers) take(answer);
    showContradictions(found.found);
  }

  function take(answer) {
    if (answer.question !== state.question) return;
    // The answer to a request may be older than the messages that came before it.
    const known = state.answers.get(answer.configuration);
    if (known && progress(known) > progress(answer)) return;
    state.answers.set(answer.configuration, answer);
    show();
    if (answer.answer && hasNone(answer.answer)) showCause();
  }

  // Show the contradiction in the puzzle itself if it has no solution.
  async function showCause() {
    const name = state.question;
    const found = await request("/api/check", { method: "POST", body: state.puzzle }).catch(() => null);
    if (found && name === state.question) cause.textContent = found.findings[0] ?? "";
  }

  function show() {
    const answers = [...state.answers.values()];
    table.hidden = !answers.length;
    cancel.disabled = !answers.some((answer) => answer.state === "waiting" || answer.state === "running");
    body.replaceChildren(...answers.flatMap(rows));
  }

  // The row of an answer, and one below it for a long reason.
  function rows(of) {
    const answer = of.answer;
    const grid = answer?.solution;
    const reason = reasonOf(of);
    const isLong = reason.length > 24;
    const about = { class: contradicted.has(of.configuration) ? "contradicted" : "" };
    const row = make("tr", { ...about, "data-configuration": of.configuration, "data-state": of.state },
      make("th", { scope: "row" }, ...breakable(of.configuration)),
      make("td", { text: verdictOf(of) + (reason && !isLong ? `: ${reason}` : "") }),
      make("td", { class: "number", text: answer ? seconds(answer.wall_s) : "" }),
      make("td", { class: "number", text: nodes(answer) }),
      make("td", {}, ...(grid ? [button("Show", () => earlier.showSolution(grid), {
        "aria-label": `Show the solution of ${of.configuration}` })] : [])));
    if (!isLong) return [row];
    row.classList.add("has-reason");
    return [row, make("tr", about, make("td", { colspan: 5, class: "reason", text: reason }))];
  }

  function showContradictions(found) {
    contradicted = new Set(found.standing_out);
    summary.replaceChildren();
    if (found.claims.length || found.wrong.length) {
      summary.append(
        make("div", { class: "warning" },
          make("h3", { text: found.claims.length ? "The answers contradict each other" : "An answer is wrong" }),
          ...found.wrong.map(([name, reason]) => make("p", { text: `${name}: ${reason}` })),
          ...found.claims.map(([claim, names]) => make("p", {},
            make("strong", { text: claim }), `: ${names.join(", ") || "different solutions that passed the check"}`)),
          make("div", { class: "row" },
            ...found.witnesses.map((line, at) => button(`Show solution ${at + 1}`, () =>
              earlier.showSolution(line))))));
    }
    show();
  }

  async function prove() {
    if (!timeout.isValid() || !limit.isValid()) return;
    cancelProof?.();
    proofs += 1;
    const number = proofs;
    const isLast = () => number === proofs;
    earlierProof.belongTo(present());
    proof.replaceChildren(make("p", { text: "proving" }), button("Cancel", () => cancelProof?.(), { "aria-label": "Cancel the proof" }));
    const cancel = await startJob("/api/certificates",
      { puzzle: puzzle.data, configurations: [...chosen].slice(0, 12), limit: state.limit, timeout_s: state.timeout },
      { part: (part) => { if (isLast()) showProof(part); }, end: () => { if (isLast()) endProof(); } });
    if (!isLast()) cancel?.();
    else if (cancel) cancelProof = cancel;
    else endProof();
  }

  function endProof() {
    cancelProof = null;
    if (!proof.textContent.startsWith("proving")) return;
    proof.replaceChildren();
    earlierProof.belongTo(null);
  }

  function showProof(part) {
    proof.replaceChildren();
    const { claim, proven, prover, reason } = part.proven;
    const words = proven ? `Proven: ${claim} solution${claim === "exactly 1" ? "" : "s"}, by ${prover}.` : `Nothing is proven: ${reason}`;
    proof.append(make("p", { text: words, class: proven ? "good" : "bad" }));
    for (const [label, text] of Object.entries(part.refuted)) proof.append(make("p", { class: "bad", text: `${label}: ${text}` }));
    if (proven) proof.append(make("a", { class: "button", href: `/api/certificates/${part.name}`, download: "", text: "Certificate" }));
  }

  listen("contradiction", ({ question, found }) => { if (question === state.question) showContradictions(found); });
  listen("question", take);
  listen("backends", () => { if (further.length > 1) showBackends(); });
  listen("hello", ({ isNew }) => {
    if (!isNew && state.question) refresh();
  });
  document.addEventListener("keydown", (event) => {
    if ((event.ctrlKey || event.metaKey) && event.key === "Enter" && panel.offsetParent) start();
  });
  showBoxes();

  const panel = make("section", { class: "panel", "aria-labelledby": "ask-title" },
    make("h2", { id: "ask-title", text: "Ask backends" }),
    make("div", { class: "row" }, ask, cancel,
      button("Prove", prove, { title: "Prove the number of solutions up to the limit, and check the proof" }), limit.element),
    boxes,
    make("div", { class: "row" }, further, spec, button("Add", addSpec)),
    make("div", { class: "row" },
      select("Task", [["solve", "solve"], ["count", "count"]], "solve", (task) => { state.task = task; }), timeout.element),
    earlierProof.element, proof, earlier.element, summary, make("div", { class: "scroll" }, table), cause);
  // Tick these configurations alone: "native,cnf[solver=glucose4]".
  const choose = (text) => {
    chosen.clear();
    for (const name of text.split(/,(?![^[]*\])/).filter(Boolean)) chosen.add(name);
    showBoxes();
  };
  return { panel, choose };
}

// The progress of an answer: waiting, running or ended.
function progress({ state }) {
  return { waiting: 0, running: 1 }[state] ?? 2;
}

function verdictOf({ state, answer }) {
  if (!answer) return state;
  if (answer.verdict !== "counted") return answer.verdict;
  const number = numberOf(answer.count, "solution");
  return answer.exact ? number : `${number} or more`;
}

function hasNone({ verdict, count, exact }) {
  return verdict === "unsatisfiable" || (verdict === "counted" && exact && count === 0);
}

function reasonOf({ answer, error }) {
  return answer ? (answer.reason ?? "").trim().split("\n").at(-1) : error;
}

// A long name may break after an opening bracket or a comma, and nowhere else.
function breakable(name) {
  return name.split(/(?<=[[,])/).flatMap((part) => [make("wbr"), part]);
}

const NODES = ["nodes", "branches", "decisions", "conflicts", "guesses"];

function nodes(answer) {
  const name = NODES.find((key) => answer?.stats[key] !== undefined && answer.stats[key] !== null);
  return name ? answer.stats[name].toLocaleString("en") + (name === "nodes" ? "" : ` ${name}`) : "";
}
