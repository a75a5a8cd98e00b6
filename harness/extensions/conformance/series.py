"""Series of questions: one property of a backend, for many cells, values and numbers.

A question of a series stands for a dimension in which a fault can hide: a cell, a value, a
house, a number of clues, a number of solutions, a limit, the number of calls, or what two
consecutive puzzles have in common. All answers follow from the construction with unavoidable
sets, except those of `harness.extensions.conformance.shapes`.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from itertools import chain
from random import Random
from typing import Any, Final

from harness.base.text import number_of
from harness.extensions.conformance.clauses import FEW, Case
from harness.extensions.conformance.questions import (
    BRIEF,
    LARGEST_EMPTY,
    MEDIUM,
    SAMPLE,
    WITH_PENCILMARKS,
    Builder,
    Depth,
    Group,
    UnavoidableSet,
    essential,
    most_disjoint_sets,
    number_of_grids,
    pairs_in_few_houses,
    pairs_kept,
    peers_kept,
    sample_of,
    set_with,
    sets_with,
    solved_and_counted,
    with_values,
)
from harness.extensions.conformance.shapes import known_grid, transcribed
from harness.puzzles import Grid, Puzzle, Scramble, Shape

_DENSE: Final = 0.6
"""The share of givens above which a large puzzle is easy."""
_ROWS: Final = 300
"""The number of rows of a large batch."""
_HUGE: Final = 2**70
"""A limit of `count` beyond 64 bits."""
LARGEST_COUNT: Final = 10_000
"""The largest number of solutions that rows of a batch have, and that every backend counts."""
_FOUR: Final = 4
"""A limit that rows with one and with two disjoint unavoidable sets stay below and reach."""
LIMITS_OF_BATCHES: Final = (0, 2, _FOUR, 300, _HUGE)
"""The limits of large batches: 0 to solve, small ones, one above 8 bits, and one above 64 bits."""


@dataclass(frozen=True, slots=True)
class QuestionSeries:
    """Questions about one property of a backend."""

    title: str
    groups: tuple[Group, ...]

    @property
    def is_demanding(self) -> bool:
        """Whether a slow backend may need more than the time limit for a question."""
        return any(case.is_demanding for case in self.cases)

    @property
    def cases(self) -> Iterator[Case]:
        """All questions, in order."""
        return chain.from_iterable(self.groups)


@cache
def series_of(
    spec: str, *, pencilmarks: bool = False, depth: Depth = Depth.USUAL
) -> tuple[QuestionSeries, ...]:
    """The series about the shape `spec`, without empty ones; none for a very small shape.

    Args:
        spec: the name of the shape.
        pencilmarks: whether to return the series of puzzles with pencilmarks instead.
        depth: how many questions to put.

    Raises:
        PuzzleError: no shape has this name, or no complete grid of it is known.
    """
    shape = Shape.parse(spec)
    if shape.size < 4:  # unavoidable sets leave too little of smaller grids
        return ()
    full = known_grid(shape)
    series = []
    for title, build in (WITH_PENCILMARKS if pencilmarks else _PLAIN).items():
        groups = list(build(shape, full, depth))
        # A slow backend gets only the first groups.
        if title not in ("similar puzzles in a row", "several hundred calls", _LARGE_NUMBERS):
            Random(title).shuffle(groups)  # noqa: S311  an order, not a secret
        if groups:
            series.append(QuestionSeries(title, tuple(groups)))
    return tuple(series)


@cache
def few_questions(
    specs: tuple[str, ...], titles: tuple[str, ...] = (), *, pencilmarks: bool = False
) -> QuestionSeries:
    """A few questions about each shape, and all about its values and its houses.

    Args:
        specs: the names of the shapes.
        titles: the titles of the series; empty for all series.
        pencilmarks: whether to include puzzles with pencilmarks.
    """
    groups: list[Group] = []
    whole = ("every value decides", "every house is kept")
    for spec in specs:
        shape = Shape.parse(spec)
        groups.append(tuple(essential(shape)))
        if shape.size > 25:
            continue
        for marks in (False, True)[: 1 + pencilmarks]:
            for series in series_of(spec, pencilmarks=marks, depth=Depth.BRIEF):
                if not titles or series.title in titles:
                    groups += series.groups[: None if series.title in whole else BRIEF]
    return QuestionSeries("a few questions of each series", tuple(groups))


_NUMBERS: Final = "numbers of solutions"
_LARGE_NUMBERS: Final = "large numbers of solutions"
VARIED: Final = ("every given decides", "late contradictions", "minimal puzzles", _NUMBERS)
"""Titles of series about all kinds of answers."""


@cache
def rows_of_batch(spec: str, limit: int) -> tuple[Case, ...]:
    """The questions of a large batch: to solve with `limit` 0, otherwise to count to 2 or more.

    Rows differ in few cells, and each has a different answer from its neighbours. With a large
    limit, which is for small shapes, the rows have one given each and many solutions.
    """
    full, shape = known_grid(Shape.parse(spec)), Shape.parse(spec)
    if limit > _FOUR:
        return _rows_of_one_given(shape, limit)
    limit_or_none = limit or None
    counted = [
        Case("a row", puzzle, number, limit=_FOUR)
        for puzzle, number in _counts(shape, full, Depth.USUAL)
        if number <= FEW
    ]
    cases: list[Case] = []
    for cell in range(shape.size**2):
        group = _decided_by(sets_with(shape, full, cell)[0], cell, "a row")
        if limit == _FOUR:
            cases += [replace(case, limit=_FOUR) for case in group]
            cases += counted
        else:
            cases.extend(case for case in group if case.limit == limit_or_none)
        if len(cases) >= _ROWS:
            break
    rows = cases * (_ROWS // len(cases) + 1)
    return tuple(rows[:_ROWS])


def _rows_of_one_given(shape: Shape, limit: int) -> tuple[Case, ...]:
    """An empty grid and grids with one given; none if the number of all grids is not known."""
    number = number_of_grids(shape)
    if number is None or min(number, limit) > LARGEST_COUNT:
        return ()
    empty = Puzzle(shape, (0,) * shape.size**2)
    rows = [Case("an empty grid", empty, number, limit=limit)]
    for value in range(1, min(shape.size, 4) + 1):
        puzzle = with_values(empty, {0: value})
        rows.append(Case("one given", puzzle, number // shape.size, limit=limit))
    return tuple(rows)


def _givens(shape: Shape, full: Grid, depth: Depth) -> Iterator[Group]:
    """For each cell puzzles whose solution, or number of solutions, its given decides."""
    for cell in sample_of(shape.size**2, shape, depth):
        name = shape.cell_name(cell)
        yield _decided_by(sets_with(shape, full, cell)[0], cell, f"the given of {name}")


def _values(shape: Shape, full: Grid, depth: Depth) -> Iterator[Group]:
    """For each value puzzles that a given of this value decides."""
    for value in range(1, shape.size + 1):
        cells = [cell for cell, other_value in enumerate(full) if other_value == value]
        for cell in cells if depth is Depth.THOROUGH else cells[-1:]:
            other = value % shape.size + 1
            yield _decided_by(set_with(shape, full, cell, other), cell, f"a given of {value}")


def _decided_by(unavoidable: UnavoidableSet, cell: int, subject: str) -> Group:
    grid, other = unavoidable.grid, unavoidable.other(cell)
    first = unavoidable.puzzle({cell: grid[cell]})
    second = unavoidable.puzzle({cell: other})
    none = unavoidable.puzzle({cell: unavoidable.foreign_value})
    return (
        Case(f"{subject} decides", first, 1),
        Case(f"{subject} decides otherwise", second, 1),
        Case(f"{subject} decides otherwise, counted", second, 1, limit=2),
        Case(f"{subject} decides, counted", first, 1, limit=2),
        Case(f"{subject} contradicts, counted", none, 0, limit=2),
        Case(f"{subject} contradicts", none, 0),
        Case(f"{subject} is missing", unavoidable.puzzle(), 2, limit=9),
    )


_PLAIN_KINDS: Final = ("row", "column", "box")


def _houses(shape: Shape, full: Grid, depth: Depth) -> Iterator[Group]:
    """For each house two equal values in it, and if possible in no other."""
    givens = (0,) * shape.size**2 if shape.size <= LARGEST_EMPTY else full
    first = {house.kind: house for house in shape.houses[::-1] if house.kind in _PLAIN_KINDS}
    others = [house for house in shape.houses if house.kind not in _PLAIN_KINDS]
    usual = [shape.houses[n] for n in sample_of(len(shape.houses), shape, depth)]
    for house in [*first.values(), *others] if depth is Depth.BRIEF else usual:
        cell, other = next(pairs_in_few_houses(shape, house))
        puzzle = with_values(Puzzle(shape, givens), {cell: full[cell], other: full[cell]})
        title = f"two equal values in {house}"
        yield solved_and_counted(title, puzzle, 0, 3)


def _contradictory(shape: Shape, full: Grid, depth: Depth) -> Iterator[Group]:
    """Puzzles of several densities with equal givens in a house of one kind, or of every kind."""
    random = Random(shape.size)  # noqa: S311  puzzles, not secrets
    kinds = list(dict.fromkeys(house.kind for house in shape.houses))
    blanks = (0.2, 0.4) if shape.size > MEDIUM else (0.2, 0.4, 0.6)
    for number in range(SAMPLE * (10 if depth is Depth.THOROUGH else 2)):
        kind = kinds[number % len(kinds)]
        house = random.choice([house for house in shape.houses if house.kind == kind])
        first, second = random.choice(list(pairs_in_few_houses(shape, house)))
        blank = random.choice(blanks)
        values = {cell: 0 for cell in range(len(full)) if random.random() < blank}
        values |= {cell: 0 for cell in shape.peers[first] if full[cell] == full[second]}
        puzzle = with_values(
            Puzzle(shape, full), values | {first: full[second], second: full[second]}
        )
        yield solved_and_counted(f"two equal givens of {puzzle.clues} in a {kind}", puzzle, 0, 2)
        # All peers of the wrong given are given: no blank cell lacks a candidate because of it.
        values = {cell: 0 for cell in values if cell not in shape.peers[first]}
        puzzle = with_values(Puzzle(shape, full), values | {first: full[second]})
        yield solved_and_counted(f"a wrong given of {puzzle.clues} among given peers", puzzle, 0, 2)


def _clues(shape: Shape, full: Grid, depth: Depth) -> Iterator[Group]:
    """For each number of clues a puzzle with two solutions or more, and one with none."""
    cells = range(shape.size**2)
    blank = sets_with(shape, full, 0)[0].cells
    clued = [cell for cell in cells if cell not in blank]
    Random(shape.size).shuffle(clued)  # noqa: S311  an order, not a secret
    for number in sample_of(len(clued), shape, depth):
        clues = number + 1
        if shape.size > MEDIUM and clues < _DENSE * len(cells):
            clues = len(clued) - number % (len(clued) - int(_DENSE * len(cells)))
        values = {cell: full[cell] for cell in clued[:clues]}
        puzzle = with_values(Puzzle(shape, (0,) * len(cells)), values)
        may_have_more = clues < len(clued)
        yield solved_and_counted(f"{clues} clues", puzzle, 2, 2, at_least=may_have_more)
        peers = [peer for peer in shape.peers[clued[0]] if peer not in clued[1 : clues - 1]]
        if clues > 1 and peers:
            twice = {cell: full[cell] for cell in clued[: clues - 1]}
            twice[peers[clues % len(peers)]] = full[clued[0]]
            none = with_values(Puzzle(shape, (0,) * len(cells)), twice)
            yield solved_and_counted(f"{none.clues} clues, two of them equal", none, 0, 2)


def _few_blanks(shape: Shape, full: Grid, _depth: Depth) -> Iterator[Group]:
    """For each small number of blank cells a puzzle with one solution."""
    blank = max(sets_with(shape, full, 0), key=lambda unavoidable: len(unavoidable.cells)).cells
    for number in range(1, len(blank)):
        puzzle = with_values(Puzzle(shape, full), dict.fromkeys(blank[-number:], 0))
        yield _unique(f"{puzzle.clues} clues, one solution", puzzle)


def _unique(title: str, puzzle: Puzzle) -> Group:
    """The questions about a puzzle with one solution."""
    counted_to_1 = Case(f"{title}, counted to 1", puzzle, 1, limit=1)
    return *solved_and_counted(title, puzzle, 1, 2), counted_to_1


def _late_contradictions(shape: Shape, full: Grid, _depth: Depth) -> Iterator[Group]:
    """Puzzles without a solution, whose contradiction shows after several values or in a search."""
    for value in range(2, min(shape.size, MEDIUM) + 1):
        cell = full.index(1) if value % 2 else full.index(value)
        chain_of_cells = set_with(shape, full, cell, value if value % 2 else 1)
        start, end = chain_of_cells.farthest()
        wrong = {start: full[start], end: chain_of_cells.other(end)}
        puzzle = chain_of_cells.puzzle(wrong)
        yield solved_and_counted("a contradiction after some values", puzzle, 0, 2)
    for puzzle, _ in transcribed("hidden", shape):
        yield solved_and_counted("a contradiction that only a search finds", puzzle, 0, 3)


def _minimal(shape: Shape, _full: Grid, _depth: Depth) -> Iterator[Group]:
    """Puzzles with one solution, in which every given is necessary."""
    for puzzle, _ in transcribed("minimal", shape):
        yield _unique(f"one solution with {puzzle.clues} clues", puzzle)


class _Choices(Random):
    """Random choices in place of the compiled ones, whose import takes time and memory."""

    below = Random.randrange

    def order(self, number: int) -> list[int]:
        return self.sample(range(number), number)


def _forms(shape: Shape, full: Grid, depth: Depth) -> Iterator[Group]:
    """Known puzzles with other values, rows and columns: other solutions, and other searches."""
    puzzles = [(puzzle, number) for puzzle, number in _counts(shape, full, depth) if number <= FEW]
    puzzles += [*transcribed("hidden", shape), *transcribed("minimal", shape)]
    # 300 are enough for two given cells to hold a given value in one of the puzzles.
    for form in sample_of(300 if puzzles else 0, shape, depth):
        puzzle, number = puzzles[form % len(puzzles)]
        choices: Any = _Choices(form)
        puzzle = Scramble.random(shape, choices).puzzle(puzzle)
        title = f"a puzzle in another form, {number_of(number, 'solution')}"
        yield solved_and_counted(title, puzzle, number, number + 1)


def _numbers(shape: Shape, full: Grid, depth: Depth) -> Iterator[Group]:
    """Puzzles with few solutions, each with limits around their number."""
    for puzzle, number in _counts(shape, full, depth):
        if number <= FEW:
            yield _counts_around(puzzle, number)
    two = sets_with(shape, full, 0)[0].puzzle()
    yield (Case("2 solutions, limit beyond 64 bits", two, 2, limit=_HUGE),)


def _large_numbers(shape: Shape, full: Grid, depth: Depth) -> Iterator[Group]:
    """Puzzles with many solutions, each with limits around their number."""
    contradiction = with_values(Puzzle(shape, full), {0: full[1]})
    none = Case("no solution, limit 10,000", contradiction, 0, limit=10_000)
    for puzzle, number in _counts(shape, full, depth):
        if number > FEW:
            yield none, *_counts_around(puzzle, number)
    for puzzle, number in transcribed("beyond", shape):
        yield (Case(f"{number:,} solutions", puzzle, number, limit=2 * number),)


def _counts(shape: Shape, full: Grid, depth: Depth) -> Iterator[tuple[Puzzle, int]]:
    yield from transcribed("counted", shape)
    disjoint = most_disjoint_sets(shape, full)
    blanks: dict[int, int] = {}
    for k, unavoidable in enumerate(disjoint[: 8 if depth is Depth.THOROUGH else 4], 1):
        blanks |= dict.fromkeys(unavoidable.cells, 0)
        if k > 1:
            yield with_values(Puzzle(shape, full), blanks), 2**k


def _counts_around(puzzle: Puzzle, number: int) -> Group:
    title = f"{number} solutions"
    return (
        Case(f"{title}, limit {number}", puzzle, number, limit=number),
        Case(f"{title}, limit one higher", puzzle, number, limit=number + 1),
        Case(f"{title}, limit one lower", puzzle, number, limit=number - 1),
        Case(f"{title}, limit 10,000", puzzle, number, limit=10_000),
    )


def _similar(shape: Shape, full: Grid, _depth: Depth) -> Iterator[Group]:
    """Consecutive puzzles that have clues, cells, values or a symmetry in common."""
    last, cells = shape.size**2 - 1, shape.size**2
    for cell in (0, last, cells // 2):
        unavoidable = sets_with(shape, full, cell)[0]
        two = unavoidable.puzzle()
        unique = _with_one_solution(unavoidable)
        outside = next(c for c in range(cells) if c not in unavoidable.cells)
        value = next(
            full[p]
            for p in shape.peers[outside]
            if p not in unavoidable.cells and full[p] != full[outside]
        )
        none = with_values(two, {outside: value})
        yield (
            Case("two solutions, limit 2", two, 2, limit=2),
            Case("two solutions, limit 9 after limit 2", two, 2, limit=9),
            Case("one solution, as many clues", unique, 1, limit=9),
            Case("no solution, as many clues", none, 0, limit=9),
            Case("two solutions, limit 9", two, 2, limit=9),
            Case("one solution, limit 2", unique, 1, limit=2),
            Case("two solutions, limit 2 after limit 9", two, 2, limit=2),
            Case("two solutions, limit 1", two, 2, limit=1),
            Case("two solutions, limit 3", two, 2, limit=3),
            Case("no solution, limit 3", none, 0, limit=3),
            Case("no solution, limit 1", none, 0, limit=1),
            Case("one solution, limit 1", unique, 1, limit=1),
            Case("no solution", none, 0),
            Case("one of two solutions", two, 2),
            Case("one solution", unique, 1),
        )
        first = unavoidable.puzzle({cell: full[cell]})
        for how, other in _symmetric(first):
            yield (
                Case("a puzzle", first, 1),
                Case(f"the puzzle {how}", other, 1),
                Case(f"the puzzle {how}, counted", other, 1, limit=2),
                Case("a puzzle, counted", first, 1, limit=2),
            )


def _with_one_solution(unavoidable: UnavoidableSet) -> Puzzle:
    """A puzzle with one solution and, where possible, as many givens as without the set.

    One cell of the set is given. A cell outside the set is blank, in a house without other
    blank cells, which decides it.
    """
    shape, blank = unavoidable.shape, set(unavoidable.cells)
    whole = [house.cells for house in shape.houses if blank.isdisjoint(house.cells)]
    values = {whole[0][0]: 0} if whole else {}
    cell = unavoidable.cells[0]
    return unavoidable.puzzle({cell: unavoidable.grid[cell], **values})


def _symmetric(puzzle: Puzzle) -> Iterator[tuple[str, Puzzle]]:
    """The puzzle with other values, and turned or transposed where the houses allow it."""
    shape, size = puzzle.shape, puzzle.shape.size
    values = (0, *range(size, 0, -1))
    yield "with the values reversed", Puzzle(shape, tuple(values[v] for v in puzzle.givens))
    moves = {
        "turned by 180 degrees": [size**2 - 1 - cell for cell in range(size**2)],
        "transposed": [cell % size * size + cell // size for cell in range(size**2)],
    }
    houses = {house.cells for house in shape.houses}
    for how, move in moves.items():
        if {tuple(sorted(move[c] for c in house)) for house in houses} == houses:
            yield how, Puzzle(shape, tuple(puzzle.givens[move[c]] for c in range(size**2)))


def _calls(shape: Shape, full: Grid, depth: Depth) -> Iterator[Group]:
    """Several hundred calls to one backend; in a usual examination for the fastest shape only."""
    if shape.size > MEDIUM or not (depth is Depth.THOROUGH or shape.definition == "4x4"):
        return
    unavoidable = sets_with(shape, full, 0)[0]
    cell = unavoidable.cells[0]
    puzzle = unavoidable.puzzle({cell: full[cell]})
    group = (
        Case("the same puzzle, again", puzzle, 1),
        Case("two solutions, again", unavoidable.puzzle(), 2, limit=9),
        Case("no solution, again", unavoidable.puzzle({cell: unavoidable.foreign_value}), 0),
        Case("the same puzzle, counted again", puzzle, 1, limit=2),
    )
    yield from [group] * 250


_PLAIN: Final[dict[str, Builder]] = {
    "every given decides": _givens,
    "every value decides": _values,
    "every house is kept": _houses,
    "every pair is kept": pairs_kept,
    "any two cells of a house differ": peers_kept,
    "every number of clues": _clues,
    "few blank cells": _few_blanks,
    "contradictory givens": _contradictory,
    "late contradictions": _late_contradictions,
    "minimal puzzles": _minimal,
    "other forms of puzzles": _forms,
    _NUMBERS: _numbers,
    _LARGE_NUMBERS: _large_numbers,
    "similar puzzles in a row": _similar,
    "several hundred calls": _calls,
}
"""The series of every backend, by their titles."""
