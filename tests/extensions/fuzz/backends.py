"""Backends for tests of fuzzing: right ones, and each kind of fault."""

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from random import SystemRandom
from time import sleep

from backends.native import Native
from harness.contract import Answer, Backend, Count, Options, Restriction, Unsupported, option
from harness.puzzles import Puzzle, Shape

CHANCE = SystemRandom()


class Named:
    """A backend with the name of its class: ``one-too-few``."""

    name: str

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        cls.name = re.sub("(?<!^)(?=[A-Z])", "-", cls.__name__).lower()


class Sound(Named, Native):
    """Right."""


class SearchOf9x9(Named, Backend[Options]):
    """Right; a plain search that supports one shape."""

    paradigm = "backtracking"
    counts_natively = True

    def __init__(self, shape: Shape, options: Options) -> None:
        if shape.definition != "9x9":
            raise Unsupported("9x9 only")

    def solve(self, puzzle: Puzzle) -> Answer:
        grid = next(self.grids(puzzle), None)
        return Answer.solved(grid) if grid else Answer.unsatisfiable()

    def count(self, puzzle: Puzzle, limit: int) -> Count:
        grids = list(islice(self.grids(puzzle), limit))
        return Count(len(grids), len(grids) < limit, grids[0] if grids else None)

    def grids(self, puzzle: Puzzle) -> Iterator[tuple[int, ...]]:
        marks = list(puzzle.allowed)
        if all(
            self.assign(marks, cell, marks[cell])
            for cell, value in enumerate(puzzle.givens)
            if value
        ):
            yield from self.below(marks)

    def below(self, marks: list[int]) -> Iterator[tuple[int, ...]]:
        open_cells = [cell for cell, mask in enumerate(marks) if mask & (mask - 1)]
        if not open_cells:
            yield tuple(mask.bit_length() for mask in marks)
            return
        cell = min(open_cells, key=lambda cell: marks[cell].bit_count())
        for value in self.values([1 << bit for bit in range(9) if marks[cell] >> bit & 1]):
            copy = marks[:]
            if self.assign(copy, cell, value):
                yield from self.below(copy)

    def values(self, values: list[int]) -> list[int]:
        """The values of a cell to try."""
        return values

    def assign(self, marks: list[int], cell: int, value: int) -> bool:
        """Whether the candidates allow the value, which leaves the peers of the cell."""
        if not marks[cell] & value:
            return False
        marks[cell] = value
        for peer in self.shape.peers[cell]:
            if marks[peer] & value:
                marks[peer] &= ~value
                single = marks[peer] & (marks[peer] - 1) == 0
                if not marks[peer] or (single and not self.assign(marks, peer, marks[peer])):
                    return False
        return True


class DropsTheThirdValue(SearchOf9x9):
    """Does not try the third candidate of a cell."""

    def values(self, values: list[int]) -> list[int]:
        return [*values[:2], *values[3:]]


class Sleeps(Sound):
    """Right after some seconds."""

    seconds = 60.0

    def solve(self, puzzle: Puzzle) -> Answer:
        sleep(self.seconds)
        return super().solve(puzzle)

    def count(self, puzzle: Puzzle, limit: int) -> Count:
        sleep(self.seconds)
        return super().count(puzzle, limit)


class NeverAnswers(Sleeps):
    """Gives no answer in time."""


class StartsSlowly(Sleeps):
    """Right; takes longer to start than a short stream, and then little of a processor."""

    seconds = 0.03

    @classmethod
    def load(cls, options: Options) -> None:
        sleep(2.2)
        super().load(options)


class NoSolutionForLastValue(Sound):
    """Claims that no solution exists if the last cell of a 6x6 has the value 6."""

    def solve(self, puzzle: Puzzle) -> Answer:
        answer = super().solve(puzzle)
        if puzzle.shape.size == 6 and answer.grid and answer.grid[-1] == 6:
            return Answer.unsatisfiable()
        return answer


class OneTooFew(Sound):
    """Counts one solution too few from the fourth on."""

    def count(self, puzzle: Puzzle, limit: int) -> Count:
        count = super().count(puzzle, limit)
        number = count.number - (count.number > 3)
        return Count(number, number < limit, count.witness)


class AfterUnsatisfiable(Sound):
    """Gives the answer to the last puzzle again after one without a solution."""

    stuck = False

    def solve(self, puzzle: Puzzle) -> Answer:
        if self.stuck:
            self.stuck = False
            return Answer.unsatisfiable()
        answer = super().solve(puzzle)
        self.stuck = answer.grid is None
        return answer


class ByChance(Sound):
    """Is wrong about one puzzle of fifty, whichever it is."""

    def solve(self, puzzle: Puzzle) -> Answer:
        return Answer.unsatisfiable() if CHANCE.random() < 0.02 else super().solve(puzzle)


class WrongWithHashes(Sound):
    """Is wrong if the hashes of texts have another order than with the seed 0."""

    def solve(self, puzzle: Puzzle) -> Answer:
        if os.environ["PYTHONHASHSEED"] != "0":
            return Answer.unsatisfiable()
        return super().solve(puzzle)


class MissesACandidate(Sound):
    """Claims that no solution exists if the first cell may not be 1."""

    takes = frozenset({Restriction.PENCILMARKS})

    def solve(self, puzzle: Puzzle) -> Answer:
        if puzzle.pencilmarks is not None and not puzzle.allowed[0] & 1:
            return Answer.unsatisfiable()
        return super().solve(puzzle)


class Crashes(Sound):
    """Raises an exception on full grids."""

    def solve(self, puzzle: Puzzle) -> Answer:
        if all(puzzle.givens):
            raise ZeroDivisionError("no blank cell")
        return super().solve(puzzle)


@dataclass(frozen=True)
class ModeOptions(Options):
    """A mode."""

    mode: str = option("plain", help="mode", choices=("plain", "fast", "refused"))
    depth: int = option(1, help="depth", minimum=1)


class WrongWithOption(Named, Backend[ModeOptions]):
    """Misses the second solution in one mode."""

    paradigm = "backtracking"
    counts_natively = True

    @classmethod
    def load(cls, options: ModeOptions) -> None:
        if options.mode == "refused":
            raise RuntimeError("this mode does not exist here")

    def __init__(self, shape: Shape, options: ModeOptions) -> None:
        self.native = Native(shape, Options())
        self.options = options

    def solve(self, puzzle: Puzzle) -> Answer:
        return self.native.solve(puzzle)

    def count(self, puzzle: Puzzle, limit: int) -> Count:
        count = self.native.count(puzzle, limit)
        if self.options.mode == "fast" and self.options.depth and count.number == 2:
            return Count(1, limit > 1, count.witness)
        return count


class GivesUpWithOption(WrongWithOption):
    """Gives up in one mode, although it declares to decide every puzzle."""

    def solve(self, puzzle: Puzzle) -> Answer:
        return Answer.unknown() if self.options.mode == "fast" else super().solve(puzzle)

    def count(self, puzzle: Puzzle, limit: int) -> Count:
        return self.native.count(puzzle, limit)


class MayGiveUpWithOption(GivesUpWithOption):
    """Gives up in one mode, and declares it."""

    def __init__(self, shape: Shape, options: ModeOptions) -> None:
        super().__init__(shape, options)
        self.complete = options.mode != "fast"


class CountsAHundredMillion(Sound):
    """Counts a hundred million solutions, however many there are."""

    def count(self, puzzle: Puzzle, limit: int) -> Count:
        return Count(min(10**8, limit), exact=limit > 10**8)
