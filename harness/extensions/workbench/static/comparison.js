// Two runs compared: the conclusion and the most important tables; the HTML report has all.

import { make } from "./elements.js";
import { runLink } from "./measuring.js";
import { sectionsOf } from "./report-tables.js";
import { listen, request, Unreachable } from "./server.js";

export function comparisonPanel() {
  const panel = make("section", { class: "panel", "aria-labelledby": "comparison-title", tabindex: "-1", hidden: true });
  let turn = 0;
  let missed = null;  // the two runs for which the server did not answer

  async function open(before, after) {
    const mine = (turn += 1);
    missed = null;
    panel.hidden = false;
    const parameters = new URLSearchParams({ before, after });
    const swapped = new URLSearchParams({ before: after, after: before });
    const content = make("div", { "aria-live": "polite" }, make("p", { class: "quiet", text: "The comparison is being computed." }));
    panel.replaceChildren(
      make("h2", { id: "comparison-title", text: "Comparison" }),
      make("p", {}, "Before: ", make("a", { href: runLink(before), text: before }), ". After: ", make("a", { href: runLink(after), text: after }), "."),
      make("div", { class: "row" },
        make("a", { class: "button", href: `/runs/comparison?${parameters}`, target: "_blank", rel: "noopener", text: "Open its page" }),
        make("a", { class: "button", href: `#runs?${swapped}`, text: "The other way round" })),
      content);
    try {
      const found = await request(`/api/runs/comparison?${parameters}`);
      if (mine !== turn) return;
      content.replaceChildren(make("p", {}, make("strong", { text: found.verdict })), ...sectionsOf(found.sections));
    } catch (error) {
      if (mine !== turn) return;
      content.replaceChildren(make("p", { class: "bad", text: error.message }));
      if (error instanceof Unreachable) missed = [before, after];
    }
  }

  listen("hello", () => { if (missed) open(...missed); });

  return { element: panel, open, close: () => { panel.hidden = true; turn += 1; missed = null; } };
}
