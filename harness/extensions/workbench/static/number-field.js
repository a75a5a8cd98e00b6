// A field for a number within bounds. A number out of range stays as it was typed, with the message of
// the browser beside it.

import { make } from "./elements.js";

// `take` gets each number in range; `name` is for screen readers if the label does not suffice.
// Returns the element with the label, and a function that returns whether the number is in range,
// and shows the field if it is not.
export function numberField({ label, name = label, unit = "", value, least, most, step = 1, take }) {
  const note = make("span", { class: "bad", role: "alert" });
  const field = make("input", { type: "number", required: true, min: least, max: most, step, value, "aria-label": name, input: check });
  const element = make("span", { class: "number-field" }, make("label", {}, label, field, unit), note);

  function check() {
    const isValid = field.validity.valid;
    field.setAttribute("aria-invalid", String(!isValid));
    if (note.textContent !== field.validationMessage) note.textContent = field.validationMessage;
    if (isValid) take(Number(field.value));
    return isValid;
  }

  function isValid() {
    if (check()) return true;
    const folded = field.closest("details");
    if (folded) folded.open = true;
    field.focus();
    return false;
  }

  return { element, isValid };
}
