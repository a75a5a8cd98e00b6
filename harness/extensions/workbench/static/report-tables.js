// Tables and charts of the report, as the server sends them: sections with tables and notes.

import { headers, make, scrolling } from "./elements.js";

export function chartsOf(charts) {
  return charts.map(({ title, question, drawing, description }) => {
    const svg = document.adoptNode(new DOMParser().parseFromString(drawing, "image/svg+xml").documentElement);
    svg.removeAttribute("class");  // the classes of Vega mean something else on the board
    return make("figure", {}, make("h3", { text: title }), make("p", { class: "quiet", text: question }),
      scrolling(title, {}, svg), make("figcaption", { class: "quiet", text: description }));
  });
}

// `kind` is the class of notes that have no table above them.
export function sectionsOf(sections, kind = "quiet") {
  return sections.map((section) => make("div", { class: "report-section" },
    ...(section.title ? [make("h3", { text: section.title })] : []),
    ...section.tables.map(tableOf),
    ...section.notes.map((text) => make("p", { class: section.tables.length ? "quiet" : kind, text }))));
}

function tableOf({ title, columns, rows, notes }) {
  if (!rows.length) return make("p", { class: "quiet", text: title ? `${title}: nothing` : "Nothing to show." });
  const kind = columns.map(([, isNumber]) => (isNumber ? "number" : null));
  return make("div", {},
    scrolling(title || "Table", {},
      make("table", { class: "report-table" },
        ...(title ? [make("caption", { text: title })] : []),
        headers(columns.map(([text]) => text), (at) => kind[at]),
        make("tbody", {}, ...rows.map((row) => make("tr", {}, ...row.map((text, at) =>
          (at ? make("td", { text, class: kind[at] }) : make("th", { text, scope: "row", class: kind[at] })))))))),
    ...notes.map((text) => make("p", { class: "quiet", text })));
}
