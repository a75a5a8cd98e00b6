"""Sanity checks: contradictions in the givens of a puzzle, found without search.

The first three checks are those of Arkieva's article on Sudoku in APL; the fourth looks at each
constraint alone. They are sound but incomplete: a puzzle that passes may still have no solution.
("Valid" in LeetCode 36 is the first check.)
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations
from typing import Final

from harness.base.text import number_of, shortened
from harness.puzzles.constraints import Constraint, Distinct, Primitive, Sum
from harness.puzzles.puzzle import Puzzle
from harness.puzzles.search import Filter, are_plain_and_differ, filters_of, propagate
from harness.puzzles.shape import House, Shape, value_of


@dataclass(frozen=True, slots=True)
class Repetition:
    """A value that several cells of a house have, or have as their only candidate."""

    house: str
    """The house, for example `row 1`; for a house or pair of a constraint, the constraint."""
    value: str
    """The symbol."""
    cells: tuple[str, ...]
    """Names of the cells, for example `R1C2`."""


@dataclass(frozen=True, slots=True)
class Unmet:
    """A constraint that no candidates of its cells meet."""

    constraint: str
    """The constraint, for example ``killer 55: R1C1 R1C2``."""
    cells: tuple[str, ...]
    """Names of the cells in which it fails."""
    reason: str
    """Why it fails whatever the givens, as in `2 cells that differ cannot add up to 55`; empty if
    givens matter."""


@dataclass(frozen=True)
class Sanity:
    """The findings of the checks. Cells are row-major indices from 0."""

    shape: Shape
    """The shape of the puzzle."""
    duplicates: tuple[Repetition, ...]
    """Values that are given more than once in a house."""
    candidates: tuple[tuple[int, ...], ...]
    """For each blank cell the values that no peer has, ascending; for a given its value.

    Pencilmarks restrict the values."""
    dead_cells: tuple[int, ...]
    """Blank cells without a candidate."""
    conflicts: tuple[Repetition, ...]
    """Pairs of blank cells of a house with the same only candidate."""
    problem_cells: tuple[int, ...]
    """The cells of all findings, ascending."""
    has_pencilmarks: bool = False
    """Whether the puzzle has pencilmarks."""
    unmet: tuple[Unmet, ...] = ()
    """Constraints that no candidates meet."""
    wrong_digits: tuple[str, ...] = ()
    """Digits of a player that contradict a given or the only solution, in words."""

    @property
    def contradictory(self) -> bool:
        """Whether a check proves that the puzzle has no solution, or finds a wrong digit."""
        findings = self.duplicates, self.dead_cells, self.conflicts, self.unmet, self.wrong_digits
        return any(findings)

    def findings(self) -> Iterator[str]:
        """One line per finding, with its cells."""
        name = self.shape.cell_name
        for d in self.duplicates:
            times = f"{len(d.cells)} times in {d.house}"
            yield f"duplicate: {d.value} is given {times}: {', '.join(d.cells)}"
        for cell in self.dead_cells:
            reason = "is taken by a peer"
            if self.has_pencilmarks:
                reason += " or is not among its pencilmarks"
            yield f"no candidate: every value of {name(cell)} {reason}"
        for c in self.conflicts:
            cells = " and ".join(c.cells)
            yield f"conflict: {c.value} is the only candidate of both {cells} in {c.house}"
        for u in self.unmet:
            text = shortened(u.constraint, _LONGEST)
            if u.reason:
                yield f"impossible: {text}: {u.reason}"
            else:
                yield f"unmet: no candidates of {shortened(', '.join(u.cells), 60)} fit {text}"
        yield from self.wrong_digits


_LONGEST: Final = 80
"""Maximum number of characters of a constraint in a finding."""
_Cells = tuple[int, ...]
_Repeated = tuple[House, int, _Cells]
"""A house, a value, and the cells that repeat it."""


def check(puzzle: Puzzle, fields: Mapping[str, str] | None = None) -> Sanity:
    """Find duplicates, cells without candidates, conflicts and unmet constraints of `puzzle`.

    Args:
        puzzle: the puzzle.
        fields: those of its file, to find wrong digits of a player, with a short search. The
            field ``placed`` names givens that a player placed, as in `R1C1`; ``entries`` has
            digits that are no givens, as in `R1C1=5`.
    """
    shape, givens = puzzle.shape, puzzle.givens
    candidates = tuple(
        (clue,) if clue else tuple(puzzle.candidates(cell)) for cell, clue in enumerate(givens)
    )
    dead = tuple(cell for cell, values in enumerate(candidates) if not values)
    duplicates, conflicts = [*_duplicates(puzzle)], [*_conflicts(puzzle, candidates)]
    unmet = [*_unmet(shape, candidates)] if shape.constraints else []
    repeated_cells = {cell for _, _, cells in (*duplicates, *conflicts) for cell in cells}
    failing = {cell for _, cells, _ in unmet for cell in cells}
    wrong = dict(_wrong_digits(puzzle, fields or {}))

    def names(cells: _Cells) -> tuple[str, ...]:
        return tuple(map(shape.cell_name, cells))

    def repetitions(places: Iterable[_Repeated]) -> tuple[Repetition, ...]:
        return tuple(
            Repetition(_name_of(house, shape), shape.symbol(value), names(cells))
            for house, value, cells in places
        )

    return Sanity(
        shape=shape,
        duplicates=repetitions(duplicates),
        candidates=candidates,
        dead_cells=dead,
        conflicts=repetitions(conflicts),
        problem_cells=tuple(sorted({*dead, *repeated_cells, *failing, *wrong})),
        has_pencilmarks=puzzle.pencilmarks is not None,
        unmet=tuple(
            Unmet(constraint.text(shape.size), names(cells), reason)
            for constraint, cells, reason in unmet
        ),
        wrong_digits=tuple(wrong.values()),
    )


def _wrong_digits(puzzle: Puzzle, fields: Mapping[str, str]) -> Iterator[tuple[int, str]]:
    """Digits of a player that contradict a given or the only solution: the cell, and why."""
    shape = puzzle.shape
    cells = {shape.cell_name(cell): cell for cell in range(shape.size**2)}
    placed = {cells[name] for name in fields.get("placed", "").split() if name in cells}
    digits = {cell: puzzle.givens[cell] for cell in placed}
    for entry in fields.get("entries", "").split():
        name, _, symbol = entry.partition("=")
        if name in cells:
            digits[cells[name]] = value_of(symbol) or 0
    if not any(digits.values()):
        return
    from harness.puzzles.search import solver_of  # its library takes long to import

    givens = tuple(0 if cell in placed else value for cell, value in enumerate(puzzle.givens))
    result = solver_of(shape).search_puzzle(Puzzle(shape, givens), 2, nodes=10_000)
    solution = result.solution if result.number == 1 and result.exact else None
    for cell, value in sorted(digits.items()):
        peer = next((peer for peer in shape.peers[cell] if value and givens[peer] == value), None)
        if peer is not None:
            reason = f"it is given at {shape.cell_name(peer)}"
        elif value and solution and solution[cell] != value:
            reason = f"the solution has {shape.symbol(solution[cell])}"
        else:
            continue
        yield cell, f"placed: {shape.symbol(value)} at {shape.cell_name(cell)}, but {reason}"


def _name_of(house: House, shape: Shape) -> str:
    """The name of a house or of a pair; for those of a constraint, the constraint."""
    if house.kind in ("pair", "extra"):
        for constraint, primitives in shape.reductions:
            groups = (set(p.cells) for p in primitives if isinstance(p, Distinct))
            if any(group.issuperset(house.cells) for group in groups):
                return shortened(constraint.text(shape.size), _LONGEST)
    return str(house)


def _all_different(shape: Shape) -> Iterator[House]:
    """The houses, and the pairs as houses of two cells."""
    yield from shape.houses
    for number, pair in enumerate(shape.pairs, 1):
        yield House("pair", number, pair)


def _duplicates(puzzle: Puzzle) -> Iterator[_Repeated]:
    for house in _all_different(puzzle.shape):
        places: dict[int, list[int]] = {}
        for cell in house.cells:
            if clue := puzzle.givens[cell]:
                places.setdefault(clue, []).append(cell)
        for value, cells in sorted(places.items()):
            if len(cells) > 1:
                yield house, value, tuple(cells)


def _conflicts(puzzle: Puzzle, candidates: tuple[tuple[int, ...], ...]) -> Iterator[_Repeated]:
    pairs: set[tuple[int, int]] = set()
    for house in _all_different(puzzle.shape):
        single = [c for c in house.cells if not puzzle.givens[c] and len(candidates[c]) == 1]
        for pair in combinations(single, 2):
            if candidates[pair[0]] == candidates[pair[1]] and pair not in pairs:
                pairs.add(pair)
                yield house, candidates[pair[0]][0], pair


def _unmet(
    shape: Shape, candidates: Sequence[Sequence[int]]
) -> Iterator[tuple[Constraint, _Cells, str]]:
    every = (1 << shape.size) - 1
    domains = [sum(1 << value - 1 for value in values) or every for values in candidates]
    for constraint, filters, reason in _demands(shape.definition):
        if reason:
            yield constraint, constraint.cells, reason
            continue
        alone = [filter_.cells for filter_ in filters if not propagate([filter_], [*domains])]
        if alone:
            yield constraint, tuple(sorted({c for cells in alone for c in cells})), ""
        elif not propagate(filters, [*domains]):
            yield constraint, constraint.cells, ""


@lru_cache(maxsize=8)
def _demands(definition: str) -> list[tuple[Constraint, list[Filter], str]]:
    """The constraints of a shape, their filters, and why no values meet each; empty if some do.

    Args:
        definition: that of the shape, since equal shapes may word their constraints differently.
    """
    shape = Shape.parse(definition)
    every = [(1 << shape.size) - 1] * shape.size**2
    demands = []
    for constraint, primitives in shape.reductions:
        filters, reason = filters_of(primitives, shape.size, shape.peers), ""
        groups = (len(p.cells) for p in primitives if isinstance(p, Distinct))
        if too_many := next((cells for cells in groups if cells > shape.size), 0):
            reason = f"{too_many} cells cannot differ with {shape.size} values"
        elif not propagate(filters, [*every]):
            reason = _bad_sum(primitives, shape) or "no values fit"
        demands.append((constraint, filters, reason))
    return demands


def _bad_sum(primitives: Iterable[Primitive], shape: Shape) -> str:
    """The first sum that no values meet, in words; empty if there is none."""
    every = [(1 << shape.size) - 1] * shape.size**2
    for primitive in primitives:
        if not isinstance(primitive, Sum) or {*primitive.coefficients} != {1}:
            continue
        if not propagate(filters_of([primitive], shape.size, shape.peers), [*every]):
            cells = number_of(len(primitive.cells), "cell")
            if are_plain_and_differ(primitive, shape.peers) and len(primitive.cells) > 1:
                cells += " that differ"
            return f"{cells} cannot add up to {' or '.join(map(str, primitive.totals))}"
    return ""
