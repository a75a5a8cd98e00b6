// The view of the reasoning: the steps of rules and of a search, drawn on the board.

import { Board } from "./board.js";
import { button, checkbox, headers, make, numberOf, scrolling, select } from "./elements.js";
import { moved } from "./keys.js";
import { numberField } from "./number-field.js";
import { problems, puzzle } from "./puzzle.js";
import { marksOf, Overlay } from "./reasoning-drawing.js";
import { RungChart, StepList } from "./reasoning-list.js";
import { tableOf, TABLES } from "./reasoning-tables.js";
import { Trace } from "./reasoning-trace.js";
import { Tree } from "./reasoning-tree.js";
import { load, requested } from "./server.js";

const SPEEDS = ["0.5", "1", "2", "5", "10", "30"].map((speed) => [speed, `${speed}/s`]);

const TOTAL = "Each digit after total is a guess: 1 tries its first value, 2 its second.";

const LEGEND = [
  "Left and right arrow: a step back or forward. Home and End: the first or last step. Space: play or pause.",
  "On the board, Shift with an arrow moves between cells.",
  "A green frame is the cell that gets its value; with stripes it is a guess. A red stroke removes a candidate.",
  "A thick border is a house of the reason; a dashed border is a house that loses candidates.",
  "Candidates of the reason are on discs in its first group, squares in the second, diamonds in the third. Its cells are coloured.",
  "Arrows are the links of a walk with their values: on discs in the first walk, squares in the second, diamonds in the third.",
  "A solid link: if one cell does not have the value, the other does. A dashed link: at most one of the two cells has it.",
];

