// Charts: one figure a kind. It shows one of the kind's pictures, with the rows of the
// backends that are chosen.

const DRAWN = [];

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
    spec.height = spec.height.step * new Set(rows.map((row) => row.told ?? row.backend)).size;
  }
  const square = spec.width === spec.height;
  spec.width = Math.min(width, square ? 480 : width);
  if (square) spec.height = spec.width;
  spec.autosize = { type: square ? "fit" : "fit-x", contains: "padding" };
  if (spec.config.legend && width < 420) spec.config.legend.columns = 2;
  return spec;
}

async function draw(figure) {
  const { kind, select, place, caption } = figure;
  const suited = kind.pictures.filter(
    (picture) => isChosen(picture.key) && picture.pair.every(isBackendChosen),
  );
  const wanted = suited.find((p) => p.title === select.value) ?? suited[0];
  select.replaceChildren(...suited.map((p) => make("option", { value: p.title, text: p.title })));
  select.disabled = suited.length < 2;
  if (wanted) select.value = wanted.title;
  const rows = wanted
    ? rowsOf(wanted.columns).filter((row) => wanted.pair.length || isBackendChosen(row.backend))
    : [];
  const turn = (figure.turn = (figure.turn ?? 0) + 1);
  if (figure.view) figure.view.finalize();
  figure.view = null;
  caption.textContent = rows.length ? kind.answers : "Nothing of what is chosen has this chart.";
  if (!rows.length) {
    place.replaceChildren();
    place.dataset.drawn = "empty";
    return;
  }
  const spec = fitted(structuredClone(report.specs[wanted.spec]), place.clientWidth || 560, rows);
  spec.datasets = { ...spec.datasets, rows };
  spec.config.font = "system-ui, sans-serif";
  const done = await vegaEmbed(place, spec, {
    renderer: "svg",
    actions: { export: true, source: false, compiled: false, editor: false },
    downloadFileName: kind.name,
  });
  if (turn !== figure.turn) return;
  figure.view = done.view;
  place.querySelector("svg").setAttribute("role", "img");
  place.querySelector("svg").setAttribute("aria-label", `${kind.title} ${wanted.title}. ${kind.answers}`);
  place.dataset.drawn = "yes";
}

function buildCharts() {
  const figures = document.getElementById("figures");
  const missing = [];
  for (const kind of report.kinds) {
    if (!kind.pictures.length) {
      missing.push(`${kind.title} ${kind.note}`);
      continue;
    }
    const select = make("select", { "aria-label": `${kind.title} What is shown` });
    const place = make("div", { class: "chart" });
    const caption = make("figcaption");
    const parts = [make("h3", { text: kind.title }), select, place, caption];
    if (kind.note) parts.push(make("p", { class: "note", text: kind.note }));
    figures.append(make("figure", { id: "chart-" + kind.name }, ...parts));
    const figure = { kind, select, place, caption };
    select.addEventListener("change", () => draw(figure));
    DRAWN.push(figure);
  }
  if (missing.length) {
    const list = make("ul", {}, ...missing.map((text) => make("li", { text })));
    const summary = make("summary", { text: `Charts that have nothing to show: ${missing.length}` });
    document.getElementById("charts").append(make("details", { class: "note" }, summary, list));
  }
  let running = Promise.resolve();
  const drawAll = () => {
    // One after another, so that the page stays alive; the last wish counts.
    running = running.then(async () => {
      for (const figure of DRAWN) {
        try {
          await draw(figure);
        } catch (error) {
          // One chart that fails must not keep the others from being drawn.
          figure.place.replaceChildren(make("p", { class: "failure", text: `cannot be drawn: ${error}` }));
          figure.place.dataset.drawn = "failed";
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
