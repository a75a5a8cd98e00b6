"""Agreement of backends: where their answers contradict each other.

Two different solutions of one puzzle contradict each other only if a count claims that the
puzzle has one solution; the comparison of counts finds that.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final

import pandas as pd

from harness.analysis.failures import with_commands
from harness.analysis.results import with_group_columns
from harness.records.frame import spec_of
from harness.records.reproduction import solve_command
from harness.records.verdict import Verdict

_QUESTION: Final = ["dataset", "puzzle_id", "task", "limit"]


@dataclass(frozen=True, slots=True)
class Disagreement:
    """A question with contradictory answers, or with a wrong one."""

    dataset: str
    name: str
    puzzle_id: str
    puzzle: str
    shape: str
    task: str
    limit: int | None
    claims: dict[str, tuple[str, ...]]
    """Each claim with the backends that make it."""
    specs: tuple[str, ...]
    """The specs of these backends, sorted by the names of the backends."""

    @property
    def command(self) -> str:
        """The shell command that repeats the question on the same backends."""
        return solve_command(
            *(self.task, self.puzzle, self.shape),
            self.specs,
            limit=self.limit,
        )


@dataclass(frozen=True, slots=True)
class Failure:
    """Trials of one backend that ended without an answer for the same reason."""

    backend: str
    verdict: str
    reason: str
    """The reason of the first of them; the last line of a traceback."""
    trials: int
    dataset: str
    """The dataset of the first of them."""
    name: str
    puzzle_id: str
    shape: str
    command: str
    """The shell command that repeats the first of them."""


@dataclass(frozen=True, slots=True)
class Agreement:
    """The result of comparing all answers."""

    questions: int
    """Questions, each a puzzle with a task and its limit."""
    compared: int
    """Questions that two backends or more answered, or with a known expected count."""
    disagreements: tuple[Disagreement, ...]
    """The smallest puzzles first; among puzzles of equal size, the most givens first."""
    unanswered: dict[str, dict[str, int]]
    """For each backend the verdicts other than answers, with their numbers."""
    failures: tuple[Failure, ...]
    """The reasons for `unanswered`, the most frequent first."""
    without_answers: tuple[str, ...]
    """Backends without a single answer, except those that support none of the questions."""

    @property
    def agreed(self) -> bool:
        """Whether no backend disagrees, crashes or leaves every question unanswered."""
        crashed = any(Verdict.CRASHED in verdicts for verdicts in self.unanswered.values())
        return not self.disagreements and not self.without_answers and not crashed


def agreement(trials: pd.DataFrame) -> Agreement:
    """Compare the answers of all backends, question by question.

    The verdict of a trial already covers the check of its own solution. This compares claims
    of no solution with solutions, counts with each other, and both with the expected count
    of the dataset.

    Args:
        trials: the columns of `harness.records.fields.DTYPES`.
    """
    claimed = trials.assign(limit=trials["limit"].fillna(0), claim=_claims(trials))
    answers = claimed[claimed["claim"].notna()]
    of_question = answers.groupby(_QUESTION, sort=False)
    known = of_question["expected_count"].count() > 0
    compared = int((known | (of_question["backend"].nunique() > 1)).sum())
    wrong = (answers["verdict"] == Verdict.WRONG).groupby([answers[c] for c in _QUESTION]).any()
    claims = of_question["claim"].nunique()
    disputed = claims[(claims > 1) | wrong.reindex(claims.index)].index
    contrary = answers.set_index(_QUESTION)
    contrary = contrary[contrary.index.isin(disputed)].reset_index()
    found = [_disagreement(group) for _, group in contrary.groupby(_QUESTION, sort=False)]
    found.sort(key=lambda d: (len(d.puzzle), d.puzzle.count("."), d.name))
    missing = trials[claimed["claim"].isna()]
    unanswered = {
        str(backend): {str(k): int(n) for k, n in verdicts["verdict"].value_counts().items()}
        for backend, verdicts in missing.groupby("backend")
    }
    able = claimed[claimed["verdict"] != Verdict.UNSUPPORTED]
    without_answers = sorted(set(able["backend"]) - set(answers["backend"]))
    questions = claimed.groupby(_QUESTION).ngroups
    return Agreement(
        *(questions, compared, tuple(found), unanswered),
        *(_failures(missing), tuple(without_answers)),
    )


def alike(disagreements: Iterable[Disagreement]) -> list[list[Disagreement]]:
    """Groups of disagreements in which the same backends make the same kinds of claims.

    Numbers in a claim do not count: ``3 solutions`` and ``5 solutions`` are of one kind. The
    groups and their disagreements are in the order of `disagreements`.
    """
    groups: dict[tuple[Any, ...], list[Disagreement]] = {}
    for disagreement in disagreements:
        claims = [(_kind(claim), names) for claim, names in disagreement.claims.items()]
        groups.setdefault((disagreement.task, *sorted(claims)), []).append(disagreement)
    return list(groups.values())


def _failures(missing: pd.DataFrame) -> tuple[Failure, ...]:
    """The reasons of trials without an answer; numbers in a reason do not count."""
    groups: dict[tuple[str, str, str], list[int]] = {}
    reasons = [last_line(reason) for reason in missing["reason"].fillna("")]
    rows = zip(missing["backend"], missing["verdict"], reasons, strict=True)
    for at, (backend, verdict, reason) in enumerate(rows):
        groups.setdefault((str(backend), str(verdict), _kind(reason)), []).append(at)
    firsts = missing.iloc[[places[0] for places in groups.values()]]
    firsts = with_commands(with_group_columns(firsts))
    failures = [
        Failure(
            *(backend, verdict, reasons[places[0]], len(places)),
            *(str(first[name]) for name in ("dataset", "name", "puzzle_id", "shape", "command")),
        )
        for ((backend, verdict, _), places), first in zip(
            groups.items(), firsts.to_dict("records"), strict=True
        )
    ]
    return tuple(sorted(failures, key=lambda failure: -failure.trials))


def last_line(reason: str) -> str:
    """The last line of a traceback, which names the exception; other reasons unchanged."""
    lines = reason.strip().splitlines()
    return lines[-1] if reason.startswith("Traceback (") else reason


def _kind(text: str) -> str:
    """`text` without its numbers: ``3 solutions`` and ``1 solution`` become equal."""
    return re.sub(r"\bsolutions\b", "solution", re.sub(r"0x[0-9a-fA-F]+|\d+", "0", text))


def _disagreement(answers: pd.DataFrame) -> Disagreement:
    claims: dict[str, list[str]] = {}
    for backend, claim in zip(answers["backend"], answers["claim"], strict=True):
        claims.setdefault(claim, []).append(backend)
    first = answers.iloc[0]
    specs = dict(zip(answers["backend"], answers["spec"], strict=True))
    return Disagreement(
        dataset=str(first["dataset"]),
        name=str(first["name"]),
        puzzle_id=str(first["puzzle_id"]),
        puzzle=str(first["puzzle"]),
        shape=str(first["shape"]),
        task=str(first["task"]),
        limit=int(first["limit"]) or None,
        claims={claim: tuple(dict.fromkeys(names)) for claim, names in claims.items()},
        specs=tuple(dict.fromkeys(spec_of(name, specs[name]) for name in sorted(specs))),
    )


def _claims(trials: pd.DataFrame) -> "pd.Series[str]":
    """The claim of each trial as text, equal for claims that agree; missing without a claim."""
    verdict = trials["verdict"]
    claims = verdict.map({Verdict.SOLVED: "a solution", Verdict.UNSATISFIABLE: "no solution"})
    claims = claims.astype("string")
    counted = verdict == Verdict.COUNTED
    more = trials["exact"].map({True: "", False: " or more"}).astype("string").fillna("")
    number = trials["count"].astype("string")
    plural = (trials["count"] == 1).map({True: " solution", False: " solutions"}).astype("string")
    claims = claims.mask(counted, number + plural.fillna("") + more)
    return claims.mask(verdict == Verdict.WRONG, "wrong: " + trials["reason"].fillna(""))
