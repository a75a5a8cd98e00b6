"""Blocks of plain rows of CSV are read at once, and exactly as single rows are."""

import random
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.puzzles import Puzzle, Shape, check
from harness.puzzles.formats import ParsedPuzzle, ReadSettings, TextSource, tables
from harness.puzzles.formats.tables import CSV
from tests.puzzles.example import LINE, SOLUTION

HEADER = "id,puzzle,solution,clues,difficulty"
PLAIN = f"p1,{LINE},{SOLUTION},32,1.2"
ROWS = [
    PLAIN,
    PLAIN,
    PLAIN,
    f",{LINE},{SOLUTION},,",
    f"p2,{LINE.replace('.', '0')},{SOLUTION},32,1.2",
    f'"p3",{LINE},{SOLUTION},32,1.2',
    f'"p,4",{LINE},{SOLUTION},32,1.2',
    f'"p\n5",{LINE},{SOLUTION},32,1.2',
    f'"p6,{LINE},{SOLUTION},32,1.2',
    f" p7 ,{LINE}, {SOLUTION},32,1.2",
    f"p8,{LINE},,32,1.2",
    f"p9,{LINE},{SOLUTION},32",
    f"p10,{LINE},{SOLUTION[::-1]},32,1.2",
    f"p11,{LINE},{SOLUTION[:-2]}28,32,1.2",
    f"p12,{LINE[:-1]},{SOLUTION},32,1.2",
    f"p13,{LINE[:-1]}0,{SOLUTION},32,1.2",
    f"p14,{LINE.replace('.', 'x')},{SOLUTION},32,1.2",
    f"p15,{LINE},{SOLUTION.replace('1', '.')},32,1.2",
    f"caf\u00e9,{LINE},{SOLUTION},32,1.2",
    f"p16,{LINE},{SOLUTION},5,1.2",
    f"p17,{LINE},{SOLUTION},032,1.2",
    f"p18,{LINE},{SOLUTION},many,1.2",
    "",
    ",,,,",
]


def outcome(chunks: list[bytes], shape: Shape | None) -> tuple[list[ParsedPuzzle], list[str]]:
    """The puzzles and the errors of a file in these pieces."""
    errors: list[str] = []
    reading = ReadSettings(shape, refuse=lambda error: errors.append(str(error)))
    found: list[ParsedPuzzle] = []
    try:
        found += CSV.read(TextSource("p.csv", chunks), reading)
    except ValueError as error:
        errors.append(str(error))
    return found, errors


@given(
    st.lists(st.sampled_from(ROWS), max_size=30),
    st.sampled_from(["\n", "\n", "\n", "\r\n"]),
    st.integers(0, 2**32),
    st.sampled_from([None, None, Shape.parse("9x9"), Shape.parse("latin9"), Shape.parse("4x4")]),
)
def test_plain_rows_are_read_as_single_rows_are(
    rows: list[str], end: str, seed: int, shape: Shape | None
) -> None:
    text = end.join([HEADER, *rows, ""]).encode()
    cuts = sorted(random.Random(seed).choices(range(len(text)), k=6))
    chunks = [text[a:b] for a, b in zip([0, *cuts], [*cuts, len(text)], strict=True)]
    fast = outcome(chunks, shape)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tables, "plain_rows", lambda *_: None)
        assert outcome(chunks, shape) == fast


@pytest.mark.parametrize("shape", ["9x9", "latin9", "9x9+diagonal", "9x9+antiknight"])
def test_a_wrong_solution_is_found_among_many_rows(shape: str) -> None:
    of = Shape.parse(shape)
    wrong = f"p2,{'.' * 81},{SOLUTION[:-1]}7,0,1"
    text = "\n".join([HEADER, *[PLAIN] * 3, wrong, PLAIN, ""]).encode()
    found, errors = outcome([text[:50], text[50:]], of)
    bad = [error for error in errors if "p.csv:5:" in error]
    assert len(bad) == 1
    assert [parsed.name for parsed in found] == (["p1"] * 4 if is_grid(of) else [])


def is_grid(shape: Shape) -> bool:
    """Whether SOLUTION is a grid of `shape`."""
    puzzle = Puzzle(shape, tuple(map(int, SOLUTION)))
    unequal = all(puzzle.givens[a] != puzzle.givens[b] for a, b in shape.pairs)
    return not check(puzzle).duplicates and unequal


def test_most_blocks_of_a_file_are_read_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    single: list[None] = []
    parse = tables._parse

    def counted(*args: Any, **options: Any) -> ParsedPuzzle:
        single.append(None)
        return parse(*args, **options)

    monkeypatch.setattr(tables, "_parse", counted)
    text = "\n".join([HEADER, *[PLAIN] * 3000, ""]).encode()
    chunks = [text[at : at + 2**16] for at in range(0, len(text), 2**16)]
    found, errors = outcome(chunks, None)
    assert (len(found), errors) == (3000, [])
    assert len(single) < 2**16 / len(PLAIN)
    assert found[0].place == "p.csv:2"
    assert found[-1] == replace(found[0], place="p.csv:3001")
