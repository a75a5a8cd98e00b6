// A sweep set up by ticking: puzzles, backends with their options, and how they are run.

import { button, headers, make, message, numberOf, scrolling } from "./elements.js";
import { runLink, span } from "./measuring.js";
import { puzzle } from "./puzzle.js";
import { listen, load, requested } from "./server.js";

const FIRST = ["max_solutions", "repeat", "timeout", "memory", "jobs", "seed"];
const TITLES = {
  tasks: "Tasks", starts: "Starts", max_solutions: "Most solutions of a count", repeat: "Repetitions", timeout: "Time limit in s",
  memory: "Memory in MiB, 0 for no limit", jobs: "Trials at a time", seed: "Seed of order and sample", until_stable: "Repeat until stable, at most",
  cpu: "CPU time limit in s, 0 for none", shape: "Shape of the puzzles", where: "Condition", sample: "Sample of each dataset", scramble: "Seeds of scrambles, 0 for none",
};
const MOST_BYTES = 16 * 2 ** 20;

export function sweepForm() {
  const panel = make("section", { class: "panel", "aria-labelledby": "sweep-title", tabindex: "-1", hidden: true });
  const values = { datasets: new Map(), backends: new Map(), options: new Map() };  // a map's values are functions
  const name = make("input", { placeholder: "follows from the options", maxlength: 80, autocomplete: "off" });
  const text = make("textarea", { "aria-label": "Pasted puzzles", placeholder: "Paste puzzles in any format here" });
  const file = make("input", { type: "file", "aria-label": "File of puzzles", change: readFile });
  const board = make("input", { type: "checkbox" });
  const spec = make("input", { "aria-label": "Further configuration", placeholder: "cnf[solver=glucose4]", size: 20,
    keydown: (event) => { if (event.key === "Enter") addSpec(); } });
  const datasets = make("div", { class: "choices", role: "group", "aria-label": "Datasets" });
  const backends = make("div", { class: "choices", role: "group", "aria-label": "Backends" });
  const missing = make("div", { class: "choices" });
  const missingBox = make("details", { hidden: true }, make("summary", { text: "Backends that are not available" }), missing);
  const fields = make("div", { class: "fields" });
  const further = make("div", { class: "fields" });
  const preview = button("Preview", showPreview);
  const start = button("Start", begin, { class: "main" });
  const plan = make("div", { "aria-live": "polite" });
  const lack = make("p", { class: "warning", role: "status", hidden: true });
  let isBuilt = false;
  let isLoading = false;
  let previewTurn = 0;

  async function readFile() {
    const [chosen] = file.files;
    if (!chosen) return;
    if (chosen.size > MOST_BYTES) message(`The file has more than ${MOST_BYTES / 2 ** 20} MiB.`, { isError: true });
    else text.value = await chosen.text();
    file.value = "";
  }

  function addSpec() {
    const added = spec.value.trim();
    if (!added) return;
    addBackend({ name: added, options: [] }, true);
    spec.value = "";
    backends.lastChild.querySelector("input").focus();
  }

  function addDataset(of) {
    const box = make("input", { type: "checkbox", change: () => { part.hidden = !box.checked; } });
    const selection = make("input", { placeholder: "all; or 1-5,9", "aria-label": `Puzzles of ${of.name}` });
    const part = make("div", { class: "options", hidden: true }, make("label", {}, "puzzles", selection));
    values.datasets.set(of.name, () => (box.checked ? of.name + (selection.value.trim() ? `/${selection.value.trim()}` : "") : null));
    datasets.append(make("div", {},
      make("label", { title: of.title }, box, make("span", {}, of.name, " ", make("span", { class: "quiet", text: `${of.puzzles.toLocaleString("en")}, ${of.shapes[0] ?? ""}${of.shapes.length > 1 ? ", ..." : ""}` }))),
      part));
  }

  function addBackend(of, isChosen) {
    if (values.backends.has(of.name)) return;
    const isMissing = of.available === false;
    const box = make("input", { type: "checkbox", checked: isChosen, disabled: isMissing, change: () => { part.hidden = !box.checked; } });
    const part = make("div", { class: "options", hidden: !isChosen });
    const settings = (of.options ?? []).map((option) => {
      const [element, read] = optionField(of.name, option);
      part.append(element);
      return read;
    });
    values.backends.set(of.name, () => {
      if (!box.checked) return null;
      const set = settings.map((read) => read()).filter(Boolean);
      return set.length ? `${of.name}[${set.join(",")}]` : of.name;
    });
    (isMissing ? missing : backends).append(make("div", { "data-backend": of.name }, make("label", { title: of.paradigm ?? "" }, box,
      make("span", {}, of.name, ...(isMissing ? [" ", make("span", { class: "quiet", text: of.reason })] : []))), ...(settings.length ? [part] : [])));
  }

  // A field for an option of a backend, and a function that returns its setting, or null for the default.
  function optionField(backend, option) {
    const label = `${option.name} of ${backend}`;
    let input;
    if (option.type === "bool") {
      input = make("select", { "aria-label": label }, ...[["", `default: ${option.default}`], ["true", "true"], ["false", "false"], ["[true,false]", "both"]]
        .map(([value, shown]) => make("option", { value, text: shown })));
    } else if (option.choices.length) {
      input = make("select", { "aria-label": label, multiple: true, size: Math.min(4, option.choices.length) },
        ...option.choices.map((value) => make("option", { value, text: value === option.default ? `${value} (default)` : value })));
    } else {
      input = make("input", { "aria-label": label, placeholder: String(option.default ?? "") });
    }
    const several = input.multiple ? "Several values (Ctrl and a click)" : "Several values, with commas,";
    const element = make("label", { title: `${option.help} ${several} make several configurations.` }, option.name, input);
    const read = () => {
      const typed = input.multiple ? [...input.selectedOptions].map(({ value }) => value).join(",") : input.value.trim();
      if (!typed) return null;
      return `${option.name}=${typed.includes(",") && !typed.startsWith("[") ? `[${typed}]` : typed}`;
    };
    return [element, read];
  }

  function addOption(of) {
    const title = TITLES[of.name] ?? of.name.replaceAll("_", " ");
    if (of.choices.length) {
      const boxes = of.choices.map((choice) => make("input", { type: "checkbox", value: choice, checked: of.default.includes(choice) }));
      values.options.set(of.name, () => {
        const ticked = boxes.filter((box) => box.checked).map((box) => box.value);
        return ticked.length ? ticked : null;
      });
      fields.prepend(make("fieldset", { title: of.help }, make("legend", { text: title }),
        ...boxes.map((box) => make("label", {}, box, box.value))));
      return;
    }
    const isNumber = of.kind !== "str";
    const isOneNumber = isNumber && !of.is_list;
    const input = make("input", { type: isOneNumber ? "number" : "text", value: [of.default ?? ""].flat().join(" "), step: of.kind === "float" ? "any" : null });
    const valueOf = (word) => (isNumber && Number.isFinite(Number(word)) ? Number(word) : word);
    values.options.set(of.name, () => {
      const typed = input.value.trim();
      if (!typed) return null;
      return of.is_list ? typed.split(/[\s,]+/).filter(Boolean).map(valueOf) : valueOf(typed);
    });
    (FIRST.includes(of.name) ? fields : further).append(make("label", { title: of.help }, title, input));
  }

  function body() {
    const options = {};
    for (const [key, read] of values.options) if (read() !== null) options[key] = read();
    return {
      name: name.value.trim(), text: text.value, puzzle: board.checked ? puzzle.data : null, options,
      datasets: [...values.datasets.values()].map((read) => read()).filter(Boolean),
      backends: [...values.backends.values()].map((read) => read()).filter(Boolean),
    };
  }

  async function showPreview() {
    const turn = (previewTurn += 1);
    preview.disabled = true;
    plan.replaceChildren(make("p", { class: "quiet", text: "The plan is being made; backends are loaded for it." }));
    const found = await requested("/api/sweeps/preview", { method: "POST", body: body() });
    preview.disabled = false;
    if (turn !== previewTurn) return;
    plan.replaceChildren(...(found ? planOf(found) : []));
  }

  async function begin() {
    start.disabled = true;
    const job = await requested("/api/sweeps", { method: "POST", body: body() });
    start.disabled = false;
    if (job) location.hash = runLink(job.run);
  }

  function fill() {
    if (isLoading) return;
    isLoading = true;
    load("/api/runs/options", (found) => load("/api/backends", (known) => build(found, known), showLack), showLack);
  }

  function showLack(reason) {
    lack.textContent = reason;
    lack.hidden = !reason;
  }

  function build(found, known) {
    isBuilt = true;
    for (const of of found.datasets) addDataset(of);
    for (const of of [...found.options].reverse()) if (of.choices.length) addOption(of);
    for (const of of found.options) if (!of.choices.length) addOption(of);
    showBackends(known);
  }

  // The options of backends become known a few seconds after the first request for the backends.
  function showBackends({ names, known }) {
    const ticked = new Set([...values.backends].filter(([, read]) => read()).map(([of]) => of));
    const own = [...values.backends.keys()].filter((name) => !names.includes(name));
    if (!ticked.size) for (const of of ["native", "cnf"]) ticked.add(of);
    values.backends.clear();
    backends.replaceChildren();
    missing.replaceChildren();
    missingBox.hidden = !known.some((backend) => !backend.available);
    const byName = new Map(known.map((backend) => [backend.name, backend]));
    const all = names.map((of) => byName.get(of) ?? { name: of, options: [] });
    for (const of of all) addBackend(of, ticked.has(of.name) && of.available !== false);
    for (const of of own) addBackend({ name: of, options: [] }, ticked.has(of));
  }

  listen("backends", async () => {
    if (!isBuilt) return;
    const known = await requested("/api/backends");
    if (known) showBackends(known);
  });

  panel.append(
    make("h2", { id: "sweep-title", text: "New sweep" }), lack,
    make("fieldset", {}, make("legend", { text: "Puzzles" }), datasets,
      make("details", {}, make("summary", { text: "Own puzzles" }),
        make("div", { class: "row" }, make("label", {}, board, "The puzzle of the board")),
        text, make("div", { class: "row" }, make("label", {}, "From a file", file)))),
    make("fieldset", {}, make("legend", { text: "Backends" }), backends, missingBox,
      make("div", { class: "row" }, spec, button("Add", addSpec))),
    make("fieldset", {}, make("legend", { text: "How they run" }), fields,
      make("details", {}, make("summary", { text: "Further options" }), further)),
    make("div", { class: "row" }, make("label", {}, "Name", name)),
    make("div", { class: "row" }, preview, start),
    plan);
  return { element: panel, open: () => { panel.hidden = false; fill(); }, close: () => { panel.hidden = true; } };
}

