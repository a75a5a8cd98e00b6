// One run: its progress as trials end, its tables, its disagreements, and what can be done with it.

import { button, headers, make, numberOf, scrolling, seconds } from "./elements.js";
import { span } from "./measuring.js";
import { puzzle, shapeNamed, valuesOf } from "./puzzle.js";
import { chartsOf, sectionsOf } from "./report-tables.js";
import { trials, when } from "./runs-list.js";
import { listen, Refused, request, requested } from "./server.js";

const WORDS = {
  waiting: "It waits until another sweep ends.", stopping: "It is being stopped; its finished trials are kept.",
  new: "No trial has run.", interrupted: "It was interrupted; its finished trials are kept.",
  unfinished: "It has not finished.", stopped: "An error stopped it.",
};
const INTERRUPTED = 130;  // the exit code of Ctrl-C
const FOUND = 1;  // the exit code of a wrong answer or a disagreement
const GOOD = ["solved", "unsatisfiable", "counted"];

export function runDetails() {
  const panel = make("section", { class: "panel", "aria-labelledby": "run-title", tabindex: "-1", hidden: true });
  let view = null;

  async function open(name) {
    panel.hidden = false;
    if (view?.name === name) return view.refresh();
    view = runView(name);
    panel.replaceChildren(...view.elements);
    return view.refresh();
  }

  listen("progress", (progress) => view?.take(progress));
  listen("sweep", (job) => view?.takeJob(job));
  listen("runs", () => { if (!panel.hidden) view?.refresh(); });
  listen("hello", () => { if (!panel.hidden) view?.refresh(); });
  return { element: panel, open, close: () => { panel.hidden = true; view = null; } };
}

