"""Whether all backends tell the same of each puzzle.

Two different solutions of one puzzle do not contradict each other unless it is
claimed to have one solution only; that is a count's claim, and is seen there.
"""

import shlex
from dataclasses import dataclass
from typing import Final

import pandas as pd

from harness.records.frame import spec_of
from harness.records.verdict import Verdict

_QUESTION: Final = ["dataset", "puzzle_id", "task", "limit"]


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
            words += ["--backend", spec_of(backend)]
        return shlex.join(words)


@dataclass(frozen=True, slots=True)
class Agreement:
    """What the comparison of all answers has found."""

    puzzles: int
    """Puzzles and tasks that were asked about."""
    compared: int
    """Of these, how many were answered by two backends or more, or have a known expected_count."""
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
    `harness.records.frame.DTYPES`.
    """
    asked = trials.assign(limit=trials["limit"].fillna(0), claim=_claims(trials))
    answers = asked[asked["claim"].notna()]
    of_question = answers.groupby(_QUESTION, sort=False)
    known = of_question["expected_count"].count() > 0
    compared = int((known | (of_question["backend"].nunique() > 1)).sum())
    wrong = (answers["verdict"] == Verdict.WRONG).groupby([answers[c] for c in _QUESTION]).any()
    claims = of_question["claim"].nunique()
    disputed = claims[(claims > 1) | wrong.reindex(claims.index)].index
    told = answers.set_index(_QUESTION)
    told = told[told.index.isin(disputed)].reset_index()
    found = [_disagreement(group) for _, group in told.groupby(_QUESTION, sort=False)]
    found.sort(key=lambda d: (len(d.puzzle), d.puzzle.count("."), d.name))
    missing = asked[asked["claim"].isna()]
    unanswered = {
        str(backend): {str(k): int(n) for k, n in verdicts["verdict"].value_counts().items()}
        for backend, verdicts in missing.groupby("backend")
    }
    able = asked[asked["verdict"] != Verdict.UNSUPPORTED]
    silent = sorted(set(able["backend"]) - set(answers["backend"]))
    questions = asked.groupby(_QUESTION).ngroups
    return Agreement(questions, compared, tuple(found), unanswered, tuple(silent))


def _disagreement(answers: pd.DataFrame) -> Disagreement:
    claims: dict[str, list[str]] = {}
    for backend, claim in zip(answers["backend"], answers["claim"], strict=True):
        claims.setdefault(claim, []).append(backend)
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


def _claims(trials: pd.DataFrame) -> "pd.Series[str]":
    """What each trial claims, in words that are equal where claims agree; missing for none."""
    verdict = trials["verdict"]
    claims = verdict.map({Verdict.SOLVED: "a solution", Verdict.UNSATISFIABLE: "no solution"})
    claims = claims.astype("string")
    counted = verdict == Verdict.COUNTED
    more = trials["exact"].map({True: "", False: " or more"}).astype("string").fillna("")
    number = trials["count"].astype("string")
    plural = (trials["count"] == 1).map({True: " solution", False: " solutions"}).astype("string")
    claims = claims.mask(counted, number + plural.fillna("") + more)
    return claims.mask(verdict == Verdict.WRONG, "wrong: " + trials["reason"].fillna(""))
