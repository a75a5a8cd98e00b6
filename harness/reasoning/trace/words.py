"""The events of a search in words, for a terminal."""

from harness.puzzles.shape import Shape
from harness.puzzles.symbols import symbol_of
from harness.reasoning.explanation import all_of, any_of, sentence
from harness.reasoning.trace.branches import branch_name
from harness.reasoning.trace.events import (
    Assigned,
    DeadEnd,
    Eliminated,
    Event,
    Options,
    Reset,
    Solved,
)


def words_of(event: Event, shape: Shape) -> str:
    """An event as a sentence without a full stop."""
    name = shape.cell_name
    match event:
        case Assigned(conclusion=None):
            return _guess(event, shape)
        case (
            Assigned(rule=rule, conclusion=conclusion)
            | Eliminated(rule=rule, conclusion=conclusion)
        ):
            assert conclusion is not None
            assert rule is not None
            return f"{sentence(conclusion, shape)} ({rule.name})"
        case Options(cell=cell, values=(value,)):
            return f"{name(cell)} can only be {symbol_of(value)}"
        case Options(cell=cell, values=values):
            return f"branch at {name(cell)}: {any_of(map(symbol_of, values))}"
        case DeadEnd(cell=cell, conclusion=None):
            return f"dead end: {name(cell)} has no candidate"
        case DeadEnd(rule=rule, conclusion=conclusion):
            assert conclusion is not None
            assert rule is not None
            cannot = f"{name(conclusion.cell)} cannot be {symbol_of(conclusion.value)}"
            return f"dead end: {cannot}, but {conclusion.reason.words(shape)} ({rule.name})"
        case Reset(cells=cells):
            return f"back from {branch_name(event.branch)}: {_blank(cells, shape)} again"
        case Solved():
            return "solution"


def _guess(event: Assigned, shape: Shape) -> str:
    what = f"{shape.cell_name(event.cell)} is {symbol_of(event.value)}"
    if event.options == 1:
        return what
    number = event.branch[-1]
    return f"try {what}: {number} of {event.options} ({branch_name(event.branch)})"


def _blank(cells: tuple[int, ...], shape: Shape) -> str:
    """The cells that are blank, or their number if they are many."""
    if len(cells) > 6:
        return f"{len(cells)} cells from {shape.cell_name(cells[-1])} on are blank"
    return f"{all_of(map(shape.cell_name, cells))} {'is' if len(cells) == 1 else 'are'} blank"
