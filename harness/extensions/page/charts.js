// Charts: one panel per chart kind. A panel shows one chart, with the rows of the selected
// backends.

const panels = [];
// The target of the address with which the page opens.
let arriving = addressParts().anchor;

function rowsOf(columns) {
  const names = Object.keys(columns);
  const values = names.map((name) => {
    const column = columns[name];
    return Array.isArray(column) ? column : column.codes.map((code) => column.levels[code] ?? null);
  });
  return values[0].map((_, n) => Object.fromEntries(names.map((name, k) => [name, values[k][n]])));
}

// The place of each selected backend in the looks. It keeps its place while it is selected.
const places = new Map();

function updatePlaces() {
  for (const name of [...places.keys()]) if (!isBackendSelected(name)) places.delete(name);
  const all = report.backends.map((backend) => backend.name);
  const most = report.looks.color.length;
  if (selection.backends.size > most) places.clear();
  for (const [n, name] of all.entries()) {
    if (selection.backends.size > most || !isBackendSelected(name) || places.has(name)) continue;
    const taken = new Set(places.values());
    let place = all.length > most ? 0 : n;
    while (taken.has(place)) place += 1;
    places.set(name, place);
  }
  for (const swatch of document.querySelectorAll("#backends .swatch")) {
    swatch.style.background = report.looks.color[places.get(swatch.dataset.backend)] ?? "transparent";
  }
}

// The width in pixels below which names on an axis are in more lines.
const NARROW = 420;
const LABEL_HEIGHT = 42;

// The Vega expression of a label in up to three lines of at most `letters` characters.
function inLines(letters) {
  const from = (n) => `slice(datum.label, ${n * letters}, ${(n + 1) * letters})`;
  const lines = `length(datum.label) <= ${2 * letters} ? [${from(0)}, ${from(1)}] : [${from(0)}, ${from(1)}, ${from(2)}]`;
  return `length(datum.label) <= ${letters} ? datum.label : ${lines}`;
}

const LOOK_OF_CHANNEL = { color: "color", stroke: "color", strokeDash: "strokeDash", shape: "shape" };

// A title in lines of at most `letters` characters, broken between words.
function titleLines(title, letters) {
  const lines = [""];
  for (const word of title.split(" ")) {
    if (lines.at(-1) && `${lines.at(-1)} ${word}`.length > letters) lines.push("");
    lines.push([lines.pop(), word].filter(Boolean).join(" "));
  }
  return lines;
}

// Fill in the looks of these backends, and fit legends and labels of shapes to the width.
function complete(part, channel, names, width) {
  if (part === null || typeof part !== "object") return;
  const values = report.looks[LOOK_OF_CHANNEL[channel]];
  if (part.field === "backend" && part.scale && values) {
    part.scale = { domain: names, range: names.map((name, n) => values[places.get(name) ?? (names.length > values.length ? 0 : n)]) };
    if (part.legend) {
      const longest = Math.max(1, ...names.map((name) => name.length));
      part.legend.columns = Math.max(1, Math.min(4, Math.floor(width / (6 * longest + 30))));
    }
  }
  if (part.axis && "labelAngle" in part.axis && Array.isArray(part.sort) && width < 46 * part.sort.length) {
    Object.assign(part.axis, { labelAngle: -90, labelFontSize: 9 });
  }
  if (["backend", "row_label"].includes(part.field) && part.axis && width < NARROW) {
    part.axis.labelExpr = inLines(16);
  }
  const titled = channel === "x" ? part.axis ?? part : {};
  if (typeof titled.title === "string") titled.title = titleLines(titled.title, Math.floor((width - 60) / 6));
  for (const [name, value] of Object.entries(part)) complete(value, name, names, width);
}

function fitted(spec, width, rows) {
  for (const part of spec.vconcat ?? [spec]) {
    if (part.facet) {
      const axis = part.resolve ? 60 : 0; // panels with scales of their own
      part.columns = Math.max(1, Math.min(4, Math.floor((width - 60) / (110 + axis))));
      part.spec.width = Math.floor((width - 75) / part.columns) - 16 - axis;
      // A label that is wider than its panel would move the next one.
      part.facet.header.labelExpr = inLines(Math.floor(part.spec.width / 6.5));
      if (part.spec.height > 100) part.spec.height = part.spec.width;
    } else if (spec.vconcat) {
      part.width = Math.max(120, width - 80);
    }
  }
  if (spec.vconcat || spec.facet) return spec;
  if (spec.height.step) {
    const step = width < NARROW ? Math.max(LABEL_HEIGHT, spec.height.step) : spec.height.step;
    spec.height = step * new Set(rows.map((row) => row.row_label ?? row.backend)).size;
  }
  const square = spec.width === spec.height;
  spec.width = Math.min(width, square ? 480 : width);
  if (square) spec.height = spec.width;
  spec.autosize = { type: square ? "fit" : "fit-x", contains: "padding" };
  return spec;
}

function rowsShown(chart) {
  return rowsOf(chart.columns).filter((row) => chart.pair.length || isBackendSelected(row.backend));
}

