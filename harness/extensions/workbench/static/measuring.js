// The line below the bar that names the runs that measure now; every view has it.

import { make, seconds } from "./elements.js";
import { listen, request } from "./server.js";

export function span(value) {
  if (value === null || value === undefined) return "";
  if (value < 10) return value ? seconds(value) : "0 s";
  if (value < 90) return `${Math.round(value)} s`;
  if (value < 5400) return `${Math.round(value / 60)} min`;
  return `${Number((value / 3600).toPrecision(2))} h`;
}

export function runLink(name) {
  return `#runs?${new URLSearchParams({ run: name })}`;
}

export function measuringLine() {
  const words = make("span");
  const bar = make("progress", { max: 1, "aria-label": "Trials of the sweep", hidden: true });
  const line = make("p", { id: "measuring", class: "measuring", hidden: true }, words, bar);
  // Screen readers get the start and the end; the numbers change every second.
  const status = make("span", { class: "only-spoken", role: "status" });
  document.querySelector("header.bar").after(line);
  line.after(status);

  function show({ runs, cores, is_everywhere: isEverywhere }) {
    line.hidden = !runs.length;
    const names = runs.map((run) => run.run).join(", ");
    const effect = isEverywhere ? "Questions to backends are refused until it ends." : "Questions run on the other cores.";
    const where = cores.length ? `on core${cores.length === 1 ? "" : "s"} ${cores.join(", ")}` : "on another machine";
    const spoken = runs.length ? `A sweep measures ${where}: ${names}. ${effect}` : "";
    if (status.textContent !== spoken) status.textContent = spoken;
    if (!runs.length) return;
    const parts = [];
    runs.forEach((of, at) => {
      parts.push(at ? ", " : "Measuring ", make("a", { href: runLink(of.run), text: of.run }));
      if (of.planned) parts.push(`: ${of.done.toLocaleString("en")} of ${of.planned.toLocaleString("en")} trials`);
      if (of.left_s) parts.push(`, ${span(of.left_s)} left`);
    });
    words.replaceChildren(...parts, ` ${where}. ${effect}`);
    const [first] = runs;
    bar.hidden = !first.planned;
    if (first.planned) bar.value = first.done / first.planned;
  }

  const refresh = () => request("/api/measuring").then(show, () => {});
  listen("measuring", show);
  listen("hello", refresh);
  refresh();
}
