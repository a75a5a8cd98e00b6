"""What the planted backends of the files ``bad_*`` share."""

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from types import ModuleType
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from backends.native import Native
from harness.contract import Backend, Options, Phases
from harness.contract.answers import ManyAnswers, ManyCounts
from harness.extensions.conformance import Examination, Finding
from harness.extensions.conformance.shapes import JIGSAW
from harness.puzzles import Puzzle, Shape

Method = Callable[..., Any]
Methods = Callable[[Method], Mapping[str, Method]]
"""Makes the methods of a planted backend from the function that has its fault."""


class Sound(Native):
    """A backend that keeps the contract; each class derived from it breaks one clause."""

    shapes: ClassVar[tuple[str, ...]] = ("4x4", "4x4+diagonal", JIGSAW, "6x6", "box3x2", "latin5")
    """The shapes in which the fault shows."""

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


def changing(method: str) -> Methods:
    """A right method, whose result the function changes."""
    native = getattr(Native, method)
    return lambda change: {
        method: lambda self, *question: change(native(self, *question), *question)
    }


def confusing(method: str) -> Methods:
    """A method that takes puzzles for which the function has the same key for the same one."""
    native = getattr(Native, method)
    return lambda key: {
        method: lambda self, puzzle, *limit: self.memo(
            (key(puzzle), limit), native(self, puzzle, *limit)
        )
    }


def answering(*tasks: str) -> Methods:
    """Methods for these tasks that answer another puzzle: what the function has for theirs."""

    def method(task: str, other: Method) -> Method:
        def answer(self: Native, puzzle: Puzzle, *limit: int) -> Any:
            instead = other(self, puzzle)
            backend = self if instead.shape == self.shape else Native(instead.shape, Options())
            return getattr(Native, task)(backend, instead, *limit)

        return answer

    return lambda other: {task: method(task, other) for task in tasks}


answering_all = answering("solve", "count")


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
    """The backends of a file, except those to be examined apart."""
    return [
        kind
        for kind in vars(module).values()
        if isinstance(kind, type)
        and issubclass(kind, Backend)
        and kind.__module__ == module.__name__
        and kind not in getattr(module, "APART", ())
    ]


def plant(
    methods: str | Methods, /, shapes: tuple[str, ...] = Sound.shapes, **functions: Method
) -> None:
    """Add subclasses of `Sound` to the caller's module, one for each function.

    Args:
        methods: the name of the method that each function is, or what makes methods of it.
        shapes: the shapes in which the faults show.
        functions: the functions by the names of the classes.
    """
    module = sys._getframe(1).f_globals
    for name, function in functions.items():
        own = {methods: function} if isinstance(methods, str) else methods(function)
        attributes = {"__module__": module["__name__"], "shapes": shapes, **own}
        module[name] = type(name, (Sound,), attributes)