// The complete description of a chart of this width, in pixels.
function specOf(chart, rows, width) {
  const present = new Set(rows.map((row) => row.backend));
  const names = report.backends.map((backend) => backend.name).filter((name) => present.has(name));
  const many = chart.panels !== null && names.length > report.looks.color.length;
  const spec = fitted(structuredClone(report.specs[many ? chart.panels : chart.spec]), width, rows);
  complete(spec, "", names, width);
  spec.datasets = { ...spec.datasets, rows };
  spec.config.font = "system-ui, sans-serif";
  if (width < NARROW) spec.config.legend.columns = 2;
  return spec;
}

function chartsShown(kind) {
  return kind.charts.filter((chart) => matchesFilters(chart.key) && chart.pair.every(isBackendSelected));
}

// Of many backends, only pairs with the fastest one have charts.
function whyEmpty(kind) {
  const firsts = new Set(kind.charts.filter(({ key }) => matchesFilters(key)).flatMap(({ pair }) => pair.slice(0, 1)));
  if (!firsts.size) return "No data for the current filters.";
  const listed = new Intl.ListFormat("en", { type: "disjunction" }).format(firsts);
  return `Each chart compares ${listed} with another backend: select both.`;
}

function describe(svg, kind, chart) {
  svg.setAttribute("role", "img");
  svg.setAttribute("aria-label", `${kind.title}: ${chart.title}. ${kind.description}`);
}

async function draw(panel) {
  const { kind, select, title, container, caption, notes } = panel;
  const matching = chartsShown(kind);
  const shown = matching.find((chart) => chart.title === select.value) ?? matching[0];
  select.replaceChildren(
    ...matching.map(({ title }) => make("option", { value: title, text: title })),
  );
  select.disabled = matching.length < 2;
  select.hidden = !shown;
  title.textContent = shown ? shown.title : "";
  if (shown) select.value = shown.title;
  const rows = shown ? rowsShown(shown) : [];
  const generation = ++panel.generation;
  if (panel.view) panel.view.finalize();
  panel.view = null;
  const time = report.times.find(({ value }) => value === shown?.key.time);
  const about = time ? `${kind.description} Shown: ${time.label}.` : kind.description;
  caption.textContent = rows.length ? about : whyEmpty(kind);
  notes.textContent = shown ? shown.notes.join(" ") : "";
  if (!rows.length) {
    container.replaceChildren();
    container.dataset.state = "empty";
    return;
  }
  const spec = specOf(shown, rows, container.clientWidth || 560);
  const result = await vegaEmbed(container, spec, {
    renderer: "svg",
    actions: { export: true, source: false, compiled: false, editor: false },
    downloadFileName: kind.name,
  });
  if (generation !== panel.generation) {
    result.finalize(); // overtaken
    return;
  }
  panel.view = result.view;
  describe(container.querySelector("svg"), kind, shown);
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
    const title = make("p", { class: "note chart-group" });
    const container = make("div", { class: "chart" });
    const caption = make("figcaption");
    const notes = make("p", { class: "note chart-notes" });
    const parts = [make("h3", { text: kind.title }), select, title, notes, container, caption];
    if (kind.note) parts.push(make("p", { class: "note", text: kind.note }));
    grid.append(make("figure", { id: "chart-" + kind.name }, ...parts));
    const panel = { kind, select, title, container, caption, notes, generation: 0, isNear: false };
    select.addEventListener("change", () => draw(panel));
    panels.push(panel);
  }
  if (missing.length) {
    const list = make("ul", {}, ...missing.map((text) => make("li", { text })));
    const summary = make("summary", { text: `Charts without data: ${missing.length}` });
    const details = make("details", { id: "missing-charts", class: "note" }, summary, list);
    document.getElementById("charts").append(details);
  }
  const near = new IntersectionObserver((entries) => {
    for (const { target, isIntersecting } of entries) {
      panels.find(({ container }) => container.parentNode === target).isNear = isIntersecting;
    }
    drawStale();
  }, { rootMargin: "50%" });
  for (const { container } of panels) near.observe(container.parentNode);
  const redraw = () => {
    for (const panel of panels) {
      panel.generation += 1;
      if (panel.container.dataset.state) panel.container.dataset.state = "stale";
    }
    drawStale();
  };
  listeners.push(() => {
    updatePlaces();
    redraw();
  });
  let width = window.innerWidth;
  let timer = 0;
  window.addEventListener("resize", () => {
    if (window.innerWidth === width) return;
    width = window.innerWidth;
    clearTimeout(timer);
    timer = setTimeout(redraw, 200);
  });
}

// After the next frame. A page in the background has no frames.
function nextFrame() {
  return new Promise((done) => {
    requestAnimationFrame(() => setTimeout(done));
    setTimeout(done, 200);
  });
}

let isDrawing = false;

// Whether a chart is to be drawn now. When the page opens all are, which have no height before.
function isDue({ container, isNear }) {
  return !container.dataset.state || (isNear && container.dataset.state === "stale");
}

// With many backends a chart takes a tenth of a second or more. So the page first shows what a
// change selects, then draws a chart between two frames: those near the visible part, and each
// other one when it comes near.
async function drawStale() {
  if (isDrawing) return;
  isDrawing = true;
  document.body.dataset.charts = "drawing";
  for (;;) {
    await nextFrame();
    const due = panels.filter(isDue);
    if (!due.length) break;
    const panel = due.find(({ isNear }) => isNear) ?? due[0];
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
  isDrawing = false;
  document.body.dataset.charts = "drawn";
  // The charts above the target of an address have moved it.
  if (arriving) document.getElementById(arriving)?.scrollIntoView();
  arriving = "";
}
