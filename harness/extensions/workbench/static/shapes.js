// The shapes that lists offer; other shapes come with a puzzle.

const JIGSAW = "jigsaw:111111122333341222353441262353346662555544662577774468557974668777999988999988888";

export const SHAPES = [
  "4x4", "6x6", "8x8", "9x9", "9x9+diagonal", "9x9+windoku", JIGSAW, "10x10", "12x12", "16x16",
  "16x16+diagonal", "25x25",
];

export function shapeTitle(name) {
  if (name === JIGSAW) return "9x9 jigsaw";
  return name.length > 40 ? name.slice(0, 37) + "..." : name;
}
