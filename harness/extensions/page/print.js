// Print: every chart of the comparison groups that the filters select, each drawn for paper.

// The width of a chart in pixels: half of a sheet of A4 or letter paper between its margins.
const PRINTED_WIDTH = 320;

function printedFigure(kind, chart, rows) {
  const container = make("div", { class: "chart" });
  const notes = chart.notes.map((text) => make("p", { class: "note", text }));
  const title = make("p", { class: "chart-title" }, isolated(chart.title));
  const figure = make("figure", { "data-kind": kind.name }, title, ...notes, container);
  let spec = specOf(chart, rows, PRINTED_WIDTH);
  if (spec.facet || spec.vconcat?.some((part) => part.facet)) {
    figure.classList.add("wide");
    spec = specOf(chart, rows, 2 * PRINTED_WIDTH);
  }
  const drawn = vegaEmbed(container, spec, { renderer: "svg", actions: false });
  drawn.then((result) => {
    describe(container.querySelector("svg"), kind, chart);
    result.finalize();
  });
  return figure;
}

// The charts are complete when the handler of the event has returned and before the page is
// laid out for paper: their data is inline, so Vega waits only for promises that are fulfilled.
function drawForPrint() {
  const grid = document.getElementById("print-grid");
  if (grid.childElementCount) return;
  for (const kind of report.kinds) {
    const shown = chartsShown(kind).map((chart) => [chart, rowsShown(chart)]).filter(([, rows]) => rows.length);
    if (!shown.length) continue;
    const drawn = shown.map(([chart, rows]) => printedFigure(kind, chart, rows));
    const description = make("p", { class: "note", text: kind.description });
    grid.append(make("h3", { text: kind.title }), description, make("div", { class: "printed" }, ...drawn));
  }
}

function buildPrint() {
  const clear = () => document.getElementById("print-grid").replaceChildren();
  window.addEventListener("beforeprint", () => {
    for (const details of document.querySelectorAll("#warnings details")) details.open = true;
    drawForPrint();
  });
  window.addEventListener("afterprint", clear);
  window.matchMedia("print").addEventListener("change", (event) => (event.matches ? drawForPrint() : clear()));
}
