"""The formula of a puzzle: clauses whose models, restricted to the cells, are its solutions.

    variable    "cell c holds value v", for c = 0 .. N*N-1 and v = 1 .. N: the number c * N + v
    literal     a variable, or its negation as a negative number, as in DIMACS

The clauses of a shape:

- every cell has a value; no cell has two
- every house has every value; no house has a value twice
- two cells of a pair have different values

and those of a puzzle: a clause of one literal for each given, a clause of one negated literal
for each value that pencilmarks exclude, and for each forbidden solution the clause that one
cell has another value. The clauses of a shape are the extended encoding of Lynce and Ouaknine,
"Sudoku as a SAT problem" (AIMATH 2006); clauses of two literals that several houses imply
appear once.

The clauses of constraints follow, primitive by primitive in the order of `Shape.primitives`:

    Relation     two values that the table excludes are not both in its cells
    Distinct     its cells have different values
    Sum          of up to `MOST_SETS` sets of different values, if its cells all differ and have
                 the coefficient 1: a variable for each set with one of the totals. One of these
                 is true, and then its cells have exactly the values of the set. Otherwise states
    ValueCount   states, the number of cells so far that have one of the values
    Line         states of the automaton

States are the partial sums, the numbers of cells or the states of the automaton from which an
allowed end can be reached, with a variable for each state after each cell but the last. The state
before the first cell is known. A state and a value make the next state true, or exclude each
other; after each cell some state is true; and a true state requires a value and an earlier state
that lead to it.

Each solution extends to the further variables as described, so the formula has a model for each
solution, and none for another grid. A solution may have several models, as states other than the
actual ones can be true too; the clause that forbids the solution excludes them all. This code
shares nothing with `harness.puzzles.search.encoding`, which backends use.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from itertools import chain, combinations
from math import comb
from typing import Final

import numpy as np
from numpy.typing import NDArray

from harness.base.errors import PuzzleError
from harness.extensions.certificates.kernel import encoded
from harness.puzzles import Grid, Puzzle, Shape
from harness.puzzles.constraints import Distinct, Line, Primitive, Relation, Sum, ValueCount

MOST_BYTES: Final = 2**30
"""Maximum size in bytes of the clauses of a shape: 25x25 takes 21 MiB, 36x36 92 MiB, 64x64
952 MiB, and 66x66 more than the limit."""
_BYTES_A_BINARY_CLAUSE: Final = 32
"""Bytes of the clause itself, its two implications, and their copy in a check."""


@dataclass(frozen=True, eq=False)
class Binaries:
    """Clauses of two literals."""

    clauses: NDArray[np.int32]
    """int32[n, 2]: the literals."""
    variables: int
    """The number of variables."""

    def __len__(self) -> int:
        return len(self.clauses)

    @cached_property
    def implications(self) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
        """What each literal implies, as `harness.extensions.certificates.kernel` reads it.

        Returns:
            int64[2 * variables + 3], where the implications of each literal begin, and int32[2n],
            the implied literals.
        """
        pairs = encoded(self.clauses)
        premises, conclusions = (pairs ^ 1).reshape(-1), pairs[:, ::-1].reshape(-1)
        numbers = np.bincount(premises, minlength=2 * self.variables + 2)
        return np.cumsum([0, *numbers]), conclusions[np.argsort(premises, kind="stable")]


@dataclass(frozen=True, eq=False)
class Formula:
    """Clauses over the variables 1 to `variables`."""

    variables: int
    units: NDArray[np.int32]
    """int32[n]: the literals of the clauses of one literal."""
    binaries: Binaries
    """The clauses of two literals."""
    literals: NDArray[np.int32]
    """int32[n]: the literals of all other clauses, one clause after another."""
    starts: NDArray[np.int64]
    """int64[clauses + 1]: where each of these clauses begins, and the end of the last."""

    def __len__(self) -> int:
        """The number of clauses."""
        return len(self.units) + len(self.binaries) + len(self.starts) - 1

    def clauses(self) -> Iterable[list[int]]:
        """Each clause as a list of literals."""
        yield from ([literal] for literal in self.units.tolist())
        yield from self.binaries.clauses.tolist()
        literals, starts = self.literals.tolist(), self.starts.tolist()
        for at in range(len(starts) - 1):
            yield literals[starts[at] : starts[at + 1]]

    @staticmethod
    def from_clauses(variables: int, clauses: Iterable[Sequence[int]]) -> "Formula":
        """The formula of any `clauses` over this number of `variables`."""
        by_size: dict[int, list[Sequence[int]]] = {1: [], 2: [], 0: []}
        for clause in map(list, map(dict.fromkeys, clauses)):  # a clause is a set
            by_size.get(len(clause), by_size[0]).append(clause)
        return Formula(
            variables,
            np.array(by_size[1], np.int32).reshape(-1),
            Binaries(np.array(by_size[2], np.int32).reshape(-1, 2), variables),
            np.array([literal for clause in by_size[0] for literal in clause], np.int32),
            _starts([len(clause) for clause in by_size[0]]),
        )


def formula_of(puzzle: Puzzle, forbidden: Sequence[Grid] = ()) -> Formula:
    """The formula of `puzzle`, without models for the `forbidden` solutions.

    Args:
        puzzle: the puzzle, optionally with pencilmarks.
        forbidden: complete grids of the shape.

    Raises:
        PuzzleError: the clauses of the shape would take more than `MOST_BYTES`.
    """
    shape = puzzle.shape
    size, cells = shape.size, shape.size**2
    clauses = _clauses_of(shape)
    units = clauses.units.tolist()
    units += [cell * size + value for cell, value in enumerate(puzzle.givens) if value]
    if puzzle.pencilmarks is not None:
        units += [
            -(cell * size + value)
            for cell, marks in enumerate(puzzle.pencilmarks)
            for value in range(1, size + 1)
            if not marks >> value - 1 & 1
        ]
    grids = np.array(forbidden, np.int32).reshape(-1, cells)
    forbidding = -(np.arange(0, cells * size, size, dtype=np.int32) + grids)
    ends = clauses.starts[-1] + cells * np.arange(1, len(grids) + 1, dtype=np.int64)
    return replace(
        clauses,
        units=np.array(units, np.int32),
        literals=np.concatenate([clauses.literals, forbidding.reshape(-1)]),
        starts=np.concatenate([clauses.starts, ends]),
    )


def variables_of(shape: Shape) -> int:
    """The number of variables of the formulas of a shape.

    Raises:
        PuzzleError: as `formula_of`.
    """
    return _clauses_of(shape).variables


def require_few_clauses(shape: Shape) -> None:
    """Check that the clauses of a shape fit into memory, before they are made.

    Raises:
        PuzzleError: they would take more than `MOST_BYTES`.
    """
    size, pairs = shape.size, sum(map(len, shape.peers)) // 2
    number = size**3 * (size - 1) // 2 + pairs * size
    if number * _BYTES_A_BINARY_CLAUSE > MOST_BYTES:
        mebibytes = number * _BYTES_A_BINARY_CLAUSE // 2**20
        raise PuzzleError(
            f"the {number:,} clauses of {shape} take {mebibytes:,} MiB",
            expected=f"a shape whose clauses take at most {MOST_BYTES // 2**20:,} MiB",
        )


@lru_cache(maxsize=16)
def _clauses_of(shape: Shape) -> Formula:
    """The clauses of a shape."""
    require_few_clauses(shape)
    size, cells = shape.size, shape.size**2
    houses = sorted({house.cells for house in shape.houses})
    for house in houses:
        if len(set(house)) != size or not 0 <= min(house) <= max(house) < cells:
            raise PuzzleError(f"a house of {shape} is not {size} cells")
    groups = [sorted(p.cells) for p in shape.primitives if isinstance(p, Distinct)]
    apart = {*shape.pairs, *chain(*(combinations(group, 2) for group in (*houses, *groups)))}
    values = np.arange(1, size + 1, dtype=np.int32)
    of_cell = np.arange(0, cells * size, size, dtype=np.int32)[:, np.newaxis] + values
    # Clauses of two literals: no cell has two values, and two cells of a house or pair differ.
    first, other = np.triu_indices(size, 1)
    two_values = np.stack([of_cell[:, first], of_cell[:, other]], axis=2).reshape(-1, 2)
    ends = np.array(sorted(apart), np.intp).reshape(-1, 2)
    two_cells = np.stack([of_cell[ends[:, 0]], of_cell[ends[:, 1]]], axis=2).reshape(-1, 2)
    two_literals = -np.concatenate([two_values, two_cells])
    # Clauses of `size` literals: every cell has a value, every house every value.
    of_house = of_cell[np.array(houses, np.intp).reshape(-1, size)].transpose(0, 2, 1)
    literals = np.concatenate([of_cell.reshape(-1), of_house.reshape(-1)])
    sizes = [size] * (len(literals) // size)
    encoding = ConstraintClauses(size, apart)
    for primitive in shape.primitives:
        encoding.add(primitive)
    further = Formula.from_clauses(encoding.last, encoding.clauses)
    return replace(
        further,
        binaries=Binaries(np.concatenate([two_literals, further.binaries.clauses]), encoding.last),
        literals=np.concatenate([literals, further.literals]),
        starts=_starts([*sizes, *np.diff(further.starts).tolist()]),
    )


# The clauses of constraints.


MOST_SETS: Final = 1_000
"""Maximum number of sets of values of a sum that get variables; a sum with more gets states."""
_MOST_LITERALS: Final = 2**24
_Step = Callable[[int, int, int], int | None]
"""From a state, the place on the line and a value to the next state; None if there is none."""


class ConstraintClauses:
    """The clauses of primitives, in addition to those that give each cell exactly one value.

    Args:
        size: the largest value.
        apart: the pairs of cells, ascending, that have different values.
    """

    def __init__(self, size: int, apart: set[tuple[int, int]]) -> None:
        self._size = size
        self._values = range(1, size + 1)
        self._apart = apart
        self._literals = 0
        self.last = size**3
        """The number of the last variable."""
        self.clauses: list[list[int]] = []

    def add(self, primitive: Primitive) -> None:
        """Add the clauses of a primitive; none for `Distinct`, whose pairs are in `apart`.

        Raises:
            PuzzleError: the clauses have too many literals.
        """
        match primitive:
            case Relation(one, other, table):
                for u, row in zip(self._values, table, strict=True):
                    conflicts = (w for w in self._values if not row >> w - 1 & 1)
                    self._extend([-self._has(one, u), -self._has(other, w)] for w in conflicts)
            case Sum(cells, coefficients, totals):
                sets = self._sets(primitive)
                if sets is not None:
                    self._add_sets(cells, sets)
                else:
                    partial: _Step = lambda total, at, v: total + coefficients[at] * v  # noqa: E731
                    self._add_states(cells, partial, totals.__contains__)
            case ValueCount(cells, values, least, most):
                number: _Step = lambda before, _, v: before + (values >> v - 1 & 1)  # noqa: E731
                self._add_states(cells, number, lambda total: least <= total <= most)
            case Line(cells, automaton):

                def following(state: int, _: int, value: int) -> int | None:
                    after = automaton.transitions[state][value - 1]
                    return after if after >= 0 else None

                self._add_states(cells, following, automaton.accepting.__getitem__)

    def _has(self, cell: int, value: int) -> int:
        return cell * self._size + value

    def _new(self) -> int:
        self.last += 1
        return self.last

    def _extend(self, clauses: Iterable[list[int]]) -> None:
        for clause in clauses:
            self.clauses.append(clause)
            self._literals += len(clause)
        self._require_few(self._literals)

    def _require_few(self, literals: int) -> None:
        if literals > _MOST_LITERALS:
            raise PuzzleError(
                f"the clauses of constraints have more than {_MOST_LITERALS:,} literals",
                expected="fewer or smaller constraints",
            )

    def _sets(self, equation: Sum) -> list[tuple[int, ...]] | None:
        """The sets of values with one of the totals; None if the sum gets states."""
        number = len(equation.cells)
        differ = all(pair in self._apart for pair in combinations(sorted(equation.cells), 2))
        if not differ or {*equation.coefficients} != {1}:
            return None
        if comb(self._size, number) > 200_000:
            return None
        sets = [c for c in combinations(self._values, number) if sum(c) in equation.totals]
        return sets if len(sets) <= MOST_SETS else None

    def _add_sets(self, cells: Sequence[int], sets: Sequence[Sequence[int]]) -> None:
        variables = {values: self._new() for values in map(tuple, sets)}
        self._extend([[*variables.values()]])
        for values, variable in variables.items():
            others = [value for value in self._values if value not in values]
            self._extend([-variable, -self._has(cell, v)] for cell in cells for v in others)
            self._extend([-variable, *(self._has(cell, v) for cell in cells)] for v in values)
        for value in self._values:
            having = [variable for values, variable in variables.items() if value in values]
            self._extend([-self._has(cell, value), *having] for cell in cells)

    def _add_states(
        self, cells: Sequence[int], step: _Step, accepts: Callable[[int], bool]
    ) -> None:
        """Add the clauses of the states along cells, from the state 0."""
        layers = self._layers(len(cells), step, accepts)
        if not layers:
            self._extend([[]])  # no values are accepted
            return
        before = {0: 0}
        for at, (cell, moves) in enumerate(zip(cells, layers, strict=True)):
            is_last = at == len(cells) - 1
            after = {} if is_last else {s: self._new() for s in dict.fromkeys(moves.values())}
            for state, variable in before.items():
                unless = [-variable] if variable else []
                for value in self._values:
                    clause = [*unless, -self._has(cell, value)]
                    target = moves.get((state, value))
                    if target is None:
                        self._extend([clause])
                    elif not is_last:
                        self._extend([[*clause, after[target]]])
            for target, variable in after.items():
                ways = [way for way, state in moves.items() if state == target]
                values = {value: self._has(cell, value) for _, value in ways}
                self._extend([[-variable, *values.values()]])
                if at:
                    states = {state: before[state] for state, _ in ways}
                    self._extend([[-variable, *states.values()]])
            if after:
                self._extend([[*after.values()]])
            before = after

    def _layers(
        self, number: int, step: _Step, accepts: Callable[[int], bool]
    ) -> list[dict[tuple[int, int], int]]:
        """For each place, the next state of each state and value that can lead to an accepted end.

        Empty if nothing does.
        """
        layers: list[dict[tuple[int, int], int]] = []
        states = {0: None}
        for at in range(number):
            moves = {}
            for state in states:
                for value in self._values:
                    after = step(state, at, value)
                    if after is not None:
                        moves[state, value] = after
                self._require_few(self._literals + 3 * (sum(map(len, layers)) + len(moves)))
            layers.append(moves)
            states = dict.fromkeys(moves.values())
        alive = {state for state in states if accepts(state)}
        for at in reversed(range(number)):
            layers[at] = {way: after for way, after in layers[at].items() if after in alive}
            alive = {state for state, _ in layers[at]}
        return layers if alive else []


def _starts(sizes: Sequence[int]) -> NDArray[np.int64]:
    return np.cumsum([0, *sizes], dtype=np.int64)
