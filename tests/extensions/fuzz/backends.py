"""Backends for tests of fuzzing: right ones, and each kind of fault."""

import os
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from random import Random
from time import sleep

from backends.native import Native
from harness.contract import Answer, Backend, Count, Options, Restriction, Unsupported, option
from harness.puzzles import Puzzle, Shape


class Sound(Native):
    """Right."""

    name = "sound"


class SearchOf9x9(Backend[Options]):
    """Right; a plain search that supports one shape."""

    name = "search-9x9"
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

    name = "drops-the-third"

    def values(self, values: list[int]) -> list[int]:
        return [*values[:2], *values[3:]]


class StartsSlowly(Native):
    """Right; takes longer to start than a short stream, and then little of a processor."""

    name = "starts-slowly"

    @classmethod
    def load(cls, options: Options) -> None:
        sleep(2.2)
        super().load(options)

    def solve(self, puzzle: Puzzle) -> Answer:
        sleep(0.03)
        return super().solve(puzzle)

    def count(self, puzzle: Puzzle, limit: int) -> Count:
        sleep(0.03)
        return super().count(puzzle, limit)


class NoSolutionForLastValue(Native):
    """Claims that no solution exists if the last cell of a 6x6 has the value 6."""

    name = "last-value"

    def solve(self, puzzle: Puzzle) -> Answer:
        answer = super().solve(puzzle)
        if puzzle.shape.size == 6 and answer.grid and answer.grid[-1] == 6:
            return Answer.unsatisfiable()
        return answer


class OneTooFew(Native):
    """Counts one solution too few from the fourth on."""

    name = "one-too-few"

    def count(self, puzzle: Puzzle, limit: int) -> Count:
        count = super().count(puzzle, limit)
        number = count.number - (count.number > 3)
        return Count(number, number < limit, count.witness)


class AfterUnsatisfiable(Native):
    """Gives the answer to the last puzzle again after one without a solution."""

    name = "after-unsatisfiable"

    def __init__(self, shape: Shape, options: Options) -> None:
        super().__init__(shape, options)
        self.stuck = False

    def solve(self, puzzle: Puzzle) -> Answer:
        if self.stuck:
            self.stuck = False
            return Answer.unsatisfiable()
        answer = super().solve(puzzle)
        self.stuck = answer.grid is None
        return answer


class ByChance(Native):
    """Is wrong about one puzzle of fifty, whichever it is."""

    name = "by-chance"

    def __init__(self, shape: Shape, options: Options) -> None:
        super().__init__(shape, options)
        self.random = Random()

    def solve(self, puzzle: Puzzle) -> Answer:
        return Answer.unsatisfiable() if self.random.random() < 0.02 else super().solve(puzzle)


class NeverAnswers(Native):
    """Gives no answer in time."""

    name = "never-answers"

    def solve(self, puzzle: Puzzle) -> Answer:
        sleep(60)
        return super().solve(puzzle)

    def count(self, puzzle: Puzzle, limit: int) -> Count:
        sleep(60)
        return super().count(puzzle, limit)


class WrongWithHashes(Native):
    """Is wrong if the hashes of texts have another order than with the seed 0."""

    name = "wrong-with-hashes"

    def solve(self, puzzle: Puzzle) -> Answer:
        if os.environ["PYTHONHASHSEED"] != "0":
            return Answer.unsatisfiable()
        return super().solve(puzzle)


class MissesACandidate(Native):
    """Claims that no solution exists if the first cell may not be 1."""

    name = "misses-a-candidate"
    takes = frozenset({Restriction.PENCILMARKS})

    def solve(self, puzzle: Puzzle) -> Answer:
        if puzzle.pencilmarks is not None and not puzzle.allowed[0] & 1:
            return Answer.unsatisfiable()
        return super().solve(puzzle)


class Crashes(Native):
    """Raises an exception on full grids."""

    name = "crashes"

    def solve(self, puzzle: Puzzle) -> Answer:
        if all(puzzle.givens):
            raise ZeroDivisionError("no blank cell")
        return super().solve(puzzle)


@dataclass(frozen=True)
class ModeOptions(Options):
    """A mode."""

    mode: str = option("plain", help="mode", choices=("plain", "fast", "refused"))
    depth: int = option(1, help="depth", minimum=1)


class WrongWithOption(Backend[ModeOptions]):
    """Misses the second solution in one mode."""

    name = "wrong-with-option"
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

    name = "gives-up-with-option"

    def solve(self, puzzle: Puzzle) -> Answer:
        return Answer.unknown() if self.options.mode == "fast" else super().solve(puzzle)

    def count(self, puzzle: Puzzle, limit: int) -> Count:
        return self.native.count(puzzle, limit)


class MayGiveUpWithOption(GivesUpWithOption):
    """Gives up in one mode, and declares it."""

    name = "may-give-up-with-option"

    def __init__(self, shape: Shape, options: ModeOptions) -> None:
        super().__init__(shape, options)
        self.complete = options.mode != "fast"


class CountsAHundredMillion(Native):
    """Counts a hundred million solutions, however many there are."""

    name = "counts-a-hundred-million"

    def count(self, puzzle: Puzzle, limit: int) -> Count:
        return Count(min(10**8, limit), exact=limit > 10**8)
