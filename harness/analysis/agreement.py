"""Agreement of backends: where their answers contradict each other.

Every answer on a puzzle is a claim on its number of solutions, whatever the dataset, the task,
the limit or the start of its trial. `harness.analysis.claims` has them as intervals.
"""

from dataclasses import dataclass
from typing import Final

import pandas as pd

from harness.analysis.claims import Source, claims_of
from harness.analysis.disagreement import Disagreement, disagreements, without_numbers
from harness.analysis.failures import with_commands
from harness.analysis.results import with_group_columns
from harness.records.labels import without_folders
from harness.records.verdict import Verdict
from harness.text import shortened

_ANSWERED: Final = tuple(verdict for verdict in Verdict if verdict.answered)


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
    original: str
    """The puzzle of the dataset as a line, if a scramble of it was run; empty otherwise."""
    shape: str
    command: str
    """The shell command that repeats the first of them."""


@dataclass(frozen=True, slots=True)
class Agreement:
    """The result of comparing all answers."""

    puzzles: int
    """Different puzzles of all datasets."""
    questions: int
    """Questions, each a puzzle with a task and its limit."""
    compared: int
    """Puzzles that two backends answered, or one backend and a dataset has an expected count."""
    disagreements: tuple[Disagreement, ...]
    """The smallest puzzles first; among puzzles of equal size, the most givens first."""
    unanswered: dict[str, dict[str, int]]
    """For each backend the verdicts other than answers, with their numbers."""
    failures: tuple[Failure, ...]
    """The reasons for `unanswered`, the most frequent first."""
    without_answers: tuple[str, ...]
    """Backends without a single answer, except those that support none of the questions."""
    not_compared: str
    """Why no puzzle could be compared; empty if one was, or if there is a disagreement."""

    @property
    def agreed(self) -> bool:
        """Whether answers were compared and no backend disagrees, crashes or never answers."""
        crashed = any(Verdict.CRASHED in verdicts for verdicts in self.unanswered.values())
        return not (self.disagreements or self.not_compared or self.without_answers or crashed)


def agreement(trials: pd.DataFrame) -> Agreement:
    """Compare the answers of all backends, puzzle by puzzle.

    Claims on the number of solutions agree if and only if their intervals intersect; see
    `harness.analysis.claims.claims_of`. The verdict of a trial already covers the check of its
    own solution; a wrong answer is a disagreement, and no evidence against other claims.

    Args:
        trials: the columns of `harness.records.fields.DTYPES`.

    Raises:
        PuzzleError: an expected count is malformed.
    """
    claims = claims_of(trials)
    wrong = (trials["verdict"] == Verdict.WRONG).to_numpy(dtype=bool)
    answered = trials["verdict"].isin(_ANSWERED).to_numpy(dtype=bool) | wrong
    claiming = wrong.copy()
    claiming[claims.loc[claims["source"] == Source.ANSWER, "row"]] = True
    who = trials.loc[claiming, ["puzzle_id", "backend"]]
    backends = who.groupby("puzzle_id")["backend"].nunique()
    known = claims.loc[claims["source"] == Source.DATASET, "puzzle_id"]
    compared = int(((backends > 1) | backends.index.isin(known)).sum())
    found = disagreements(trials, claims)
    missing = trials[~answered]
    unanswered = {
        str(backend): {str(k): int(n) for k, n in verdicts["verdict"].value_counts().items()}
        for backend, verdicts in missing.groupby("backend")
    }
    able = trials.loc[trials["verdict"] != Verdict.UNSUPPORTED, "backend"]
    answering = trials.loc[answered, "backend"].unique()
    return Agreement(
        puzzles=trials["puzzle_id"].nunique(),
        questions=len(trials[["puzzle_id", "task", "limit"]].drop_duplicates()),
        compared=compared,
        disagreements=found,
        unanswered=unanswered,
        failures=_failures(missing),
        without_answers=tuple(sorted(set(able.unique()) - set(answering))),
        not_compared="" if compared or found else _not_compared(trials, who["backend"]),
    )


def _not_compared(trials: pd.DataFrame, claiming: "pd.Series[str]") -> str:
    """Why no puzzle has two sources of claims."""
    unknown = "no number of solutions is known"
    names = sorted(claiming.unique())
    if trials.empty:
        return "no trial has ended"
    if not names:
        return "no backend answered"
    if len(names) == 1:
        name = shortened(without_folders(str(names[0])))
        return f"only {name} answered, and {unknown} for its puzzles"
    return f"no puzzle has answers of two backends, and {unknown}"


def _failures(missing: pd.DataFrame) -> tuple[Failure, ...]:
    """The reasons of trials without an answer; numbers in a reason do not count."""
    groups: dict[tuple[str, str, str], list[int]] = {}
    reasons = [last_line(reason) for reason in missing["reason"].fillna("")]
    rows = zip(missing["backend"], missing["verdict"], reasons, strict=True)
    for at, (backend, verdict, reason) in enumerate(rows):
        groups.setdefault((str(backend), str(verdict), without_numbers(reason)), []).append(at)
    firsts = missing.iloc[[places[0] for places in groups.values()]]
    firsts = with_commands(with_group_columns(firsts))
    failures = [
        Failure(
            backend=backend,
            verdict=verdict,
            reason=reasons[places[0]],
            trials=len(places),
            dataset=str(first["dataset"]),
            name=str(first["name"]),
            puzzle_id=str(first["puzzle_id"]),
            original="" if pd.isna(first["original"]) else str(first["original"]),
            shape=str(first["shape"]),
            command=str(first["command"]),
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
