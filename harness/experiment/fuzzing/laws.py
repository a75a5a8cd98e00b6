"""Laws between the numbers of solutions of related puzzles (metamorphic relations).

A law needs no known answer: whatever the number of solutions of a puzzle is, its transposed
puzzle has as many. The method is that of Chen, Cheung and Yiu, "Metamorphic testing" (technical
report HKUST-CS98-01, 1998).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from harness.experiment.fuzzing.claims import Interval
from harness.puzzles.identity.scramble import Scramble
from harness.puzzles.puzzle import Grid, Puzzle
from harness.puzzles.search.prng import Prng


class Law(StrEnum):
    """What holds between a puzzle and the puzzles made from it."""

    RELABELLED = "other values: as many solutions"
    REARRANGED = "other rows and columns: as many solutions"
    CLUE_ADDED = "one more clue of a solution: at least one solution, and no more than before"
    CLUE_REMOVED = "one clue fewer: no fewer solutions"
    SPLIT = "the solutions with each value of a cell add up to all solutions"


@dataclass(frozen=True, slots=True)
class Relation:
    """A puzzle and the puzzles that a law derives from it."""

    law: Law
    base: Puzzle
    derived: tuple[Puzzle, ...]

    def is_kept(self, base: Interval, derived: Sequence[Interval]) -> bool:
        """Whether numbers of solutions in these intervals can keep the law.

        Args:
            base: where the number of solutions of the base lies.
            derived: where those of the derived puzzles lie, in their order.
        """
        match self.law:
            case Law.SPLIT:
                least = sum(interval.least for interval in derived)
                most = _sum([interval.most for interval in derived])
                return not base.excludes(Interval(least, most))
            case Law.CLUE_ADDED:
                (other,) = derived
                is_possible = other.most is None or other.most >= 1
                return is_possible and (base.most is None or other.least <= base.most)
            case Law.CLUE_REMOVED:
                (other,) = derived
                return other.most is None or base.least <= other.most
            case Law.RELABELLED | Law.REARRANGED:
                (other,) = derived
                return not base.excludes(other)


def _sum(ends: Sequence[int | None]) -> int | None:
    known = [end for end in ends if end is not None]
    return sum(known) if len(known) == len(ends) else None


_MOST_DERIVED: Final = 9
"""Puzzles that `Law.SPLIT` derives at most."""


def relation_of(puzzle: Puzzle, solution: Grid | None, random: Prng) -> Relation | None:
    """A relation with a random law; None if that law derives nothing from this puzzle.

    Args:
        puzzle: the base.
        solution: a solution of it; None if none is known.
        random: the source of random integers.
    """
    law = random.choice(list(Law))
    derived = _derived(law, puzzle, solution, random)
    return Relation(law, puzzle, derived) if derived else None


def _derived(
    law: Law, puzzle: Puzzle, solution: Grid | None, random: Prng
) -> tuple[Puzzle, ...] | None:
    shape = puzzle.shape
    blank = [cell for cell, value in enumerate(puzzle.givens) if not value]
    match law:
        case Law.RELABELLED:
            in_place = tuple(range(shape.size**2))
            values = (0, *(value + 1 for value in random.order(shape.size)))
            return (Scramble(shape, in_place, values).puzzle(puzzle),)
        case Law.REARRANGED:
            moved = Scramble.random(shape, random)
            same_values = tuple(range(shape.size + 1))
            return (Scramble(shape, moved.cells, same_values).puzzle(puzzle),)
        case Law.CLUE_ADDED:
            if solution is None or not blank:
                return None
            cell = random.choice(blank)
            return (_with_given(puzzle, cell, solution[cell]),)
        case Law.CLUE_REMOVED:
            given = [cell for cell, value in enumerate(puzzle.givens) if value]
            if not given or puzzle.pencilmarks is not None:
                return None
            return (_with_given(puzzle, random.choice(given), 0),)
        case Law.SPLIT:
            if not blank:
                return None
            return _split(puzzle, blank, random)


def _split(puzzle: Puzzle, blank: Sequence[int], random: Prng) -> tuple[Puzzle, ...] | None:
    """A puzzle for each candidate of a cell with few candidates; None if all have many."""
    shape = puzzle.shape
    for cell in (blank[at] for at in random.sample(4, len(blank))):
        taken = {puzzle.givens[peer] for peer in shape.peers[cell]}
        values = [
            value
            for value in range(1, shape.size + 1)
            if value not in taken and puzzle.allowed[cell] >> value - 1 & 1
        ]
        if 1 <= len(values) <= _MOST_DERIVED:
            return tuple(_with_given(puzzle, cell, value) for value in values)
    return None


def _with_given(puzzle: Puzzle, cell: int, value: int) -> Puzzle:
    givens = (*puzzle.givens[:cell], value, *puzzle.givens[cell + 1 :])
    return Puzzle(puzzle.shape, givens, puzzle.pencilmarks)
