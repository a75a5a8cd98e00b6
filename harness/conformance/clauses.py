"""The clauses of the contract, and breaches of them."""

from dataclasses import dataclass
from enum import Enum
from typing import Any, Final, NamedTuple

from harness.contract.answers import Answer, Count
from harness.contract.backend import Backend
from harness.puzzles.puzzle import Puzzle

SMALL: Final = 6
"""The largest size whose questions every backend must answer in time."""
FEW: Final = 24
"""The largest number of solutions that every backend must count in time."""


class Clause(Enum):
    """A clause of the contract, as one sentence."""

    NAMES = "A backend declares its name, its paradigm, its packages and its options."
    ANSWER = "An answer is an Answer or a Count of plain ints, tuples and numbers."
    SOLUTION = "A solution keeps givens and pencilmarks, fills every house and separates pairs."
    PROOF = "A backend claims only what it has proved, and otherwise reports unknown."
    COUNT = "A count is the number of solutions, or the limit if there are more."
    EXACT = "A count is exact if it is complete and below the limit, and never at the limit."
    BATCH = "Row i of the result of a batch is the answer to puzzle i."
    MEMORY = "A backend keeps nothing from one puzzle for the next and shares nothing with others."
    PUZZLE = "A backend does not modify puzzles."
    OPTIONS = "A backend reads all its options and keeps the contract with every value."
    QUIET = "A backend prints nothing and leaves the standard streams alone."
    TRACES = "A call leaves no file, thread or process, and the folder and environment unchanged."
    TIME = "Small puzzles take moments; a backend without time left reports unknown."
    LIFE = "A backend raises no exception but Unsupported, and its process survives."

    @property
    def id(self) -> str:
        """The short name of the clause."""
        return self.name.lower()


class Fault(NamedTuple):
    """What is wrong, and the clause that it breaks."""

    clause: Clause
    what: str


@dataclass(frozen=True, slots=True)
class Case:
    """A question with a known answer."""

    title: str
    """The title of the question, for instance "a solution"."""
    puzzle: Puzzle
    """The puzzle of the question."""
    solutions: int
    """The number of solutions; if `at_least`, a lower bound of it."""
    limit: int | None = None
    """The limit of `count`; None for `solve`."""
    time_limit: float | None = None
    """A time limit in seconds that may be too short, so that unknown is right; None for
    none."""
    at_least: bool = False
    """Whether there may be more solutions than `solutions`, which then decides the answer to
    `solve`, and to `count` with a limit up to it."""

    def __str__(self) -> str:
        return f"{self.title} ({self.puzzle.shape})"

    @property
    def is_demanding(self) -> bool:
        """Whether a slow backend may need more than the time limit: a large shape or count."""
        found = 1 if self.limit is None else min(self.limit, self.solutions)
        return self.puzzle.shape.size > SMALL or found > FEW

    def put_to(self, backend: Backend[Any], puzzle: Puzzle) -> Answer | Count:
        """The answer of `backend` to this question about `puzzle`, a copy of its own, unchecked."""
        if self.limit is None:
            return backend.solve(puzzle)
        return backend.count(puzzle, self.limit)

    @property
    def call(self) -> str:
        """The call to the backend: ``solve`` or ``count, limit 2``."""
        return "solve" if self.limit is None else f"count, limit {self.limit}"


@dataclass(frozen=True, slots=True)
class Breach:
    """A fault of a backend, found by a part of the suite."""

    clause: Clause
    """The clause of the contract that is violated."""
    what: str
    """What the backend did, and what was expected."""
    part: str
    """The title of the part."""
    case: Case | None = None
    """The question, if the part asks one."""

    def __str__(self) -> str:
        if self.case is None:
            return f"{self.part}: {self.what}"
        return f"{self.part}: {self.what}: {self.case.puzzle.line}"
