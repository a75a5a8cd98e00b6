// The page: its views, their addresses, the theme and the connection.

import { closeErrors, make, message } from "./elements.js";
import { keepFocus } from "./focus.js";
import { LINK_PARTS } from "./link.js";
import { measuringLine } from "./measuring.js";
import { boardView } from "./view-board.js";
import { generateView } from "./view-generate.js";
import { imageView } from "./view-image.js";
import { reasoningView } from "./view-reasoning.js";
import { runsView } from "./view-runs.js";
import { puzzle } from "./puzzle.js";
import { connect, listen } from "./server.js";

const VIEWS = [boardView, reasoningView, imageView, generateView, runsView];

const main = document.getElementById("main");
const shown = new Map();

function theme() {
  const names = { "": "automatic", light: "light", dark: "dark" };
  const toggle = document.getElementById("theme");
  const show = (value) => {
    if (value) document.documentElement.dataset.theme = value;
    else delete document.documentElement.dataset.theme;
    toggle.textContent = `Theme: ${names[value]}`;
  };
  let current = localStorage.getItem("theme") ?? "";
  show(current);
  toggle.addEventListener("click", () => {
    const order = Object.keys(names);
    current = order[(order.indexOf(current) + 1) % order.length];
    localStorage.setItem("theme", current);
    show(current);
  });
}

function links() {
  const list = document.getElementById("views");
  for (const view of VIEWS) list.append(make("a", { href: `#${view.name}`, text: view.title, "data-view": view.name }));
}

// The view and the parameters in the address.
function address() {
  const [name, query = ""] = location.hash.slice(1).split("?");
  return { view: VIEWS.find((view) => view.name === name) ?? VIEWS[0], query: new URLSearchParams(query) };
}

let routes = 0;  // calls of `route` that are running

let routed = "";

async function route() {
  routes += 1;
  const { view, query } = address();
  if (routed !== view.name) closeErrors();
  routed = view.name;
  try {
    if (LINK_PARTS.some((name) => query.has(name))) await puzzle.openLink(query);
  } catch (error) {
    message(error.message, { isError: true });
  }
  for (const name of LINK_PARTS) query.delete(name);
  if (!shown.has(view.name)) {
    const section = make("section", { "aria-label": view.title });
    main.append(section);
    shown.set(view.name, { section, update: view.build(section) });
  }
  for (const [name, { section }] of shown) section.hidden = name !== view.name;
  for (const link of document.querySelectorAll("#views a")) {
    if (link.dataset.view === view.name) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  document.title = `${view.title} - Sudoku workbench`;
  routes -= 1;
  remember();
  await shown.get(view.name).update?.(query);
}

// Let the address carry the puzzle, in every view, so that a reload keeps it.
function remember() {
  if (routes) return;
  const { view, query } = address();
  for (const name of [...LINK_PARTS, "ask"]) query.delete(name);
  const parts = [query.toString(), puzzle.link].filter(Boolean).join("&");
  const hash = `#${view.name}?${parts}`;
  if (hash !== location.hash) history.replaceState(null, "", hash);
}

let timer = null;
function rememberSoon() {
  clearTimeout(timer);
  timer = setTimeout(remember, 150);  // browsers limit how often an address changes
}

function connection() {
  const text = document.getElementById("connection");
  connect((answers) => {
    text.textContent = answers ? "" : `The server does not answer. Start harness workbench --port ${location.port} again.`;
  });
  listen("hello", ({ isNew }) => {
    if (isNew) message("The server was restarted. Its earlier answers are gone.");
  });
}

keepFocus();
theme();
links();
connection();
measuringLine();
await puzzle.open({ shape: "9x9" }, { isFirst: true });
puzzle.addEventListener("change", rememberSoon);
await route();
window.addEventListener("hashchange", route);
