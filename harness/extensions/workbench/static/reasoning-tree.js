// The search tree of a trace as a drawing, from left to right; of a large tree only a part.

import { drawn, make, numberOf, scrolling } from "./elements.js";

const MOST = 150;
const ROW = 26;
const HEIGHT = 20;
const GAP = 26;
const LETTER = 7.6;

export class Tree {
  // `jump` is called with the number of a step.
  constructor(jump) {
    this.drawing = drawn("svg", { class: "tree", role: "img", "aria-label": "Search tree" });
    this.note = make("p", { class: "quiet" });
    this.box = scrolling("Drawing of the search tree", { class: "tree-box" }, this.drawing);
    this.element = make("div", {}, this.box, this.note);
    this.trace = null;
    this.drawing.addEventListener("click", (event) => {
      const group = event.target.closest("[data-step]");
      if (group) jump(Number(group.dataset.step));
    });
  }

  // Show the tree as it is after a number of steps.
  show(trace, number) {
    if (trace !== this.trace || trace.nodes.length !== this.known || !trace.isRunning !== this.isWhole) {
      this.#find(trace);
      this.#choose(trace.nodeAt(number));
      this.#draw();
    } else if (!this.chosen.has(trace.nodeAt(number).chain)) {
      this.#choose(trace.nodeAt(number));
      this.#draw();
    }
    this.#mark(number);
  }

