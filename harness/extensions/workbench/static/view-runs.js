// The view of runs: the list, and beside it a run, a new sweep or a comparison.

import { make } from "./elements.js";
import { comparisonPanel } from "./comparison.js";
import { runDetails } from "./run-details.js";
import { runList } from "./runs-list.js";
import { sweepForm } from "./sweep-form.js";

function build(section) {
  const list = runList();
  const details = runDetails();
  const form = sweepForm();
  const comparison = comparisonPanel();
  const hint = make("section", { class: "panel" },
    make("p", { class: "quiet", text: "Choose a run, tick two to compare them, or set up a new sweep." }));
  const back = make("a", { class: "button back", href: "#runs", text: "All runs" });
  const columns = make("div", { class: "columns runs-columns" },
    make("div", { class: "stage" }, list.element),
    make("div", { class: "side" }, back, hint, details.element, form.element, comparison.element));
  section.append(columns);
  let shown = null;

  return async function update(query) {
    const run = query.get("run");
    const [before, after] = [query.get("before"), query.get("after")];
    const what = run ? details : query.get("new") ? form : before && after ? comparison : null;
    for (const panel of [details, form, comparison]) if (panel !== what) panel.close();
    hint.hidden = what !== null;
    columns.classList.toggle("is-chosen", what !== null);  // a phone shows the list or what was chosen
    list.setCurrent(run);
    list.show();
    if (what === details) details.open(run);
    else if (what === form) form.open();
    else if (what === comparison) comparison.open(before, after);
    const key = query.toString();
    if (shown !== null && shown !== key && matchMedia("(max-width: 66rem)").matches) (what?.element ?? section).scrollIntoView({ block: "start" });
    if (what && shown !== null && shown !== key && !list.element.offsetParent) what.element.focus({ preventScroll: true });
    shown = key;
  };
}

export const runsView = { name: "runs", title: "Runs", build };
