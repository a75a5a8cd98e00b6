// Tables: sorting by column headings, and filtering of rows.

const BACKEND_COLUMNS = ["backend", "other"];

function sortValue(row, column) {
  return row.cells[column].dataset.value ?? "";
}

function compareValues(a, b, numeric) {
  // Missing values come last in both directions.
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
    const order = compareValues(sortValue(one, column), sortValue(other, column), numeric);
    return Number.isFinite(order) ? sign * order : Math.sign(order);
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

function isRowSelected(row, keys, names) {
  return keys.every((key, column) => {
    const value = sortValue(row, column);
    if (BACKEND_COLUMNS.includes(key)) return !names.has(value) || isBackendSelected(names.get(value));
    return !filters.includes(key) || !selection[key] || value === selection[key];
  });
}

function filterTables(tables, names) {
  for (const section of document.querySelectorAll("#tables section")) {
    section.hidden = !matchesFilters(section.dataset);
  }
  let shown = 0;
  let all = 0;
  for (const { table, keys } of tables) {
    const { time } = table.closest("section").dataset;
    if (time && time !== selection.time) continue;
    if (table.closest("#key-results")) continue;
    const isSectionShown = !table.closest("section[hidden]");
    let visible = 0;
    for (const row of table.tBodies[0].rows) {
      row.hidden = !isRowSelected(row, keys, names);
      all += 1;
      if (!row.hidden) visible += 1;
    }
    table.parentNode.hidden = !visible; // a head without rows says nothing
    if (isSectionShown) shown += visible;
  }
  document.getElementById("row-count").value = `${shown} of ${all} table rows`;
  const lack = document.getElementById("no-rows");
  lack.hidden = shown > 0 && selection.backends.size > 0;
  lack.textContent = selection.backends.size ? "No table row matches the filters." : "No backend is selected.";
}
