// The list of steps around the current one, and the rungs of all steps as bars.

import { button, drawn, make, scrolling } from "./elements.js";

const SHOWN = 60;
const MOST_BARS = 240;
const NAMES = {
  options: "branching", guess: "guess", "dead end": "dead end", back: "back to an earlier branch", solution: "solution",
};

export class StepList {
  // `jump` is called with the number of a step.
  constructor(jump) {
    this.jump = jump;
    this.list = make("ol", { class: "steps" });
    this.earlier = button("Earlier steps", () => this.#move(-SHOWN));
    this.later = button("Later steps", () => this.#move(SHOWN));
    this.box = scrolling("List of steps", { class: "steps-box" }, this.list);
    this.element = make("div", {}, make("div", { class: "row" }, this.earlier, this.later), this.box);
    this.first = 0;
    this.range = "";
  }

  show(trace, number, rungs) {
    const isNew = trace !== this.trace;
    const isMoved = number !== this.number;
    Object.assign(this, { trace, number, rungs });
    const at = number - 1;
    if (isNew) this.first = 0;
    if (isMoved && number && (at < this.first || at >= this.first + SHOWN)) {
      this.first = Math.max(0, at - Math.floor(SHOWN / 2));
    }
    this.#draw();
    this.#mark(isMoved);
  }

  #move(by) {
    this.first = Math.max(0, Math.min(this.first + by, this.trace.steps.length - 1));
    this.#draw();
    this.#mark(false);
    this.box.scrollTop = 0;
  }

  #draw() {
    const { trace, first } = this;
    const end = Math.min(trace.steps.length, first + SHOWN);
    this.earlier.disabled = first === 0;
    this.later.disabled = end === trace.steps.length;
    const range = `${first},${end}`;
    if (range === this.range && trace === this.drawn) return;
    const isLonger = trace === this.drawn && this.range.startsWith(`${first},`);
    const known = isLonger ? this.list.childElementCount : 0;
    if (!isLonger) this.list.replaceChildren();
    this.range = range;
    this.drawn = trace;
    this.list.setAttribute("start", first + 1);
    for (let at = first + known; at < end; at += 1) this.list.append(make("li", {}, this.#item(at)));
  }

  #item(at) {
    const step = this.trace.steps[at];
    const bar = make("span", { class: `rung ${step.rule ? "" : "search"}`, "aria-hidden": "true" });
    bar.style.setProperty("--rung", (step.rule ? step.rung : this.rungs + 1) / (this.rungs + 1));
    const name = step.rule || NAMES[step.kind];
    const item = button("", () => this.jump(at + 1), { class: "step", "data-step": at + 1 });
    item.append(
      make("span", { class: "number", text: at + 1 }), bar,
      make("span", { class: "name", text: step.rung ? `${name} (rung ${step.rung})` : name }),
      make("span", { class: "words", text: step.words }));
    return item;
  }

  #mark(reveals) {
    this.list.querySelector('[aria-current="step"]')?.removeAttribute("aria-current");
    const item = this.list.children[this.number - 1 - this.first]?.firstChild;
    if (!item) return;
    item.setAttribute("aria-current", "step");
    if (!reveals) return;
    const [top, bottom] = [item.offsetTop, item.offsetTop + item.offsetHeight];
    const { box } = this;
    if (top < box.scrollTop || bottom > box.scrollTop + box.clientHeight) box.scrollTop = top - box.clientHeight / 3;
  }
}

// A bar per step, or per group of steps of a long trace, as high as the highest rung of their rules;
// guesses have a mark at the upper edge.
export class RungChart {
  constructor(jump) {
    this.drawing = drawn("svg", { class: "rungs", role: "img", preserveAspectRatio: "none" });
    this.marker = drawn("path", { class: "marker" });
    this.known = "";
    this.drawing.addEventListener("click", (event) => {
      const box = this.drawing.getBoundingClientRect();
      const part = (event.clientX - box.left) / box.width;
      jump(Math.min(this.total, Math.floor(part * this.total) + 1));
    });
  }

  show(trace, number, rungs) {
    this.total = trace.steps.length;
    const bars = Math.min(MOST_BARS, Math.max(this.total, 1));
    if (trace !== this.trace || this.total !== this.known) {
      this.trace = trace;
      this.known = this.total;
      this.#draw(trace.steps, bars, rungs);
    }
    const x = this.total ? ((number - 0.5) / this.total) * bars : 0;
    this.marker.setAttribute("d", number ? `M${x} 0V100` : "");
  }

  #draw(steps, bars, rungs) {
    let path = "";
    let searches = "";
    let hardest = 0;
    for (let bar = 0; bar < bars && steps.length; bar += 1) {
      const from = Math.floor((bar * steps.length) / bars);
      const to = Math.max(from + 1, Math.floor(((bar + 1) * steps.length) / bars));
      let rung = 0;
      let isSearch = false;
      for (let at = from; at < to; at += 1) {
        rung = Math.max(rung, steps[at].rung ?? 0);
        isSearch ||= steps[at].kind === "guess" || steps[at].kind === "options";
      }
      hardest = Math.max(hardest, rung);
      if (rung) path += `M${bar + 0.1} 100v${-8 - (84 * rung) / rungs}h0.8V100z`;
      if (isSearch) searches += `M${bar + 0.1} 0h0.8v10h-0.8z`;
    }
    this.drawing.setAttribute("viewBox", `0 0 ${bars} 100`);
    this.drawing.setAttribute("aria-label",
      `Rungs of the ladder by step: ${steps.length} steps, the highest rung is ${hardest} of ${rungs}`);
    this.drawing.replaceChildren(
      drawn("path", { class: "bars", d: path }), drawn("path", { class: "searches", d: searches }), this.marker);
  }
}
