// Tables of the report, as the server sends them: sections with tables and notes.

import { make } from "./elements.js";

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
    make("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": title || "Table" },
      make("table", { class: "report-table" },
        ...(title ? [make("caption", { text: title })] : []),
        make("thead", {}, make("tr", {}, ...columns.map(([text], at) => make("th", { text, scope: "col", class: kind[at] })))),
        make("tbody", {}, ...rows.map((row) => make("tr", {}, ...row.map((text, at) =>
          (at ? make("td", { text, class: kind[at] }) : make("th", { text, scope: "row", class: kind[at] })))))))),
    ...notes.map((text) => make("p", { class: "quiet", text })));
}
