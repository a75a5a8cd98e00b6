"""TRACKER, TRACKHIST and PAV of a search depth first.

The source is a search in APL by Arkieva (2013), which keeps its current assignments and their
history in four columns: a counter CTR, the number of options, the cell from 1, and the value.
The codes 9999 and 0 in place of a value stand for a dead end and for a cell put back. PAV has
the values tried in each cell. Where the article leaves a point open, this module has these rules.

- The number of options of an assignment is the number of values that the cell can have and that
  PAV does not have. So the search goes back to the latest assignment with two options or more.
- Rules may conclude two values of one cell. Both have a row, and a dead end follows.
- PAV of a cell is cleared when the search goes back past it. Otherwise the search would not try
  these values again after another guess, and miss solutions.
"""

from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

from harness.reasoning.trace.events import Assigned, DeadEnd, Event, Reset

DEAD_END: Final = 9999
"""In place of a value: the cell has no option."""
PUT_BACK: Final = 0
"""In place of a value: the cell is blank again."""


class Row(NamedTuple):
    """A row of TRACKER or TRACKHIST."""

    counter: int
    """Assignments and dead ends so far; a cell put back has the counter of the dead end."""
    options: int
    """The options of an assignment, otherwise 0."""
    cell: int
    """The cell from 1, row by row; 0 for a dead end at a house."""
    value: int
    """The value, `DEAD_END` or `PUT_BACK`."""


class Tracker:
    """The state of the search; `history` brings it up to date event by event."""

    def __init__(self) -> None:
        self.current: Final[list[Row]] = []
        """TRACKER: the current assignments, the earliest first."""
        self.tried: Final[dict[int, list[int]]] = {}
        """PAV: the values tried in each cell, by the number of the cell from 1."""
        self._counter = 0

    def history(self, events: Iterable[Event]) -> Iterator[Row]:
        """TRACKHIST: the rows of these `events`; eliminations and solutions have none."""
        for event in events:
            match event:
                case Assigned():
                    yield self._assigned(event)
                case DeadEnd(cell=cell):
                    self._counter += 1
                    yield Row(self._counter, 0, cell + 1, DEAD_END)
                case Reset(cells=cells):
                    yield from map(self._put_back, cells)

    def _assigned(self, event: Assigned) -> Row:
        self._counter += 1
        cell = event.cell + 1
        guessed_before = 0 if event.rule else event.branch[-1] - 1
        row = Row(self._counter, event.options - guessed_before, cell, event.value)
        self.current.append(row)
        self.tried.setdefault(cell, []).append(event.value)
        return row

    def _put_back(self, cell: int) -> Row:
        row = self.current.pop()
        if row.options == 1:
            self.tried.pop(row.cell, None)
        return Row(self._counter, 0, cell + 1, PUT_BACK)
