"""A payload of f-puzzles with a damaged symbol is an error, never another grid."""

import json
from typing import Any

import pytest

from harness.errors import PuzzleError
from harness.puzzles.formats import ReadSettings, TextSource
from harness.puzzles.formats.fpuzzles import compress
from harness.puzzles.formats.reading import format_named
from tests.puzzles.detected import one

LINK = "https://www.f-puzzles.com/?load="
PUZZLE = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79"
SYMBOLS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"


def test_a_damaged_symbol_of_a_link_is_an_error() -> None:
    """LZString has no checksum, but a link is what compression of its text gives."""
    parsed = one(PUZZLE)
    (link,) = format_named("fpuzzles").write([parsed])
    start = len(LINK)
    end = len(link.strip().rstrip("="))
    others = 0
    for at in range(start, end, 5):
        for symbol in SYMBOLS[at % 7 :: 7]:
            damaged = link[:at] + symbol + link[at + 1 :]
            if symbol == link[at]:
                continue
            try:
                (found,) = format_named("fpuzzles").read(
                    TextSource.of_text(damaged, "l"), ReadSettings()
                )
            except PuzzleError:
                continue
            others += found.puzzle != parsed.puzzle
    assert others == 0


def _link(cell: dict[str, Any]) -> str:
    grid: list[list[dict[str, Any]]] = [[{} for _ in range(9)] for _ in range(9)]
    grid[2][4] = cell
    return LINK + compress(json.dumps({"size": 9, "grid": grid}))


def test_an_unknown_key_of_a_cell_is_refused() -> None:
    with pytest.raises(PuzzleError, match="vauue"):
        one(_link({"vauue": 5, "given": True}))


def test_the_marks_and_colours_of_a_player_are_no_constraints() -> None:
    marks = {"centerPencilMarks": [1], "cornerPencilMarks": [2], "c": "#FFF", "highlight": "#000"}
    assert one(_link({"value": 5, "given": True, **marks})).puzzle.clues == 1


@pytest.mark.parametrize("link", [_link({"value": 5}).rstrip("=")])
def test_a_link_without_its_padding_is_read(link: str) -> None:
    assert one(link).puzzle.clues == 1
