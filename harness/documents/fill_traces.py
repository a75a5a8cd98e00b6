"""Documents of events and candidates, filled from the objects of reasoning."""

from collections.abc import Iterable

from harness.documents.reasoning import CandidateData, EventData
from harness.puzzles.puzzle import line_of
from harness.puzzles.shape import Shape
from harness.puzzles.symbols import symbol_of
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
from harness.reasoning.trace.words import words_of

_KINDS = {
    Assigned: "assigned",
    Eliminated: "eliminated",
    Options: "options",
    DeadEnd: "dead end",
    Reset: "reset",
    Solved: "solved",
}


def event_data(event: Event, shape: Shape) -> EventData:
    """An event as a document."""
    data = EventData(
        kind=_KINDS[type(event)],
        branch=branch_name(event.branch),
        cells=[],
        value=None,
        options=[],
        number=None,
        rule=None,
        removed=[],
        solution=None,
        words=words_of(event, shape),
    )
    match event:
        case Assigned(cell=cell, value=value, options=number, rule=rule):
            data.cells, data.value, data.number = [shape.cell_name(cell)], symbol_of(value), number
            data.rule = rule.name if rule else None
        case Eliminated(rule=rule, conclusion=conclusion):
            data.rule, data.removed = rule.name, candidates(conclusion.candidates, shape)
        case Options(cell=cell, values=values):
            data.cells, data.options = [shape.cell_name(cell)], [*map(symbol_of, values)]
        case DeadEnd(cell=cell, rule=rule):
            data.cells, data.rule = [shape.cell_name(cell)], rule.name if rule else None
        case Reset(cells=cells):
            data.cells = [*map(shape.cell_name, cells)]
        case Solved(grid=grid):
            data.solution = line_of(grid)
    return data


def candidates(pairs: Iterable[tuple[int, int]], shape: Shape) -> list[CandidateData]:
    """Candidates with the names of cells and values."""
    return [CandidateData(cell=shape.cell_name(c), value=symbol_of(v)) for c, v in pairs]
