"use strict";
// What the page knows, what is chosen, and small help to build elements.
// Texts reach the document as text only, never as markup.

const report = JSON.parse(document.getElementById("data").textContent);
// What the columns of these names are to be; "" is all.
const filters = Object.keys(report.choices);
const chosen = { backends: new Set(), ...Object.fromEntries(filters.map((name) => [name, ""])) };
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

function announce() {
  for (const listener of listeners) listener();
}

// Whether something of this dataset, task and start is to be seen; what has none of them always is.
function isChosen(key) {
  return ["dataset", "task", "start"].every(
    (name) => !chosen[name] || key[name] === undefined || key[name] === chosen[name],
  );
}

function isBackendChosen(name) {
  return chosen.backends.has(name);
}

function seconds(value) {
  if (value === null || value === undefined) return "-";
  for (const [unit, size] of [["us", 1e-6], ["ms", 1e-3]]) {
    if (value < 999.5 * size) return Number((value / size).toPrecision(3)) + unit;
  }
  return Number(value.toPrecision(3)) + "s";
}

function buildFilters() {
  const choices = document.getElementById("choices");
  for (const name of filters) {
    const select = make("select", { id: "choose-" + name, name });
    select.append(make("option", { value: "", text: "all" }));
    for (const value of report.choices[name]) select.append(make("option", { value, text: value }));
    select.addEventListener("change", () => {
      chosen[name] = select.value;
      announce();
    });
    choices.append(make("label", {}, name + " ", select));
  }
  const backends = document.getElementById("backends");
  for (const backend of report.backends) {
    chosen.backends.add(backend.name);
    const box = make("input", { type: "checkbox", checked: "", value: backend.name });
    box.addEventListener("change", () => {
      if (box.checked) chosen.backends.add(backend.name);
      else chosen.backends.delete(backend.name);
      announce();
    });
    const swatch = make("span", { class: "swatch", "aria-hidden": "true" });
    swatch.style.background = backend.colour;
    backends.append(make("label", {}, box, " ", swatch, isolated(backend.name)));
  }
  document.getElementById("filters").addEventListener("reset", () => {
    for (const name of filters) chosen[name] = "";
    for (const backend of report.backends) chosen.backends.add(backend.name);
    setTimeout(announce);
  });
  // Where there are many, the few that are wanted are chosen from none.
  document.getElementById("none").addEventListener("click", () => choose({}, []));
}

// Choose in the form what a part of the page asks for.
function choose(values, backends) {
  for (const [name, value] of Object.entries(values)) {
    chosen[name] = value;
    document.getElementById("choose-" + name).value = value;
  }
  for (const box of document.querySelectorAll("#backends input")) {
    box.checked = !backends || backends.includes(box.value);
    if (box.checked) chosen.backends.add(box.value);
    else chosen.backends.delete(box.value);
  }
  announce();
}

function buildTheme() {
  const button = document.getElementById("theme");
  const themes = ["automatic", "light", "dark"];
  let theme = "automatic";
  const show = () => {
    if (theme === "automatic") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = theme;
    button.textContent = "Theme: " + theme;
  };
  // A page that is opened as a file may have no storage.
  try {
    theme = localStorage.getItem("theme") || theme;
  } catch { /* it is not kept then */ }
  if (!themes.includes(theme)) theme = "automatic";
  show();
  button.addEventListener("click", () => {
    theme = themes[(themes.indexOf(theme) + 1) % themes.length];
    try {
      localStorage.setItem("theme", theme);
    } catch { /* it is not kept then */ }
    show();
  });
}
