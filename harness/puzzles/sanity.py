"""Sanity checks: contradictions in the givens of a puzzle, found without search.

The checks are those of Arkieva's article on Sudoku in APL. They are sound and
incomplete: a puzzle that passes may still have no solution. ("Valid" in LeetCode 36 is
the first of the three.)
"""

from collections.abc import Iterator
from dataclasses import dataclass

from harness.puzzles.puzzle import Puzzle
from harness.puzzles.shape import House, Shape, symbol_of


@dataclass(frozen=True, slots=True)
class Duplicate:
    """A value given more than once in a house."""

    house: House
    value: int
    cells: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Conflict:
    """Two blank cells of a house whose only candidate is the same value."""

    house: House
    value: int
    cells: tuple[int, int]


@dataclass(frozen=True)
class Sanity:
    """The findings of the checks. Cells are row-major indices from 0."""

    shape: Shape
    """The shape of the puzzle."""
    duplicates: tuple[Duplicate, ...]
    """Values that are given more than once in a house."""
    candidates: tuple[tuple[int, ...], ...]
    """For each blank cell the values that no peer has, ascending; for a given its value.

    Pencilmarks restrict them."""
    dead_cells: tuple[int, ...]
    """Blank cells without a candidate."""
    conflicts: tuple[Conflict, ...]
    """Pairs of blank cells of a house with the same only candidate."""
    restricted: bool = False
    """Whether the puzzle has pencilmarks."""

    @property
    def contradictory(self) -> bool:
        """Whether a check proves that the puzzle has no solution."""
        return bool(self.duplicates or self.dead_cells or self.conflicts)

    @property
    def problem_cells(self) -> tuple[int, ...]:
        """The cells of all findings, ascending."""
        found = set(self.dead_cells)
        for duplicate in self.duplicates:
            found.update(duplicate.cells)
        for conflict in self.conflicts:
            found.update(conflict.cells)
        return tuple(sorted(found))

    def findings(self) -> Iterator[str]:
        """One line per finding, with its cells."""
        name = self.shape.cell_name
        for d in self.duplicates:
            cells = ", ".join(map(name, d.cells))
            times = f"{len(d.cells)} times in {d.house}"
            yield f"duplicate: {symbol_of(d.value)} is given {times}: {cells}"
        for cell in self.dead_cells:
            reason = "is taken by a peer"
            if self.restricted:
                reason += " or is not among its pencilmarks"
            yield f"no candidate: every value of {name(cell)} {reason}"
        for c in self.conflicts:
            cells = " and ".join(map(name, c.cells))
            value = symbol_of(c.value)
            yield f"conflict: {value} is the only candidate of both {cells} in {c.house}"


def check(puzzle: Puzzle) -> Sanity:
    """Find duplicates in houses of `puzzle`, cells without candidates, and conflicts."""
    shape, givens = puzzle.shape, puzzle.givens
    candidates = tuple(
        (given,) if given else _candidates(puzzle, cell) for cell, given in enumerate(givens)
    )
    dead = tuple(cell for cell, values in enumerate(candidates) if not values)
    conflicts = tuple(_conflicts(puzzle, candidates))
    restricted = puzzle.pencilmarks is not None
    return Sanity(shape, tuple(_duplicates(puzzle)), candidates, dead, conflicts, restricted)


def _all_different(shape: Shape) -> Iterator[House]:
    """The houses, and the pairs as houses of two cells."""
    yield from shape.houses
    for number, pair in enumerate(shape.pairs, 1):
        yield House("pair", number, pair)


def _candidates(puzzle: Puzzle, cell: int) -> tuple[int, ...]:
    taken = {puzzle.givens[peer] for peer in puzzle.shape.peers[cell]}
    values = range(1, puzzle.shape.size + 1)
    allowed = puzzle.allowed[cell]
    return tuple(value for value in values if value not in taken and allowed >> value - 1 & 1)


def _duplicates(puzzle: Puzzle) -> Iterator[Duplicate]:
    for house in _all_different(puzzle.shape):
        places: dict[int, list[int]] = {}
        for cell in house.cells:
            if given := puzzle.givens[cell]:
                places.setdefault(given, []).append(cell)
        for value, cells in sorted(places.items()):
            if len(cells) > 1:
                yield Duplicate(house, value, tuple(cells))


def _conflicts(puzzle: Puzzle, candidates: tuple[tuple[int, ...], ...]) -> Iterator[Conflict]:
    seen: set[tuple[int, int]] = set()
    for house in _all_different(puzzle.shape):
        single = [c for c in house.cells if not puzzle.givens[c] and len(candidates[c]) == 1]
        for at, first in enumerate(single):
            for second in single[at + 1 :]:
                if candidates[first] == candidates[second] and (first, second) not in seen:
                    seen.add((first, second))
                    yield Conflict(house, candidates[first][0], (first, second))