function runView(name) {
  const state = { facts: null, job: null, refusal: "", tables: null };  // `tables`: what they were computed from
  const words = make("p", { role: "status" });
  const content = make("div", { hidden: true });
  const bar = make("progress", { max: 1, "aria-label": "Trials", hidden: true });
  const left = make("p", { class: "quiet" });
  const facts = make("dl", { class: "facts" });
  const path = name.split("/").map(encodeURIComponent).join("/");
  const stop = button("Stop", () => act("stop"), { hidden: true, title: "Its finished trials are kept" });
  const go = button("Continue", () => act("continue"), { class: "main", hidden: true });
  const page = make("a", { class: "button", href: `/runs/${path}/page`, target: "_blank", rel: "noopener", text: "Open its page" });
  const toml = make("a", { class: "button", href: `/runs/${path}/sweep.toml`, download: "sweep.toml", text: "Sweep file" });
  const refusal = make("p", { class: "quiet", hidden: true });
  const body = make("tbody");
  const configurations = scrolling("Configurations", {}, make("table", { class: "trial-table" },
    make("caption", { text: "Configurations" }),
    headers(["Configuration", "Trials", "Answers and failures", "Mean time"], (at) => (at % 2 ? "number" : null)),
    body));
  const wrong = make("div");
  const failures = make("div");
  const spoken = make("span", { class: "only-spoken", role: "status" });
  const output = make("pre", { tabindex: "0", "aria-label": "Output" });
  const outputBox = make("details", { hidden: true }, make("summary", { text: "Output of the command" }), output);
  const stale = make("p", { class: "notice", hidden: true });
  const answer = make("div", { class: "answer", "aria-live": "polite" });
  const tables = make("div", { "aria-live": "polite" });

  async function act(what) {
    stop.disabled = go.disabled = true;
    const job = await requested(`/api/sweeps/${what}`, { method: "POST", body: { run: name } });
    stop.disabled = go.disabled = false;
    if (job) takeJob(job);
  }

  async function refresh() {
    let found;
    try {
      found = await request(`/api/runs/facts?${new URLSearchParams({ run: name })}`);
    } catch (error) {
      showLack(error);
      return;
    }
    answer.hidden = content.hidden = false;
    Object.assign(state, { facts: found.facts, job: found.job, refusal: found.refusal });
    if (found.progress) showProgress(found.progress);
    show();
    if (!isActive() && found.facts.done) showTables();
  }

  // A deleted run is no longer shown. While the server does not answer, the run stays as it was.
  function showLack(error) {
    const isGone = error instanceof Refused;
    if (!isGone && state.facts) return;
    words.textContent = isGone && state.facts ? "This run is no longer in the folder of results." : error.message;
    words.classList.toggle("bad", isGone);
    answer.hidden = content.hidden = true;
  }

  function isActive() {
    return ["waiting", "running", "stopping"].includes(state.job?.state) || state.facts?.state === "running";
  }

  function show() {
    const { facts: of, job } = state;
    if (!of) return;
    const active = isActive();
    const shown = job && job.state !== "ended" ? job.state : of.state;
    const parts = [WORDS[shown] ?? `It is ${shown}.`];
    const hasFailed = job?.state === "ended" && job.code && job.code !== INTERRUPTED;
    if (hasFailed) parts.push(`Its command ended with code ${job.code}${job.code === FOUND ? ", because of a wrong answer or a disagreement" : ""}.`);
    if (of.state === "stopped") parts.push(of.reason);
    if (of.error) parts.push(of.error);
    words.textContent = parts.join(" ");
    words.classList.toggle("bad", Boolean(of.error) || Boolean(hasFailed));
    stop.hidden = !(job && ["waiting", "running"].includes(job.state));
    const lacks = of.planned === null || of.done < of.planned || of.state === "new";
    go.hidden = active || !lacks || Boolean(state.refusal);
    go.textContent = of.state === "new" ? "Start" : "Continue";
    refusal.hidden = active || !lacks || !state.refusal;
    refusal.textContent = `It cannot be continued here: ${state.refusal}`;
    page.hidden = !of.done;
    const rows = [["Datasets", of.datasets.join(", ")], ["Machine", of.machines.join(", ")],
      ["Began", of.started_at ? new Date(of.started_at).toLocaleString("en-GB") : ""], ["Changed", when(of.changed_at)],
      ["At a time", of.jobs ? numberOf(of.jobs, "trial") : ""]];
    facts.replaceChildren(...rows.filter(([, text]) => text).flatMap(([title, text]) => [make("dt", { text: title }), make("dd", { text })]));
    outputBox.hidden = !job?.output.length;
    const text = job?.output.join("\n") ?? "";
    if (output.textContent !== text) output.textContent = text;
    if (hasFailed && job.code !== FOUND) outputBox.open = true;
    showStale();
  }

  // A note marks tables of an earlier state of the run until new ones come.
  function showStale() {
    stale.hidden = state.tables === null || (!isActive() && state.tables.key === keyOf(state.facts));
    if (stale.hidden) return;
    const next = isActive() ? "New ones come when the run has ended." : "New ones are being computed.";
    stale.textContent = `The answer and the tables show ${numberOf(state.tables.done, "trial")}. ${next}`;
  }

  function showProgress({ done, planned, left_s: leftS, configurations: list, wrong: wrongs, failures: others }) {
    bar.hidden = !planned;
    if (planned) bar.value = done / planned;
    const parts = [`${trials(done, planned)} trial${planned === 1 ? "" : "s"}`];
    if (leftS) parts.push(`about ${span(leftS)} left`);
    left.textContent = parts.join(", ");
    body.replaceChildren(...list.map((of) => make("tr", { class: of.verdicts.wrong ? "contradicted" : null },
      make("th", { scope: "row", text: of.label }),
      make("td", { class: "number", text: trials(of.done, of.planned) }),
      make("td", { text: Object.entries(of.verdicts).map(([verdict, number]) => `${number.toLocaleString("en")} ${verdict.replaceAll("_", " ")}`).join(", ") }),
      make("td", { class: "number", text: of.done ? seconds(of.wall_s / of.done) : "" }))));
    const failed = list.reduce((sum, of) => sum + Object.entries(of.verdicts)
      .reduce((all, [verdict, number]) => all + (GOOD.includes(verdict) || verdict === "wrong" ? 0 : number), 0), 0);
    const bad = list.reduce((sum, row) => sum + (row.verdicts.wrong ?? 0), 0);
    const sentence = bad ? numberOf(bad, "wrong answer") : "";
    if (spoken.textContent !== sentence) spoken.textContent = sentence;
    showTrials(wrong, "Wrong answers", wrongs, bad);
    showTrials(failures, "Failures", others, failed);
  }

  function showTrials(box, title, list, number) {
    const key = JSON.stringify([list, number]);
    if (box.dataset.key === key) return;
    box.dataset.key = key;
    if (!list.length) {
      box.replaceChildren();
      return;
    }
    const more = number > list.length ? ` (the last ${list.length} of ${number.toLocaleString("en")})` : ` (${number.toLocaleString("en")})`;
    const isOpen = box.querySelector("details")?.open ?? title === "Wrong answers";
    box.replaceChildren(make("details", { open: isOpen }, make("summary", { class: title === "Wrong answers" ? "bad" : "", text: title + more }),
      scrolling(title, {}, make("table", { class: "trial-table" },
        headers(["Configuration", "Puzzle", "Verdict", "Reason"]),
        make("tbody", {}, ...[...list].reverse().map((of) => make("tr", {},
          make("th", { scope: "row", text: of.configuration }),
          make("td", { text: `${of.dataset}: ${of.puzzle} (${of.task})` }),
          make("td", { text: of.verdict.replaceAll("_", " ") }),
          make("td", { text: of.reason }))))))));
  }

  let computing = "";
  async function showTables() {
    const of = { key: keyOf(state.facts), done: state.facts.done };
    if (computing === of.key || state.tables?.key === of.key) return;
    computing = of.key;
    if (!answer.childElementCount) answer.replaceChildren(make("p", { class: "quiet", text: "The answer is being computed." }));
    try {
      const found = await request(`/api/runs/tables?${new URLSearchParams({ run: name })}`);
      if (computing !== of.key) return;
      state.tables = of;
      answer.replaceChildren(...sectionsOf(found.answer, ""), make("div", { class: "charts" }, ...chartsOf(found.charts)));
      tables.replaceChildren(
        ...disagreementsOf(found),
        make("details", {}, make("summary", { text: "Table of verdicts and times" }),
          ...sectionsOf(found.sections), ...found.lines.map((text) => make("p", { text }))));
    } catch (error) {
      if (computing !== of.key) return;
      state.tables = null;
      tables.replaceChildren();
      answer.replaceChildren(make("p", { class: "bad", text: error.message }));
    }
    computing = "";
    showStale();
  }

  function take(progress) {
    if (progress.name !== name) return;
    showProgress(progress);
    if (state.facts && state.facts.state !== "running") refresh();  // it has just begun, or ended
  }

  function takeJob(job) {
    if (job.run !== name) return;
    const ended = job.state === "ended" && state.job?.state !== "ended";
    state.job = job;
    show();
    if (ended) refresh();
  }

  content.append(bar, left,
    make("div", { class: "row" }, stop, go, page, toml), refusal, facts, outputBox, wrong, failures, spoken, tables, configurations);
  return {
    name, refresh, take, takeJob,
    elements: [make("h2", { id: "run-title", text: name }), stale, answer, words, content],
  };
}

