"""The document of a trace."""

from typing import TYPE_CHECKING

from harness.documents.reasoning import EventData, Traced
from harness.puzzles.puzzle import line_of
from harness.records.question import Task

if TYPE_CHECKING:
    from harness.cli.tracing import Trace


def traced(trace: "Trace", events: list[EventData], left_out: int) -> Traced:
    """A trace whose search has ended."""
    puzzle, tracing, question = trace.instance.puzzle, trace.tracing, trace.question
    search = tracing.search
    return Traced(
        name=trace.instance.name,
        puzzle=puzzle.line,
        puzzle_id=puzzle.id,
        shape=puzzle.shape.definition,
        task=str(question.task),
        limit=question.limit if question.task is Task.COUNT else None,
        backend=trace.spec,
        verdict=trace.verdict,
        solution=None if tracing.solution is None else line_of(tracing.solution),
        count=tracing.number,
        exact=tracing.complete,
        nodes=search.nodes,
        guesses=search.guesses,
        dead_ends=search.dead_ends,
        conclusions=dict(search.conclusions),
        events=events,
        left_out=left_out,
    )
