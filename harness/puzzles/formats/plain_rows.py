"""Rows of comma-separated values with plain 9x9 puzzles, read many times faster than others.

A block of rows is checked at once. Where anything is out of the ordinary, such as a quotation
mark, another shape or a solution that is none, `plain_rows` returns None, and the reader of
single rows reads the block and finds the error.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import repeat
from typing import Any, Final

from harness.puzzles.expected_count import ExpectedCount
from harness.puzzles.formats.source import NO_FIELDS, ParsedPuzzle
from harness.puzzles.formats.stream import Block
from harness.puzzles.puzzle import Puzzle
from harness.puzzles.shape import Shape

_CELLS: Final = 81
_SYMBOLS: Final = (b".123456789", b"0123456789")
_DIGITS: Final = b"123456789"
_VALUES: Final = bytes(max(byte - 48, 0) if byte != 46 else 0 for byte in range(256))
"""The value of each symbol, a table for `bytes.translate`."""
_ODD: Final = (b'"', b"\r", b"\t", b"\v", b"\f")
"""What a block of plain rows has not: quotation marks and blanks of other kinds."""
_BLANKS: Final = (b" ,", b", ", b" \n", b"\n ")
"""Blanks around values."""
_EVERY: Final = sum(1 << value for value in range(1, 10))
# The fields of `ExpectedCount`, which is frozen and has slots, are set without its __init__.
_set_count, _set_exact, _set_solution = (
    ExpectedCount.__dict__[name].__set__ for name in ("count", "exact", "solution")
)


@dataclass(frozen=True, slots=True)
class Columns:
    """The columns of a file whose rows may be plain."""

    width: int
    """The number of columns."""
    puzzle: int
    solution: int | None
    name: int | None
    source: int | None
    other: Mapping[str, int]
    """Further columns by name."""


def plain_rows(
    block: Block, columns: Columns, shape: Shape, before: int
) -> tuple[int, Iterator[ParsedPuzzle]] | None:
    """The number of rows of a block and their puzzles; None if a row is not plain.

    Args:
        block: whole lines of the file.
        columns: what the columns of the file mean.
        shape: a shape of nine rows.
        before: the number of rows before the block.
    """
    data = block.data
    if not data.isascii() or data[:1] in b" \n" or any(odd in data for odd in _ODD):
        return None
    if b" " in data and (data.endswith(b" ") or any(blank in data for blank in _BLANKS)):
        return None
    rows = [row.split(",") for row in data.decode("ascii").removesuffix("\n").split("\n")]
    if {*map(len, rows)} != {columns.width}:
        return None
    of = list(zip(*rows, strict=True))
    puzzles = _joined(of[columns.puzzle])
    if puzzles is None or all(puzzles.translate(None, symbols) for symbols in _SYMBOLS):
        return None
    values = puzzles.translate(_VALUES)
    if "clues" in columns.other and not _are_clues(values, of[columns.other["clues"]]):
        return None
    solutions: Sequence[str | None] = [None] * len(rows)
    if columns.solution is not None:
        solutions = of[columns.solution]
        solved = _joined(of[columns.solution])
        if solved is None or solved.translate(None, _DIGITS):
            return None
        if not _are_solutions(values, solved.translate(_VALUES), shape):
            return None
    return len(rows), _puzzles(of, values, solutions, columns, shape, block, before)


def _joined(cells: Sequence[str]) -> bytes | None:
    """The cells of a column one after another; None if they are not 81 symbols each."""
    return "".join(cells).encode("ascii") if {*map(len, cells)} == {_CELLS} else None


def _are_clues(values: bytes, texts: Sequence[str]) -> bool:
    """Whether these are the numbers of clues of the puzzles; empty texts are no numbers."""
    starts = range(0, len(values), _CELLS)
    return all(
        not text or text == str(_CELLS - values.count(0, start, start + _CELLS))
        for start, text in zip(starts, texts, strict=True)
    )


def _are_solutions(values: bytes, solved: bytes, shape: Shape) -> bool:
    """Whether all grids `solved` are solutions of the puzzles with these `values`.

    A house has every value if the sum of 2^value over its nine cells has nine bits: nine powers
    of two whose sum has nine bits are different.
    """
    import numpy as np

    if shape.pairs:
        return False
    givens = np.frombuffer(values, np.uint8)
    grids = np.frombuffer(solved, np.uint8)
    if ((givens != grids) & (givens != 0)).any():
        return False
    powers = np.ldexp(np.float32(1), grids.astype(np.int32)).astype(np.float32)
    return bool((powers.reshape(-1, _CELLS) @ _houses(shape) == _EVERY).all())


@lru_cache(maxsize=16)
def _houses(shape: Shape) -> Any:
    """The cells of each house, a column of zeros and ones for each."""
    import numpy as np

    found = np.zeros((_CELLS, len(shape.houses)), np.float32)
    for number, house in enumerate(shape.houses):
        found[list(house.cells), number] = 1
    return found


def _puzzles(
    of: Sequence[Sequence[str]],
    values: bytes,
    solutions: Sequence[str | None],
    columns: Columns,
    shape: Shape,
    block: Block,
    before: int,
) -> Iterator[ParsedPuzzle]:
    """The puzzles of rows that are known to be right, without the checks of `Puzzle`."""
    new = object.__new__
    place = f"{block.source}:"
    rows = len(solutions)
    givens = zip(*[iter(values)] * _CELLS, strict=True)
    nothing: Sequence[str] = [""] * rows
    names = of[columns.name] if columns.name is not None else nothing
    sources = of[columns.source] if columns.source is not None else nothing
    further = _fields(of, columns.other, rows)
    for at, (cells, solution, name, source, fields) in enumerate(
        zip(givens, solutions, names, sources, further, strict=True)
    ):
        puzzle = new(Puzzle)
        content = puzzle.__dict__
        content["shape"] = shape
        content["givens"] = cells
        content["pencilmarks"] = None
        count = None
        if solution is not None:
            count = new(ExpectedCount)
            _set_count(count, 1)
            _set_exact(count, True)
            _set_solution(count, solution)
        parsed = new(ParsedPuzzle)
        content = parsed.__dict__
        content["puzzle"] = puzzle
        content["place"] = f"{place}{block.number + at}"
        content["name"] = name or str(before + at + 1)
        content["expected_count"] = count
        content["source"] = source or None
        content["fields"] = fields
        yield parsed


def _fields(
    of: Sequence[Sequence[str]], columns: Mapping[str, int], rows: int
) -> Iterable[Mapping[str, str]]:
    """The further fields of each row, without those that are empty."""
    texts = [of[at] for at in columns.values()]
    keys = tuple(columns)
    if any("" in column for column in texts):
        return (
            {key: text for key, text in zip(keys, row, strict=True) if text}
            for row in zip(*texts, strict=True)
        )
    match keys:  # dict(zip(...)) takes a third of the time of the whole row
        case ():
            return repeat(NO_FIELDS, rows)
        case (one,):
            return ({one: a} for a in texts[0])
        case (one, two):
            return ({one: a, two: b} for a, b in zip(*texts, strict=True))
        case _:
            return (dict(zip(keys, row, strict=True)) for row in zip(*texts, strict=True))
