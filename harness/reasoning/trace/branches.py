"""The nodes of a search tree with their names and outcomes.

The article "你会玩数独么?" keeps a spreadsheet for each node: ``total`` for the puzzle, ``total1``
for its first alternative, ``total11`` for the first alternative after that.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from harness.reasoning.trace.events import Assigned, Branch, DeadEnd, Event, Options, Solved

ROOT: Final = "total"


class Outcome(StrEnum):
    """What became of a node."""

    BRANCHES = "branches"
    """The search guessed further."""
    DEAD_END = "dead end"
    SOLUTION = "solution"
    OPEN = "open"
    """The search ended before it visited the node, or in it."""


@dataclass(frozen=True, slots=True)
class Node:
    """A board that the search visits, or would visit next."""

    branch: Branch
    path: tuple[tuple[int, int], ...]
    """The guesses that lead to it: cells with their values."""
    outcome: Outcome
    cell: int | None = None
    """The cell at which the search branches or ends, if there is one."""
    options: int = 0
    """The number of alternatives if the search branches."""


def branch_name(branch: Branch) -> str:
    """The name of a branch: ``total11``, or ``total.1.12`` if a number has two digits."""
    separator = "." if any(number > 9 for number in branch) else ""
    return ROOT + "".join(f"{separator}{number}" for number in branch)


@dataclass(slots=True)
class _Waiting:
    """The alternatives at a node that the search has not visited yet."""

    path: tuple[tuple[int, int], ...]
    options: Options
    visited: int = 0


def nodes(events: Iterable[Event]) -> Iterator[Node]:
    """The nodes of a search from its events, each when its outcome is known.

    Open nodes come last. Only the alternatives that wait are kept.
    """
    waiting: dict[Branch, _Waiting] = {}
    branch: Branch = ()
    path: tuple[tuple[int, int], ...] = ()
    known = False
    for event in events:
        match event:
            case Assigned(rule=None):
                branch, known = event.branch, False
                path = _entered(waiting, event)
            case Options():
                waiting[branch] = _Waiting(path, event)
                yield Node(branch, path, Outcome.BRANCHES, event.cell, len(event.values))
                known = True
            case DeadEnd():
                yield Node(branch, path, Outcome.DEAD_END, event.cell)
                known = True
            case Solved():
                yield Node(branch, path, Outcome.SOLUTION)
                known = True
    if not known:
        yield Node(branch, path, Outcome.OPEN)
    for at, left in sorted(waiting.items()):
        values = left.options.values
        for number in range(left.visited, len(values)):
            step = (left.options.cell, values[number])
            yield Node((*at, number + 1), (*left.path, step), Outcome.OPEN)


def _entered(waiting: dict[Branch, _Waiting], guess: Assigned) -> tuple[tuple[int, int], ...]:
    """The path of the node of a guess; its parent forgets the alternative."""
    parent = guess.branch[:-1]
    left = waiting[parent]
    left.visited += 1
    if left.visited == len(left.options.values):
        del waiting[parent]
    return (*left.path, (guess.cell, guess.value))
