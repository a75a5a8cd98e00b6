"""The formula of a puzzle: propositional clauses whose models are the solutions of the puzzle.

    variable    "cell c holds value v", for c = 0 .. N*N-1 and v = 1 .. N: the number c * N + v
    literal     a variable, or its negation as a negative number, as in DIMACS

The clauses of a shape:

- every cell has a value; no cell has two
- every house has every value; no house has a value twice
- two cells of a pair have different values

and those of a puzzle: a clause of one literal for each given, a clause of one negated literal
for each value that pencilmarks exclude, and for each forbidden solution the clause that one
cell has another value. The clauses of a shape are the extended encoding of Lynce and Ouaknine,
"Sudoku as a SAT problem" (AIMATH 2006); clauses of two literals that several houses imply are
there once.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from harness.errors import PuzzleError
from harness.proofs.kernel import implications
from harness.puzzles.puzzle import Grid, Puzzle
from harness.puzzles.shape import Shape

MOST_BYTES: Final = 2**30
"""Memory that the clauses of a shape may take: 25x25 takes 21 MiB, 36x36 92 MiB, and 62x62, which
no text of 36 symbols holds, 890 MiB."""
_BYTES_A_BINARY_CLAUSE: Final = 32
"""The clause itself, its two implications, and their copy in a check."""


class Binaries:
    """Clauses of two literals.

    Args:
        clauses: int32[n, 2], the literals.
        variables: the number of variables.
    """

    def __init__(self, clauses: NDArray[np.int32], variables: int) -> None:
        self.clauses = clauses
        self.variables = variables

    def __len__(self) -> int:
        return len(self.clauses)

    @cached_property
    def implications(self) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
        """What each literal implies, as `harness.proofs.kernel` reads it."""
        return implications(self.clauses, self.variables)


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
    def of(variables: int, clauses: Iterable[Sequence[int]]) -> "Formula":
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
        puzzle: the puzzle, perhaps with pencilmarks.
        forbidden: complete grids of the shape.

    Raises:
        PuzzleError: the clauses of the shape would take more than `MOST_BYTES`.
    """
    shape = puzzle.shape
    size, cells = shape.size, shape.size**2
    binaries, literals, starts = _clauses_of(shape)
    units = [cell * size + value for cell, value in enumerate(puzzle.givens) if value]
    if puzzle.pencilmarks is not None:
        units += [
            -(cell * size + value)
            for cell, marks in enumerate(puzzle.pencilmarks)
            for value in range(1, size + 1)
            if not marks >> value - 1 & 1
        ]
    grids = np.array(forbidden, np.int32).reshape(-1, cells)
    forbidding = -(np.arange(0, cells * size, size, dtype=np.int32) + grids)
    ends = starts[-1] + cells * np.arange(1, len(grids) + 1, dtype=np.int64)
    return Formula(
        size**3,
        np.array(units, np.int32),
        binaries,
        np.concatenate([literals, forbidding.reshape(-1)]),
        np.concatenate([starts, ends]),
    )


@lru_cache(maxsize=16)
def _clauses_of(shape: Shape) -> tuple[Binaries, NDArray[np.int32], NDArray[np.int64]]:
    """The clauses of a shape: those of two literals, and literals and starts of the others."""
    size, cells = shape.size, shape.size**2
    houses = sorted({house.cells for house in shape.houses})
    for house in houses:
        if len(set(house)) != size or not 0 <= min(house) <= max(house) < cells:
            raise PuzzleError(f"a house of {shape} is not {size} cells")
    apart = {(one, other) for of in houses for at, one in enumerate(of) for other in of[at + 1 :]}
    apart.update(shape.pairs)
    number = cells * size * (size - 1) // 2 + len(apart) * size
    if number * _BYTES_A_BINARY_CLAUSE > MOST_BYTES:
        needed = number * _BYTES_A_BINARY_CLAUSE // 2**20
        raise PuzzleError(
            f"the {number:,} clauses of {shape} take {needed:,} MiB",
            expected=f"a shape whose clauses take at most {MOST_BYTES // 2**20:,} MiB",
        )
    values = np.arange(1, size + 1, dtype=np.int32)
    of_cell = np.arange(0, cells * size, size, dtype=np.int32)[:, np.newaxis] + values
    # Clauses of two literals: no cell has two values, and two cells of a house or pair differ.
    one, other = np.triu_indices(size, 1)
    two_values = np.stack([of_cell[:, one], of_cell[:, other]], axis=2).reshape(-1, 2)
    ends = np.array(sorted(apart), np.intp).reshape(-1, 2)
    two_cells = np.stack([of_cell[ends[:, 0]], of_cell[ends[:, 1]]], axis=2).reshape(-1, 2)
    binaries = Binaries(-np.concatenate([two_values, two_cells]), size**3)
    # Clauses of `size` literals: every cell has a value, every house every value.
    of_house = of_cell[np.array(houses, np.intp).reshape(-1, size)].transpose(0, 2, 1)
    literals = np.concatenate([of_cell.reshape(-1), of_house.reshape(-1)])
    return binaries, literals, _starts([size] * (len(literals) // size))


def _starts(sizes: Sequence[int]) -> NDArray[np.int64]:
    return np.cumsum([0, *sizes], dtype=np.int64)
