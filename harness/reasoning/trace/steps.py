"""The board after each event of a search depth first."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from harness.puzzles.puzzle import Grid, Puzzle
from harness.reasoning.trace.events import Assigned, Event, Reset


class Step(NamedTuple):
    """An event, and the values that it leaves on the board."""

    event: Event
    values: Grid


def steps_of(events: Iterable[Event], puzzle: Puzzle) -> Iterator[Step]:
    """Each event with the values after it, 0 for a blank."""
    values = list(puzzle.givens)
    for event in events:
        match event:
            case Assigned(cell=cell, value=value):
                values[cell] = value
            case Reset(cells=cells):
                for cell in cells:
                    values[cell] = 0
        yield Step(event, tuple(values))
