"use strict";
// Data of the page, the current selection, and helpers to build elements.
// Texts are inserted as text only, never as markup.

const report = JSON.parse(document.getElementById("data").textContent);
const filters = Object.keys(report.filters);
// The selected value of each filter, "" for all, and the names of the selected backends.
// `time` is the time that tables, charts and key results show; the page opens with the first one.
const selection = { time: report.times[0].value, backends: new Set(), ...Object.fromEntries(filters.map((name) => [name, ""])) };
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

function seconds(value) {
  if (value === null || value === undefined) return "-";
  for (const [unit, size] of [["µs", 1e-6], ["ms", 1e-3]]) {
    if (value < 999.5 * size) return Number((value / size).toPrecision(3)) + unit;
  }
  return Number(value.toPrecision(3)) + "s";
}

function buildFilters() {
  const lists = document.getElementById("filter-lists");
  for (const name of filters) {
    const select = make("select", { id: "filter-" + name, name });
    select.append(make("option", { value: "", text: "all" }));
    for (const value of report.filters[name]) select.append(make("option", { value, text: value }));
    select.addEventListener("change", () => {
      selection[name] = select.value;
      notify();
    });
    lists.append(make("label", {}, name + " ", select));
  }
  const backends = document.getElementById("backends");
  for (const backend of report.backends) {
    selection.backends.add(backend.name);
    const box = make("input", { type: "checkbox", checked: "", value: backend.name });
    box.addEventListener("change", () => {
      if (box.checked) selection.backends.add(backend.name);
      else selection.backends.delete(backend.name);
      notify();
    });
    const swatch = make("span", { class: "swatch", "aria-hidden": "true", "data-backend": backend.name });
    backends.append(make("label", {}, box, " ", swatch, isolated(backend.name)));
  }
  document.getElementById("filters").addEventListener("reset", () => {
    for (const name of filters) selection[name] = "";
    for (const backend of report.backends) selection.backends.add(backend.name);
    setTimeout(() => selectTime(report.times[0].value));
  });
  document.getElementById("clear-backends").addEventListener("click", () => setFilters({}, []));
  const all = report.backends.map((backend) => backend.name);
  document.getElementById("all-backends").addEventListener("click", () => setFilters({}, all));
}

// Set filters by name, and select only these backends.
function setFilters(values, backends) {
  for (const [name, value] of Object.entries(values)) {
    selection[name] = value;
    document.getElementById("filter-" + name).value = value;
  }
  for (const box of document.querySelectorAll("#backends input")) {
    box.checked = backends.includes(box.value);
    if (box.checked) selection.backends.add(box.value);
    else selection.backends.delete(box.value);
  }
  notify();
}

// The fragment of the address: an anchor, and the time if it is not the first one, as in
// #charts&time=cpu.
function addressParts() {
  const parts = location.hash.slice(1).split("&");
  const time = parts.find((part) => part.startsWith("time="));
  const known = report.times.find(({ value }) => time === "time=" + value);
  return { anchor: parts.find((part) => !part.startsWith("time=")) ?? "", time: known?.value };
}

// Write the selected time into the address.
function keepTime() {
  const first = selection.time === report.times[0].value;
  const parts = [addressParts().anchor, first ? "" : "time=" + selection.time].filter(Boolean);
  const fragment = "#" + parts.join("&");
  if (fragment !== (location.hash || "#")) history.replaceState(null, "", fragment);
}

function selectTime(value) {
  selection.time = value;
  keepTime();
  for (const button of document.querySelectorAll("#times input")) button.checked = button.value === value;
  for (const element of document.querySelectorAll("#key-results [data-time]")) {
    element.hidden = element.dataset.time !== value;
  }
  notify();
}

function buildTimes() {
  const fieldset = document.getElementById("times");
  if (report.times.length < 2) fieldset.remove();
  report.times.forEach(({ value, label }, number) => {
    const button = make("input", { type: "radio", name: "time", value, checked: number === 0 && "" });
    button.addEventListener("change", () => selectTime(value));
    fieldset.append(make("label", {}, button, " ", label));
  });
  window.addEventListener("hashchange", () => {
    const { time } = addressParts();
    if (time && time !== selection.time) selectTime(time);
    else keepTime(); // a link within the page replaces the whole fragment
  });
}

// Show the time of the address, and the place of an anchor that the browser does not recognize.
function openAddress() {
  const { anchor, time } = addressParts();
  selectTime(time ?? selection.time);
  if (time) document.getElementById(anchor)?.scrollIntoView();
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
