"""Puzzles generated, and canonical forms, per minute of CPU time on one core.

The generator makes minimal 9x9 puzzles, and fewer puzzles of other series for comparison. The
canonical forms are those of 17-clue puzzles, of moderately hard ones and of generated ones; the
collections are expected in ../shared/puzzles beside the checkout. The first call of each
kernel, which compiles it, is not timed.

    python -m benchmarks.generation [PUZZLES]
"""

import sys
from collections.abc import Sequence
from pathlib import Path
from time import process_time
from typing import Any, Final

from harness.extensions.generate import Clues, GenerationRequest, Model, generate
from harness.extensions.generate.levels import with_level
from harness.extensions.reasoning.ladder import Level
from harness.puzzles import Puzzle, Shape, Symmetry
from harness.puzzles.datasets.canonical import canonical_form
from harness.puzzles.formats.reading import read_file

FOLDER: Final = Path(__file__).resolve().parents[2] / "shared" / "puzzles"
COLLECTIONS: Final = ("17_clue_sample_3000.txt", "magictour_top1465.txt")
PUZZLES: Final = 2000
SERIES: Final[dict[str, tuple[int, dict[str, Any]]]] = {
    "minimal 9x9": (1, {"minimal": True}),
    "9x9 of 24 clues": (4, {"clues": Clues(24, 24)}),
    "minimal 9x9 of 21 clues": (40, {"clues": Clues(21, 21), "minimal": True}),
    "symmetric 9x9": (4, {"symmetry": Symmetry.ROTATION_180}),
    "9x9 with 2 solutions": (4, {"solutions": 2}),
    "9x9 without a solution": (4, {"solutions": 0}),
    "hard 9x9, 100 steps": (100, {"minimal": True, "hard": 100}),
    "minimal 6x6": (4, {"shape": Shape.parse("6x6"), "minimal": True}),
    "minimal 9x9+diagonal": (20, {"shape": Shape.parse("9x9+diagonal"), "minimal": True}),
    **{f"level {level}": (4, {"level": level}) for level in Level},
    "minimal sukaku": (100, {"pencilmarks": True, "minimal": True}),
    "16x16 sukaku": (1000, {"pencilmarks": True, "shape": Shape.parse("16x16")}),
    "16x16 of 45 %": (200, {"shape": Shape.parse("16x16"), "clues": Clues(115, 115)}),
    "25x25, model holes": (
        20,
        {"shape": Shape.parse("25x25"), "clues": Clues(281, 281), "model": Model.HOLES},
    ),
}
"""Series with their options, and the divisor of their number of puzzles."""


def a_minute(number: int, seconds: float) -> str:
    """A rate as text."""
    return f"{60 * number / seconds:10,.0f} a minute"


def series(name: str, puzzles: int) -> list[Puzzle]:
    """Generate a series, print its rate and return its puzzles."""
    divisor, options = SERIES[name]
    shape = options.get("shape", Shape.parse("9x9"))
    level = options.get("level")
    options = {key: value for key, value in options.items() if key not in ("shape", "level")}

    def request(number: int, seed: int) -> GenerationRequest:
        plain = GenerationRequest(shape, number, seed, **options)
        return plain if level is None else with_level(plain, level)

    list(generate(request(1, 1)))
    number = max(1, puzzles // divisor)
    began = process_time()
    made = [generated.puzzle for generated in generate(request(number, 2))]
    print(f"{name:26} {number:6,} puzzles {a_minute(number, process_time() - began)}")
    return made


def canonical(name: str, puzzles: Sequence[Puzzle]) -> None:
    """Print the rate of the canonical forms of `puzzles`, and how many differ."""
    canonical_form(puzzles[0])
    began = process_time()
    forms = {canonical_form(puzzle).puzzle.givens for puzzle in puzzles}
    rate = a_minute(len(puzzles), process_time() - began)
    print(f"{name:26} {len(puzzles):6,} puzzles {rate}, {len(forms):,} classes")


def main() -> None:
    """Run the benchmark and print the results."""
    puzzles = int(sys.argv[1]) if len(sys.argv) > 1 else PUZZLES
    print("generation")
    made = {name: series(name, puzzles) for name in SERIES}
    print("canonical form")
    canonical("minimal 9x9", made["minimal 9x9"])
    for name in COLLECTIONS:
        if (FOLDER / name).is_file():
            canonical(name, [parsed.puzzle for parsed in read_file(FOLDER / name)])


if __name__ == "__main__":
    main()
