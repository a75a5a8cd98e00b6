"""Views of a trace as lines."""

from collections.abc import Iterable, Iterator

from harness.cli.terminal import wrapped
from harness.cli.trace_options import View
from harness.puzzles.shape import Shape
from harness.puzzles.symbols import symbol_of
from harness.reasoning.trace.branches import Node, Outcome, branch_name, nodes
from harness.reasoning.trace.events import Event
from harness.reasoning.trace.tracker import Row, Tracker
from harness.reasoning.trace.words import words_of
from harness.text import number_of

_HEAD = f"{'CTR':>8} {'options':>8} {'cell':>6} {'value':>6}"


def lines_of(view: View | None, events: Iterable[Event], shape: Shape) -> Iterator[str]:
    """The lines of a view, each when its event happens; a tree has none."""
    if view is View.TRACKER:
        return _tracker_lines(events)
    if view is View.BRANCHES:
        return (_branch_line(node, shape) for node in nodes(events))
    return (wrapped(words_of(event, shape), 4, first=0) for event in events)


def _tracker_lines(events: Iterable[Event]) -> Iterator[str]:
    tracker = Tracker()
    yield "TRACKHIST: the whole history; 9999 is a dead end, 0 a cell put back"
    yield _HEAD
    yield from map(_row, tracker.history(events))
    yield "\nTRACKER: the assignments at the end"
    yield _HEAD
    yield from map(_row, tracker.current)
    yield "\nPAV: the values tried in each cell"
    for cell, values in sorted(tracker.tried.items()):
        yield wrapped(f"{cell:>8} {' '.join(map(str, values))}", 9, first=0)


def _row(row: Row) -> str:
    return f"{row.counter:8} {row.options:8} {row.cell:6} {row.value:6}"


def _branch_line(node: Node, shape: Shape) -> str:
    what = str(node.outcome)
    if node.outcome is Outcome.BRANCHES and node.cell is not None:
        what = f"{number_of(node.options, 'option')} at {shape.cell_name(node.cell)}"
    path = " ".join(f"{shape.cell_name(cell)}={symbol_of(value)}" for cell, value in node.path)
    text = f"{branch_name(node.branch)}: {what}{f' ({path})' if path else ''}"
    return wrapped(text, 4, first=0)
