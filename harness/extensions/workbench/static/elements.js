// Elements of the page, and messages to the user. Texts are inserted as text, never as markup.

export function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  set(element, attributes);
  element.append(...children);
  return element;
}

export function drawn(tag, attributes = {}, ...children) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  set(element, attributes);
  element.append(...children);
  return element;
}

function set(element, attributes) {
  for (const [name, value] of Object.entries(attributes)) {
    if (name === "text") element.textContent = value;
    else if (typeof value === "function") element.addEventListener(name, value);
    else if (value === true) element.setAttribute(name, "");
    else if (value !== false && value !== null && value !== undefined) element.setAttribute(name, value);
  }
}

export function button(text, action, attributes = {}) {
  return make("button", { type: "button", text, click: action, ...attributes });
}

export function select(label, options, value, change) {
  const list = make("select", { change: () => change(list.value) });
  for (const [key, text] of options) list.append(make("option", { value: key, text, selected: key === value }));
  return make("label", {}, label, list);
}

export function checkbox(label, checked, change) {
  const box = make("input", { type: "checkbox", checked, change: () => change(box.checked) });
  return make("label", {}, box, label);
}

// A number of things in words: "1 cell", "1,200 cells".
export function numberOf(number, thing) {
  return `${number.toLocaleString("en")} ${thing}${number === 1 ? "" : "s"}`;
}

// The row of headers of a table; `kind` gives the class of a column by its number.
export function headers(texts, kind = () => null) {
  return make("thead", {}, make("tr", {}, ...texts.map((text, at) => make("th", { scope: "col", text, class: kind(at) }))));
}

// A part of the page that scrolls by itself.
export function scrolling(label, attributes, ...children) {
  return make("div", { tabindex: "0", role: "region", "aria-label": label, ...attributes, class: `scroll ${attributes.class ?? ""}`.trim() }, ...children);
}

// A time as in the tables of a report: 23.0ms.
export function seconds(value) {
  if (value === null || value === undefined) return "";
  const [unit, size] = [["µs", 1e-6], ["ms", 1e-3]].find((one) => value < 999.5 * one[1]) ?? ["s", 1];
  const number = value / size;
  return number.toFixed(number < 9.995 ? 2 : number < 99.95 ? 1 : 0) + unit;
}

// Show a message until the user closes it. Other messages than errors also go away by themselves, and
// an error when the next action succeeds or fails.
export function message(text, { isError = false } = {}) {
  if (isError) closeErrors();
  const shown = make("div", { class: isError ? "bad" : "" }, make("span", { text }));
  const close = () => shown.remove();
  shown.append(button("Close", close));
  document.getElementById("messages").append(shown);
  if (!isError) setTimeout(close, 4000);
}

export function closeErrors() {
  for (const error of document.querySelectorAll("#messages > .bad")) error.remove();
}
