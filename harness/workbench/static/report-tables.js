// Tables of the report, as the server sends them: sections with tables and notes.

import { headers, make, scrolling } from "./elements.js";

export function sectionsOf(sections) {
  return sections.map((section) => make("div", { class: "report-section" },
    ...(section.title ? [make("h3", { text: section.title })] : []),
    ...section.tables.map(tableOf),
    ...section.notes.map((text) => make("p", { class: "quiet", text }))));
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
