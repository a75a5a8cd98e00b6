// The focus never falls to the body: what loses it by being disabled, hidden or removed hands it on.

const FOCUSABLE = "a[href], button, input, select, textarea, summary, [tabindex]";
const GROUPS = ".row, fieldset, form, .panel, .stage, .side, .columns, main > section, .bar";

let held = null;     // the element that has the focus
let groups = [];     // its groups, the innermost first, kept when it is removed
let neighbours = []; // what can be focused in the innermost group that has other such elements
let lender = null;   // what handed the focus on to `held`, until the user does something

// Start to watch the page.
export function keepFocus() {
  document.addEventListener("focusin", (event) => hold(event.target));
  // A click on no element takes the focus away on purpose.
  document.addEventListener("pointerdown", () => setTimeout(() => {
    if (document.activeElement === document.body) held = null;
  }));
  for (const kind of ["keydown", "pointerdown"]) document.addEventListener(kind, () => { lender = null; }, true);
  new MutationObserver(() => {
    if (held && !canHold(held)) handOn();
    else if (lender && canHold(lender) && document.activeElement === held) lender.focus({ preventScroll: true });
  }).observe(document.body, { subtree: true, childList: true, attributes: true, attributeFilter: ["disabled", "hidden"] });
}

function hold(element) {
  if (element === held) return;
  held = element;
  lender = null;
  groups = [];
  for (let of = element.parentElement?.closest(GROUPS); of; of = of.parentElement?.closest(GROUPS)) groups.push(of);
  const group = groups.find((candidate) => candidate.querySelectorAll(FOCUSABLE).length > 1);
  neighbours = group ? [...group.querySelectorAll(FOCUSABLE)] : [];
}

function canHold(element) {
  return element.isConnected && !element.disabled && element.checkVisibility();
}

function canTake(element) {
  return element !== held && canHold(element) && (element.tabIndex >= 0 || element.id === "main");
}

function handOn() {
  const active = document.activeElement;
  if (active !== held && active !== document.body) return;  // the page has moved it already
  const before = held;
  (successor() ?? document.getElementById("main")).focus({ preventScroll: true });
  lender = before;  // a button that is disabled during a request gets the focus back
}

// The element that replaced it; otherwise the nearest one beside it, buttons and the one before it
// first; otherwise the first one of the innermost group around it; otherwise the board of the view.
function successor() {
  const name = nameOf(held);
  const again = groups.filter((of) => of.isConnected).flatMap((of) => (name ? [...of.querySelectorAll(held.tagName)] : []));
  if (!held.isConnected) {
    const same = again.find((of) => nameOf(of) === name && canTake(of));
    if (same) return same;
  }
  const at = neighbours.indexOf(held);
  const distance = (element) => Math.abs(neighbours.indexOf(element) - at);
  const isButton = (element) => (element.tagName === "BUTTON" ? 0 : 1);
  const beside = neighbours.filter(canTake)
    .sort((a, b) => isButton(a) - isButton(b) || distance(a) - distance(b) || neighbours.indexOf(a) - neighbours.indexOf(b));
  if (beside.length) return beside[0];
  for (const group of groups) {
    if (!group.isConnected || !group.checkVisibility()) continue;
    const first = [...group.querySelectorAll(FOCUSABLE)].find(canTake);
    if (first) return first;
  }
  return document.querySelector("#main > section:not([hidden]) .board [tabindex='0']");
}

function nameOf(element) {
  return element.getAttribute("aria-label") ?? element.textContent;
}
