// A note beside results for a puzzle that is no longer on the board.

import { button, make } from "./elements.js";
import { puzzle, valuesOf } from "./puzzle.js";

// `words` says what the results are. The note shows by itself while another puzzle is on the board.
export class EarlierNote {
  #words;
  #results;
  #of = null;
  #wanted = null;

  // `results` are the elements that are dim while the note shows.
  constructor(words, ...results) {
    this.#words = words;
    this.#results = results;
    this.text = make("p");
    this.button = button("Open that puzzle", () => this.#open());
    this.element = make("div", { class: "notice", role: "status", hidden: true }, this.text, this.button);
    puzzle.addEventListener("change", () => this.#show());
  }

  // The results are those of a puzzle, by its snapshot and its key; null without results.
  belongTo(of) {
    this.#of = of;
    this.#show();
  }

  // Fill in a solution of that puzzle, or offer that puzzle first if another one is on the board.
  showSolution(line) {
    const grid = valuesOf(line, this.#of.snapshot.shape);
    if (!this.#isEarlier) {
      puzzle.showFound(grid);
      return;
    }
    this.#wanted = grid;
    this.text.textContent = "The puzzle has changed. This is the solution of an earlier puzzle: open that puzzle to see it.";
    this.button.focus();
  }

  get #isEarlier() {
    return this.#of !== null && this.#of.key !== puzzle.key;
  }

  #open() {
    puzzle.restore(this.#of.snapshot, this.#wanted);
  }

  #show() {
    this.#wanted = null;
    this.text.textContent = `The puzzle has changed. ${this.#words}`;
    this.element.hidden = !this.#isEarlier;
    for (const result of this.#results) result.classList.toggle("stale", this.#isEarlier);
  }
}

// The puzzle on the board, for such a note.
export function present() {
  return { snapshot: puzzle.snapshot, key: puzzle.key };
}