function keyOf(facts) {
  return `${facts.changed_at} ${facts.done}`;
}

function disagreementsOf({ agreement, disagreements: number, specs }) {
  const list = agreement.disagreements;
  if (!number) return [];
  return [
    make("h3", { class: "bad", text: numberOf(number, "disagreement") }),
    ...(number > list.length ? [make("p", { class: "quiet", text: `These are the first ${list.length}; the HTML report has all.` })] : []),
    ...list.map((of) => disagreementOf(of, specs)),
  ];
}

function disagreementOf(of, specs) {
  const concerned = [...new Set(of.claims.flatMap((claim) => claim.backends))].map((label) => specs[label] ?? label);
  const parameters = new URLSearchParams({ shape: of.shape, puzzle: of.puzzle, ask: concerned.join(",") });
  const href = `#board?${parameters}`;
  const link = make("a", { class: "button", href, text: "Open on the board", "aria-label": `Open ${of.dataset} ${of.name} on the board`,
    click: async (event) => {
      if (event.ctrlKey || event.metaKey || event.shiftKey) return;  // another tab opens the address
      event.preventDefault();
      const shape = await shapeNamed(of.shape);
      await puzzle.open({ shape: of.shape, givens: of.puzzle.length === shape.size ** 2 ? valuesOf(of.puzzle, shape) : null, name: of.name });
      location.hash = href;
      scrollTo(0, 0);
    } });
  return make("div", { class: "disagreement" },
    make("div", { class: "row" }, make("strong", { text: `${of.dataset}: ${of.name}` }), make("span", { class: "quiet", text: of.shape.slice(0, 40) }), link),
    ...(of.contradiction ? [make("p", { class: "bad", text: of.contradiction })] : []),
    make("ul", {}, ...of.claims.map((claim) => make("li", { class: claim.contradicted ? "bad" : "",
      text: `${claim.source === "answer" ? `${claim.backends.join(", ")} (${claim.task}${claim.limit === null ? "" : ` to ${claim.limit}`})` : claim.source}: ${claim.text}` }))),
    make("details", {}, make("summary", { text: "Commands that reproduce it" }), ...of.commands.map((text) => make("pre", { text }))));
}
