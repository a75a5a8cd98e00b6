// Single trials: a list that can be searched, sorted and filtered, and one of them as a grid.

const PAGE = 25;
const list = { numbers: [], from: 0, by: "", descending: false };

function quoted(text) {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'"'"'`)}'`;
}

function trialAt(number) {
  const { trial, questions, puzzles, verdicts, solutions, reasons, shapes, right } = report.trials;
  const at = (name) => trial[name][number];
  const puzzle = at("puzzle");
  const question = questions[at("question")];
  const line = puzzles.line[puzzle];
  const verdict = verdicts[at("verdict")];
  return {
    number, question, line, verdict,
    name: puzzles.name[puzzle], id: puzzles.id[puzzle], shape: shapes[puzzles.shape[puzzle]],
    repetition: at("repetition"), wall: at("wall"), cpu: at("cpu"), count: at("count"),
    solution: solutions[at("solution")] ?? "", reason: reasons[at("reason")] ?? "",
    right: right.includes(verdict),
    command: question.head + quoted(line) + question.tail,
  };
}

const COLUMNS = [
  ["puzzle", (t) => t.name], ["dataset", (t) => t.question.dataset], ["task", (t) => t.question.task],
  ["start", (t) => t.question.start], ["backend", (t) => t.question.backend],
  ["repetition", (t) => t.repetition, true], ["verdict", (t) => t.verdict],
  ["wall", (t) => t.wall, true], ["CPU", (t) => t.cpu, true],
];

function isTrialChosen(trial, wanted, failures) {
  if (!isChosen(trial.question) || !isBackendChosen(trial.question.backend)) return false;
  if (chosen.verdict && trial.verdict !== chosen.verdict) return false;
  if (failures && trial.right) return false;
  return !wanted || [trial.name, trial.id, trial.line].some((text) => text.toLowerCase().includes(wanted));
}

function findTrials() {
  const wanted = document.getElementById("search").value.trim().toLowerCase();
  const failures = document.getElementById("failures").checked;
  const found = [];
  for (let n = 0; n < report.trials.trial.puzzle.length; n += 1) {
    const trial = trialAt(n);
    if (isTrialChosen(trial, wanted, failures)) found.push(trial);
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
  const body = document.querySelector("#list tbody");
  const rows = list.numbers.slice(list.from, list.from + PAGE).map((number) => {
    const trial = trialAt(number);
    const cells = COLUMNS.map(([title, value, numeric]) => {
      const told = title === "wall" || title === "CPU" ? seconds(value(trial)) : value(trial);
      const failed = title === "verdict" && !trial.right;
      const names = [numeric && "number", failed && "failure"].filter(Boolean).join(" ");
      return make("td", { class: names || null }, isolated(String(told)));
    });
    const label = `show ${trial.name}, ${trial.question.backend}`;
    const open = make("a", { href: `#trial-${number}`, "aria-label": label, text: "show" });
    return make("tr", {}, ...cells, make("td", {}, open));
  });
  body.replaceChildren(...rows);
  const count = list.numbers.length;
  document.getElementById("found").value = `${count} of ${report.trials.trial.puzzle.length} trials`;
  const last = Math.min(list.from + PAGE, count);
  document.getElementById("page").textContent = count ? `${list.from + 1} to ${last}` : "none";
  document.getElementById("before").disabled = list.from === 0;
  document.getElementById("after").disabled = last >= count;
}

function gridOf(trial) {
  const { size, regions } = trial.shape;
  const given = [...trial.line];
  const found = trial.solution.length === given.length ? [...trial.solution] : [];
  const body = make("tbody");
  for (let row = 0; row < size; row += 1) {
    const line = make("tr");
    for (let column = 0; column < size; column += 1) {
      const cell = row * size + column;
      const blank = given[cell] === "." || given[cell] === "0";
      const names = [blank ? "filled" : "given"];
      if (!blank && found.length && found[cell] !== given[cell]) names.push("against");
      if (column + 1 < size && regions[cell] !== regions[cell + 1]) names.push("right");
      if (row + 1 < size && regions[cell] !== regions[cell + size]) names.push("bottom");
      line.append(make("td", { class: names.join(" "), text: blank ? found[cell] ?? "" : found[cell] ?? given[cell] }));
    }
    body.append(line);
  }
  const what = found.length ? "givens bold, the rest is the backend's" : "givens; no grid was found";
  return make("table", { class: "grid" }, make("caption", { text: what }), body);
}

function showTrial() {
  const match = /^#trial-(\d+)$/.exec(location.hash);
  const place = document.getElementById("trial");
  if (!match || Number(match[1]) >= report.trials.trial.puzzle.length) {
    place.replaceChildren();
    return;
  }
  const trial = trialAt(Number(match[1]));
  const facts = [
    ["asked", trial.question.asked], ["backend", trial.question.backend],
    ["repetition", trial.repetition], ["verdict", trial.verdict], ["why", trial.reason],
    ["solutions", trial.count], ["wall time", seconds(trial.wall)], ["CPU time", seconds(trial.cpu)],
    ["shape", trial.shape.spec], ["id", trial.id],
  ].filter(([, value]) => value !== null && value !== "");
  const details = make("dl", {}, ...facts.flatMap(([name, value]) => [
    make("dt", { text: name }), make("dd", {}, isolated(String(value))),
  ]));
  const command = make("pre", { class: "command" }, make("code", { text: trial.command }));
  place.replaceChildren(
    make("h3", {}, isolated(trial.name)),
    make("div", { class: "found" }, gridOf(trial), details),
    make("p", { class: "note", text: "The same question again:" }),
    command,
  );
  place.dataset.trial = trial.number;
  place.focus({ preventScroll: true });
  place.scrollIntoView({ block: "nearest" });
}

function buildTrials() {
  const heads = COLUMNS.map(([title, , numeric]) => {
    const head = make("th", { scope: "col", class: numeric ? "number" : null });
    const sort = () => {
      list.descending = list.by === title && !list.descending;
      list.by = title;
      for (const other of document.querySelectorAll("#list th")) other.removeAttribute("aria-sort");
      head.setAttribute("aria-sort", list.descending ? "descending" : "ascending");
      findTrials();
    };
    head.append(make("button", { type: "button", text: title, click: sort }));
    return head;
  });
  const last = make("td", { text: "" });
  document.querySelector("#list thead").append(make("tr", {}, ...heads, last));
  document.getElementById("search").addEventListener("input", findTrials);
  document.getElementById("failures").addEventListener("change", findTrials);
  for (const [id, step] of [["before", -PAGE], ["after", PAGE]]) {
    document.getElementById(id).addEventListener("click", () => {
      list.from += step;
      showList();
    });
  }
  for (const button of document.querySelectorAll("button.look")) {
    button.addEventListener("click", () => {
      choose({ dataset: "", task: "", start: "", verdict: button.dataset.verdict }, [button.dataset.backend]);
      document.getElementById("trials").scrollIntoView();
    });
  }
  window.addEventListener("hashchange", showTrial);
  listeners.push(findTrials);
}
