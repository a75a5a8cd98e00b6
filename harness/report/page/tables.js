// Tables that were written with the page: sorted by their headings, filtered by what is chosen.

const BACKEND_COLUMNS = ["backend", "other"];

function sortValue(row, column) {
  const value = row.cells[column].dataset.value ?? "";
  return value;
}

function compareValues(a, b, numeric) {
  // What is missing stands last, whichever way round.
  if (a === "" || b === "") return a === b ? 0 : a === "" ? Infinity : -Infinity;
  return numeric ? Number(a) - Number(b) : a.localeCompare(b, undefined, { numeric: true });
}

function sortTable(table, column) {
  const head = table.tHead.rows[0].cells[column];
  const descending = head.getAttribute("aria-sort") === "ascending";
  for (const cell of table.tHead.rows[0].cells) cell.removeAttribute("aria-sort");
  head.setAttribute("aria-sort", descending ? "descending" : "ascending");
  const body = table.tBodies[0];
  const rows = [...body.rows];
  const numeric = rows.every((row) => {
    const value = sortValue(row, column);
    return value === "" || !Number.isNaN(Number(value));
  });
  const sign = descending ? -1 : 1;
  rows.sort((one, other) => {
    const found = compareValues(sortValue(one, column), sortValue(other, column), numeric);
    return Number.isFinite(found) ? sign * found : Math.sign(found);
  });
  body.append(...rows);
}

function buildTables() {
  const names = new Map(report.backends.map((b) => [b.value, b.name]));
  const tables = [...document.querySelectorAll("table.measure")].map((table) => {
    const label = table.caption ? table.caption.textContent : "Summary";
    const region = make("div", { class: "scroll", role: "region", "aria-label": label, tabindex: "0" });
    table.replaceWith(region);
    region.append(table);
    const keys = [...table.tHead.rows[0].cells].map((cell, column) => {
      const button = make("button", { type: "button", click: () => sortTable(table, column) });
      button.append(...cell.childNodes);
      cell.append(button);
      return cell.dataset.key;
    });
    return { table, keys };
  });
  listeners.push(() => filterTables(tables, names));
}

function isRowChosen(row, keys, names) {
  return keys.every((key, column) => {
    const value = row.cells[column].dataset.value ?? "";
    if (BACKEND_COLUMNS.includes(key)) return !names.has(value) || isBackendChosen(names.get(value));
    return !filters.includes(key) || !chosen[key] || value === chosen[key];
  });
}

function filterTables(tables, names) {
  for (const section of document.querySelectorAll("#tables section")) {
    section.hidden = !isChosen(section.dataset);
  }
  let shown = 0;
  let all = 0;
  for (const { table, keys } of tables) {
    for (const row of table.tBodies[0].rows) {
      row.hidden = !isRowChosen(row, keys, names);
      all += 1;
      if (!row.hidden && !row.closest("section[hidden]")) shown += 1;
    }
  }
  document.getElementById("shown").value = `${shown} of ${all} rows of tables`;
}
