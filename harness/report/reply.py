"""Replies: the answer of one backend to one question, as text and as HTML."""

import html
from collections.abc import Mapping
from dataclasses import dataclass, field, fields

from harness.base.errors import InputError
from harness.base.plugins import load_view
from harness.base.text import number_of, reason_line
from harness.puzzles import Puzzle, values_of_line
from harness.puzzles.formats import grid_text
from harness.records import TrialRecord, Verdict
from harness.report.formatting import backend_name, duration
from harness.report.jsonable import plain


@dataclass(frozen=True, slots=True)
class CheckedAnswer:
    """The checked answer of one backend."""

    backend: str
    """The label of the configuration: the backend with its options."""
    verdict: Verdict
    """The verdict on the checked answer."""
    solution: str | None
    """The grid found, as a line of symbols; for `count` one of the solutions."""
    count: int | None
    """Number of solutions found; None for `solve`."""
    exact: bool | None
    """Whether `count` is the number of all solutions; None without a count."""
    wall_s: float | None
    """Wall time of the call in seconds; None if the process ended without a report."""
    cpu_s: float | None
    """CPU time of the call in seconds, children included."""
    phases: Mapping[str, float]
    """Seconds of build, encode, search and decode, if they are known."""
    stats: Mapping[str, int | float]
    """Statistics of the solver, such as guesses or conflicts."""
    reason: str
    """Why the answer is wrong or missing; empty for a right answer."""


@dataclass(frozen=True, slots=True)
class Reply(CheckedAnswer):
    """One backend's verified answer.

    In a terminal or a notebook a reply shows its grid, its verdict and its time.
    """

    json_keys = tuple(key.name for key in fields(CheckedAnswer))

    puzzle: Puzzle
    """The puzzle that was run."""
    record: TrialRecord = field(repr=False, compare=False)
    """The trial with all its measurements, as a run stores it."""

    @staticmethod
    def of_record(record: TrialRecord) -> "Reply":
        """Make the reply of a finished trial from its `record`."""
        outcome = record.outcome
        phases = {
            phase: getattr(outcome, f"{phase}_s")
            for phase in ("build", "encode", "search", "decode")
        }
        return Reply(
            backend=record.trial.backend,
            puzzle=record.trial.instance.puzzle,
            verdict=record.verdict,
            solution=record.solution,
            count=record.count,
            exact=record.exact,
            wall_s=outcome.wall_s,
            cpu_s=outcome.cpu_s,
            phases={name: value for name, value in phases.items() if value is not None},
            stats=outcome.stats,
            reason=record.reason,
            record=record,
        )

    @property
    def finding(self) -> str:
        """The verdict, or for a count the number of solutions, as in ``12 solutions``."""
        if self.count is not None and self.verdict is Verdict.COUNTED:
            number = number_of(self.count, "solution")
            return number if self.exact else f"{number} or more, stopped at the limit"
        return str(self.verdict)

    def as_dict(self) -> dict[str, object]:
        """The reply as data for JSON, without its puzzle and record."""
        data: dict[str, object] = plain(self)
        return data

    def __str__(self) -> str:
        if self.solution is None:
            return self._line
        shape = self.puzzle.shape
        return f"{grid_text(values_of_line(self.solution), shape)}\n{self._line}"

    def _repr_html_(self) -> str:
        """A drawing of the grid, givens in bold, with the verdict below."""
        line = f"<div>{html.escape(self._line)}</div>"
        if self.solution is None:
            return line
        try:
            svg = load_view("puzzle.svg")
        except InputError:
            return f"<pre>{html.escape(str(self))}</pre>"
        return f"{svg(self.puzzle, values_of_line(self.solution))}{line}"

    @property
    def _line(self) -> str:
        reason = f": {reason_line(self.reason)}" if self.reason else ""
        word = "in" if self.verdict.answered else "after"
        time = f" {word} {duration(self.wall_s)}" if self.wall_s is not None else ""
        return f"{backend_name(self.backend)}: {self.finding}{time}{reason}"
