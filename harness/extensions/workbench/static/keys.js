// The keyboard on a board, as Sudoku players know it.

const DIRECTIONS = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };

// The cell to which a key leads from `cell`; null for another key. Rows and columns wrap around.
export function moved(event, cell, size) {
  const [row, column] = [Math.floor(cell / size), cell % size];
  if (event.key in DIRECTIONS) {
    const [down, right] = DIRECTIONS[event.key];
    return ((row + down + size) % size) * size + ((column + right + size) % size);
  }
  if (event.key === "Home") return event.ctrlKey ? 0 : row * size;
  if (event.key === "End") return event.ctrlKey ? size * size - 1 : row * size + size - 1;
  if (event.key === "PageUp") return column;
  if (event.key === "PageDown") return (size - 1) * size + column;
  return null;
}

// The value of a key, 0 for one that clears a cell; null for another key.
export function typed(event, symbols) {
  if (event.ctrlKey || event.metaKey || event.altKey) return null;
  if (["Backspace", "Delete", " ", "0", "."].includes(event.key)) return 0;
  const digit = /^(?:Digit|Numpad)([1-9])$/.exec(event.code);  // with Shift, `key` is another symbol
  const symbol = digit ? digit[1] : event.key.toUpperCase();
  const at = symbol.length === 1 ? symbols.indexOf(symbol) : -1;
  return at < 0 ? null : at + 1;
}

// Whether an event belongs to a text field, which uses such keys itself.
export function isInTextField(event) {
  const field = event.target instanceof Element ? event.target.closest("input, textarea, [contenteditable]") : null;
  return field !== null && !["checkbox", "radio", "range", "button", "file"].includes(field.type);
}
