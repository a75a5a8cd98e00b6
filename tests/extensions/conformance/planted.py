"""What the planted backends of the files ``bad_*`` share."""

import inspect
import sys
from abc import abstractmethod
from collections.abc import Callable
from dataclasses import replace
from types import ModuleType
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from backends.native import Native
from harness.contract import Answer, Backend, Count, Options, Phases
from harness.contract.answers import ManyAnswers, ManyCounts
from harness.extensions.conformance.shapes import JIGSAW
from harness.puzzles import Puzzle, Shape


class Sound(Native):
    """A backend that keeps the contract; each class derived from it breaks one clause."""

    shapes: ClassVar[tuple[str, ...]] = ("4x4", "4x4+diagonal", JIGSAW, "6x6", "box3x2", "latin5")
    """The shapes in which the fault shows."""


class OtherPuzzle(Sound):
    """Answers another puzzle, often of another shape."""

    @abstractmethod
    def other(self, puzzle: Puzzle) -> Puzzle: ...

    def solve(self, puzzle: Puzzle) -> Answer:
        other = self.other(puzzle)
        return Native(other.shape, Options()).solve(other)

    def count(self, puzzle: Puzzle, limit: int) -> Count:
        other = self.other(puzzle)
        return Native(other.shape, Options()).count(other, limit)


class Remembers(Sound):
    """Keeps the contract, with room for what it saw before."""

    def __init__(self, shape: Shape, options: Options) -> None:
        super().__init__(shape, options)
        self.known: dict[Any, Any] = {}
        self.calls = 0

    def memo(self, key: Any, record: Any) -> Any:
        """The record of the first call with this key, or else this one."""
        return replace(self.known.setdefault(key, record), phases=Phases())


class Batches(Sound):
    """Keeps the contract, and answers batches on its own."""

    batches_natively = True

    def solve_many(self, puzzles: NDArray[np.uint8]) -> ManyAnswers:
        return super().solve_many(puzzles)

    def count_many(self, puzzles: NDArray[np.uint8], limit: int) -> ManyCounts:
        return super().count_many(puzzles, limit)


def planted(module: ModuleType) -> list[type[Backend[Any]]]:
    """The faulty backends of a file, except abstract ones and those to be examined apart."""
    return [
        kind
        for kind in vars(module).values()
        if isinstance(kind, type)
        and issubclass(kind, Backend)
        and kind.__module__ == module.__name__
        and not inspect.isabstract(kind)
        and kind not in getattr(module, "APART", ())
    ]


def variants(
    base: type[Any], method: str, **functions: Callable[..., object]
) -> dict[str, type[Any]]:
    """Subclasses of `base` by name, each with one of the `functions` as its `method`."""
    own = {"__module__": sys._getframe(1).f_globals["__name__"]}
    return {name: type(name, (base,), {**own, method: call}) for name, call in functions.items()}
