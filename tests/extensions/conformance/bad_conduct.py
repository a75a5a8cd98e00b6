"""Backends with right answers and one misbehaviour each, or with a memory that misleads them."""

import os
import subprocess
import sys
import tempfile
import threading
import time
from dataclasses import dataclass, replace
from pathlib import Path
from random import random
from typing import Any, ClassVar

import numpy as np

from backends.native import Native
from harness.contract import Answer, Backend, Count, Options, Phases, option
from harness.puzzles import Grid, Puzzle, Shape
from tests.extensions.conformance.planted import Method, Sound, confusing, plant


class RemembersTheLastPuzzle(Sound):
    last: Answer | None = None

    def solve(self, puzzle: Puzzle) -> Answer:
        before, self.last = self.last, super().solve(puzzle)
        return before or self.last


class KeepsItsClauses(Sound):
    """Reports unsatisfiable for all puzzles after the first without a solution."""

    is_refuted = False

    def solve(self, puzzle: Puzzle) -> Answer:
        answer = Answer.unsatisfiable() if self.is_refuted else super().solve(puzzle)
        self.is_refuted = answer.grid is None
        return answer


class SharesItsShape(Sound):
    """Stores its shape where the next backend overwrites it."""

    latest: ClassVar[list[Shape]] = []

    def __init__(self, shape: Shape, options: Options) -> None:
        super().__init__(shape, options)
        self.latest[:] = [shape]

    def solve(self, puzzle: Puzzle) -> Answer:
        (shape,) = self.latest
        return Native(shape, Options()).solve(Puzzle(shape, puzzle.givens))


@dataclass(frozen=True)
class TwoOptions(Options):
    depth: int = option(3, help="search depth")
    strict: bool = option(True, help="whether to check boxes")


class IgnoresAnOption(Sound):
    shapes = ("4x4",)
    options_type: ClassVar[type[Options]] = TwoOptions

    def __init__(self, shape: Shape, options: Any) -> None:
        super().__init__(shape, options)
        self.depth = options.depth


class WrongWithAnOption(IgnoresAnOption):
    def __init__(self, shape: Shape, options: Any) -> None:
        super().__init__(shape, options)
        self.strict = options.strict and options.depth

    def count(self, puzzle: Puzzle, limit: int) -> Count:
        count = super().count(puzzle, limit)
        return count if self.strict else replace(count, number=limit, exact=False)


@dataclass(frozen=True)
class OptionsWithoutHelp(Options):
    depth: int = 3


class OptionWithoutHelp(IgnoresAnOption):
    options_type = OptionsWithoutHelp


def raise_if(is_wrong: bool, error: BaseException) -> None:
    if is_wrong:
        raise error


def with_side_effect(side_effect: Method) -> dict[str, Method]:
    """A right `solve` with a side effect before it."""
    return {"solve": lambda self, puzzle: (side_effect(puzzle), Native.solve(self, puzzle))[1]}


plant(
    with_side_effect,
    MutatesThePuzzle=lambda puzzle: object.__setattr__(
        puzzle, "givens", Native(puzzle.shape, Options()).solve(puzzle).grid or puzzle.givens
    ),
    Prints=lambda puzzle: print("solving", puzzle.line),  # noqa: T201
    PrintsFromC=lambda puzzle: os.write(1, b"c solver 1.0\n"),
    Warns=lambda puzzle: sys.stderr.write("no licence file\n"),
    ClosesStandardOutput=lambda puzzle: sys.stdout.close(),
    ClosesTheDescriptor=lambda puzzle: os.close(1),
    ReplacesStandardOutput=lambda puzzle: setattr(sys, "stdout", sys.stderr),
    ChangesTheFolder=lambda puzzle: os.chdir("/"),
    ChangesTheEnvironment=lambda puzzle: os.environ.update(OMP_NUM_THREADS="64"),
    ClearsTheEnvironment=lambda puzzle: os.environ.pop("PATH", None),
    LeavesAFile=lambda puzzle: Path("model.lp").write_text("min: 0"),
    LeavesATemporaryFile=lambda puzzle: os.close(tempfile.mkstemp(suffix=".cnf")[0]),
    LeavesAThread=lambda puzzle: threading.Thread(
        target=time.sleep, args=(1,), daemon=True, name="watchdog"
    ).start(),
    RaisesOnAFullGrid=lambda puzzle: raise_if(all(puzzle.givens), ValueError("full")),
    RaisesOnAnEmptyGrid=lambda puzzle: raise_if(not puzzle.clues, ZeroDivisionError()),
    # These kill the process, or keep it busy for long.
    Hangs=lambda puzzle: time.sleep(0 if puzzle.clues else 60),
    ComesLate=lambda puzzle: time.sleep(0 if puzzle.clues else 1.6),
    Dies=lambda puzzle: None if puzzle.clues else os.abort(),
    Exits=lambda puzzle: None if puzzle.clues else sys.exit(0),
    EatsMemory=lambda puzzle: None if puzzle.clues else np.ones(2**28),  # 2 GiB at once
)


