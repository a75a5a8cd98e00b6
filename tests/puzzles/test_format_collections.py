"""Collections from elsewhere go through every format that holds them and come back equal."""

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from harness.puzzles import Puzzle, Shape
from harness.puzzles.formats import ParsedPuzzle, ReadSettings, TextSource, stream_file
from harness.puzzles.formats.reading import format_named, names

COLLECTIONS = Path(__file__).resolve().parents[3] / "shared" / "puzzles"

pytestmark = pytest.mark.skipif(not COLLECTIONS.is_dir(), reason="../shared/puzzles is absent")


@pytest.fixture(scope="module")
def large() -> list[ParsedPuzzle]:
    records = json.loads((COLLECTIONS / "big.json").read_text())
    puzzles = [Puzzle(Shape.of_side(of["n"]), tuple(of["givens"])) for of in records]
    assert {puzzle.shape.size for puzzle in puzzles} == {16, 25}
    return [parsed(puzzle, n) for n, puzzle in enumerate(puzzles, 1)]


@pytest.fixture(scope="module")
def small() -> list[ParsedPuzzle]:
    files = ("17_clue_sample_3000.txt", "magictour_top1465.txt")
    puzzles = [found.puzzle for name in files for found in stream_file(COLLECTIONS / name)]
    assert len(puzzles) == 4465
    return [parsed(puzzle, n) for n, puzzle in enumerate(puzzles, 1)]


def parsed(puzzle: Puzzle, number: int) -> ParsedPuzzle:
    return ParsedPuzzle(puzzle, f"p:{number}", str(number), fields={"rating": "1.0"})


def through(name: str, puzzles: list[ParsedPuzzle]) -> Iterator[Puzzle]:
    """The puzzles after writing and reading, several files for a format with one per file."""
    format_ = format_named(name)
    puzzles = [replace(found, fields={}) if name != "bank" else found for found in puzzles]
    for batch in [[found] for found in puzzles] if format_.single else [puzzles]:
        text = "".join(format_.write(batch))
        yield from (
            of.puzzle for of in format_.read(TextSource.of_text(text, "written"), ReadSettings())
        )


@pytest.mark.parametrize("name", names())
def test_large_puzzles_come_back_equal(name: str, large: list[ParsedPuzzle]) -> None:
    held = [found for found in large if format_named(name).can_hold(found) is None]
    assert len(held) in (0, len(large))
    assert list(through(name, held)) == [found.puzzle for found in held]


@pytest.mark.parametrize("name", names())
def test_small_puzzles_come_back_equal(name: str, small: list[ParsedPuzzle]) -> None:
    chosen = small[::100]
    held = [found for found in chosen if format_named(name).can_hold(replace(found)) is None]
    if name == "counted":
        assert not held  # it needs a number of solutions
        return
    assert len(held) == len(chosen)
    assert list(through(name, held)) == [found.puzzle for found in held]


@pytest.mark.long
@pytest.mark.parametrize("name", sorted({*names()} - {"counted"}))
def test_all_4465_small_puzzles_come_back_equal(name: str, small: list[ParsedPuzzle]) -> None:
    assert list(through(name, small)) == [found.puzzle for found in small]


def test_the_formats_that_hold_large_puzzles(large: list[ParsedPuzzle]) -> None:
    holding = {name for name in names() if format_named(name).can_hold(large[0]) is None}
    assert holding == {
        *("line", "grid", "json", "jsonl", "toml", "csv", "numbers", "sukaku", "candidates"),
        *("jigsaw", "fpuzzles", "sudokupad", "dzn", "pycsp3", "xcsp3"),
    }
