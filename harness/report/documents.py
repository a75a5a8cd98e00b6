"""Documents of ``--json`` for which there is no record; none of them needs pandas.

`harness.report.jsonable` describes how records and documents become JSON.
"""

from typing import Any, Self

from msgspec import Struct

from harness.contract import OptionInfo
from harness.puzzles import Instance, Repetition, Unmet
from harness.records import Question, Task
from harness.records.folder import Activity, SystemCheck, SystemInfo
from harness.report.reply import CheckedAnswer


class Document(Struct, forbid_unknown_fields=True):
    """Base of all documents and their parts."""


class PuzzleDocument(Document):
    """The first keys of a document about one puzzle."""

    name: str
    """Name of the puzzle in its file; otherwise its id."""
    puzzle: str
    """Givens as a line, `.` for a blank."""
    puzzle_id: str
    """Digest of houses and givens."""
    shape: str
    """Name of the shape."""
    notes: list[str]
    """How the text of the puzzle is understood, and what is passed over."""

    @classmethod
    def about(cls, instance: Instance, **keys: Any) -> Self:
        """The document about `instance` with these further `keys`."""
        puzzle = instance.puzzle
        return cls(
            name=instance.name,
            puzzle=puzzle.line,
            puzzle_id=puzzle.id,
            shape=puzzle.shape.definition,
            notes=[*instance.notes],
            **keys,
        )


class QuestionDocument(PuzzleDocument):
    """The first keys of a document about one question."""

    task: str
    """`solve` or `count`."""
    limit: int | None
    """Number of solutions at which `count` stops; None for `solve`."""

    @classmethod
    def of_question(cls, instance: Instance, question: Question, **keys: Any) -> Self:
        """The document on a `question` about `instance` with these further `keys`."""
        limit = question.limit if question.task is Task.COUNT else None
        return cls.about(instance, task=str(question.task), limit=limit, **keys)


class SolveDocument(QuestionDocument):
    """The answers to one puzzle; for a range of puzzles a list of such objects."""

    results: list[CheckedAnswer]
    """The answer of each backend."""


class BackendData(Document):
    """A backend, and whether it works here."""

    name: str
    """Name for `--backend`."""
    paradigm: str | None
    """How the backend solves."""
    available: bool
    """Whether the backend works on this machine."""
    reason: str | None
    """Why it is unavailable; None if it works."""
    remedy: str | None
    """How to make it available, if known."""
    distributions: dict[str, str | None]
    """Required packages with their installed versions."""
    environments: list[str]
    """The installed versions in environments of their own, as specs."""
    capabilities: list[str]
    """What the backend can do, in words."""
    options: tuple[OptionInfo, ...]
    """Options for its spec."""


class Diagnosis(Document):
    """The machine and its checks."""

    system: SystemInfo
    """Facts about the machine; null if unknown."""
    activity: Activity
    """What the machine did for half a second."""
    checks: list[SystemCheck]
    """The checks."""


class Inspected(PuzzleDocument):
    """The contradictions of one puzzle; for a range of puzzles a list of such objects."""

    clues: int
    """Number of givens."""
    contradictory: bool
    """Whether a check proves that no solution exists, or that a digit of a player is wrong."""
    duplicates: tuple[Repetition, ...]
    """Values given more than once in a house."""
    no_candidates: list[str]
    """Blank cells without a candidate."""
    conflicts: tuple[Repetition, ...]
    """Pairs of blanks in a house with the same single candidate."""
    unmet: tuple[Unmet, ...]
    """Constraints that no choice of candidates meets."""
    wrong_digits: tuple[str, ...]
    """Digits of a player that contradict a given or the only solution, in words."""
    candidates: dict[str, str]
    """The candidates of each blank cell."""
