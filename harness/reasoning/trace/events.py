"""The events of a search, in the order in which they happen."""

from collections.abc import Callable
from dataclasses import dataclass

from harness.puzzles.puzzle import Grid
from harness.reasoning.conclusion import Elimination, Placement
from harness.reasoning.rule import Rule

Branch = tuple[int, ...]
"""A branch of the search tree: the number of the alternative at each guess, from 1."""


@dataclass(frozen=True, slots=True)
class Assigned:
    """A cell got a value: by a rule, or as a guess."""

    branch: Branch
    cell: int
    value: int
    options: int
    """The number of values that the cell could have: 1 if a rule decided."""
    rule: Rule | None
    """The rule; None for a guess."""
    conclusion: Placement | None
    """What the rule concluded; None for a guess."""


@dataclass(frozen=True, slots=True)
class Eliminated:
    """A rule removed candidates."""

    branch: Branch
    rule: Rule
    conclusion: Elimination


@dataclass(frozen=True, slots=True)
class Options:
    """The rules conclude nothing more, so the search branches at a cell."""

    branch: Branch
    cell: int
    values: tuple[int, ...]
    """Its candidates, in the order in which they are tried."""


@dataclass(frozen=True, slots=True)
class DeadEnd:
    """A branch has no solution: a cell has no candidate, or cannot have a value that it must."""

    branch: Branch
    cell: int
    rule: Rule | None = None
    """The rule that gives the cell a value that it cannot have; None without a candidate."""
    conclusion: Placement | None = None
    """Its conclusion."""


@dataclass(frozen=True, slots=True)
class Reset:
    """The search goes back and takes values out of cells."""

    branch: Branch
    """The branch that it leaves."""
    cells: tuple[int, ...]
    """The cells, the latest first."""


@dataclass(frozen=True, slots=True)
class Solved:
    """A solution was found."""

    branch: Branch
    grid: Grid


Event = Assigned | Eliminated | Options | DeadEnd | Reset | Solved
Recorder = Callable[[Event], None]
"""Receives each event when it happens."""
