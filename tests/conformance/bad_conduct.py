"""Backends that answer rightly and misbehave, each in one way."""

import os
import subprocess
import sys
import tempfile
import threading
import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from backends.native import Native
from harness.contract import Answer, Backend, Count, Options, option
from harness.puzzles import Puzzle, Shape


class Sound(Native):
    """A backend that keeps the contract; each of those below breaks one thing."""


class Besides(Sound):
    """Answers, and does something besides."""

    def besides(self, puzzle: Puzzle) -> None:
        raise NotImplementedError

    def solve(self, puzzle: Puzzle) -> Answer:
        self.besides(puzzle)
        return super().solve(puzzle)


class MutatesThePuzzle(Besides):
    def besides(self, puzzle: Puzzle) -> None:
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
    """Once it has proved that there is no solution, there is none ever after."""

    refuted = False

    def solve(self, puzzle: Puzzle) -> Answer:
        answer = Answer.unsatisfiable() if self.refuted else super().solve(puzzle)
        self.refuted = answer.grid is None
        return answer


class CachesByGivens(Sound):
    """Takes puzzles with as many givens for the same."""

    def __init__(self, shape: Shape, options: Options) -> None:
        super().__init__(shape, options)
        self.known: dict[int, Answer] = {}

    def solve(self, puzzle: Puzzle) -> Answer:
        return self.known.setdefault(puzzle.clues, super().solve(puzzle))


class CachesCountsByGivens(Sound):
    def __init__(self, shape: Shape, options: Options) -> None:
        super().__init__(shape, options)
        self.known: dict[tuple[int, int], Count] = {}

    def count(self, puzzle: Puzzle, limit: int) -> Count:
        return self.known.setdefault((puzzle.clues, limit), super().count(puzzle, limit))


class SharesItsShape(Sound):
    """What was built for one shape is kept where the next one made overwrites it."""

    latest: ClassVar[list[Shape]] = []

    def __init__(self, shape: Shape, options: Options) -> None:
        super().__init__(shape, options)
        self.latest[:] = [shape]

    def solve(self, puzzle: Puzzle) -> Answer:
        return super().solve(Puzzle(self.latest[0], puzzle.givens))


@dataclass(frozen=True)
class TwoOptions(Options):
    depth: int = option(3, help="how deep")
    strict: bool = option(True, help="whether to look at boxes")


class IgnoresAnOption(Sound):
    options_type = TwoOptions

    def __init__(self, shape: Shape, options: Options) -> None:
        super().__init__(shape, options)
        assert isinstance(options, TwoOptions)
        self.depth = options.depth


class WrongWithAnOption(Sound):
    options_type = TwoOptions

    def __init__(self, shape: Shape, options: Options) -> None:
        super().__init__(shape, options)
        assert isinstance(options, TwoOptions)
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


class Prints(Besides):
    def besides(self, puzzle: Puzzle) -> None:
        print("solving", puzzle.line)  # noqa: T201


class PrintsFromC(Besides):
    def besides(self, puzzle: Puzzle) -> None:
        os.write(1, b"c solver 1.0\n")


class Warns(Besides):
    def besides(self, puzzle: Puzzle) -> None:
        sys.stderr.write("no licence file\n")


class ClosesStandardOutput(Besides):
    def besides(self, puzzle: Puzzle) -> None:
        sys.stdout.close()


class ClosesTheDescriptor(Besides):
    def besides(self, puzzle: Puzzle) -> None:
        os.close(1)


class ReplacesStandardOutput(Besides):
    def besides(self, puzzle: Puzzle) -> None:
        sys.stdout = sys.stderr


class RaisesOnAFullGrid(Besides):
    def besides(self, puzzle: Puzzle) -> None:
        if puzzle.clues == len(puzzle.givens):
            raise ValueError("nothing to do")


class RaisesOnAnEmptyGrid(Besides):
    def besides(self, puzzle: Puzzle) -> None:
        if not puzzle.clues:
            raise ZeroDivisionError


class RaisesWhereThereIsNone(Sound):
    def solve(self, puzzle: Puzzle) -> Answer:
        answer = super().solve(puzzle)
        if answer.grid is None:
            raise ValueError("no solution")
        return answer


class ChangesTheFolder(Besides):
    def besides(self, puzzle: Puzzle) -> None:
        os.chdir("/")


class ChangesTheEnvironment(Besides):
    def besides(self, puzzle: Puzzle) -> None:
        os.environ["OMP_NUM_THREADS"] = "64"


class ClearsTheEnvironment(Besides):
    def besides(self, puzzle: Puzzle) -> None:
        os.environ.pop("PATH", None)


class LeavesAFile(Besides):
    def besides(self, puzzle: Puzzle) -> None:
        Path("model.lp").write_text("min: 0")


class LeavesATemporaryFile(Besides):
    def besides(self, puzzle: Puzzle) -> None:
        os.close(tempfile.mkstemp(suffix=".cnf")[0])


class LeavesAThread(Besides):
    def besides(self, puzzle: Puzzle) -> None:
        threading.Thread(target=time.sleep, args=(1,), daemon=True, name="watchdog").start()


class LeavesAProcess(Besides):
    process: "subprocess.Popen[bytes] | None" = None

    def besides(self, puzzle: Puzzle) -> None:
        if self.process is None:
            type(self).process = subprocess.Popen(["sleep", "1"])


class HasNoName(Sound):
    name = ""


class HasNoParadigm(Sound):
    paradigm = None  # type: ignore[assignment]


class NeedsText(Sound):
    distributions = "ortools"  # type: ignore[assignment]


class SaysThatItCounts(Backend):
    """Has the default count, and calls it its own."""

    name, paradigm, counts_natively = "says", "that it counts", True

    def __init__(self, shape: Shape, options: Options) -> None:
        self.native = Native(shape, options)

    def solve(self, puzzle: Puzzle) -> Answer:
        return self.native.solve(puzzle)


class Hangs(Besides):
    """Sleeps far past its time limit."""

    def besides(self, puzzle: Puzzle) -> None:
        if not puzzle.clues:
            time.sleep(60)


class ComesLate(Besides):
    """Answers, but after its time limit."""

    def besides(self, puzzle: Puzzle) -> None:
        if not puzzle.clues:
            time.sleep(1.6)


class Dies(Besides):
    def besides(self, puzzle: Puzzle) -> None:
        if not puzzle.clues:
            os.abort()


class Exits(Besides):
    def besides(self, puzzle: Puzzle) -> None:
        if not puzzle.clues:
            sys.exit(0)


class EatsMemory(Besides):
    def besides(self, puzzle: Puzzle) -> None:
        if not puzzle.clues:
            self.eaten = np.ones(2**28)  # 2 GiB, at once: nobody can see it grow


APART: tuple[type[Backend], ...] = (Hangs, ComesLate, Dies, Exits, EatsMemory)
"""Those that may take the process down, or keep it for long."""


def defined_here() -> list[type[Backend]]:
    """The backends of this file that misbehave, but for those in `APART`."""
    helpers = {Sound, Besides, Native, *APART}
    return [
        kind
        for kind in globals().values()
        if isinstance(kind, type) and issubclass(kind, Backend) and kind not in (*helpers, Backend)
    ]
