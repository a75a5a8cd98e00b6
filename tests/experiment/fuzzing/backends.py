"""Backends for tests of fuzzing: right ones, and each kind of fault."""

from dataclasses import dataclass
from random import Random

from backends.native import Native, Search
from harness.contract import Answer, Backend, Count, Options, option
from harness.puzzles import Puzzle, Shape


class Sound(Native):
    """Right."""

    name = "sound"


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


class Crashes(Native):
    """Raises an exception on full grids."""

    name = "crashes"

    def solve(self, puzzle: Puzzle) -> Answer:
        if all(puzzle.givens):
            raise ZeroDivisionError("no blank cell")
        return super().solve(puzzle)


class GivesUp(Native):
    """Gives up on puzzles that need a guess."""

    name = "gives-up"

    def solve(self, puzzle: Puzzle) -> Answer:
        answer = super().solve(puzzle)
        return Answer.unknown() if answer.stats["guesses"] else answer


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


class IgnoresABox(Native):
    """Ignores the first box of a 9x9 in its search, whatever the puzzle."""

    name = "ignores-a-box"

    def solve(self, puzzle: Puzzle) -> Answer:
        if puzzle.shape != Shape.parse("4x4"):
            return super().solve(puzzle)
        houses = tuple(house for house in puzzle.shape.houses if str(house) != "box 1")
        other = Shape("without a box", 4, houses)
        found = next(Search(Puzzle(other, puzzle.givens)).solutions(), None)
        if found is None:
            return Answer.unsatisfiable()
        return Answer.solved(tuple(value.bit_length() for value in found))
