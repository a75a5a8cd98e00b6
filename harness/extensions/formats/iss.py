# ruff: noqa: ARG001  all readers have the same arguments
"""Texts of Interactive Sudoku Solver: ``.Kind~arguments~cells``, kinds one after another.

``.~R1C1_5~R2C2_1_2`` are givens and candidates, ``.Cage~6~R1C1~R1C2`` is a killer cage. Rows and
columns from 10 are letters: ``R1Ca`` is in column 10. A file has a link per line, or one text that
may span several lines. Comments begin with ``#``.

Constraints for which that solver has a kind are written as this kind; the others as tables of
pairs, sums, distinct cells and automata (``Pair``, ``Sum``, ``AllDifferent``, ``NFA``), and read
back as these. Odd and even cells become candidates.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache, partial
from itertools import chain, combinations, groupby, pairwise
from typing import Any, Final, NamedTuple
from urllib.parse import quote, unquote

from harness.base.errors import PuzzleError, suggestion
from harness.base.text import shortened
from harness.extensions.formats import automata, fpuzzles
from harness.puzzles import VALUES, Puzzle, Shape, box_of, values_in
from harness.puzzles.constraints import (
    KINDS,
    Automaton,
    Cells,
    Constraint,
    Distinct,
    Line,
    Relation,
    Sum,
    ValueCount,
    automaton_of,
    automaton_text,
    check_constraint,
    table_text,
    transpose,
    union,
)
from harness.puzzles.formats import (
    Format,
    Head,
    ParsedPuzzle,
    ReadSettings,
    TextLine,
    TextSource,
    with_candidates,
)

_LARGEST: Final = 16
"""The most rows of a grid."""
_PLACES: Final = "123456789abcdefg"
"""Symbols of rows and columns."""
_DEEPEST: Final = 3
"""The most levels of kinds inside others."""


# A text: items that begin with a point; tildes separate their arguments.


class _Item(NamedTuple):
    kind: str
    arguments: list[str]

    def named(self, after: "Sequence[_Item]" = ()) -> str:
        """For error messages: the kind, and the first cell of this item or of those in `after`."""
        words = chain.from_iterable(item.arguments for item in (self, *after))
        cell = next(filter(_CELL.fullmatch, words), "").partition("_")[0]
        return f"{self.kind} at {cell}" if cell else self.kind


_CELL: Final = re.compile(r"[Rr]([1-9a-gA-G])[Cc]([1-9a-gA-G])(_.*)?")
_BEYOND: Final = {
    "Or": "alternatives",
    "Var": "cells outside of the grid",
    "ConnectedValues": "connected cells",
    "Doppelganger": "rows without a value",
    **dict.fromkeys(
        ("ChaosConstruction", "ChaosArrow", "ChaosCount"), "regions that depend on the solution"
    ),
    **dict.fromkeys(("FullRank", "FullRankTies"), "an order of rows and columns"),
}
"""Kinds that no constraint of a grid expresses."""


def _items(text: str) -> Iterator[_Item]:
    before, *texts = text.split(".")
    if before.strip():
        raise PuzzleError(f"{shortened(before.strip(), 20)!r} before the first kind", expected=".")
    for item in texts:
        kind, *arguments = "".join(item.split()).split("~")
        yield _Item(kind or "Given", arguments)


def _copies(items: Iterator[_Item], size: int, outer: str = "", depth: int = 0) -> Iterator[_Item]:
    """The items, with the contents of ``And``, and a copy of those of ``Replicate`` per target."""
    if depth > _DEEPEST:
        raise PuzzleError(f"{outer} inside of others", expected=f"at most {_DEEPEST} levels")
    for item in items:
        if item.kind == "End" and outer:
            return
        if item.kind == "And":
            yield from _copies(items, size, item.kind, depth + 1)
        elif item.kind == "Replicate":
            template = list(_copies(items, size, item.kind, depth + 1))
            for move in _moves(item, size):
                for inner in template:
                    arguments = [_move(word, *move, size) for word in inner.arguments]
                    yield inner._replace(arguments=arguments)
        else:
            yield item
    if outer:
        raise PuzzleError(f"{outer} without End", expected=".End")


def _moves(item: _Item, size: int) -> Iterator[tuple[int, int]]:
    """The rows and columns by which each copy moves; the targets are bits, from the origin on."""
    targets, origin, *_ = [*item.arguments, "", ""]
    start = _cell(origin or "R1C1", size)
    for number, symbol in enumerate(targets):
        for bit in range(6):
            if automata.bits_of(symbol) >> bit & 1:
                row, column = divmod(start + 6 * number + bit, size)
                yield row - start // size, column - start % size


def _move(word: str, down: int, right: int, size: int) -> str:
    if not (match := _CELL.fullmatch(word)):
        return word
    row, column = (at + by for at, by in zip(_place(match), (down, right), strict=True))
    if not (0 <= row < size and 0 <= column < size):
        raise PuzzleError(f"a copy of {word} outside of the grid", expected="cells of the grid")
    return f"R{_PLACES[row]}C{_PLACES[column]}{match[3] or ''}"


def _cell(word: str, size: int) -> int:
    match = _CELL.fullmatch(word)
    row, column = _place(match) if match else (size, size)
    if not match or match[3] or row >= size or column >= size:
        last = f"R{_PLACES[size - 1]}C{_PLACES[size - 1]}"
        raise PuzzleError(f"{shortened(word, 20)!r} is not a cell", expected=f"R1C1 to {last}")
    return row * size + column


def _place(match: re.Match[str]) -> tuple[int, int]:
    return _PLACES.index(match[1].lower()), _PLACES.index(match[2].lower())


# Kinds to constraints.


def _split(words: Iterable[str], between: str) -> list[list[str]]:
    """The lists of words; `between` separates lists, and a word with ``_`` names one."""
    parts = groupby(words, lambda word: word == between or word.startswith("_"))
    return [[*part] for is_between, part in parts if not is_between]


class _Text:
    """A text while it is read: its grid, candidates and constraints."""

    def __init__(self, items: Sequence[_Item]) -> None:
        self.size = _size_of(items)
        self.candidates = [(1 << self.size) - 1] * self.size**2
        self.flags: set[str] = set()
        self.regions: list[Cells] = []
        self.constraints: list[Constraint] = []

    def cells(self, words: Iterable[str]) -> Cells:
        return tuple(_cell(word, self.size) for word in words)

    def lists(self, words: Iterable[str], between: str = "") -> tuple[Cells, ...]:
        """The lists of cells; see `_split`."""
        return tuple(map(self.cells, _split(words, between)))

    def square(self, cell: int) -> Cells:
        """The square of four cells with `cell` at its top left."""
        if cell % self.size == self.size - 1 or cell >= self.size * (self.size - 1):
            raise PuzzleError("a square outside of the grid", expected="four cells of the grid")
        return cell, cell + 1, cell + self.size, cell + self.size + 1

    def adjacent(self, cells: Cells) -> Iterator[tuple[int, int]]:
        """The pairs of cells with a common side."""
        pairs = [pair for pair in combinations(cells, 2) if _touch(*pair, self.size)]
        if not pairs:
            raise PuzzleError("cells without a common side", expected="neighbours")
        yield from pairs

    def automaton(
        self, start: Any, step: Callable[..., Any], accepts: Callable[..., bool], *lists: Cells
    ) -> Constraint:
        """The constraint that an automaton accepts the values along each of these lists."""
        automaton = automaton_of(self.size, start, step, accepts)
        return Constraint("automaton", automaton_text(automaton), lists)


def _line(name: str, size: int) -> Cells:
    """The cells of a row or a column such as ``R10``."""
    match = re.fullmatch("([RC])([0-9]{1,2})", name)
    number = int(match[2]) if match else 0
    if not match or not 1 <= number <= size:
        raise PuzzleError(f"{shortened(name, 20)!r} as a line", expected=f"R1 to C{size}")
    start, step = ((number - 1) * size, 1) if match[1] == "R" else (number - 1, size)
    return tuple(start + step * at for at in range(size))


def _touch(first: int, second: int, size: int) -> bool:
    """Whether two cells have a common side."""
    steps = abs(first // size - second // size), abs(first % size - second % size)
    return sum(steps) == 1


def _size_of(items: Sequence[_Item]) -> int:
    shapes = [item for item in items if item.kind == "Shape"] or [_Item("Shape", ["9x9"])]
    text = "~".join(shapes[0].arguments)
    match = re.fullmatch(r"([0-9]{1,2})x([0-9]{1,2})(?:~(?:1-)?([0-9]{1,2}))?", text)
    size = int(match[1]) if match else 0
    if not match or not 2 <= size <= _LARGEST or {*match.groups()} - {match[1], None}:
        expected = "a square up to 16x16 with the values 1 to N, such as 9x9"
        raise PuzzleError(f"the shape {shortened(text, 20)!r}", expected=expected)
    return size


_Reader = Callable[[_Text, list[str]], Iterable[Constraint]]


def _line_of(kind: str) -> _Reader:
    return lambda text, words: [Constraint(kind, "", (text.cells(words),))]


def _integer(words: Sequence[str]) -> str:
    word = words[0] if words else ""
    if not re.fullmatch("-?[0-9]{1,6}", word):
        raise PuzzleError(f"{shortened(word, 20)!r} as the value", expected="a whole number")
    return str(int(word))


def _with_value(kind: str, value_of: Callable[[list[str]], str] = _integer) -> _Reader:
    """A reader of constraints with a value, made of the first word if there is one, and cells."""
    return lambda text, words: [Constraint(kind, value_of(words[:1]), (text.cells(words[1:]),))]


def _total(words: list[str]) -> str:
    total = _integer(words) if words != [""] else ""
    return "" if total == "0" else total


def _sum(words: list[str]) -> str:
    """A total, or a total and coefficients, such as ``0_=_1_1_-1``."""
    total, equals, *coefficients = "".join(words).split("_") + [""] * 2
    factors = ",".join(filter(None, coefficients)) if equals == "=" else ""
    return _integer([total]) + (f"*{factors}" if factors else "")


def _values(words: list[str]) -> str:
    return "".join(words).replace("_", ",")


def _first_of(kind: str) -> _Reader:
    """A reader of constraints with two lists: the first cell, and the others."""
    return lambda text, words: [
        Constraint(kind, "", (text.cells(words[:1]), text.cells(words[1:])))
    ]


def _pill(text: _Text, words: list[str]) -> Iterable[Constraint]:
    number = int(_integer(words))
    if number not in (2, 3):
        raise PuzzleError(f"a pill of {number} cells", expected="2 or 3")
    cells = text.cells(words[1:])
    pill = tuple(sorted(cells[:number]))
    if not _is_pill(pill, text.size):
        raise PuzzleError("cells of a pill that do not touch", expected="steps right, down or both")
    yield Constraint("arrow", "", (pill, cells[number:]))


def _is_pill(cells: Cells, size: int) -> bool:
    """Whether each cell is right of the one before it, below it, or both."""
    places = [divmod(cell, size) for cell in cells]
    steps = [(row - above, column - left) for (above, left), (row, column) in pairwise(places)]
    return {*steps} <= {(0, 1), (1, 0), (1, 1)}


def _whisper(text: _Text, words: list[str]) -> Iterable[Constraint]:
    has_value = words and not _CELL.fullmatch(words[0])
    return _with_value("whisper")(text, words if has_value else ["5", *words])


def _pairs_of(kind: str, value: str) -> _Reader:
    """A reader of dots and signs between the neighbours among the cells."""
    return lambda text, words: [
        Constraint(kind, value, (pair,)) for pair in text.adjacent(text.cells(words))
    ]


def _quad(text: _Text, words: list[str]) -> Iterable[Constraint]:
    cells = text.square(text.cells(words[:1] or [""])[0])
    yield Constraint("quadruple", ",".join(words[1:]), (cells,))


def _look_and_say(text: _Text, words: list[str]) -> Iterable[Constraint]:
    clue = "".join(words[:1])
    if not re.fullmatch("([0-9]{2})+", clue):
        raise PuzzleError(f"{shortened(clue, 20)!r} as the value", expected="pairs of digits")
    cells = text.cells(words[1:])
    for number, value in zip(clue[::2], clue[1::2], strict=True):
        if number != "0":
            yield Constraint("contains-exactly", ",".join(value * int(number)), (cells,))
        for cell in cells if number == "0" else ():
            text.candidates[cell] &= ~(1 << int(value) >> 1)


def _same_values(text: _Text, words: list[str]) -> Iterable[Constraint]:
    number, cells = int(_integer(words)), text.cells(words[1:])
    if number < 1 or len(cells) % number:
        raise PuzzleError(f"{len(cells)} cells in {number} sets", expected="sets of equal size")
    length = len(cells) // number
    sets = tuple(cells[at : at + length] for at in range(0, len(cells), length or 1))
    if number > 1:
        yield Constraint("clone" if number == len(cells) == 2 else "same-values", "", sets)


def _equal_sums(text: _Text, words: list[str]) -> Iterable[Constraint]:
    lists = text.lists(words, "-")
    return [Constraint("equal-sums", "", lists)] if len(lists) > 1 else []


def _table(kind: str, is_old: bool = False) -> _Reader:
    def read(text: _Text, words: list[str]) -> Iterable[Constraint]:
        key = "".join(words[:1])
        if is_old:
            key = key.translate(str.maketrans("-_", "_-"))
        table = automata.table_of(key, text.size)
        if kind == "pairs" and table != transpose(table):
            problem = "a table that is not symmetric"
            raise PuzzleError(problem, expected="the same for both directions")
        if lists := text.lists(words[1:]):
            yield Constraint(kind, table_text(table), lists)

    return read


def _nfa(text: _Text, words: list[str]) -> Iterable[Constraint]:
    by_lengths: dict[tuple[int, ...], list[Cells]] = {}
    for parts in (text.lists(group, "-") for group in _split(words[1:], "")):
        lengths = tuple(map(len, parts)) if len(parts) > 1 else (1,)
        by_lengths.setdefault(lengths, []).append(tuple(chain.from_iterable(parts)))
    for lengths, lists in by_lengths.items():
        automaton = automata.automaton_of_code("".join(words[:1]), text.size, lengths)
        yield Constraint("automaton", automaton_text(automaton), tuple(lists))


def _regex(text: _Text, words: list[str]) -> Iterable[Constraint]:
    pattern = "".join(automata.decode_links("".join(words[:1])).split())
    automaton = automata.Expression(pattern, text.size).automaton
    if lists := text.lists(words[1:]):
        yield Constraint("automaton", automaton_text(automaton), lists)


def _sum_line(text: _Text, words: list[str]) -> Iterable[Constraint]:
    if words[-1:] != ["LOOP"]:
        return _with_value("sum-line")(text, words)
    total = int(_integer(words))
    if not 1 <= total <= 100:
        raise PuzzleError(f"the value {total}", expected="1 to 100")
    return [Constraint("automaton", _loop(text.size, total), (text.cells(words[1:-1]),))]


@lru_cache(maxsize=16)
def _loop(size: int, total: int) -> str:
    """The automaton of a closed line that divides into parts with this total.

    States: the sum so far modulo `total`, and as bits the remainders at which parts may end, since
    no value has passed over them.
    """

    def step(state: tuple[int, int], value: int) -> tuple[int, int] | None:
        so_far, ends = state
        ends &= ~union(1 << (so_far + at) % total for at in range(1, min(value, total + 1)))
        return ((so_far + value) % total, ends) if ends else None

    start = 0, (1 << total) - 1
    return automaton_text(automaton_of(size, start, step, lambda state: state[0] == 0))


def _little_killer(text: _Text, words: list[str]) -> Iterable[Constraint]:
    cell = text.cells(words[1:])[:1]
    cells = _diagonals_of(text.size).get(cell[0] if cell else -1)
    if not cells:
        raise PuzzleError("no diagonal begins here", expected="a cell that stands for a diagonal")
    yield Constraint("little-killer", _integer(words), (cells,))


@lru_cache(maxsize=32)
def _diagonals_of(size: int) -> dict[int, Cells]:
    """The diagonals of at least two cells, by the cell that stands for each: its first."""
    starts = [
        *((row, 1, "DR") for row in range(1, size)),
        *((row, size, "UL") for row in range(2, size)),
        *((1, column, "DL") for column in range(2, size + 1)),
        *((size, column, "UR") for column in range(2, size)),
    ]
    return {cells[0]: cells for start in starts if (cells := fpuzzles.diagonal_from(*start, size))}


def _clues(kind: str) -> _Reader:
    """A reader of clues at both ends of a line; one end or both may be without a clue."""

    def read(text: _Text, words: list[str]) -> Iterable[Constraint]:
        name, *values = words or [""]
        for step, value in zip((1, -1), values, strict=False):
            if value:
                yield Constraint(kind, _integer([value]), (_line(name, text.size)[::step],))

    return read


def _sandwich(text: _Text, words: list[str]) -> Iterable[Constraint]:
    yield Constraint("sandwich", _integer(words), (_line("".join(words[1:2]), text.size),))


def _indexing(text: _Text, words: list[str]) -> Iterable[Constraint]:
    if words[:1] not in (["C"], ["R"]):
        raise PuzzleError("an indexer without a direction", expected="C or R")
    kind = "column-indexer" if words[0] == "C" else "row-indexer"
    return _line_of(kind)(text, words[1:])


# Kinds that the harness reads as automata.


def _value_indexing(text: _Text, words: list[str]) -> Iterable[Constraint]:
    """The first value recurs as many cells after the second cell as the second value says."""

    def step(state: tuple[int, int, int], value: int) -> tuple[int, int, int] | None:
        read, goal, remaining = state
        if read < 2:
            return read + 1, goal or value, value
        return (2, goal, max(remaining - 1, 0)) if remaining != 1 or value == goal else None

    accepts = lambda state: state[0] == 2 and not state[2]  # noqa: E731
    yield text.automaton((0, 0, 0), step, accepts, text.cells(words))


def _hidden_skyscraper(text: _Text, words: list[str]) -> Iterable[Constraint]:
    """The first value hidden behind a larger one is the clue."""
    for constraint in _clues("skyscraper")(text, words):
        clue = int(constraint.value)

        def step(highest: int, value: int, clue: int = clue) -> int | None:
            if highest < 0 or value == clue < highest:
                return -1
            return value if value >= highest else None

        yield text.automaton(0, step, lambda state: state < 0, *constraint.lists)


def _rellik(text: _Text, words: list[str]) -> Iterable[Constraint]:
    """The values differ, and no set of them adds up to the total."""
    total, cells = int(_integer(words)), text.cells(words[1:])
    if not 1 <= total <= 200:
        raise PuzzleError(f"the value {total}", expected="1 to 200")

    def step(sums: int, value: int) -> int | None:
        sums |= sums << value & (2 << total) - 1
        return None if sums >> total & 1 else sums

    yield Constraint("distinct", "", (cells,))
    yield text.automaton(1, step, lambda _: True, cells)


def _equality(text: _Text, words: list[str]) -> Iterable[Constraint]:
    """Different values: as many even as odd, as many low as high, and none in the middle."""
    cells, size = text.cells(words), text.size

    def step(state: tuple[int, int], value: int) -> tuple[int, int] | None:
        after = state[0] + (-1) ** value, state[1] + (1 if 2 * value <= size else -1)
        return after if max(map(abs, after)) <= len(cells) and 2 * value != size + 1 else None

    yield Constraint("distinct", "", (cells,))
    yield text.automaton((0, 0), step, lambda state: state == (0, 0), cells)


def _flatmates(text: _Text, words: list[str]) -> Iterable[Constraint]:
    """Each 5 has a 1 above it or a 9 below it."""

    def step(state: tuple[bool, bool], value: int) -> tuple[bool, bool] | None:
        is_after_1, needs_9 = state
        return None if needs_9 and value != 9 else (value == 1, value == 5 and not is_after_1)

    columns = (_line(f"C{number}", text.size) for number in range(1, text.size + 1))
    yield text.automaton((False, False), step, lambda state: not state[1], *columns)


def _squares(class_of: Callable[[int], int]) -> _Reader:
    """A reader of the rule that each square of four cells has values of all three classes."""

    def read(text: _Text, words: list[str]) -> Iterable[Constraint]:
        corners = (cell for cell in range(72) if cell % 9 < 8)
        step = lambda classes, value: classes | 1 << class_of(value)  # noqa: E731
        yield text.automaton(0, step, lambda classes: classes == 7, *map(text.square, corners))

    return read


# Rules for the whole grid.


def _givens(text: _Text, words: list[str]) -> Iterable[Constraint]:
    for word in filter(None, words):
        name, *values = word.split("_")
        cell = _cell(name, text.size)
        if {*values} - {*map(str, range(1, text.size + 1))}:
            problem = f"{shortened(word, 40)!r} as a given"
            raise PuzzleError(problem, expected=f"values from 1 to {text.size}")
        text.candidates[cell] &= sum(1 << value - 1 for value in {*map(int, values)})
    return ()


def _jigsaw(text: _Text, words: list[str]) -> Iterable[Constraint]:
    symbols = words[-1] if words else ""
    if len(symbols) != text.size**2:
        problem = f"regions of {len(symbols)} cells"
        raise PuzzleError(problem, expected=f"a symbol for each of {text.size**2} cells")
    regions: dict[str, list[int]] = {}
    for cell, symbol in enumerate(symbols):
        regions.setdefault(symbol, []).append(cell)
    whole = [tuple(cells) for cells in regions.values() if len(cells) == text.size]
    if len(whole) < len(regions) - 1:
        raise PuzzleError("regions of different sizes", expected=f"{text.size} cells each")
    text.regions += whole
    return ()


def _flag(name: str) -> _Reader:
    def read(text: _Text, words: list[str]) -> Iterable[Constraint]:
        text.flags.add(name)
        return ()

    return read


def _diagonal(text: _Text, words: list[str]) -> Iterable[Constraint]:
    if words not in (["1"], ["-1"]):
        raise PuzzleError(f"the diagonal {shortened('~'.join(words), 20)!r}", expected="1 or -1")
    return _flag(words[0])(text, words)


def _region_size(text: _Text, words: list[str]) -> Iterable[Constraint]:
    if words != [str(text.size)]:
        raise PuzzleError("regions of another size", expected=str(text.size))
    return ()


def _whole(kind: str) -> _Reader:
    return lambda _, __: [Constraint(kind)]


_VARIANTS: Final = fpuzzles.named(
    "Windoku=windoku DisjointSets=disjoint AntiKnight=antiknight AntiKing=antiking"
)
_LINES: Final = fpuzzles.named(
    "Thermo=thermometer Renban=renban RegionSumLine=region-sum Between=between Zipper=zipper "
    "Palindrome=palindrome DoubleArrow=double-arrow AllDifferent=distinct "
    "CountingCircles=counting-circles"
)
"""Kinds that have only cells."""
_VALUED: Final = fpuzzles.named(
    "Lockout=lockout Modular=modular SumLine=sum-line Lunchbox=lunchbox"
)
"""Kinds with a number and cells."""
_CLUES: Final = fpuzzles.named("XSum=x-sum Skyscraper=skyscraper NumberedRoom=numbered-room")
_SIGNS: Final = {
    "WhiteDot": ("difference", ""),
    "BlackDot": ("ratio", ""),
    "X": ("xv", "x"),
    "V": ("xv", "v"),
    "GreaterThan": ("greater", ""),
}
"""Kinds of signs between neighbours, with their values."""
_WHOLE: Final = fpuzzles.named(
    "StrictKropki=all-dots StrictXV=all-xv AntiConsecutive=nonconsecutive AntiTaxicab=self-taxicab"
)
"""Rules for all cells."""
_READERS: Final[dict[str, _Reader]] = {
    **{name: _pairs_of(*sign) for name, sign in _SIGNS.items()},
    **{name: _whole(kind) for name, kind in _WHOLE.items()},
    **{name: _line_of(kind) for name, kind in _LINES.items()},
    **{name: _with_value(kind) for name, kind in _VALUED.items()},
    **{name: _clues(kind) for name, kind in _CLUES.items()},
    **{name: _flag(variant) for name, variant in _VARIANTS.items()},
    "Given": _givens,
    "NoBoxes": _flag("NoBoxes"),
    "Jigsaw": _jigsaw,
    "RegionSize": _region_size,
    "Diagonal": _diagonal,
    "Cage": _with_value("killer", _total),
    "Sum": _with_value("sum", _sum),
    "Arrow": _first_of("arrow"),
    "PillArrow": _pill,
    "LittleKiller": _little_killer,
    "Sandwich": _sandwich,
    "Whisper": _whisper,
    "Entropic": _line_of("entropic"),
    "Quad": _quad,
    "ContainAtLeast": _with_value("contains", _values),
    "ContainExact": _with_value("contains-exactly", _values),
    "LookAndSay": _look_and_say,
    "SameValues": _same_values,
    "EqualSum": _equal_sums,
    "SumLine": _sum_line,
    "CountDistinct": _first_of("count-distinct"),
    "Indexing": _indexing,
    "Pair": _table("pair"),
    "PairX": _table("pairs"),
    "Binary": _table("pair", is_old=True),
    "BinaryX": _table("pairs", is_old=True),
    "Regex": _regex,
    "NFA": _nfa,
    "ValueIndexing": _value_indexing,
    "HiddenSkyscraper": _hidden_skyscraper,
    "RellikCage": _rellik,
    "EqualityCage": _equality,
    "DutchFlatmates": _flatmates,
    "GlobalEntropy": _squares(lambda value: (value - 1) // 3),
    "GlobalMod": _squares(lambda value: value % 3),
    **dict.fromkeys(("SearchPriority", "RegionSameValues", "Shape"), lambda _, __: ()),
}


_OF_NINE: Final = ("Entropic", "DutchFlatmates", "GlobalEntropy", "GlobalMod")
"""Kinds of a 9x9 only."""


def _read(text: str, reading: ReadSettings, place: str, number: str) -> ParsedPuzzle:
    items = list(_items(text))
    for at, item in enumerate(items):
        if item.kind in _BEYOND:
            problem = f"{item.named(items[at:])}: {_BEYOND[item.kind]}"
            raise PuzzleError(problem, expected="constraints of the cells of a grid")
    grid = _Text(items)
    for item in _copies(iter(items), grid.size):
        try:
            if item.kind not in _READERS:
                problem = f"an unknown kind{suggestion(item.kind, _READERS)}"
                raise PuzzleError(problem, expected="a kind such as Cage, Thermo or Arrow")
            if item.kind in _OF_NINE and grid.size != 9:
                raise PuzzleError(f"the size {grid.size}", expected="9")
            constraints = [
                check_constraint(constraint, grid.size)
                for constraint in _READERS[item.kind](grid, item.arguments)
            ]
        except PuzzleError as error:
            problem = f"{item.named()}: {error.what}"
            raise PuzzleError(problem, expected=error.expected) from None
        grid.constraints += constraints
    shape = _shape(grid)
    reading.require_shape(shape)
    puzzle = Puzzle(shape, (0,) * shape.size**2, tuple(grid.candidates))
    return ParsedPuzzle(puzzle, place, number)


def _shape(text: _Text) -> Shape:
    """The shape of a text; groups that cannot be its houses become ``distinct`` constraints."""
    size = text.size
    has_boxes = box_of(size) is not None and "NoBoxes" not in text.flags
    base = f"{size}x{size}" if has_boxes else f"latin{size}"
    groups = text.regions
    if not has_boxes and len(groups) == size:
        base, groups = fpuzzles.base_of(fpuzzles.areas_of(groups)), []
    names = [name for name in _VARIANTS.values() if name in text.flags]
    if not has_boxes and box_of(size):
        for name in {"windoku", "disjoint"}.intersection(names):
            names.remove(name)
            usual = Shape.parse(f"{size}x{size}+{name}")
            groups += [house.cells for house in usual.houses if house.kind in ("window", "group")]
    diagonals = dict(zip(("1", "-1"), fpuzzles.diagonals(size).values(), strict=True))
    if diagonals.keys() <= text.flags:
        names.append("diagonal")
    else:
        groups = [*groups, *(cells for name, cells in diagonals.items() if name in text.flags)]
    further = [Constraint("distinct", "", (cells,)) for cells in groups]
    return Shape.parse("+".join([base, *names])).with_constraints([*further, *text.constraints])


# Constraints to kinds: by a kind of their own, or as primitives.


_NAME_OF: Final = {
    "all-differences": "AntiConsecutive",
    **{kind: name for kinds in (_LINES, _VALUED, _CLUES, _WHOLE) for name, kind in kinds.items()},
}


class _Writer:
    """Writes a puzzle as `text`."""

    def __init__(self, puzzle: Puzzle) -> None:
        self._shape = puzzle.shape
        self._size = puzzle.shape.size
        self._candidates = list(puzzle.allowed)
        self._field = self._shape.constraint_field
        self._used: dict[str, str] = {}
        texts = [*self._grid()]
        for constraint in self._shape.constraints:
            text = self._by_name(constraint)
            texts += self._primitives(constraint) if text is None else [text]
        marks = [
            "_".join(map(str, [self._name(cell), *values_in(bits)]))
            for cell, bits in enumerate(self._candidates)
            if bits != (1 << self._size) - 1
        ]
        self.text = "".join(texts) + (self._item("", *marks) if marks else "")

    def _item(self, kind: str, *words: object) -> str:
        return "~".join([f".{kind}", *map(str, words)])

    def _name(self, cell: int) -> str:
        return f"R{_PLACES[cell // self._size]}C{_PLACES[cell % self._size]}"

    def _with_cells(self, kind: str, cells: Iterable[int], *words: object) -> str:
        return self._item(kind, *words, *map(self._name, cells))

    def _lists(self, kind: str, lists: Iterable[Cells], between: str, *words: object) -> str:
        texts = ("~".join(map(self._name, cells)) for cells in lists)
        return self._item(kind, *words, f"~{between}~".join(texts))

    def _once(self, text: str, place: str) -> str | None:
        """`text`, if no other text has its place; None otherwise."""
        return text if self._used.setdefault(place, text) == text else None

    def _grid(self) -> Iterator[str]:
        size = self._size
        usual = Shape.parse(f"{size}x{size}").region_of if box_of(size) else None
        variants = {"diagonal", *_VARIANTS.values()}
        if self._shape.region_of != usual:
            variants -= {"disjoint"}
        parts = fpuzzles.parts_of(self._shape, variants)
        assert parts is not None
        if size != 9:
            yield self._item("Shape", f"{size}x{size}")
        if parts.regions != usual:
            yield ".NoBoxes"
            if parts.regions:
                yield self._item("Jigsaw", "".join(VALUES[region - 1] for region in parts.regions))
        yield from (f".{name}" for name, variant in _VARIANTS.items() if variant in parts.variants)
        if "diagonal" in parts.variants:
            yield ".Diagonal~1.Diagonal~-1"
        yield from (self._with_cells("AllDifferent", cells) for cells in parts.groups)

    def _by_name(self, constraint: Constraint) -> str | None:
        """The constraint as a kind of its own; None if no kind expresses it."""
        kind, value, lists, size = constraint.kind, constraint.value, constraint.lists, self._size
        cells = lists[0] if lists else ()
        if kind == "distinct" and cells in fpuzzles.diagonals(size).values():
            return f".Diagonal~{1 if cells[0] else -1}"
        if kind == "sandwich" or kind in _CLUES.values():
            return self._clue(constraint)
        if not lists:
            return self._whole(kind)
        if kind in _VALUED.values():
            value = value or {"lockout": "4", "modular": "3", "sum-line": "10"}[kind]
            return self._with_cells(_NAME_OF[kind], cells, value)
        if kind in _NAME_OF:
            return self._with_cells(_NAME_OF[kind], cells)
        match kind:
            case "killer" if "," not in value:
                return self._with_cells("Cage", cells, value or 0)
            case "sum":
                return self._sum(constraint)
            case "arrow" if len(cells) == 1:
                return self._with_cells("Arrow", constraint.cells)
            case "arrow" if len(cells) < 4 and _is_pill(cells, size):
                return self._with_cells("PillArrow", constraint.cells, len(cells))
            case "whisper":
                return self._with_cells("Whisper", cells, value or (size + 1) // 2)
            case "entropic" if size == 9:
                return self._with_cells("Entropic", cells)
            case "little-killer" if {*_diagonals_of(size).get(min(cells), ())} == {*cells}:
                text = self._with_cells("LittleKiller", [min(cells)], value)
                return self._once(text, f"{kind}{min(cells)}")
            case "pair" | "pairs" if kind == "pair" or transpose(_rows(value)) == _rows(value):
                name = "Pair" if kind == "pair" else "PairX"
                return self._lists(name, lists, "", automata.key_of(_rows(value)))
            case "contains" | "contains-exactly" | "quadruple":
                return self._contains(constraint)
            case "same-values":
                return self._with_cells("SameValues", constraint.cells, len(lists))
            case "clone":
                pairs = (pair for pair in zip(*lists, strict=True) if len({*pair}) == 2)
                return "".join(self._with_cells("SameValues", pair, 2) for pair in pairs)
            case "equal-sums":
                return self._lists("EqualSum", lists, "-")
            case "count-distinct" if len(lists) == 2:
                return self._with_cells("CountDistinct", constraint.cells)
            case "row-indexer" | "column-indexer":
                return self._with_cells("Indexing", cells, kind[0].upper())
        return self._signs(constraint)

    def _signs(self, constraint: Constraint) -> str | None:
        """The constraint as dots or signs; None without such a sign, or if cells do not touch."""
        kind, value, pairs = constraint.kind, constraint.value, [*pairwise(constraint.cells)]
        sign = kind, "" if {"difference": "1", "ratio": "2"}.get(kind) == value else value.lower()
        names = [name for name, meaning in _SIGNS.items() if meaning == sign]
        if not names or not all(_touch(*pair, self._size) for pair in pairs):
            return None
        return "".join(self._with_cells(names[0], pair) for pair in pairs)

    def _whole(self, kind: str) -> str | None:
        exempt = ("difference", "ratio") if kind != "all-xv" else ("xv",)
        signs = [*self._field.of_kind(*exempt)] if kind.startswith("all-") else []
        is_right = all(map(self._signs, signs)) if kind != "all-differences" else not signs
        return f".{_NAME_OF[kind]}" if is_right and kind in _NAME_OF else None

    def _sum(self, constraint: Constraint) -> str | None:
        total, _, factors = constraint.value.partition("*")
        coefficients = [int(number) for number in factors.split(",")] if factors else []
        if "," in total or any(abs(number) > 100 for number in coefficients):
            return None
        words = [total, *(["=", *coefficients] if factors else [])]
        return self._with_cells("Sum", constraint.cells, "_".join(map(str, words)))

    def _contains(self, constraint: Constraint) -> str | None:
        values, first = constraint.value.split(","), min(constraint.cells)
        square = {first, first + 1, first + self._size, first + self._size + 1}
        is_square = {*constraint.cells} == square and (first + 1) % self._size > 0
        quad = self._item("Quad", self._name(first), *values)
        if constraint.kind == "quadruple" and is_square and self._once(quad, f"Quad{first}"):
            return quad
        name = "ContainExact" if constraint.kind == "contains-exactly" else "ContainAtLeast"
        return self._with_cells(name, constraint.cells, "_".join(values))

    def _clue(self, constraint: Constraint) -> str | None:
        for name in (f"{line}{number + 1}" for line in "RC" for number in range(self._size)):
            cells = _line(name, self._size)
            if constraint.kind == "sandwich" and {*cells} == {*constraint.cells}:
                return self._once(self._item("Sandwich", constraint.value, name), f"Sandwich{name}")
            for values in ([constraint.value, ""], ["", constraint.value]):
                if constraint.cells == (cells if values[0] else cells[::-1]):
                    item = self._item(_NAME_OF[constraint.kind], name, *values)
                    return self._once(item, f"{constraint.kind}{name}{bool(values[0])}")
        return None

    def _primitives(self, constraint: Constraint) -> list[str]:
        """The texts of the primitives of a constraint.

        Raises:
            PuzzleError: they leave a cell without candidates.
        """
        size = self._size
        texts = []
        lists: dict[tuple[int, ...], list[Cells]] = {}  # by their table
        lines: dict[Automaton, list[Cells]] = {}
        for primitive in KINDS[constraint.kind].reduce(constraint, self._field):
            match primitive:
                case Relation(first, second, table):
                    lists.setdefault(table, []).append((first, second))
                case Distinct(cells):
                    texts.append(self._with_cells("AllDifferent", cells))
                case Sum(cells, coefficients, totals) if cells or 0 not in totals:
                    value = f"{','.join(map(str, totals))}*{','.join(map(str, coefficients))}"
                    if text := self._sum(Constraint("sum", value, (cells,))):
                        texts.append(text)
                    else:
                        lines.setdefault(_sum_automaton(primitive, size), []).append(cells)
                case ValueCount(cells, values):
                    (cell,) = cells  # kinds that count in several cells have names
                    self._candidates[cell] &= values
                case Line(cells, automaton):
                    lines.setdefault(automaton, []).append(cells)
        name = f"_{constraint.kind}"
        for table, pairs in lists.items():
            texts.append(self._lists("Pair", pairs, "", automata.key_of(table), name))
        for automaton, cells_of in lines.items():
            texts.append(self._lists("NFA", cells_of, "", automata.code_of(automaton, size), name))
        if not all(self._candidates):
            raise PuzzleError(f"holds no {shortened(constraint.text(size), 60)} without candidates")
        return texts


def _rows(value: str) -> tuple[int, ...]:
    return tuple(int(row, 16) for row in value.split(","))


def _sum_automaton(primitive: Sum, size: int) -> Automaton:
    """States: the number of cells so far, and their sum."""
    end = len(primitive.cells)

    def step(state: tuple[int, int], value: int) -> tuple[int, int] | None:
        place, so_far = state
        return (place + 1, so_far + primitive.coefficients[place] * value) if place < end else None

    ends = {(end, total) for total in primitive.totals}
    return automaton_of(size, (0, 0), step, ends.__contains__)


# Files: a link per line, or one text.


def _pieces(source: TextSource) -> Iterator[list[TextLine]]:
    """The lines of each puzzle: a link, or consecutive lines that are not links."""
    lines = (fpuzzles.link_of(line) for line in source.lines() if line.text)
    for is_link, group in groupby(lines, lambda line: bool(fpuzzles.LINK.match(line.text))):
        rows = [*group]
        yield from ([row] for row in rows) if is_link else [rows]


def _parse(reading: ReadSettings, piece: tuple[int, list[TextLine]]) -> ParsedPuzzle:
    number, lines = piece
    text = "\n".join(line.text for line in lines)
    place = lines[0].place()
    if fpuzzles.LINK.match(text):
        start = text.find("q=")
        if start < 0:
            raise PuzzleError("a link without a puzzle", where=place, expected="?q= and the text")
        text = unquote(lines[0].until("&#", start + 2).text)
    with fpuzzles.placed_at(lines[0]):
        return _read(text, reading, place, str(number))


def _write(puzzles: Iterable[ParsedPuzzle]) -> Iterator[str]:
    for parsed in puzzles:
        text = quote(_Writer(parsed.puzzle).text, safe="~")
        yield f"https://sigh.github.io/Interactive-Sudoku-Solver/?q={text}\n"


def _can_hold(parsed: ParsedPuzzle) -> str | None:
    shape = parsed.puzzle.shape
    if shape.size > _LARGEST:
        return f"holds at most {_LARGEST} rows, not {shape.size}"
    if fpuzzles.parts_of(shape, ()) is None:
        return f"holds shapes whose rows and columns are houses only, not {shape}"
    if problem := with_candidates(parsed):
        return problem
    try:
        _Writer(parsed.puzzle)
    except PuzzleError as error:
        is_reason = error.what.startswith("holds")
        return error.what if is_reason else f"holds no puzzle with {error.what}"
    return None


_KINDS: Final = "|".join({*_READERS, *_BEYOND, "And", "Replicate"} - {"X", "V"})
_FIRST: Final = re.compile(rf"\.(?:~[Rr]|[XV]~|(?:{_KINDS})(?:[~.\s]|$))")


def _detect(head: Head) -> bool:
    is_link = "Interactive-Sudoku-Solver" in head.first[: fpuzzles.LONGEST_LINK]
    return is_link or _FIRST.match(head.first) is not None


FORMAT: Final = Format(
    name="iss",
    title="links and texts of Interactive Sudoku Solver",
    read=lambda source, reading: reading.each(
        enumerate(_pieces(source), 1), partial(_parse, reading)
    ),
    write=_write,
    can_hold=_can_hold,
    detect=_detect,
    suffixes=(".iss",),
    holds="boxes and regions up to 16x16, constraints and pencilmarks",
)
