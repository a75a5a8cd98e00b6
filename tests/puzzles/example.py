"""One puzzle in every form, and helpers of the tests of puzzle formats."""

import random
from collections.abc import Sequence
from functools import cache
from pathlib import Path

import pytest
from hypothesis import strategies as st

from harness.base.errors import InputError, PuzzleError
from harness.puzzles import Puzzle, Shape, load_dataset
from harness.puzzles.formats import ParsedPuzzle, ReadSettings, parse_text
from harness.puzzles.formats.reading import read_file

LINE = "..3.2.6..9..3.5..1..18.64....81.29..7.......8..67.82....26.95..8..2.3..9..5.1.3.."
SOLUTION = "483921657967345821251876493548132976729564138136798245372689514814253769695417382"
MISTAKEN = LINE[:40] + "?" + LINE[41:]
ROWS = [LINE[start : start + 9] for start in range(0, 81, 9)]
GRID = "\n".join(ROWS)
BOXED = """\
+-------+-------+-------+
| . . 3 | . 2 . | 6 . . |
| 9 . . | 3 . 5 | . . 1 |
| . . 1 | 8 . 6 | 4 . . |
+-------+-------+-------+
| . . 8 | 1 . 2 | 9 . . |
| 7 . . | . . . | . . 8 |
| . . 6 | 7 . 8 | 2 . . |
+-------+-------+-------+
| . . 2 | 6 . 9 | 5 . . |
| 8 . . | 2 . 3 | . . 9 |
| . . 5 | . 1 . | 3 . . |
+-------+-------+-------+
"""
NINE = Shape.parse("9x9")
dataset_named = cache(load_dataset)


def read_text(text: str, shape: Shape | None = None, where: str = "text") -> list[ParsedPuzzle]:
    """The puzzles of a text."""
    return list(parse_text(text, ReadSettings(shape), where))


def lines_of(text: str, shape: Shape | None = None) -> list[str]:
    return [read.puzzle.line for read in read_text(text, shape)]


def bands(rows: list[str], between: str = "") -> list[str]:
    """Rows with a line between bands of three."""
    lines: list[str] = []
    for number, row in enumerate(rows):
        lines += [between] * (number > 0 and number % 3 == 0) + [row]
    return lines


def sample(name: str) -> str:
    """The text of a file in ``samples``, with its line ends."""
    return (Path(__file__).parents[1] / "extensions/formats/samples" / name).read_bytes().decode()


def error_of(text: str, shape: Shape | None = None) -> InputError:
    """The error of a malformed text, whose message is one line."""
    with pytest.raises(PuzzleError) as caught:
        list(read_text(text, shape, where="p.txt"))
    assert "\n" not in str(caught.value)
    return caught.value


def file_error(path: Path) -> InputError:
    """The error of a malformed file, without the file's folder in `where`."""
    with pytest.raises(PuzzleError) as caught:
        read_file(path)
    assert "\n" not in str(caught.value)
    return caught.value.at(caught.value.where.replace(str(path), path.name))


@st.composite
def puzzles(draw: st.DrawFn, specs: Sequence[str]) -> Puzzle:
    """Puzzles of these shapes with random givens, none, some or all."""
    shape = Shape.parse(draw(st.sampled_from(specs)))
    values = random.Random(draw(st.integers(0, 2**32)))
    share = draw(st.sampled_from([0.0, 0.3, 1.0]))
    givens = (
        values.randint(1, shape.size) if values.random() < share else 0
        for _ in range(shape.size**2)
    )
    return Puzzle(shape, tuple(givens))