  // Nodes that follow each other without an alternative are one chain of the drawing.
  #find(trace) {
    this.trace = trace;
    this.known = trace.nodes.length;
    this.isWhole = !trace.isRunning;
    this.chains = [];
    for (const node of trace.nodes) {
      const { parent } = node;
      if (parent && parent.parent && parent.children.length === 1) {
        node.chain = parent.chain;
        node.chain.nodes.push(node);
      } else {
        node.chain = { nodes: [node], parent: parent?.chain ?? null, children: [], level: parent ? parent.chain.level + 1 : 0 };
        node.chain.parent?.children.push(node.chain);
        this.chains.push(node.chain);
      }
    }
  }

  // Choose the current branch with its alternatives, the paths to solutions, then levels from the top.
  #choose(present) {
    this.chosen = new Set([this.chains[0]]);
    const take = (chain) => {
      for (let at = chain; at; at = at.parent) this.chosen.add(at);
    };
    take(present.chain);
    for (let at = present.chain; at; at = at.parent) {
      for (const child of at.children) if (this.chosen.size < MOST) this.chosen.add(child);
    }
    for (const node of this.trace.nodes) {
      if (this.chosen.size >= MOST) break;
      if (node.outcomes.some((outcome) => outcome.kind === "solution")) take(node.chain);
    }
    const waiting = [this.chains[0]];
    while (waiting.length && this.chosen.size < MOST) {
      const chain = waiting.shift();
      for (const child of chain.children) {
        if (this.chosen.size < MOST) this.chosen.add(child);
        waiting.push(child);
      }
    }
  }

  #label(chain) {
    const name = (node) => (node.parent ? `${this.trace.shape.cellName(node.cell)}=${this.trace.shape.symbols[node.value - 1]}` : "total");
    const first = name(chain.nodes[0]);
    const more = chain.nodes.length - 1;
    return more ? `${first} +${more}` : first;
  }

  #draw() {
    const chains = this.chains.filter((chain) => this.chosen.has(chain));
    const widths = [];
    for (const chain of chains) {
      chain.label = this.#label(chain);
      chain.width = chain.label.length * LETTER + 30;
      widths[chain.level] = Math.max(widths[chain.level] ?? 0, chain.width);
    }
    const left = [8];
    for (let level = 0; level < widths.length; level += 1) left[level + 1] = left[level] + (widths[level] ?? 0) + GAP;
    let row = 0;
    const place = (top) => {
      const waiting = [[top, false]];
      while (waiting.length) {
        const [chain, isSeen] = waiting.pop();
        const children = chain.children.filter((child) => this.chosen.has(child));
        if (!children.length) chain.y = ROW * (row++ + 0.7);
        else if (isSeen) chain.y = (children[0].y + children.at(-1).y) / 2;
        else {
          waiting.push([chain, true]);
          for (const child of [...children].reverse()) waiting.push([child, false]);
        }
        chain.x = left[chain.level];
      }
    };
    place(this.chains[0]);
    const right = Math.max(...chains.map((chain) => chain.x + chain.width)) + 70;
    this.drawing.setAttribute("viewBox", `0 0 ${right} ${ROW * (row + 0.4)}`);
    this.drawing.setAttribute("width", right);
    this.drawing.setAttribute("height", ROW * (row + 0.4));
    this.groups = new Map();
    const lines = [];
    const boxes = [];
    for (const chain of chains) {
      if (chain.parent) {
        const start = chain.parent.x + chain.parent.width;
        const middle = (start + chain.x) / 2;
        chain.line = drawn("path", { d: `M${start} ${chain.parent.y}C${middle} ${chain.parent.y} ${middle} ${chain.y} ${chain.x} ${chain.y}`, fill: "none", class: "edge" });
        lines.push(chain.line);
      }
      const shownChildren = chain.children.filter((child) => this.chosen.has(child)).length;
      const rest = chain.children.length - shownChildren;
      const [x, y] = [chain.x, chain.y];
      const group = drawn("g", {},
        drawn("rect", { x, y: y - HEIGHT / 2, width: chain.width, height: HEIGHT, rx: 4 }),
        drawn("text", { x: x + 7, y: y + 4, text: chain.label }),
        drawn("path", { class: "cross", d: `M${x + chain.width - 15} ${y - 4}l8 8m0 -8l-8 8` }),
        drawn("path", { class: "tick", d: `M${x + chain.width - 16} ${y}l3 4l6 -8` }),
        drawn("title"));
      if (rest && shownChildren) group.append(drawn("text", { class: "rest", x: x + chain.width + 4, y: y - 6, text: `+${rest}` }));
      else if (rest) group.append(drawn("text", { class: "rest", x: x + chain.width + 6, y: y + 4, text: `+${rest} below` }));
      this.groups.set(chain, group);
      boxes.push(group);
    }
    this.drawing.replaceChildren(...lines, ...boxes);
    const all = this.trace.nodes.length;
    const shown = chains.reduce((sum, chain) => sum + chain.nodes.length, 0);
    this.note.textContent = shown < all
      ? `The drawing has ${shown.toLocaleString("en")} of ${all.toLocaleString("en")} nodes: the current branch with its alternatives, paths to solutions, and the first levels.`
      : `${numberOf(all, "node")}.`;
  }

  #mark(number) {
    const present = this.trace.nodeAt(number);
    const branch = new Set();
    for (let node = present; node; node = node.parent) branch.add(node.chain);
    for (const [chain, group] of this.groups) {
      const visited = chain.nodes.filter((node) => node.entered <= number);
      const last = visited.at(-1);
      const outcome = last ? this.trace.outcomeAt(last, number) : null;
      const kinds = ["node"];
      if (!last) kinds.push("later");
      else if (chain === present.chain) kinds.push("present");
      if (last && branch.has(chain)) kinds.push("branch");
      if (outcome) kinds.push(outcome.kind.replace(" ", "-"));
      group.setAttribute("class", kinds.join(" "));
      chain.line?.setAttribute("class", `edge${last ? "" : " later"}${last && branch.has(chain) ? " branch" : ""}`);
      group.dataset.step = outcome && chain !== present.chain ? outcome.step : chain.nodes[0].entered;
      group.querySelector("title").textContent = last ? `${last.branch}: ${words(outcome, this.trace.shape)}` : "";
    }
    this.#reveal(present.chain);
  }

  #reveal(chain) {
    if (!this.box.clientWidth) return;
    const { box } = this;
    const sideways = chain.x < box.scrollLeft || chain.x + chain.width > box.scrollLeft + box.clientWidth;
    const upwards = chain.y - ROW < box.scrollTop || chain.y + ROW > box.scrollTop + box.clientHeight;
    if (sideways) box.scrollLeft = chain.x - box.clientWidth / 3;
    if (upwards) box.scrollTop = chain.y - box.clientHeight / 2;
  }
}

export function words(outcome, shape) {
  if (outcome.kind !== "options") return outcome.kind;
  return `${numberOf(outcome.options, "option")} at ${shape.cellName(outcome.cell)}`;
}