function build(section) {
  section.classList.add("reasoning");
  const options = { up_to: "", searches: true, solutions: 1, order: "fewest", most_steps: 5000, timeout_s: 120 };
  const state = { trace: null, position: 0, isPlaying: false, speed: 2, candidates: true, graph: false, table: "tracker", isEarlier: false };
  let ladder = [];
  let timer = null;

  const board = new Board({ label: "Board of the reasoning", foundWords: "found" });
  const overlay = new Overlay(board);
  const start = button("Show the reasoning", begin, { class: "main" });
  const cancel = button("Cancel", () => state.trace?.cancel(), { disabled: true });
  const note = make("p", { class: "notice", role: "status", hidden: true, text: "The puzzle has changed. This is the reasoning for an earlier puzzle." });
  const lack = make("p", { class: "warning", role: "status", hidden: true });
  const end = make("p", { class: "quiet", role: "status" });
  const sentence = make("p", { class: "sentence" });
  const live = make("div", { class: "present", "aria-live": "polite", "aria-atomic": "true", tabindex: "0" }, sentence);
  const first = button("First", () => go(0), { title: "Home" });
  const back = button("Back", () => go(state.position - 1), { title: "Left arrow" });
  const play = button("Play", () => (state.isPlaying ? pause() : run()), { title: "Space", class: "play" });
  const forward = button("Forward", () => go(state.position + 1), { title: "Right arrow" });
  const last = button("Last", () => go(Infinity), { title: "End" });
  const slider = make("input", { type: "range", min: 0, max: 0, value: 0, "aria-label": "Step", class: "slider", input: () => go(Number(slider.value)) });
  const count = make("span", { class: "quiet count" });
  const open = button("Open on the board", openOnBoard, { disabled: true });
  const steps = new StepList((number) => go(number));
  const chart = new RungChart((number) => go(number));
  const tree = new Tree((number) => go(number));
  const difficulty = make("div");
  const tables = scrolling("Table of the present step", {});
  const rungs = make("select", { change: () => { options.up_to = rungs.value; } });

  // The rules that can apply: those for constraints only if the puzzle has any.
  let ladderShape = null;
  function showLadder() {
    const wanted = puzzle.shape?.constraints.length ? puzzle.shape.definition : "9x9";
    if (wanted === ladderShape) return;
    ladderShape = wanted;
    load(`/api/reasoning/ladder?${new URLSearchParams({ shape: wanted })}`, (found) => {
      ladder = found;
      rungs.replaceChildren(make("option", { value: "", text: "all rules" }),
        ...[...found].reverse().map(({ name, slug }, at) =>
          make("option", { value: slug, text: `up to rung ${found.length - at}: ${name}` })),
        make("option", { value: "none", text: "no rule" }));
      rungs.value = options.up_to;
      if (rungs.selectedIndex < 0) rungs.value = options.up_to = "";
      if (state.trace) show();
    }, (reason) => {
      lack.textContent = reason;
      lack.hidden = !reason;
    });
  }
  showLadder();
  puzzle.addEventListener("change", showLadder);

  const limits = [
    numberField({ label: "Most steps", value: options.most_steps, least: 1, most: 20000, take: (value) => { options.most_steps = value; } }),
    numberField({ label: "Time limit in s", value: options.timeout_s, least: 1, most: 3600, step: "any", take: (value) => { options.timeout_s = value; } }),
  ];

  async function begin() {
    if (!limits.every((field) => field.isValid())) return;
    pause();
    const hadFocus = document.activeElement === start;
    start.disabled = true;
    const data = puzzle.data;
    const shape = puzzle.shape;
    const trace = await Trace.start({ ...data, name: "" }, shape, options);
    start.disabled = false;
    if (!trace) return;
    if (hadFocus) live.focus({ preventScroll: true });  // where space plays and screen readers find the step
    state.trace?.close();
    Object.assign(state, { trace, position: 0, isEarlier: false });
    trace.key = keyOf(puzzle);
    trace.addEventListener("change", soon);
    show();
  }

  let isWaiting = false;
  function soon(event) {
    if (event.target !== state.trace || isWaiting) return;
    isWaiting = true;
    requestAnimationFrame(() => {
      isWaiting = false;
      if (section.hidden) return;
      if (!state.position && state.trace.steps.length) go(1);
      else show();
    });
  }

  function go(number) {
    if (!state.trace) return;
    const to = Math.max(0, Math.min(number, state.trace.steps.length));
    if (to === state.position) return;
    state.position = to;
    show();
  }

  function run() {
    if (!state.trace) return;
    if (state.position === state.trace.steps.length && !state.trace.isRunning) state.position = 0;
    state.isPlaying = true;
    tick();
    show();
  }

  function pause() {
    clearTimeout(timer);
    if (!state.isPlaying) return;
    state.isPlaying = false;
    if (state.trace) show();
  }

  function tick() {
    clearTimeout(timer);
    timer = setTimeout(() => {
      const { trace } = state;
      if (section.hidden || (state.position >= trace.steps.length && trace.end)) pause();
      else {
        go(state.position + 1);
        tick();
      }
    }, 1000 / state.speed);
  }

  function show() {
    const { trace, position } = state;
    const number = trace?.steps.length ?? 0;
    const step = position ? trace.steps[position - 1] : null;
    showBoard(step);
    showPlayer(number, step);
    note.hidden = !(trace && state.isEarlier);
    section.classList.toggle("stale", !note.hidden);
    start.textContent = trace ? "Show the reasoning again" : "Show the reasoning";
    cancel.disabled = !trace?.isRunning || Boolean(trace.end);
    stage.classList.toggle("wide", (trace?.shape ?? puzzle.shape).size > 16);
    for (const part of [panels.steps, panels.difficulty, panels.tree, panels.tables]) part.hidden = !trace;
    showEnd();
    if (!trace) return;
    steps.show(trace, position, ladder.length || 1);
    chart.show(trace, position, ladder.length || 1);
    showDifficulty();
    panels.steps.hidden = panels.tables.hidden = !number && !trace.isRunning;
    panels.tree.hidden = trace.nodes.length === 1;
    if (!panels.tree.hidden) tree.show(trace, position);
    showTable();
  }

  function showBoard(step) {
    const { trace } = state;
    if (!trace) {
      const { shape, values } = puzzle;
      board.show({ shape, values });
      overlay.show(null, null, {});
      return;
    }
    const before = state.position ? trace.boardBefore(state.position) : trace.board(0);
    const { classes, looks } = marksOf(step);
    const showsValue = step?.kind === "guess" || (step?.kind === "placement" && !step.walks.length);
    if (!state.position) markProblems(classes, before);
    const found = [...before.values];
    if (showsValue) found[step.cell] = step.value;
    const marks = before.values.map((value, cell) => (value || (showsValue && cell === step.cell) ? 0 : before.candidates[cell]));
    const isBare = !state.candidates && !(step && [step.removed, step.walks, step.candidates, step.options].some((of) => of.length));
    board.show({ shape: trace.shape, values: trace.givens, found, marks: isBare ? null : marks, classes, looks });
    board.element.classList.toggle("valued", showsValue);
    overlay.show(step, before, { hasGraph: state.graph, take: (links) => {
      graphNote.textContent = `${numberOf(links, "link")} in the bilocation graph.`;
    } });
  }

  // Mark the contradictions in the puzzle itself.
  function markProblems(classes, { values, candidates }) {
    const { conflicts, empty } = problems({ shape: state.trace.shape, values, marks: candidates, restricts: true });
    for (const cell of conflicts) classes.set(cell, "conflict");
    for (const cell of empty) classes.set(cell, "empty-handed");
  }

  let announced = "";
  function showPlayer(number, step) {
    const { position, trace } = state;
    for (const control of [first, back]) control.disabled = position === 0;
    for (const control of [forward, last]) control.disabled = position >= number;
    play.disabled = !number;
    play.textContent = state.isPlaying ? "Pause" : "Play";
    play.setAttribute("aria-pressed", String(state.isPlaying));
    slider.max = number;
    slider.value = position;
    slider.disabled = !number;
    open.disabled = !trace;
    count.textContent = trace ? `Step ${position} of ${number}${trace.end ? "" : " so far"}` : "";
    slider.setAttribute("aria-valuetext", `Step ${position} of ${number}`);
    live.setAttribute("aria-live", state.isPlaying ? "off" : "polite");
    const shown = `${Boolean(trace)},${position},${step?.words}`;
    if (shown !== announced) sentence.replaceChildren(...wordsOf(step));
    announced = shown;
  }

  function wordsOf(step) {
    if (!state.trace) return ["Start with the button above. The steps appear as they are found."];
    if (!step) return ["The puzzle before the first step."];
    if (step.kind === "guess") return [`${capital(step.words)}. `, make("span", { class: "quiet", text: TOTAL })];
    if (step.kind === "dead end" && step.rule) return [`${capital(step.words)} (${step.rule}).`];
    if (!step.rule) return [`${capital(step.words)}.`];
    return [make("strong", { text: `${capital(step.rule)} (rung ${step.rung}): ` }), `${step.words}.`];
  }

  function showEnd() {
    const text = endOf(state.trace);
    if (end.textContent !== text) end.textContent = text;  // a screen reader reads each change
  }

  let shownDifficulty = "";
  function showDifficulty() {
    const { trace } = state;
    const key = JSON.stringify([trace.steps.length, trace.end, trace.difficulty, trace.isRunning, ladder.length]);
    if (key === shownDifficulty) return;
    shownDifficulty = key;
    const used = new Map();
    trace.steps.forEach((step, at) => {
      const name = step.rule || (step.kind === "options" ? "guess" : "");  // one guess, however many values it tries
      if (!name) return;
      const row = used.get(name) ?? { rung: step.rung ?? 0, number: 0, first: at + 1 };
      row.number += 1;
      used.set(name, row);
    });
    const rows = [...used].sort(([, a], [, b]) => (a.rung || 99) - (b.rung || 99));
    const most = Math.max(...rows.map(([, row]) => row.number), 1);
    difficulty.replaceChildren(
      make("p", { class: "rating", text: rating(trace) }),
      make("div", { class: "scroll", hidden: !rows.length }, make("table", {},
        make("caption", { text: "Rules used" }),
        headers(["Rung", "Rule", "Steps", "First"], (at) => (at === 1 ? null : "number")),
        make("tbody", {}, ...rows.map(([name, { rung, number, first: at }]) => {
          const bar = make("span", { class: `amount ${rung ? "" : "search"}`, "aria-hidden": "true" });
          bar.style.setProperty("--part", number / most);
          return make("tr", {},
            make("td", { class: "number", text: rung || "-" }), make("th", { scope: "row", text: name }),
            make("td", { class: "number" }, bar, make("span", { text: number.toLocaleString("en") })),
            make("td", { class: "number" }, button(String(at), () => go(at), { "aria-label": `First step of ${name}: ${at}` })));
        })))));
  }

  function showTable() {
    if (!panels.tables.open) return;
    tables.replaceChildren(...tableOf(state.table, state.trace, state.position, go));
  }

  async function openOnBoard() {
    pause();
    const { trace, position } = state;
    const { values, candidates } = trace.board(position);
    const marks = values.map((value, cell) => (value ? 1 << (value - 1) : candidates[cell]));
    const isWhole = marks.every((bits) => bits);
    await puzzle.open({ shape: trace.shape.definition, givens: values, marks: isWhole ? marks : null });
    location.hash = `#board?${puzzle.link}`;
  }

  document.addEventListener("keydown", (event) => {
    if (section.hidden || !state.trace || event.ctrlKey || event.metaKey || event.altKey) return;
    const at = event.target;
    if (at.closest("select, textarea, dialog, input:not([type=range]):not([type=checkbox])")) return;
    const inBoard = board.element.contains(at);
    if (inBoard && event.shiftKey) {
      const to = moved(event, board.selected, state.trace.shape.size);
      if (to === null) return;
      board.moveTo(to);
    } else if (event.shiftKey) return;
    else if (event.key === " ") {
      if (at.closest("button, input, summary, a")) return;
      if (state.isPlaying) pause();
      else run();
    } else if (at === slider) return;
    else if (event.key === "ArrowRight") go(state.position + 1);
    else if (event.key === "ArrowLeft") go(state.position - 1);
    else if (event.key === "Home") go(0);
    else if (event.key === "End") go(Infinity);
    else return;
    event.preventDefault();
  });

  const graphNote = make("p", { class: "quiet" });
  const graph = checkbox("Bilocation graph", false, (checked) => {
    state.graph = checked;
    graphNote.textContent = "";
    show();
  });
  const panels = {
    difficulty: panel("Difficulty", difficulty),
    steps: panel("Steps", chart.drawing,
      make("p", { class: "quiet", text: "A bar is as high as the rung of the rule on the ladder; a mark above is a guess." }), steps.element),
    tree: panel("Search tree", tree.element),
    tables: make("details", { class: "panel", toggle: () => state.trace && showTable() },
      make("summary", { text: "Tables of the articles" }),
      select("Table", TABLES, state.table, (name) => { state.table = name; showTable(); }), tables),
  };
  const stage = make("div", { class: "stage" });
  section.append(make("div", { class: "columns" }, stage,
    make("div", { class: "side" }, panels.difficulty, panels.steps, panels.tree, panels.tables)));
  stage.append(
    make("div", { class: "row" }, start, cancel, open),
    make("details", { class: "settings" }, make("summary", { text: "Rules, search and limits" }),
      make("div", { class: "row" }, make("label", {}, "Rules", rungs),
        checkbox("Search where the rules end", true, (checked) => { options.searches = checked; })),
      make("div", { class: "row" },
        select("End at", [["1", "the first solution"], ["2", "the second solution"], ["20000", "all solutions"]], "1", (value) => { options.solutions = Number(value); }),
        select("Guess in", [["fewest", "a cell with the fewest candidates"], ["first", "the first blank cell"]], "fewest", (value) => { options.order = value; })),
      make("div", { class: "row" },
        ...limits.map((field) => field.element))),
    lack, note,
    board.element,
    make("div", { class: "player" },
      make("div", { class: "row", role: "group", "aria-label": "Steps" }, first, back, play, forward, last,
        select("Speed", SPEEDS, String(state.speed), (value) => {
          state.speed = Number(value);
          if (state.isPlaying) tick();
        })),
      make("div", { class: "row" }, slider, count)),
    live, end,
    make("div", { class: "row" },
      checkbox("Candidates", true, (checked) => { state.candidates = checked; show(); }), graph),
    graphNote,
    make("details", {}, make("summary", { text: "Keys and marks" }),
      make("ul", { class: "legend" }, ...LEGEND.map((text) => make("li", { text })))),
  );

  puzzle.addEventListener("change", () => {
    state.isEarlier = Boolean(state.trace) && keyOf(puzzle) !== state.trace.key;
    if (!section.hidden) show();
  });
  show();
  return () => {
    if (state.trace?.steps.length && !state.position) go(1);
    else show();
  };
}

