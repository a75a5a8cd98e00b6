"""Mutants of the native backend by operators and triggers.

An operator makes an answer wrong; a trigger decides in which calls. A mutant is a pair of
them, such as ``counts one more, with 12 clues``. All pairs that can show are made.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from backends.native import Native
from harness.contract import Answer, Backend, Count, Options
from harness.extensions.conformance.shapes import JIGSAW
from harness.puzzles import House, Puzzle, Shape
from tests.extensions.conformance.source_mutants import uncaught


@dataclass(frozen=True)
class Call:
    """A call to a mutant: the puzzle, the limit of a count, and the number of calls before it."""

    puzzle: Puzzle
    limit: int | None
    before: int
    previous: Any
    """The record of the last call of the same task."""


SolveOperator = Callable[["Mutant", Call, Answer], Answer]
CountOperator = Callable[["Mutant", Call, Count], Count]
Trigger = Callable[[Call], bool]


class Mutant(Native):
    """A native backend that is wrong in the calls that its trigger selects."""

    solve_operator: SolveOperator | None = None
    count_operator: CountOperator | None = None
    trigger: Trigger
    shapes: tuple[str, ...]

    def __init__(self, shape: Shape, options: Options) -> None:
        super().__init__(shape, options)
        self.calls = 0
        self.previous: dict[bool, Any] = {}

    def call(self, puzzle: Puzzle, limit: int | None) -> Call:
        self.calls += 1
        return Call(puzzle, limit, self.calls - 1, self.previous.get(limit is None))

    def solve(self, puzzle: Puzzle) -> Answer:
        call, kind = self.call(puzzle, None), type(self)
        answer = super().solve(puzzle)
        if kind.solve_operator and kind.trigger(call):
            answer = kind.solve_operator(self, call, answer)
        self.previous[True] = answer
        return answer

    def count(self, puzzle: Puzzle, limit: int) -> Count:
        call, kind = self.call(puzzle, limit), type(self)
        count = super().count(puzzle, limit)
        if kind.count_operator and kind.trigger(call):
            count = kind.count_operator(self, call, count)
        self.previous[False] = count
        return count


def on_number(change: Callable[[int], int]) -> CountOperator:
    """An operator that changes the number of a count, and keeps it possible."""

    def operator(_self: Mutant, call: Call, count: Count) -> Count:
        assert call.limit is not None
        number = max(0, min(change(count.number), call.limit))
        return replace(count, number=number, exact=number < call.limit)

    return operator


def exchange_cells(_self: Mutant, _call: Call, answer: Answer) -> Answer:
    """The grid with its first and last value exchanged."""
    grid = answer.grid
    return replace(answer, grid=(grid[-1], *grid[1:-1], grid[0])) if grid else answer


def without_a_given(puzzle: Puzzle) -> Puzzle:
    """The puzzle without its last given."""
    last = max((c for c, v in enumerate(puzzle.givens) if v), default=0)
    return Puzzle(puzzle.shape, (*puzzle.givens[:last], 0, *puzzle.givens[last + 1 :]))


def without_houses(puzzle: Puzzle, kind: str) -> Puzzle:
    """The puzzle without the houses of a kind."""
    shape = puzzle.shape
    houses: tuple[House, ...] = tuple(h for h in shape.houses if h.kind != kind)
    return Puzzle(Shape(f"{shape.spec} without {kind}", shape.size, houses), puzzle.givens)


def native_of(puzzle: Puzzle) -> Native:
    """The native backend for the shape of a puzzle."""
    return Native(puzzle.shape, Options())


def solving(change: Callable[[Puzzle], Puzzle]) -> SolveOperator:
    """An operator that solves another puzzle."""
    return lambda _s, call, _answer: native_of(other := change(call.puzzle)).solve(other)


def counting(change: Callable[[Puzzle], Puzzle]) -> CountOperator:
    """An operator that counts the solutions of another puzzle."""
    return lambda _s, call, _count: native_of(other := change(call.puzzle)).count(
        other, call.limit or 1
    )


SOLVE_OPERATORS: dict[str, SolveOperator] = {
    "reports unsatisfiable": lambda _s, _c, _a: Answer.unsatisfiable(),
    "reports unknown": lambda _s, _c, _a: Answer.unknown(),
    "exchanges two values": exchange_cells,
    "ignores a given": solving(without_a_given),
    "ignores columns": solving(lambda puzzle: without_houses(puzzle, "column")),
    "repeats the last answer": lambda _s, call, answer: call.previous or answer,
    "drops the grid": lambda _s, _c, answer: replace(answer, grid=None),
}
COUNT_OPERATORS: dict[str, CountOperator] = {
    "counts one more": on_number(lambda n: n + 1),
    "counts one less": on_number(lambda n: n - 1),
    "counts twice": on_number(lambda n: 2 * n),
    "stops at one": on_number(lambda n: min(n, 1)),
    "counts at most 200": on_number(lambda n: min(n, 200)),
    "flips exact": lambda _s, _c, count: replace(count, exact=not count.exact),
    "ignores the limit": lambda s, c, _n: Native.count(s, c.puzzle, (c.limit or 1) + 1),
    "ignores a given when counting": counting(without_a_given),
    "ignores rows when counting": counting(lambda puzzle: without_houses(puzzle, "row")),
    "keeps the last witness": lambda _s, call, count: replace(
        count, witness=getattr(call.previous, "witness", None) or count.witness
    ),
    "repeats the last count": lambda _s, call, count: call.previous or count,
}
_SMALL = ("4x4", JIGSAW, "6x6", "latin5")
TRIGGERS: dict[str, tuple[Trigger, tuple[str, ...]]] = {
    "always": (lambda _: True, _SMALL),
    "if the middle cell is blank": (lambda c: not middle(c), ("9x9",)),
    "if the middle cell is given": (lambda c: middle(c) > 0, ("9x9",)),
    "if cell 7 holds 3": (lambda c: c.puzzle.givens[7] == 3, _SMALL),
    "if the last row has one blank": (lambda c: last_row(c).count(0) == 1, _SMALL),
    "with 25 clues": (lambda c: c.puzzle.clues == 25, ("9x9",)),
    "with more than 60 clues": (lambda c: c.puzzle.clues > 60, ("9x9",)),
    "after 150 calls": (lambda c: c.before > 150, _SMALL),
    "in each 97th call": (lambda c: c.before % 97 == 96, _SMALL),
    "with 5 values": (lambda c: c.puzzle.shape.size == 5, ("latin5",)),
    "with 25 values": (lambda c: c.puzzle.shape.size == 25, ("25x25",)),
    "with other houses": (lambda c: c.puzzle.shape.spec == "4x4+diagonal", ("4x4+diagonal",)),
    "with limits above 100": (lambda c: (c.limit or 0) > 100, _SMALL),
    "with limit 2": (lambda c: c.limit == 2, _SMALL),
    "after a puzzle without solution": (lambda c: had_none(c.previous), _SMALL),
    "if an even number of clues adds up to a multiple of 7": (
        lambda c: c.puzzle.clues % 2 == 0 and sum(c.puzzle.givens) % 7 == 0,
        _SMALL,
    ),
}
_FOR_COUNTS = ("with limits above 100", "with limit 2")


def middle(call: Call) -> int:
    return call.puzzle.givens[len(call.puzzle.givens) // 2]


def last_row(call: Call) -> tuple[int, ...]:
    return call.puzzle.givens[-call.puzzle.shape.size :]


def had_none(previous: object) -> bool:
    if isinstance(previous, Answer):
        return previous.grid is None
    return isinstance(previous, Count) and previous.number == 0


EQUIVALENT = uncaught("equivalent", "triggered")
MISSED = uncaught("missed", "triggered")


def names() -> dict[str, tuple[str, str]]:
    """The name of each mutant, with its operator and its trigger."""
    return {
        f"{operator}, {trigger}": (operator, trigger)
        for trigger in TRIGGERS
        for operator in (*SOLVE_OPERATORS, *COUNT_OPERATORS)
        if operator in COUNT_OPERATORS or trigger not in _FOR_COUNTS
    }


def mutant(name: str) -> type[Backend[Any]]:
    """The mutant with this name."""
    operator, trigger_name = names()[name]
    trigger, shapes = TRIGGERS[trigger_name]
    solve, count = SOLVE_OPERATORS.get(operator), COUNT_OPERATORS.get(operator)
    attributes = {
        "solve_operator": staticmethod(solve) if solve else None,
        "count_operator": staticmethod(count) if count else None,
        "trigger": staticmethod(trigger),
        "shapes": shapes,
    }
    return type("Triggered", (Mutant,), attributes)
