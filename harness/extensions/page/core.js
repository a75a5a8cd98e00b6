"use strict";
// Data of the page, the current selection, and helpers to build elements.
// Texts are inserted as text only, never as markup.

const report = JSON.parse(document.getElementById("data").textContent);
const filters = Object.keys(report.filters);
// The selected value of each filter, "" for all, and the names of the selected backends.
// `time` is the time that tables, charts and key results show; the page opens with the first one.
// `ignored` are the settings of the address that the page has no data for.
const selection = { backends: new Set(), ignored: [] };
const listeners = [];

function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name === "text") element.textContent = value;
    else if (typeof value === "function") element.addEventListener(name, value);
    else if (value !== false && value !== null) element.setAttribute(name, value);
  }
  element.append(...children);
  return element;
}

function isolated(text) {
  return make("bdi", { text });
}

function notify() {
  for (const listener of listeners) listener();
}

// Whether a dataset, task, start and time match the filters; an undefined value always matches.
function matchesFilters(key) {
  return ["dataset", "task", "start", "time"].every(
    (name) => !selection[name] || key[name] === undefined || key[name] === selection[name],
  );
}

function isBackendSelected(name) {
  return selection.backends.has(name);
}

// A time as in the tables: 23.0ms.
function seconds(value) {
  if (value === null || value === undefined) return "-";
  const [unit, size] = [["µs", 1e-6], ["ms", 1e-3]].find((one) => value < 999.5 * one[1]) ?? ["s", 1];
  const number = value / size;
  return number.toFixed(number < 9.995 ? 2 : number < 99.95 ? 1 : 0) + unit;
}

const allBackends = report.backends.map((backend) => backend.name);

function buildFilters() {
  const times = document.getElementById("times");
  if (report.times.length < 2) times.remove();
  for (const { value, label } of report.times) {
    const button = make("input", { type: "radio", name: "time", value });
    button.addEventListener("change", () => select({ time: value }));
    times.append(make("label", {}, button, " ", label));
  }
  const lists = document.getElementById("filter-lists");
  for (const name of filters) {
    const list = make("select", { id: "filter-" + name, name });
    list.append(make("option", { value: "", text: "all" }));
    for (const value of report.filters[name]) list.append(make("option", { value, text: value }));
    list.addEventListener("change", () => select({ [name]: list.value }));
    lists.append(make("label", {}, name + " ", list));
  }
  const backends = document.getElementById("backends");
  for (const name of allBackends) {
    const box = make("input", { type: "checkbox", value: name });
    box.addEventListener("change", () => {
      select({}, allBackends.filter((other) => (other === name ? box.checked : isBackendSelected(other))));
    });
    const swatch = make("span", { class: "swatch", "aria-hidden": "true", "data-backend": name });
    backends.append(make("label", {}, box, " ", swatch, isolated(name)));
  }
  document.getElementById("filters").addEventListener("reset", (event) => {
    event.preventDefault();
    selectAll();
  });
  document.getElementById("clear-backends").addEventListener("click", () => select({}, []));
  document.getElementById("all-backends").addEventListener("click", () => select({}, allBackends));
  const menu = document.getElementById("backend-menu");
  document.addEventListener("click", ({ target }) => { if (!menu.contains(target)) menu.open = false; });
  menu.addEventListener("keydown", ({ key }) => {
    if (key !== "Escape") return;
    menu.open = false;
    menu.querySelector("summary").focus();
  });
  listeners.push(showSelection);
  window.addEventListener("hashchange", () => {
    const { settings } = addressParts();
    if (String(settings)) selectSettings(settings);
    else keepSelection(); // a link within the page replaces the whole fragment
  });
}

// Change filters and the time by name, and the selected backends.
function select(values, backends = [...selection.backends], ignored = []) {
  Object.assign(selection, values, { backends: new Set(backends), ignored });
  notify();
}

function selectAll() {
  select(defaults(), allBackends);
}

function defaults() {
  return { time: report.times[0].value, ...Object.fromEntries(filters.map((name) => [name, ""])) };
}

// What the filters leave out, in words.
function choices() {
  const lists = filters.filter((name) => selection[name]).map((name) => `${name} ${selection[name]}`);
  const { size } = selection.backends;
  const some = size ? `${size} of ${allBackends.length} backends` : "no backend";
  return size < allBackends.length ? [...lists, some] : lists;
}

