"""The planted faults of `faults.toml`: what each breaks, how often, and a case that shows it.

A case is a sequence of calls in one process, with one backend for each shape; the last answer
is wrong.
"""

import tomllib
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Final

import msgspec

from harness.puzzles import Puzzle, Shape


class Kind(StrEnum):
    """What a fault is about."""

    MISSING = "missing constraint"
    ROW = "relation or right side"
    PROPAGATION = "unsound rule"
    ENUMERATION = "enumeration"
    STATE = "kept state"
    CHANCE = "chance"
    RESTRICTION = "pencilmarks or pairs"
    OPTION = "value of an option"
    START = "certain puzzles or batches"
    OUTSIDE = "defect known from outside"


class Task(StrEnum):
    """A method of a backend."""

    SOLVE = "solve"
    COUNT = "count"
    SOLVE_MANY = "solve_many"
    COUNT_MANY = "count_many"


@dataclass(frozen=True)
class Call:
    """A call of a backend.

    Attributes:
        shape: the name or the definition of the shape.
        puzzle: the puzzle as a line, or the last row of a batch.
        task: the method.
        limit: the limit of a count.
        times: how often the call is made.
        row: the rows of a batch before the puzzle, all equal, as a line.
        rows: their number.
    """

    shape: str
    puzzle: str
    task: Task = Task.SOLVE
    limit: int = 1
    times: int = 1
    row: str = ""
    rows: int = 0

    @property
    def parsed(self) -> Puzzle:
        """The puzzle."""
        return Puzzle.of_line(self.puzzle, Shape.parse(self.shape))


@dataclass(frozen=True)
class Edit:
    """A text of a source in place of another.

    Attributes:
        before: a text that occurs once in the source.
        after: the text in its place.
        modules: if the text is in an imported module, the imports that lead there.
    """

    before: str
    after: str
    modules: tuple[str, ...] = ()


@dataclass(frozen=True)
class Planted:
    """A planted fault.

    Attributes:
        name: the class.
        kind: what the fault is about.
        backend: the name of the backend that has it.
        case: the calls after which the last answer is wrong.
        right: the number of solutions of the last puzzle, up to the limit of the call.
        rate: the share of wrong answers in a random sample of 200 to 5000 calls with `options`,
            of shapes, tasks and limits that can show the fault; None if the sample had none.
        options: settings of the backend, as in a spec.
        compiles: whether it compiles a kernel, which takes two seconds.
        requires: what must be installed besides the core libraries.
        varies: whether the answers of the solver vary from call to call.
        base, edits, doc: of a fault that is an edit of a backend, its class and its edits.
    """

    name: str
    kind: Kind
    backend: str
    case: tuple[Call, ...]
    right: int
    rate: float | None = None
    options: str = ""
    compiles: bool = False
    requires: str = ""
    varies: bool = False
    base: str = ""
    edits: tuple[Edit, ...] = ()
    doc: str = ""

    def __str__(self) -> str:
        return self.name

    @property
    def file(self) -> str:
        """The file in this folder that has the class, without its suffix."""
        return "edits" if self.edits else "classes"

    @property
    def by_chance(self) -> bool:
        """Whether the case shows the fault once in many repetitions only."""
        return self.varies or self.kind is Kind.CHANCE


_DATA: Final = tomllib.loads((Path(__file__).parent / "faults.toml").read_text(encoding="utf-8"))
PLANTED: Final = msgspec.convert(_DATA["fault"], tuple[Planted, ...])
