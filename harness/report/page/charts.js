// Charts: one panel per chart kind. A panel shows one chart, with the rows of the selected
// backends.

const panels = [];

function rowsOf(columns) {
  const names = Object.keys(columns);
  const values = names.map((name) => {
    const column = columns[name];
    return Array.isArray(column) ? column : column.codes.map((code) => column.levels[code] ?? null);
  });
  return values[0].map((_, n) => Object.fromEntries(names.map((name, k) => [name, values[k][n]])));
}

function fitted(spec, width, rows) {
  if (spec.vconcat) {
    for (const part of spec.vconcat) part.width = Math.max(120, width - 80);
    return spec;
  }
  if (spec.height.step) {
    spec.height = spec.height.step * new Set(rows.map((row) => row.row_label ?? row.backend)).size;
  }
  const square = spec.width === spec.height;
  spec.width = Math.min(width, square ? 480 : width);
  if (square) spec.height = spec.width;
  spec.autosize = { type: square ? "fit" : "fit-x", contains: "padding" };
  if (spec.config.legend && width < 420) spec.config.legend.columns = 2;
  return spec;
}

async function draw(panel) {
  const { kind, select, container, caption } = panel;
  const matching = kind.charts.filter(
    (chart) => matchesFilters(chart.key) && chart.pair.every(isBackendSelected),
  );
  const shown = matching.find((chart) => chart.title === select.value) ?? matching[0];
  select.replaceChildren(
    ...matching.map(({ title }) => make("option", { value: title, text: title })),
  );
  select.disabled = matching.length < 2;
  if (shown) select.value = shown.title;
  const rows = shown
    ? rowsOf(shown.columns).filter((row) => shown.pair.length || isBackendSelected(row.backend))
    : [];
  const generation = (panel.generation = (panel.generation ?? 0) + 1);
  if (panel.view) panel.view.finalize();
  panel.view = null;
  const time = report.times.find(({ value }) => value === shown?.key.time);
  const about = time ? `${kind.description} Shown: ${time.label}.` : kind.description;
  caption.textContent = rows.length ? about : "No data for the current filters.";
  if (!rows.length) {
    container.replaceChildren();
    container.dataset.state = "empty";
    return;
  }
  const width = container.clientWidth || 560;
  const spec = fitted(structuredClone(report.specs[shown.spec]), width, rows);
  spec.datasets = { ...spec.datasets, rows };
  spec.config.font = "system-ui, sans-serif";
  const result = await vegaEmbed(container, spec, {
    renderer: "svg",
    actions: { export: true, source: false, compiled: false, editor: false },
    downloadFileName: kind.name,
  });
  if (generation !== panel.generation) return;
  panel.view = result.view;
  const svg = container.querySelector("svg");
  svg.setAttribute("role", "img");
  svg.setAttribute("aria-label", `${kind.title}: ${shown.title}. ${kind.description}`);
  container.dataset.state = "drawn";
}

function buildCharts() {
  const grid = document.getElementById("chart-grid");
  const missing = [];
  for (const kind of report.kinds) {
    if (!kind.charts.length) {
      missing.push(`${kind.title}: ${kind.note}`);
      continue;
    }
    const select = make("select", { "aria-label": `${kind.title}: comparison group` });
    const container = make("div", { class: "chart" });
    const caption = make("figcaption");
    const parts = [make("h3", { text: kind.title }), select, container, caption];
    if (kind.note) parts.push(make("p", { class: "note", text: kind.note }));
    grid.append(make("figure", { id: "chart-" + kind.name }, ...parts));
    const panel = { kind, select, container, caption };
    select.addEventListener("change", () => draw(panel));
    panels.push(panel);
  }
  if (missing.length) {
    const list = make("ul", {}, ...missing.map((text) => make("li", { text })));
    const summary = make("summary", { text: `Charts without data: ${missing.length}` });
    const details = make("details", { id: "missing-charts", class: "note" }, summary, list);
    document.getElementById("charts").append(details);
  }
  let running = Promise.resolve();
  const drawAll = () => {
    // Charts are drawn one after another, so that the page stays responsive.
    running = running.then(async () => {
      for (const panel of panels) {
        try {
          await draw(panel);
        } catch (error) {
          // The other charts are drawn even if one fails.
          const message = make("p", { class: "failure", text: `The chart cannot be drawn: ${error}` });
          panel.container.replaceChildren(message);
          panel.container.dataset.state = "failed";
          console.error(error);
        }
      }
      document.body.dataset.charts = "drawn";
    });
  };
  listeners.push(() => {
    document.body.dataset.charts = "drawing";
    drawAll();
  });
  let width = window.innerWidth;
  let timer = 0;
  window.addEventListener("resize", () => {
    if (window.innerWidth === width) return;
    width = window.innerWidth;
    clearTimeout(timer);
    timer = setTimeout(drawAll, 200);
  });
}
