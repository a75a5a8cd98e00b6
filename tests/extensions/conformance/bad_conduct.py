"""Backends with correct answers and one misbehaviour each."""

import os
import subprocess
import sys
import tempfile
import threading
import time
from abc import abstractmethod
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from backends.native import Native
from harness.contract import Answer, Backend, Count, Options, option
from harness.puzzles import Puzzle, Shape
from tests.extensions.conformance.planted import Sound, plant


class SideEffect(Sound):
    """Answers, with a side effect."""

    @abstractmethod
    def side_effect(self, puzzle: Puzzle) -> None: ...

    def solve(self, puzzle: Puzzle) -> Answer:
        self.side_effect(puzzle)
        return super().solve(puzzle)


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
    options_type = TwoOptions

    def __init__(self, shape: Shape, options: Any) -> None:
        super().__init__(shape, options)
        self.depth = options.depth


class WrongWithAnOption(Sound):
    shapes = ("4x4",)
    options_type = TwoOptions

    def __init__(self, shape: Shape, options: Any) -> None:
        super().__init__(shape, options)
        self.strict = options.strict and options.depth

    def count(self, puzzle: Puzzle, limit: int) -> Count:
        count = super().count(puzzle, limit)
        return count if self.strict else replace(count, number=limit, exact=False)


class OptionWithoutHelp(Sound):
    @dataclass(frozen=True)
    class TheOptions(Options):
        depth: int = 3

    options_type = TheOptions

    def __init__(self, shape: Shape, options: Any) -> None:
        super().__init__(shape, options)
        self.depth = options.depth


def raise_if(is_wrong: bool, error: BaseException) -> None:
    if is_wrong:
        raise error


plant(
    SideEffect,
    "side_effect",
    MutatesThePuzzle=lambda self, puzzle: object.__setattr__(
        puzzle, "givens", Native.solve(self, puzzle).grid or puzzle.givens
    ),
    Prints=lambda self, puzzle: print("solving", puzzle.line),  # noqa: T201
    PrintsFromC=lambda self, puzzle: os.write(1, b"c solver 1.0\n"),
    Warns=lambda self, puzzle: sys.stderr.write("no licence file\n"),
    ClosesStandardOutput=lambda self, puzzle: sys.stdout.close(),
    ClosesTheDescriptor=lambda self, puzzle: os.close(1),
    ReplacesStandardOutput=lambda self, puzzle: setattr(sys, "stdout", sys.stderr),
    ChangesTheFolder=lambda self, puzzle: os.chdir("/"),
    ChangesTheEnvironment=lambda self, puzzle: os.environ.update(OMP_NUM_THREADS="64"),
    ClearsTheEnvironment=lambda self, puzzle: os.environ.pop("PATH", None),
    LeavesAFile=lambda self, puzzle: Path("model.lp").write_text("min: 0"),
    LeavesATemporaryFile=lambda self, puzzle: os.close(tempfile.mkstemp(suffix=".cnf")[0]),
    LeavesAThread=lambda self, puzzle: threading.Thread(
        target=time.sleep, args=(1,), daemon=True, name="watchdog"
    ).start(),
    RaisesOnAFullGrid=lambda self, puzzle: raise_if(all(puzzle.givens), ValueError("full")),
    RaisesOnAnEmptyGrid=lambda self, puzzle: raise_if(not puzzle.clues, ZeroDivisionError()),
    # These kill the process, or keep it busy for long.
    Hangs=lambda self, puzzle: time.sleep(0 if puzzle.clues else 60),
    ComesLate=lambda self, puzzle: time.sleep(0 if puzzle.clues else 1.6),
    Dies=lambda self, puzzle: None if puzzle.clues else os.abort(),
    Exits=lambda self, puzzle: None if puzzle.clues else sys.exit(0),
    EatsMemory=lambda self, puzzle: None if puzzle.clues else np.ones(2**28),  # 2 GiB at once
)
APART = tuple(globals()[name] for name in ("Hangs", "ComesLate", "Dies", "Exits", "EatsMemory"))
"""Backends to be examined in processes of their own."""


class RaisesWhereThereIsNone(Sound):
    def solve(self, puzzle: Puzzle) -> Answer:
        answer = super().solve(puzzle)
        if answer.grid is None:
            raise ValueError("no solution")
        return answer


class LeavesAProcess(SideEffect):
    process: "subprocess.Popen[bytes] | None" = None

    def side_effect(self, puzzle: Puzzle) -> None:
        if self.process is None:
            type(self).process = subprocess.Popen(["sleep", "1"])


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