class RaisesWhereThereIsNone(Sound):
    def solve(self, puzzle: Puzzle) -> Answer:
        answer = super().solve(puzzle)
        if answer.grid is None:
            raise ValueError("no solution")
        return answer


class LeavesAProcess(Sound):
    process: "subprocess.Popen[bytes] | None" = None

    def solve(self, puzzle: Puzzle) -> Answer:
        if self.process is None:
            type(self).process = subprocess.Popen(["sleep", "1"])
        return super().solve(puzzle)


class HasNoName(Sound):
    name = ""


class HasNoParadigm(Sound):
    paradigm = None  # type: ignore[assignment]


class NeedsText(Sound):
    distributions = "ortools"  # type: ignore[assignment]


class ClaimsToCount(Backend):
    """Declares a native count, but has the default."""

    name, paradigm, counts_natively = "claims", "native count", True

    def __init__(self, shape: Shape, options: Options) -> None:
        self.native = Native(shape, options)

    def solve(self, puzzle: Puzzle) -> Answer:
        return self.native.solve(puzzle)


# What a backend keeps from one call for the next, or counts.


class LastCountAgain(Sound):
    """Gives the last count again for as many clues and the same limit."""

    def count(self, puzzle: Puzzle, limit: int) -> Count:
        key = (puzzle.clues, limit)
        if key not in self.known:
            self.known = {key: super().count(puzzle, limit)}
        count: Count = self.known[key]
        return replace(count, witness=None, phases=Phases())


class WitnessOfThePreviousPuzzle(Sound):
    previous: Grid | None = None

    def count(self, puzzle: Puzzle, limit: int) -> Count:
        count = super().count(puzzle, limit)
        previous, self.previous = self.previous, count.witness
        return replace(count, witness=previous if count.number and previous else count.witness)


class MemoWithoutTheLimit(Sound):
    def count(self, puzzle: Puzzle, limit: int) -> Count:
        if puzzle.givens not in self.known:
            self.known[puzzle.givens] = super().count(puzzle, limit)
        count: Count = self.known[puzzle.givens]
        number = min(count.number, limit)
        return Count(number, count.exact and number < limit, count.witness)


class ConfusesIds(Sound):
    """Remembers answers by the id of the puzzle, which another puzzle has later."""

    def solve(self, puzzle: Puzzle) -> Answer:
        if id(puzzle) not in self.known:
            answer = super().solve(puzzle)
            self.known[id(puzzle)] = Answer(answer.status, answer.grid)
        known: Answer = self.known[id(puzzle)]
        return known


def renamed(givens: Grid) -> Grid:
    """The givens with values in the order in which they occur."""
    names: dict[int, int] = {0: 0}
    return tuple(names.setdefault(value, len(names)) for value in givens)


plant(
    confusing("solve"),
    CachesByGivens=lambda puzzle: puzzle.clues,
    MemoOfTheBlankCells=lambda puzzle: tuple(map(bool, puzzle.givens)),
    MemoOfTheFirstRows=lambda puzzle: (puzzle.clues, puzzle.givens[: -puzzle.shape.size]),
    MemoOfTheValues=lambda puzzle: tuple(sorted(puzzle.givens)),
    MemoUpToRenaming=lambda puzzle: renamed(puzzle.givens),
)
plant(
    confusing("count"),
    CachesCountsByGivens=lambda puzzle: puzzle.clues,
    MemoOfTheLastRows=lambda puzzle: (puzzle.clues, puzzle.givens[puzzle.shape.size :]),
)


