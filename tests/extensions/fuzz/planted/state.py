"""Faults of memory: something of an earlier call decides a later one."""

from typing import Any, ClassVar

from backends.cpsat import CpSat, CpSatOptions, boolean_model, integer_model
from backends.native import Native
from backends.native_jit.backend import NativeJit, NativeJitOptions
from harness.contract import Answer, Count, Options, Status
from harness.puzzles import Puzzle, Shape


class LastGivenOfAnUnsatisfiablePuzzle(CpSat):
    """Keeps the last given in the model if the puzzle has no solution."""

    def solve(self, puzzle: Puzzle) -> Answer:
        """As the base class, and without the last reset after "unsatisfiable"."""
        answer = super().solve(puzzle)
        cell = max((c for c, value in enumerate(puzzle.givens) if value), default=-1)
        if self.boolean and cell >= 0 and answer.status is Status.UNSATISFIABLE:
            self.domain(cell * self.size + puzzle.givens[cell] - 1)[0] = 1
        return answer


class NewModelAfter150Calls(CpSat):
    """Makes a new model after 150 calls, and sets the givens in the old one."""

    def __init__(self, shape: Shape, options: CpSatOptions) -> None:
        super().__init__(shape, options)
        self.calls = 0

    def renew(self) -> None:
        """Count a call, and make the model anew when it is due."""
        self.calls += 1
        if self.calls == 151:
            self.model = (boolean_model if self.boolean else integer_model)(self.shape)

    def solve(self, puzzle: Puzzle) -> Answer:
        """As the base class, with the model of this call."""
        self.renew()
        return super().solve(puzzle)

    def count(self, puzzle: Puzzle, limit: int) -> Count:
        """As the base class, with the model of this call."""
        self.renew()
        return super().count(puzzle, limit)


class TablesByTheirSize(NativeJit):
    """Takes the tables of the first shape with as many values and houses."""

    tables: ClassVar[dict[tuple[int, int], Any]] = {}

    def __init__(self, shape: Shape, options: NativeJitOptions) -> None:
        super().__init__(shape, options)
        key = shape.size, len(shape.houses)
        self._search._tables = self.tables.setdefault(key, self._search._tables)


class CountOfTheSamePuzzle(Native):
    """Gives the count of the puzzle before again if it is the same, whatever its limit is."""

    def __init__(self, shape: Shape, options: Options) -> None:
        super().__init__(shape, options)
        self.last: tuple[Puzzle, Count] | None = None

    def count(self, puzzle: Puzzle, limit: int) -> Count:
        """As the base class, or the last count."""
        if self.last is None or self.last[0] != puzzle or self.last[1].number > limit:
            self.last = puzzle, super().count(puzzle, limit)
        return self.last[1]
