"""Whether all backends tell the same of each puzzle.

Two different solutions of one puzzle do not contradict each other unless it is
claimed to have one solution only; that is a count's claim, and is seen there.
"""

import shlex
from collections.abc import Iterator
from dataclasses import dataclass

import pandas as pd

from harness.contract.verdict import Verdict
from harness.sweep.trial import Task


@dataclass(frozen=True, slots=True)
class Disagreement:
    """One puzzle of which backends tell different things, or one tells a wrong one."""

    dataset: str
    name: str
    puzzle_id: str
    puzzle: str
    shape: str
    task: str
    limit: int | None
    claims: dict[str, tuple[str, ...]]
    """What is claimed, each with the backends that claim it."""

    @property
    def command(self) -> str:
        """The command line that asks those backends about this puzzle again."""
        backends = sorted({backend for names in self.claims.values() for backend in names})
        words = ["harness", self.task, self.puzzle, "--shape", self.shape]
        if self.limit is not None:
            words += ["--limit", str(self.limit)]
        for backend in backends:
            words += ["--backend", backend.partition("#")[0]]
        return shlex.join(words)


@dataclass(frozen=True, slots=True)
class Agreement:
    """What the comparison of all answers has found."""

    puzzles: int
    """Puzzles and tasks that were asked about."""
    compared: int
    """Of these, how many were answered by two backends or more, or have a known truth."""
    disagreements: tuple[Disagreement, ...]
    """The smallest puzzles first, and of one size those with the most givens."""
    unanswered: dict[str, dict[str, int]]
    """For each backend the verdicts that are no answer, with their numbers."""
    silent: tuple[str, ...]
    """Backends without a single answer, though they do not say they are unsupported."""

    @property
    def agreed(self) -> bool:
        """Whether nothing was found: no disagreement, no crash, no silent backend."""
        crashed = any(Verdict.CRASHED in verdicts for verdicts in self.unanswered.values())
        return not self.disagreements and not self.silent and not crashed


def agreement(trials: pd.DataFrame) -> Agreement:
    """Compare the answers of all backends, puzzle by puzzle and task by task.

    Solutions were checked one by one before; here a claim that there are none
    is held against them, counts against each other and everything against what
    the dataset knows. `trials` is a frame with the columns of
    `harness.analysis.trials.DTYPES`.
    """
    asked = trials.assign(limit=trials["limit"].fillna(0))
    groups = asked.groupby(["dataset", "puzzle_id", "task", "limit"], sort=False)
    answered_verdicts = [str(v) for v in Verdict if v.answered or v is Verdict.WRONG]
    answered = asked["verdict"].isin(answered_verdicts)
    found, compared = [], 0
    for _, group in groups:
        answers = group[group["verdict"].isin(answered_verdicts)]
        known = group["truth"].notna().any() and len(answers)
        compared += bool(known or answers["backend"].nunique() > 1)
        if disagreement := _disagreement(answers):
            found.append(disagreement)
    missing = asked[~answered]
    unanswered = {
        str(backend): {str(k): int(n) for k, n in verdicts["verdict"].value_counts().items()}
        for backend, verdicts in missing.groupby("backend")
    }
    able = asked[asked["verdict"] != Verdict.UNSUPPORTED]
    silent = set(able["backend"]) - set(asked[answered]["backend"])
    found.sort(key=lambda d: (len(d.puzzle), d.puzzle.count("."), d.name))
    return Agreement(groups.ngroups, compared, tuple(found), unanswered, tuple(sorted(silent)))


def _disagreement(answers: pd.DataFrame) -> Disagreement | None:
    claims: dict[str, list[str]] = {}
    for backend, claim in _claims(answers):
        claims.setdefault(claim, []).append(backend)
    wrong = (answers["verdict"] == Verdict.WRONG).any()
    if not wrong and len(claims) <= 1:
        return None
    first = answers.iloc[0]
    return Disagreement(
        dataset=str(first["dataset"]),
        name=str(first["name"]),
        puzzle_id=str(first["puzzle_id"]),
        puzzle=str(first["puzzle"]),
        shape=str(first["shape"]),
        task=str(first["task"]),
        limit=int(first["limit"]) or None,
        claims={claim: tuple(dict.fromkeys(names)) for claim, names in claims.items()},
    )


def _claims(answers: pd.DataFrame) -> Iterator[tuple[str, str]]:
    """Each backend with what it claims, in words that are equal where the claims agree."""
    for row in answers.itertuples():
        if row.verdict == Verdict.WRONG:
            yield str(row.backend), f"wrong: {row.reason}"
        elif row.task == Task.COUNT:
            yield str(row.backend), f"{row.count} solutions{'' if row.exact else ' or more'}"
        else:
            yield str(row.backend), "a solution" if row.verdict == Verdict.SOLVED else "no solution"