function planOf({ toml, plan }) {
  const left = plan.trials - plan.stored;
  const expected = plan.expected_s === null ? "the expected time is unknown, as no earlier run has such trials" : `about ${span(plan.expected_s)}`;
  const stored = plan.stored ? `, ${plan.stored.toLocaleString("en")} are already stored` : "";
  const needs = ["puzzles.txt", "board.jsonl"].filter((file) => toml.includes(`"${file}"`)).join(" and ");
  const link = make("a", { class: "button", text: "Download sweep.toml", download: "sweep.toml",
    href: URL.createObjectURL(new Blob([toml], { type: "application/toml" })) });
  return [
    make("h3", { text: "Plan" }),
    make("p", {}, make("strong", { text: numberOf(left, "trial") }), `${stored}; ${expected}; at most ${span(plan.longest_s)}.`),
    ...Object.entries(plan.unavailable).map(([backend, reason]) => make("p", { class: "bad", text: `${backend} is not available: ${reason}` })),
    scrolling("Plan", {}, make("table", {},
      headers(["Configuration", "Dataset", "Trials", "Expected", "At most"], (at) => (at > 1 ? "number" : null)),
      make("tbody", {}, ...plan.plan.map((row) => make("tr", {},
        make("th", { scope: "row", text: row.backend }), make("td", { text: row.dataset }),
        make("td", { class: "number", text: row.trials.toLocaleString("en") }),
        make("td", { class: "number", text: row.expected_s === null ? "-" : span(row.expected_s) }),
        make("td", { class: "number", text: span(row.longest_s) })))))),
    make("details", {}, make("summary", { text: "The sweep as a file" }), make("pre", { tabindex: "0", text: toml }),
      make("div", { class: "row" }, link, make("span", { class: "quiet", text: needs
        ? `It needs ${needs} beside it; a run started here has them in its folder.`
        : "harness run sweep.toml runs it in a terminal." }))),
  ];
}
