"""What the contract says, sentence by sentence, and what breaks it."""

from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple

from harness.puzzles.puzzle import Puzzle


class Clause(Enum):
    """A sentence of the contract; whatever is found wrong breaks one of them."""

    NAMES = "A backend says its name, how it solves, what it needs and which options it has."
    ANSWER = "An answer is an Answer or a Count, made of plain ints, tuples and numbers."
    SOLUTION = "A solution holds every value once in each house and keeps the givens."
    PROOF = "What is not known to be so is not said: unknown is an answer, a wrong one is none."
    COUNT = "A count is the number of solutions, or the limit where there are as many."
    EXACT = "A count is exact below the limit, where it is all there are, and never at it."
    BATCH = "Row i of what a batch comes to is the answer to puzzle i."
    MEMORY = "Nothing is kept from one puzzle for the next, and nothing is shared by two backends."
    PUZZLE = "A puzzle is not changed."
    OPTIONS = "Every option is read, and the contract is kept whatever it is set to."
    QUIET = "Nothing is printed, and the standard streams are left alone."
    TRACES = "A call leaves no file, thread or process; folder and environment stay as they were."
    TIME = "Small puzzles take moments; who has no time left says unknown."
    LIFE = "Nothing is raised but Unsupported, and the process lives on."

    @property
    def id(self) -> str:
        """The short name of the clause."""
        return self.name.lower()


class Fault(NamedTuple):
    """What is wrong, and the clause that says so."""

    clause: Clause
    what: str


@dataclass(frozen=True, slots=True)
class Case:
    """A question with a known answer."""

    title: str
    """What is examined, for instance "a proof of none"."""
    puzzle: Puzzle
    solutions: int
    """How many there are, at least `limit` where there are more than that."""
    limit: int | None = None
    """Of `count`; None where `solve` is asked."""
    time_limit: float | None = None
    """Seconds that are offered, where they are too few: unknown is a right answer then."""

    def __str__(self) -> str:
        return f"{self.title} ({self.puzzle.shape})"

    @property
    def call(self) -> str:
        """The call that is made: ``solve`` or ``count, limit 2``."""
        return "solve" if self.limit is None else f"count, limit {self.limit}"


@dataclass(frozen=True, slots=True)
class Breach:
    """Something that breaks the contract."""

    clause: Clause
    what: str
    part: str
    """What was being examined."""
    case: Case | None = None
    """The question, where one was asked."""

    def __str__(self) -> str:
        if self.case is None:
            return f"{self.part}: {self.what}"
        return f"{self.part}: {self.what}: {self.case.puzzle.line}"
