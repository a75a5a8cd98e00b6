// Trials: a list with search, sorting and filters, and the grid of one trial.

const PAGE_SIZE = 25;
const list = { numbers: [], from: 0, by: "", descending: false };

function quoted(text) {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'"'"'`)}'`;
}

function trialAt(number) {
  const { trial, questions, instances, verdicts, solutions, reasons, shapes, right } = report.trials;
  const at = (name) => trial[name][number];
  const instance = at("instance");
  const question = questions[at("question")];
  const line = instances.line[instance];
  const verdict = verdicts[at("verdict")];
  return {
    number, question, line, verdict,
    name: instances.name[instance], id: instances.id[instance], shape: shapes[instances.shape[instance]],
    repetition: at("repetition"), wall: at("wall_s"), cpu: at("cpu_s"), count: at("count"),
    solution: solutions[at("solution")] ?? "", reason: reasons[at("reason")] ?? "",
    right: right.includes(verdict),
    command: question.head + quoted(line) + question.tail,
  };
}

// Title, value and whether the value is a number.
const COLUMNS = [
  ["instance", (t) => t.name], ["dataset", (t) => t.question.dataset], ["task", (t) => t.question.task],
  ["start", (t) => t.question.start], ["backend", (t) => t.question.backend],
  ["repetition", (t) => t.repetition, true], ["verdict", (t) => t.verdict],
  ["wall time", (t) => t.wall, true], ["CPU time", (t) => t.cpu, true],
];

function isTrialSelected(trial, search, failuresOnly) {
  if (!matchesFilters(trial.question) || !isBackendSelected(trial.question.backend)) return false;
  if (selection.verdict && trial.verdict !== selection.verdict) return false;
  if (failuresOnly && trial.right) return false;
  return !search || [trial.name, trial.id, trial.line].some((text) => text.toLowerCase().includes(search));
}

function findTrials() {
  const search = document.getElementById("trial-search").value.trim().toLowerCase();
  const failuresOnly = document.getElementById("failures-only").checked;
  const found = [];
  for (let n = 0; n < report.trials.trial.instance.length; n += 1) {
    const trial = trialAt(n);
    if (isTrialSelected(trial, search, failuresOnly)) found.push(trial);
  }
  const column = COLUMNS.find(([title]) => title === list.by);
  if (column) {
    const sign = list.descending ? -1 : 1;
    const keyed = found.map((trial) => [column[1](trial), trial]);
    keyed.sort(([a], [b]) => {
      if (a === null || b === null) return a === b ? 0 : a === null ? 1 : -1;
      return sign * (column[2] ? a - b : String(a).localeCompare(String(b), undefined, { numeric: true }));
    });
    list.numbers = keyed.map(([, trial]) => trial.number);
  } else {
    list.numbers = found.map((trial) => trial.number);
  }
  list.from = 0;
  showList();
}

function showList() {
  const body = document.querySelector("#trial-list tbody");
  const rows = list.numbers.slice(list.from, list.from + PAGE_SIZE).map((number) => {
    const trial = trialAt(number);
    const cells = COLUMNS.map(([title, value, numeric]) => {
      const text = title.endsWith(" time") ? seconds(value(trial)) : value(trial);
      const failed = title === "verdict" && !trial.right;
      const names = [numeric && "number", failed && "failure"].filter(Boolean).join(" ");
      return make("td", { class: names || null }, isolated(String(text)));
    });
    const label = `Show ${trial.name}, ${trial.question.backend}`;
    const link = make("a", { href: `#trial-${number}`, "aria-label": label, text: "show" });
    return make("tr", {}, ...cells, make("td", {}, link));
  });
  body.replaceChildren(...rows);
  const count = list.numbers.length;
  const all = report.trials.trial.instance.length;
  document.getElementById("trial-count").value = `${count} of ${all} trials`;
  const last = Math.min(list.from + PAGE_SIZE, count);
  document.getElementById("page-range").textContent = count ? `${list.from + 1} to ${last}` : "none";
  document.getElementById("previous-page").disabled = list.from === 0;
  document.getElementById("next-page").disabled = last >= count;
}