// Show the selection in the bar, above the key results and in the address.
function showSelection() {
  for (const name of filters) document.getElementById("filter-" + name).value = selection[name];
  for (const box of document.querySelectorAll("#backends input")) box.checked = isBackendSelected(box.value);
  for (const button of document.querySelectorAll("#times input")) button.checked = button.value === selection.time;
  for (const element of document.querySelectorAll("#key-results [data-time]")) {
    element.hidden = element.dataset.time !== selection.time;
  }
  const { size } = selection.backends;
  const number = size === allBackends.length ? "all" : `${size} of ${allBackends.length}`;
  document.querySelector("#backend-menu summary").textContent = `backends: ${number}`;
  const chosen = choices();
  document.getElementById("key-results").classList.toggle("filtered", chosen.length > 0);
  document.getElementById("filtered").hidden = !chosen.length;
  document.getElementById("filter-choices").textContent = chosen.join("; ");
  document.getElementById("ignored").hidden = !selection.ignored.length;
  document.getElementById("ignored-settings").textContent = selection.ignored.join("; ");
  keepSelection();
}

// The fragment of the address: an anchor, and the selection where it differs from that with
// which the page opens, as in #charts&time=cpu&dataset=hard&backend=cnf&backend=native.
function addressParts() {
  const parts = location.hash.slice(1).split("&");
  const settings = new URLSearchParams(parts.filter((part) => part.includes("=")).join("&"));
  return { anchor: parts.find((part) => !part.includes("=")) ?? "", settings };
}

// Write the selection into the address.
function keepSelection() {
  const settings = new URLSearchParams();
  for (const [name, value] of Object.entries(defaults())) {
    if (selection[name] !== value) settings.set(name, selection[name]);
  }
  const chosen = allBackends.filter(isBackendSelected);
  if (!chosen.length) settings.set("backend", "");
  else if (chosen.length < allBackends.length) for (const name of chosen) settings.append("backend", name);
  const fragment = "#" + [addressParts().anchor, String(settings)].filter(Boolean).join("&");
  if (fragment !== (location.hash || "#")) history.replaceState(null, "", fragment);
}

// Select what the settings of an address say, but for those that the page has no data for.
function selectSettings(settings) {
  const times = report.times.map(({ value }) => value);
  const known = new Map(Object.entries({ time: times, ...report.filters, backend: ["", ...allBackends] }));
  const values = defaults();
  const named = [];
  const ignored = [];
  for (const [name, value] of settings) {
    if (!known.get(name)?.includes(value)) ignored.push(`${name} ${value}`);
    else if (name === "backend") named.push(value);
    else values[name] = value;
  }
  select(values, named.length ? allBackends.filter((name) => named.includes(name)) : allBackends, ignored);
}

// Show the selection of the address, and the place of an anchor that the browser does not recognize.
function openAddress() {
  const { anchor, settings } = addressParts();
  selectSettings(settings);
  if (String(settings)) document.getElementById(anchor)?.scrollIntoView();
}

// Anchors end up below the bar of filters, which stays at the top of the window.
function buildBar() {
  const bar = document.getElementById("filters");
  const update = () => {
    const height = getComputedStyle(bar).position === "sticky" ? bar.offsetHeight : 0;
    document.documentElement.style.setProperty("--bar", `${height}px`);
  };
  new ResizeObserver(update).observe(bar);
  window.addEventListener("resize", update);
  update();
}

function buildTheme() {
  const button = document.getElementById("theme");
  const themes = ["automatic", "light", "dark"];
  let theme = "automatic";
  const apply = () => {
    if (theme === "automatic") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = theme;
    button.textContent = "Theme: " + theme;
  };
  // A page that is opened as a file may have no storage.
  try {
    theme = localStorage.getItem("theme") || theme;
  } catch { /* the theme is not stored */ }
  if (!themes.includes(theme)) theme = "automatic";
  apply();
  button.addEventListener("click", () => {
    theme = themes[(themes.indexOf(theme) + 1) % themes.length];
    try {
      localStorage.setItem("theme", theme);
    } catch { /* the theme is not stored */ }
    apply();
  });
}
