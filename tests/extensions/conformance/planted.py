"""What the planted backends of the files ``bad_*`` share."""

import inspect
import sys
from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from types import ModuleType
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from backends.native import Native
from harness.contract import Answer, Backend, Count, Options, Phases
from harness.contract.answers import ManyAnswers, ManyCounts
from harness.extensions.conformance import Examination, Finding
from harness.extensions.conformance.shapes import JIGSAW
from harness.puzzles import Puzzle, Shape


class Sound(Native):
    """A backend that keeps the contract; each class derived from it breaks one clause."""

    shapes: ClassVar[tuple[str, ...]] = ("4x4", "4x4+diagonal", JIGSAW, "6x6", "box3x2", "latin5")
    """The shapes in which the fault shows."""


class OtherPuzzle(Sound):
    """Answers another puzzle, perhaps of another shape."""

    @abstractmethod
    def other(self, puzzle: Puzzle) -> Puzzle: ...

    def backend_of(self, puzzle: Puzzle) -> Native:
        return self if puzzle.shape == self.shape else Native(puzzle.shape, Options())

    def solve(self, puzzle: Puzzle) -> Answer:
        other = self.other(puzzle)
        return Native.solve(self.backend_of(other), other)

    def count(self, puzzle: Puzzle, limit: int) -> Count:
        other = self.other(puzzle)
        return Native.count(self.backend_of(other), other, limit)


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


class ChangesAnswers(Sound):
    """Solves correctly, then changes the answer."""

    @abstractmethod
    def change(self, answer: Answer, puzzle: Puzzle) -> Any: ...

    def solve(self, puzzle: Puzzle) -> Any:
        return self.change(super().solve(puzzle), puzzle)


class ChangesCounts(Sound):
    """Counts correctly, then changes the count."""

    @abstractmethod
    def change(self, count: Count, puzzle: Puzzle, limit: int) -> Count: ...

    def count(self, puzzle: Puzzle, limit: int) -> Count:
        return self.change(super().count(puzzle, limit), puzzle, limit)


class ChangesManyAnswers(Sound):
    """Solves batches correctly, then changes the answers."""

    @abstractmethod
    def change(self, answers: ManyAnswers, puzzles: NDArray[np.uint8]) -> ManyAnswers: ...

    def solve_many(self, puzzles: NDArray[np.uint8]) -> ManyAnswers:
        return self.change(super().solve_many(puzzles), puzzles)


class ChangesManyCounts(Sound):
    """Counts batches correctly, then changes the counts."""

    @abstractmethod
    def change(self, counts: ManyCounts, limit: int) -> ManyCounts: ...

    def count_many(self, puzzles: NDArray[np.uint8], limit: int) -> ManyCounts:
        return self.change(super().count_many(puzzles, limit), limit)


def without_equal_givens(puzzle: Puzzle) -> Puzzle:
    """The puzzle without the second of any two equal givens in a house or a pair."""
    givens = list(puzzle.givens)
    for cell, value in enumerate(puzzle.givens):
        if value and any(givens[peer] == value for peer in puzzle.shape.peers[cell] if peer < cell):
            givens[cell] = 0
    return Puzzle(puzzle.shape, tuple(givens))


def findings_of(
    backend: type[Backend[Any]], *shapes: str, titles: Sequence[str] = (), **options: Any
) -> list[Finding]:
    """The findings of an examination in this process, perhaps of the parts with these titles only.

    Args:
        backend: the backend to examine.
        shapes: the shapes of the examination.
        titles: the titles of the parts to examine; all if empty.
        options: further arguments of the examination.
    """
    with Examination(backend, shapes=shapes, **options) as examination:
        parts = [p for p in examination.parts() if not titles or p.title in titles]
        return [examination.examine(part) for part in parts]


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


def plant(
    base: type[Any],
    method: str,
    attributes: Mapping[str, object] | None = None,
    /,
    **functions: Callable[..., object],
) -> None:
    """Add subclasses of `base` to the caller's module, with each function as their `method`.

    Args:
        base: the class to derive from.
        method: the name of the method.
        attributes: attributes of all these subclasses, such as their `shapes`.
        functions: the methods by the names of the classes.
    """
    module = sys._getframe(1).f_globals
    own = {"__module__": module["__name__"], **(attributes or {})}
    for name, function in functions.items():
        module[name] = type(name, (base,), {**own, method: function})
