// The page: its views, their addresses, the theme and the connection.

import { make, message } from "./elements.js";
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
  return { view: VIEWS.find((of) => of.name === name) ?? VIEWS[0], query: new URLSearchParams(query) };
}

async function route() {
  const { view, query } = address();
  try {
    if (query.has("shape") || query.has("puzzle")) await puzzle.openLink(query);
  } catch (error) {
    message(error.message, { isError: true });
  }
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
  await shown.get(view.name).update?.(query);
}

function connection() {
  const text = document.getElementById("connection");
  connect((answers) => {
    text.textContent = answers ? "" : `The server does not answer. Start harness workbench --port ${location.port} again.`;
  });
  listen("hello", ({ isNew }) => {
    if (isNew) message("The server was started again. Its earlier answers are gone.");
  });
}

theme();
links();
connection();
measuringLine();
await puzzle.open({ shape: "9x9" }, { isFirst: true });
await route();
window.addEventListener("hashchange", route);
