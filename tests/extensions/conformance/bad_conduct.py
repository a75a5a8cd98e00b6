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
from tests.extensions.conformance.planted import Remembers, Sound, variants


class SideEffect(Sound):
    """Answers, with a side effect."""

    @abstractmethod
    def side_effect(self, puzzle: Puzzle) -> None: ...

    def solve(self, puzzle: Puzzle) -> Answer:
        self.side_effect(puzzle)
        return super().solve(puzzle)


class MutatesThePuzzle(SideEffect):
    def side_effect(self, puzzle: Puzzle) -> None:
        solution = Native.solve(self, puzzle).grid
        object.__setattr__(puzzle, "givens", solution or puzzle.givens)


class RemembersTheLastPuzzle(Sound):
    def __init__(self, shape: Shape, options: Options) -> None:
        super().__init__(shape, options)
        self.answers: list[Answer] = []

    def solve(self, puzzle: Puzzle) -> Answer:
        self.answers.append(super().solve(puzzle))
        return self.answers[-2:][0]


class KeepsItsClauses(Sound):
    """Reports unsatisfiable for all puzzles after the first without a solution."""

    is_refuted = False

    def solve(self, puzzle: Puzzle) -> Answer:
        answer = Answer.unsatisfiable() if self.is_refuted else super().solve(puzzle)
        self.is_refuted = answer.grid is None
        return answer


class CachesByGivens(Remembers):
    """Confuses puzzles with the same number of givens."""

    def solve(self, puzzle: Puzzle) -> Any:
        return self.memo(puzzle.clues, super().solve(puzzle))


class CachesCountsByGivens(Remembers):
    def count(self, puzzle: Puzzle, limit: int) -> Any:
        return self.memo((puzzle.clues, limit), super().count(puzzle, limit))


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


globals().update(
    variants(
        SideEffect,
        "side_effect",
        Prints=lambda self, puzzle: print("solving", puzzle.line),  # noqa: T201
        PrintsFromC=lambda self, puzzle: os.write(1, b"c solver 1.0\n"),
        Warns=lambda self, puzzle: sys.stderr.write("no licence file\n"),
        ClosesStandardOutput=lambda self, puzzle: sys.stdout.close(),
        ClosesTheDescriptor=lambda self, puzzle: os.close(1),
        ChangesTheFolder=lambda self, puzzle: os.chdir("/"),
        ClearsTheEnvironment=lambda self, puzzle: os.environ.pop("PATH", None),
        LeavesAFile=lambda self, puzzle: Path("model.lp").write_text("min: 0"),
        LeavesATemporaryFile=lambda self, puzzle: os.close(tempfile.mkstemp(suffix=".cnf")[0]),
        LeavesAThread=lambda self, puzzle: threading.Thread(
            target=time.sleep, args=(1,), daemon=True, name="watchdog"
        ).start(),
    )
)


class ReplacesStandardOutput(SideEffect):
    def side_effect(self, puzzle: Puzzle) -> None:
        sys.stdout = sys.stderr


class RaisesOnAFullGrid(SideEffect):
    def side_effect(self, puzzle: Puzzle) -> None:
        if puzzle.clues == len(puzzle.givens):
            raise ValueError("nothing to do")


class RaisesOnAnEmptyGrid(SideEffect):
    def side_effect(self, puzzle: Puzzle) -> None:
        if not puzzle.clues:
            raise ZeroDivisionError


class RaisesWhereThereIsNone(Sound):
    def solve(self, puzzle: Puzzle) -> Answer:
        answer = super().solve(puzzle)
        if answer.grid is None:
            raise ValueError("no solution")
        return answer


class ChangesTheEnvironment(SideEffect):
    def side_effect(self, puzzle: Puzzle) -> None:
        os.environ["OMP_NUM_THREADS"] = "64"


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


class Hangs(SideEffect):
    """Sleeps far beyond its time limit."""

    def side_effect(self, puzzle: Puzzle) -> None:
        if not puzzle.clues:
            time.sleep(60)


class ComesLate(SideEffect):
    """Answers, but after its time limit."""

    def side_effect(self, puzzle: Puzzle) -> None:
        if not puzzle.clues:
            time.sleep(1.6)


class Dies(SideEffect):
    def side_effect(self, puzzle: Puzzle) -> None:
        if not puzzle.clues:
            os.abort()


class Exits(SideEffect):
    def side_effect(self, puzzle: Puzzle) -> None:
        if not puzzle.clues:
            sys.exit(0)


class EatsMemory(SideEffect):
    def side_effect(self, puzzle: Puzzle) -> None:
        if not puzzle.clues:
            self.eaten = np.ones(2**28)  # 2 GiB at once


APART: tuple[type[Backend[Any]], ...] = (Hangs, ComesLate, Dies, Exits, EatsMemory)
"""Backends that kill the process, or keep it busy for long."""
