"""What the process of a trace gets and sends: JSON, one object per line."""

from enum import StrEnum
from typing import Annotated

from msgspec import Meta, Raw, Struct

from harness.puzzles.puzzle import Puzzle
from harness.puzzles.shape import Shape
from harness.reasoning.search import Order
from harness.reasoning.trace import TrackerRow

MOST_STEPS = 20_000
"""Steps of a trace at most."""
MOST_BYTES = 2**24
"""Bytes of all steps of a trace at most."""


class TraceQuery(Struct, frozen=True, kw_only=True):
    """What is traced."""

    shape: str
    """The definition of the shape."""
    givens: tuple[int, ...]
    marks: tuple[int, ...] | None = None
    """The candidates of each cell as bits; None if nothing restricts them."""
    up_to: str = ""
    """The last rule of the ladder that is used; empty for all rules, ``none`` for no rule."""
    searches: bool = True
    """Whether a search follows where the rules conclude nothing more."""
    order: Order = Order.FEWEST
    solutions: Annotated[int, Meta(ge=1)] = 1
    """The number of solutions at which the search ends."""
    most_steps: Annotated[int, Meta(ge=1, le=MOST_STEPS)] = MOST_STEPS
    cores: tuple[int, ...] = ()
    """The cores on which the process may run; empty for all."""

    def puzzle(self) -> Puzzle:
        """The puzzle.

        Raises:
            PuzzleError: it is malformed.
        """
        return Puzzle(Shape.parse(self.shape), self.givens, self.marks)


class Kind(StrEnum):
    """The kinds of steps."""

    PLACEMENT = "placement"
    """A rule gives a cell its value."""
    ELIMINATION = "elimination"
    """A rule removes candidates."""
    OPTIONS = "options"
    """No rule concludes anything, and the search branches at a cell."""
    GUESS = "guess"
    """The search gives the cell one of its values."""
    DEAD_END = "dead end"
    """The board has no solution."""
    BACK = "back"
    """The search goes back to an earlier branch."""
    SOLUTION = "solution"


class StepData(Struct, omit_defaults=True):
    """A step: what changes on the board, and what a drawing marks on the board before it.

    Each step starts from the board after the step before it, except where `base` names another.
    """

    kind: Kind
    words: str
    """The step as a sentence without a full stop."""
    rule: str = ""
    rung: int = 0
    """The number of the rule on the ladder, from 1; 0 for a step without a rule."""
    base: int | None = None
    """The number of steps after which the board is the one from which this step starts."""
    cell: int | None = None
    """The cell that gets a value, at which the search branches, or at which a branch ends."""
    value: int = 0
    removed: list[tuple[int, int]] = []
    """The cells and values of candidates that are removed."""
    options: tuple[int, ...] = ()
    """The values that the search tries."""
    blank: tuple[int, ...] = ()
    """The cells that are blank again."""
    cells: tuple[int, ...] = ()
    """The cells of the reason, unless they are all cells of a house in `houses`."""
    houses: list[list[int]] = []
    """The numbers of the houses of the reason, in its groups."""
    groups: list[list[tuple[int, int]]] = []
    """The candidates of the reason that the board has, in its groups."""
    walks: list[list[tuple[int, int, int, int]]] = []
    """The links of each walk: source, target, the label, and the value that the target gets.
    A link is strong if both values are equal."""
    pairs: list[tuple[int, int, int]] = []
    """Pairs of cells with a value that one of both has."""
    node: int = 0
    """The node of the search tree to which the board belongs; 0 for the puzzle itself."""
    parent: int = 0
    """The node from which a guess starts."""
    branch: str = ""
    """The name of the node of a guess: ``total12``."""
    number: int = 0
    """The number of a guess among the alternatives, from 1."""
    rows: list[TrackerRow] = []
    """Rows of TRACKHIST: counter, options, cell from 1, value."""


class Ending(StrEnum):
    """Why a trace ended."""

    SOLVED = "solved"
    """The rules, or the search for as many solutions as requested, found them."""
    COMPLETE = "complete"
    """The search visited all boards."""
    STUCK = "stuck"
    """The rules conclude nothing more, and no search was requested."""
    GIVEN = "given"
    """Every cell of the puzzle has its value."""
    CONTRADICTORY = "contradictory"
    """The givens contradict each other."""
    LIMIT = "limit"
    """The trace has as many steps as requested, or too many bytes."""
    TIMEOUT = "timeout"
    CANCELLED = "cancelled"
    FAILED = "failed"


class EndData(Struct):
    """How a trace ended."""

    ending: Ending
    words: str
    """The same as a sentence."""
    solutions: int = 0
    nodes: int = 0
    guesses: int = 0
    dead_ends: int = 0


class DifficultyData(Struct):
    """How difficult the puzzle is."""

    level: str
    """The level of the puzzle; empty without exactly one solution."""
    hardest: str
    """The hardest rule that the puzzle needs; empty without exactly one solution."""


class Line(Struct, omit_defaults=True):
    """A line of the process: one of these."""

    step: Raw = Raw()
    end: EndData | None = None
    difficulty: DifficultyData | None = None
