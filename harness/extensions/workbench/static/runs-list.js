// The list of runs: filter, pages, and the choice of two to compare.

import { button, make, numberOf, select } from "./elements.js";
import { runLink } from "./measuring.js";
import { listen, request } from "./server.js";

const STATES = ["running", "finished", "interrupted", "unfinished", "stopped", "new", "unreadable"];

export function when(secondsSince1970) {
  const date = new Date(secondsSince1970 * 1000);
  const isToday = date.toDateString() === new Date().toDateString();
  return isToday
    ? date.toLocaleTimeString("en-GB", { hour: "2-digit", minute: "2-digit" })
    : date.toLocaleDateString("en-GB", { day: "numeric", month: "short", year: "numeric" });
}

export function trials(done, planned) {
  if (done === null || done === undefined) return "";
  const number = done.toLocaleString("en");
  return planned === null || planned === done ? number : `${number} of ${planned.toLocaleString("en")}`;
}

export function runList() {
  const chosen = new Map();  // name -> when it began, of the runs to compare
  const filter = { text: "", state: "", page: 1 };
  const rows = new Map();
  let current = null;
  let latest = 0;
  const search = make("input", { type: "search", placeholder: "name, backend, dataset, machine", "aria-label": "Filter the runs",
    input: () => { filter.text = search.value; filter.page = 1; later(); } });
  const body = make("tbody");
  const status = make("p", { class: "quiet", role: "status" });
  const compare = button("Compare the two", () => {
    const [before, after] = [...chosen].sort((a, b) => a[1] - b[1]).map(([name]) => name);
    location.hash = `runs?${new URLSearchParams({ before, after })}`;
  }, { disabled: true });
  const previous = button("Previous", () => { filter.page -= 1; show(); });
  const next = button("Next", () => { filter.page += 1; show(); });
  const table = make("table", { class: "run-list" },
    make("caption", { class: "only-spoken", text: "Runs, the last changed first" }),
    make("thead", {}, make("tr", {},
      make("th", { scope: "col" }, make("span", { class: "only-spoken", text: "Compare" })),
      make("th", { scope: "col", text: "Run" }),
      make("th", { scope: "col", class: "state-column", text: "State" }),
      make("th", { scope: "col", class: "trials-column", text: "Trials" }),
      make("th", { scope: "col", class: "when-column", text: "Changed" }))),
    body);

  let timer = null;
  function later() {
    clearTimeout(timer);
    timer = setTimeout(show, 150);
  }

  async function show() {
    const turn = (latest += 1);
    let found;
    try {
      found = await request(`/api/runs?${new URLSearchParams(filter)}`);
    } catch (error) {
      if (turn !== latest) return;
      status.textContent = error.message;  // the list comes when the server is back
      table.hidden = !rows.size;
      previous.hidden = next.hidden = true;
      return;
    }
    if (turn !== latest) return;
    filter.page = found.page;
    const names = new Set(found.runs.map((run) => run.name));
    for (const name of rows.keys()) if (!names.has(name)) rows.delete(name);
    const elements = found.runs.map((run) => {
      const key = JSON.stringify(run);
      const kept = rows.get(run.name);
      if (kept?.key === key) return kept.element;
      const element = row(run);
      rows.set(run.name, { key, element });
      return element;
    });
    if (elements.length !== body.children.length || elements.some((of, at) => of !== body.children[at])) {
      const focused = body.contains(document.activeElement) ? document.activeElement.dataset.focus : null;
      body.replaceChildren(...elements);
      if (focused) body.querySelector(`[data-focus="${CSS.escape(focused)}"]`)?.focus();
    }
    mark();
    const counted = numberOf(found.matching, "run");
    const text = found.total ? (found.matching === found.total ? counted : `${counted} of ${found.total.toLocaleString("en")}`)
      : "There are no runs in the folder results yet.";
    status.textContent = found.pages > 1 ? `${text}, page ${found.page} of ${found.pages}` : text;
    previous.disabled = found.page <= 1;
    next.disabled = found.page >= found.pages;
    previous.hidden = next.hidden = found.pages <= 1;
    table.hidden = !found.runs.length;
  }

  function row(run) {
    const isReadable = run.state !== "unreadable";
    const about = [run.backends.join(", "), run.datasets.join(", "), run.machines.join(", ")].filter(Boolean).join(" · ");
    const box = make("input", { type: "checkbox", checked: chosen.has(run.name), disabled: !isReadable,
      "aria-label": `Compare ${run.name}`, "data-focus": `box ${run.name}`,
      change: () => choose(run, box.checked) });
    const name = isReadable
      ? make("a", { href: runLink(run.name), text: run.name, "data-focus": `link ${run.name}` })
      : make("strong", { text: run.name });
    const bar = make("progress", { max: 1, "aria-label": "Trials", hidden: true });
    const number = make("span", { text: trials(run.done, run.planned) });
    if (run.state === "running" && run.planned) {
      bar.hidden = false;
      bar.value = run.done / run.planned;
    }
    return make("tr", { "data-run": run.name },
      make("td", {}, box),
      make("th", { scope: "row" }, name, make("span", { class: `quiet ${isReadable ? "" : "bad"}`, text: run.error || about })),
      make("td", { class: "state-column" }, make("span", { class: `state ${run.state}`, text: run.state })),
      make("td", { class: "trials-column" }, number, bar),
      make("td", { class: "when-column", text: when(run.changed_at), title: new Date(run.changed_at * 1000).toLocaleString("en-GB") }));
  }

  function choose(run, isChosen) {
    if (!isChosen) chosen.delete(run.name);
    else {
      if (chosen.size === 2) {
        const [oldest] = chosen.keys();
        chosen.delete(oldest);
        const box = body.querySelector(`[data-focus="${CSS.escape(`box ${oldest}`)}"]`);
        if (box) box.checked = false;
      }
      chosen.set(run.name, run.started_at ? Date.parse(run.started_at) / 1000 : run.changed_at);
    }
    compare.disabled = chosen.size !== 2;
  }

  function mark() {
    for (const element of body.children) {
      if (element.dataset.run === current) element.setAttribute("aria-current", "true");
      else element.removeAttribute("aria-current");
    }
  }

  listen("runs", later);
  listen("sweep", later);
  listen("hello", later);
  listen("progress", ({ name, done, planned }) => {
    const element = rows.get(name)?.element;
    if (!element) return;
    if (!element.querySelector(".state.running")) later();  // it has just begun
    element.querySelector(".trials-column span").textContent = trials(done, planned);
    const bar = element.querySelector("progress");
    bar.hidden = !planned;
    if (planned) bar.value = done / planned;
  });

  return {
    element: make("section", { class: "panel", "aria-labelledby": "runs-title" },
      make("h2", { id: "runs-title", text: "List of runs" }),
      make("div", { class: "row" }, search,
        select("State", [["", "any"], ...STATES.map((name) => [name, name])], "", (state) => { filter.state = state; filter.page = 1; show(); }),
        make("a", { class: "button", href: "#runs?new=1", text: "New sweep" })),
      table,
      make("div", { class: "row" }, status, previous, next, compare)),
    show,
    setCurrent(name) {
      current = name;
      mark();
    },
  };
}