function panel(title, ...children) {
  const id = `reasoning-${title.toLowerCase().replace(" ", "-")}`;
  return make("section", { class: "panel", "aria-labelledby": id, hidden: true }, make("h2", { id, text: title }), ...children);
}

function rating(trace) {
  const found = trace.difficulty;
  if (!found) {
    if (trace.end?.ending === "contradictory") return "No difficulty: the puzzle has no solution.";
    if (!trace.isRunning) return "Level and hardest rule: unknown, because the trace ended too early.";
    if (!trace.end) return "Level and hardest rule follow after the last step.";
    return "Level and hardest rule: all rules are being applied to find them.";
  }
  if (!found.hardest) return "No level: levels are for puzzles with exactly one solution.";
  const level = found.level ? `Level: ${found.level}. ` : "";
  if (found.hardest === "search") return `${level}The puzzle needs a search: the rules of the ladder do not finish it.`;
  return `${level}Hardest rule that it needs: ${found.hardest.replaceAll("-", " ")}.`;
}

function endOf(trace) {
  if (!trace) return "";
  if (trace.isLost) return "The server was restarted, so this trace ends here.";
  if (!trace.end) return "Further steps are being found.";
  const { words, nodes, guesses, dead_ends: deadEnds } = trace.end;
  if (!nodes) return words;
  return `${words} ${numberOf(nodes, "node")}, ${guesses.toLocaleString("en")} guess${guesses === 1 ? "" : "es"}, ${numberOf(deadEnds, "dead end")}.`;
}

function keyOf(of) {
  return JSON.stringify([of.shape.definition, of.data.givens, of.data.marks]);
}

function capital(text) {
  return text[0].toUpperCase() + text.slice(1);
}

export const reasoningView = { name: "reasoning", title: "Reasoning", build };