function gridOf(trial) {
  const { size, regions } = trial.shape;
  const cells = size * size;
  // A line with pencilmarks has a symbol for each value of each cell.
  const marks = trial.line.length === cells * size
    ? Array.from({ length: cells }, (_, cell) =>
      trial.line.slice(cell * size, (cell + 1) * size).replaceAll(".", ""))
    : null;
  const given = marks ? marks.map((values) => (values.length === 1 ? values : ".")) : [...trial.line];
  const answer = trial.solution.length === cells ? [...trial.solution] : [];
  const body = make("tbody");
  for (let row = 0; row < size; row += 1) {
    const line = make("tr");
    for (let column = 0; column < size; column += 1) {
      const cell = row * size + column;
      const blank = given[cell] === "." || given[cell] === "0";
      const names = [blank ? "filled" : "given"];
      if (!blank && answer.length && answer[cell] !== given[cell]) names.push("changed");
      if (column + 1 < size && regions[cell] !== regions[cell + 1]) names.push("right");
      if (row + 1 < size && regions[cell] !== regions[cell + size]) names.push("bottom");
      line.append(make("td", { class: names.join(" "), text: answer[cell] ?? (blank ? "" : given[cell]) }));
      const cellMarks = marks && blank ? marks[cell] || "no value" : "";
      if (cellMarks && cellMarks.length !== size) line.lastChild.title = `pencilmarks: ${cellMarks}`;
    }
    body.append(line);
  }
  const caption = answer.length ? "Answer, givens in bold" : "Givens, no answer";
  return make("table", { class: "grid" }, make("caption", { text: caption }), body);
}

function showTrial() {
  const match = /^trial-(\d+)$/.exec(addressParts().anchor);
  const container = document.getElementById("trial");
  if (!match || Number(match[1]) >= report.trials.trial.instance.length) {
    container.replaceChildren();
    return;
  }
  const trial = trialAt(Number(match[1]));
  const facts = [
    ["comparison group", trial.question.group], ["backend", trial.question.backend],
    ["repetition", trial.repetition], ["verdict", trial.verdict], ["reason", trial.reason],
    ["solutions", trial.count], ["wall time", seconds(trial.wall)], ["CPU time", seconds(trial.cpu)],
    ["shape", trial.shape.spec], ["constraints", trial.shape.constraints], ["instance id", trial.id],
  ].filter(([, value]) => value !== null && value !== "");
  const details = make("dl", {}, ...facts.flatMap(([name, value]) => [
    make("dt", { text: name }), make("dd", {}, isolated(String(value))),
  ]));
  // The neighbours in the list, which the search, the filters and the order of rows determine.
  const neighbour = (step) => {
    const place = list.numbers.indexOf(trial.number);
    return place < 0 ? undefined : list.numbers[place + step];
  };
  const stepButton = (text, step) => make("button", {
    type: "button", text, disabled: neighbour(step) === undefined ? "" : false,
    click: () => { if (neighbour(step) !== undefined) location.hash = `#trial-${neighbour(step)}`; },
  });
  const clear = make("button", { type: "button", text: "Clear", click: clearTrial });
  const steps = make("p", { class: "pages screen", role: "group", "aria-label": "Trial" }, stepButton("Previous", -1), " ", stepButton("Next", 1), " ", clear);
  const command = make("pre", { class: "command" }, make("code", { text: trial.command }));
  container.replaceChildren(
    make("h3", {}, isolated(trial.name)),
    steps,
    make("div", { class: "grid-and-facts" }, gridOf(trial), details),
    make("p", { class: "note", text: "Command to reproduce:" }),
    command,
  );
  container.dataset.trial = trial.number;
  container.focus({ preventScroll: true });
  container.scrollIntoView({ block: "nearest" });
}

// Show no trial, and return to the list.
function clearTrial() {
  history.replaceState(null, "", location.pathname + location.search);
  keepSelection();
  delete document.getElementById("trial").dataset.trial;
  showTrial();
  document.getElementById("trial-search").focus();
}

function clearSearch() {
  document.getElementById("trial-search").value = "";
  document.getElementById("failures-only").checked = false;
  list.by = "";
  for (const head of document.querySelectorAll("#trial-list th")) head.removeAttribute("aria-sort");
  findTrials();
}

function buildTrials() {
  const heads = COLUMNS.map(([title, , numeric]) => {
    const head = make("th", { scope: "col", class: numeric ? "number" : null });
    const sort = () => {
      list.descending = list.by === title && !list.descending;
      list.by = title;
      for (const other of document.querySelectorAll("#trial-list th")) other.removeAttribute("aria-sort");
      head.setAttribute("aria-sort", list.descending ? "descending" : "ascending");
      findTrials();
    };
    head.append(make("button", { type: "button", text: title, click: sort }));
    return head;
  });
  const last = make("td");
  document.querySelector("#trial-list thead").append(make("tr", {}, ...heads, last));
  document.getElementById("trial-search").addEventListener("input", findTrials);
  document.getElementById("failures-only").addEventListener("change", findTrials);
  document.getElementById("clear-search").addEventListener("click", clearSearch);
  for (const [id, step] of [["previous-page", -PAGE_SIZE], ["next-page", PAGE_SIZE]]) {
    document.getElementById(id).addEventListener("click", () => {
      list.from += step;
      showList();
    });
  }
  for (const button of document.querySelectorAll("button.show-trials")) {
    button.addEventListener("click", () => {
      const { verdict, backend } = button.dataset;
      select({ dataset: "", task: "", start: "", verdict }, [backend]);
      document.getElementById("trials").scrollIntoView();
    });
  }
  window.addEventListener("hashchange", showTrial);
  listeners.push(findTrials);
}