def unsatisfiable_in(is_wrong_in: Method) -> dict[str, Method]:
    """A `solve` that reports unsatisfiable in certain calls, which it counts from 1."""

    def solve(self: Sound, puzzle: Puzzle) -> Answer:
        self.calls += 1
        is_wrong = is_wrong_in(self.calls)
        return Answer.unsatisfiable() if is_wrong else Native.solve(self, puzzle)

    return {"solve": solve}


plant(
    unsatisfiable_in,
    UnsatisfiableAfter50Calls=lambda call: call > 50,
    UnsatisfiableAfter500Calls=lambda call: call > 500,
    WrongInTheCall64=lambda call: call == 64,
    # Wrong in one call of 200.
    WrongByChance=lambda call: random() < 0.005,
)


class StopsCountingAfter100Calls(Sound):
    def count(self, puzzle: Puzzle, limit: int) -> Count:
        self.calls += 1
        return super().count(puzzle, limit if self.calls <= 100 else 1)


class AddsUpItsStatistics(Sound):
    nodes = 0

    def solve(self, puzzle: Puzzle) -> Answer:
        answer = super().solve(puzzle)
        self.nodes += int(answer.stats["nodes"])
        return replace(answer, stats={"nodes": self.nodes})


class AddsUpTheStatisticsOfCounts(Sound):
    guesses = 0

    def count(self, puzzle: Puzzle, limit: int) -> Count:
        count = super().count(puzzle, limit)
        self.guesses += int(count.stats["guesses"])
        return replace(count, stats={"guesses": self.guesses})


class SolutionOfThePuzzleBefore(Sound):
    """Returns the previous solution where it fits the number of givens and their cells."""

    last: tuple[object, Grid | None] = (None, None)

    def solve(self, puzzle: Puzzle) -> Answer:
        answer = super().solve(puzzle)
        before, self.last = self.last, (tuple(map(bool, puzzle.givens)), answer.grid)
        is_alike = before[0] == self.last[0] and before[1] and answer.grid
        return replace(answer, grid=before[1]) if is_alike else answer


class ForgetsAfterOtherShapes(Sound):
    """Wrong as soon as 60 backends for other puzzles were created after it."""

    instances = 0

    def __init__(self, shape: Shape, options: Options) -> None:
        super().__init__(shape, options)
        ForgetsAfterOtherShapes.instances += 1
        self.number = self.instances

    def count(self, puzzle: Puzzle, limit: int) -> Count:
        count = super().count(puzzle, limit)
        is_old = self.instances > self.number + 60 and not puzzle.shape.constraints
        return Count(0, True) if is_old and count.number == 1 else count


# Answers that depend on the hash seed; they are right with the seed 0, which a run has.


class HashOfAName(Native):
    """Stops at 1 if the hash of a text is odd."""

    def count(self, puzzle: Puzzle, limit: int) -> Count:
        return super().count(puzzle, limit if hash("name") % 2 == 0 else 1)


class HashOfOneSeedInFour(Native):
    """Reports unsatisfiable where the hash of a text has two bits that are 1."""

    def solve(self, puzzle: Puzzle) -> Answer:
        return Answer.unsatisfiable() if hash("row") % 4 == 3 else super().solve(puzzle)


class OrderOfASet(Native):
    """Overlooks contradictions if a set of texts begins with another one than it did here."""

    def solve(self, puzzle: Puzzle) -> Answer:
        if next(iter({"row", "column", "box"})) != "column":
            return Answer.unsatisfiable()
        return super().solve(puzzle)


APART = (
    *(globals()[name] for name in ("Hangs", "ComesLate", "Dies", "Exits", "EatsMemory")),
    *(HashOfAName, HashOfOneSeedInFour, OrderOfASet),
)
"""Backends to be examined in processes of their own."""
