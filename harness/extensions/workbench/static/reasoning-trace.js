// A trace of the reasoning: its steps as they come, the board after each, and its search tree.

import { page, listen, request, requested } from "./server.js";

const EVERY = 64;  // steps between two boards that are kept
const TOPIC = "reasoning";

export class Trace extends EventTarget {
  steps = [];
  nodes = [{ number: 0, parent: null, children: [], entered: 0, branch: "total", outcomes: [] }];
  end = null;
  difficulty = null;
  isRunning = false;
  isLost = false;
  #name = null;
  #kept = new Map();
  #fetching = false;

  // Start the reasoning for a puzzle of the page; null if the server refuses it.
  static async start(puzzle, shape, options) {
    const trace = new Trace();
    const endings = [
      listen(TOPIC, (state) => trace.#take(state)),
      listen("hello", ({ isNew }) => trace.#again(isNew)),
    ];
    trace.close = () => endings.forEach((end) => end());
    const found = await requested("/api/reasoning", { method: "POST", body: { page, puzzle, ...options } });
    if (!found) {
      trace.close();
      return null;
    }
    trace.puzzle = puzzle;
    trace.shape = shape;
    trace.givens = found.values;
    trace.#kept.set(0, { values: found.values, candidates: found.candidates });
    trace.#name = found.state.trace;
    trace.isRunning = true;
    trace.#fetch();
    return trace;
  }

  cancel() {
    if (this.isRunning) requested(`/api/reasoning/${this.#name}`, { method: "DELETE" });
  }

  // The board after a number of steps.
  board(number) {
    const way = [];
    let at = number;
    while (!this.#kept.has(at)) {
      way.push(at);
      at = this.#base(at);
    }
    const start = this.#kept.get(at);
    const board = { values: [...start.values], candidates: [...start.candidates] };
    for (const next of way.reverse()) {
      this.#apply(board, this.steps[next - 1]);
      if (next % EVERY === 0) this.#kept.set(next, { values: [...board.values], candidates: [...board.candidates] });
    }
    return board;
  }

  // The board from which a step starts; steps count from 1.
  boardBefore(number) {
    return this.board(this.#base(number));
  }

  // The node of the search tree to which the board after a number of steps belongs.
  nodeAt(number) {
    return number ? this.steps[number - 1].node : this.nodes[0];
  }

  // The outcome of a node as it is known after a number of steps.
  outcomeAt(node, number) {
    return node.outcomes.findLast((outcome) => outcome.step <= number) ?? { kind: "open", step: node.entered };
  }

  // The number of steps after which the board is the one from which a step starts.
  #base(number) {
    return this.steps[number - 1].base ?? number - 1;
  }

  #apply(board, step) {
    const { values, candidates } = board;
    if (step.value && (step.kind === "placement" || step.kind === "guess")) {
      const bit = 1 << (step.value - 1);
      values[step.cell] = step.value;
      candidates[step.cell] &= bit;
      for (const peer of this.shape.peers[step.cell]) candidates[peer] &= ~bit;
    }
    for (const [cell, value] of step.removed) candidates[cell] &= ~(1 << (value - 1));
  }

  #take(state) {
    if (state.trace !== this.#name) return;
    if (state.first > this.steps.length) {
      this.#fetch();
      return;
    }
    for (const step of state.steps.slice(this.steps.length - state.first)) this.#add(step);
    this.end = state.end;
    this.difficulty = state.difficulty;
    this.isRunning = state.is_running;
    if (state.number > this.steps.length && !state.is_running) this.#fetch();
    this.dispatchEvent(new Event("change"));
  }

  // Get the steps that no message brought: those sent before the answer to the request for the
  // trace, and those sent while the connection was lost.
  async #fetch() {
    if (this.#fetching) return;
    this.#fetching = true;
    let more = true;
    while (more) {
      const found = await request(`/api/reasoning/${this.#name}?first=${this.steps.length}`).catch(() => null);
      more = Boolean(found) && found.first + found.steps.length < found.number;
      if (found) this.#take(found);
    }
    this.#fetching = false;
  }

  #again(isNew) {
    if (this.#name === null) return;
    if (isNew && this.isRunning) {
      this.isRunning = false;
      this.isLost = true;
      this.dispatchEvent(new Event("change"));
    } else if (this.isRunning) this.#fetch();
  }

  // Add a step from the server, in which cells and values are names.
  #add(record) {
    const cell = (name) => name && this.shape.cellNamed(name);
    const value = (symbol) => symbol && this.shape.symbols.indexOf(symbol) + 1;
    const candidates = (group) => group.map((candidate) => [cell(candidate.cell), value(candidate.value)]);
    const step = {
      ...record, record,
      cell: cell(record.cell), value: value(record.value), removed: candidates(record.removed), blank: record.blank.map(cell),
      options: record.options.map(value), candidates: record.candidates.map(candidates),
    };
    this.steps.push(step);
    const number = this.steps.length;
    step.node = this.nodeAt(this.#base(number));
    if (step.kind === "guess") {
      const parent = step.node;
      step.node = {
        number: this.nodes.length, parent, children: [], entered: number, branch: step.branch,
        cell: step.cell, value: step.value, outcomes: [],
      };
      parent.children.push(step.node);
      this.nodes.push(step.node);
    }
    if (["options", "dead end", "solution"].includes(step.kind)) {
      step.node.outcomes.push({ kind: step.kind, step: number, cell: step.cell, options: step.options.length });
    }
  }
}
