"""Agreement of backends: claims that contradict each other, and wrong answers.

A checked solution claims at least one solution, "unsatisfiable" claims none, an exact count
of n claims n, and a count that stopped after n claims n or more. The expected count of a
dataset claims its own interval, and k different checked solutions claim k or more. All claims
on one puzzle can hold together if and only if their intervals intersect: the highest lower
end is at most the lowest upper end. Intervals of a line have a common point if every two of them
have one (Helly, 1923), so a contradiction always has two claims that show it.

Every answer on a puzzle is a claim on its number of solutions, whatever the dataset, the task,
the limit or the start of its trial. `claims_of` has the claims as intervals.
"""

import re
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
import pandas as pd

from harness.analysis.measures import RIGHT, number_rows, with_group_columns
from harness.analysis.summary import with_commands
from harness.base.text import reason_line, shortened
from harness.puzzles import SolutionCount
from harness.records import Start, Task, Verdict, claim_of, spec_of, without_folders
from harness.records.folder import solve_command

# Claims on the number of solutions of a puzzle, each as a closed interval.


class ClaimSource(StrEnum):
    """The evidence for a claim."""

    ANSWER = "answer"
    """The answer of a backend."""
    DATASET = "expected count"
    """The number of solutions that a dataset gives."""
    SOLUTIONS = "different solutions"
    """The number of different checked solutions in all trials."""


def claims_of(trials: pd.DataFrame) -> pd.DataFrame:
    """All claims on the numbers of solutions of the puzzles of `trials`.

    An answer after the time limit claims nothing, like any other failure, and a wrong answer
    is not evidence.

    Args:
        trials: n rows with the columns of `harness.records.fields.DTYPES`.

    Returns:
        One row for each claim: ``puzzle_id``; ``source``, a `ClaimSource`; ``row``, the position of
        a trial with this claim; ``least`` and ``most``, Python integers of any size, ``most``
        None without an upper end; and ``contradicted``, whether another claim on the puzzle
        excludes this one.
    """
    parts = [_of_trials(trials), _of_datasets(trials), _of_different_solutions(trials)]
    claims = pd.concat(parts, ignore_index=True)
    ends = {end for name in ("least", "most") for end in claims[name].unique() if end is not None}
    rank = {end: at for at, end in enumerate(sorted(ends))}
    least = _ranks(claims["least"], rank)
    most = _ranks(claims["most"], rank | {None: len(rank)})
    puzzle, _ = pd.factorize(claims["puzzle_id"])
    greatest = np.full(len(claims), -1, np.int64)
    smallest = np.full(len(claims), len(rank), np.int64)
    np.maximum.at(greatest, puzzle, least)
    np.minimum.at(smallest, puzzle, most)
    is_contradicted = (least > smallest[puzzle]) | (most < greatest[puzzle])
    return claims.assign(contradicted=is_contradicted)


def _of_trials(trials: pd.DataFrame) -> pd.DataFrame:
    columns = ["verdict", "count", "exact"]
    number, first = number_rows(trials, columns)
    answers = trials[columns].iloc[first].astype("object").itertuples(index=False, name=None)
    claims = [
        claim_of(verdict, *(None if value is pd.NA else value for value in numbers))
        for verdict, *numbers in answers
    ]
    rows = np.flatnonzero(np.array([claim is not None for claim in claims], bool)[number])
    return _claims(trials, ClaimSource.ANSWER, rows, claims, number[rows])


def _of_datasets(trials: pd.DataFrame) -> pd.DataFrame:
    places = np.flatnonzero(trials["expected_count"].notna())
    names = ["puzzle_id", "dataset", "expected_count"]
    expected = trials[names].iloc[places]
    rows = number_rows(expected, names)[1]
    codes, texts = pd.factorize(expected["expected_count"].iloc[rows])
    counts = [SolutionCount.of_text(words) for words in texts]
    return _claims(trials, ClaimSource.DATASET, places[rows], counts, codes)


def _of_different_solutions(trials: pd.DataFrame) -> pd.DataFrame:
    # The solution of a trial with one of these verdicts passed the check.
    checked = [Verdict.SOLVED, Verdict.COUNTED, Verdict.UNKNOWN]
    has_solution = trials["verdict"].isin(checked) & trials["solution"].notna()
    solutions = trials[["puzzle_id", "solution"]][has_solution]
    puzzle, first = number_rows(solutions, ["puzzle_id"])
    _, different = number_rows(solutions, ["solution"], within=puzzle)
    numbers = np.bincount(puzzle[different], minlength=len(first))
    several = numbers > 1
    rows = np.flatnonzero(has_solution)[first[several]]
    counts = [SolutionCount(int(number)) for number in numbers[several]]
    return _claims(trials, ClaimSource.SOLUTIONS, rows, counts, np.arange(len(counts)))


def _claims(
    trials: pd.DataFrame,
    source: ClaimSource,
    rows: npt.NDArray[np.int64],
    counts: Sequence[SolutionCount | None],
    codes: npt.NDArray[np.int64],
) -> pd.DataFrame:
    """The claims of these rows; `codes` has the place in `counts` of each."""
    ends = {
        name: np.array([getattr(count, name, None) for count in counts], dtype=object)[codes]
        for name in ("least", "most")
    }
    puzzles = trials["puzzle_id"].iloc[rows].to_numpy(dtype=object)
    return pd.DataFrame({"puzzle_id": puzzles, "source": str(source), "row": rows, **ends})


def _ranks(ends: "pd.Series[Any]", rank: Mapping[int | None, int]) -> npt.NDArray[np.int64]:
    codes, uniques = pd.factorize(ends)
    return np.array([*map(rank.__getitem__, uniques), rank.get(None, 0)], dtype=np.int64)[codes]


# Disagreements: puzzles on which claims contradict each other, or an answer is wrong.


@dataclass(frozen=True, slots=True)
class Claim:
    """What backends claim in answer to one question, or what else is known about a puzzle."""

    source: ClaimSource
    """`answer` of backends to one question, `expected count` of a dataset, or `different solutions`
    that passed the check."""
    text: str
    """`no solution`, `exactly 3 solutions`, `at least 1 solution`, or `wrong: ` with the reason."""
    backends: tuple[str, ...]
    """The labels of the backends, sorted; empty if the source is not an answer."""
    dataset: str
    """The dataset of the claim; empty for different solutions."""
    name: str
    """The name of the puzzle in the dataset."""
    task: str
    """`solve` or `count`; empty if the source is not an answer."""
    limit: int | None
    """Number of solutions at which `count` stops; None for `solve`."""
    start: str
    """`cold`, `warm` or `batch`; empty if the source is not an answer."""
    least: int | None
    """The smallest number of solutions that the claim allows; None for a wrong answer."""
    most: int | None
    """The largest number; None for a wrong answer, or without an upper end."""
    contradicted: bool
    """Whether the answer is wrong, or another claim on the puzzle excludes this one."""


@dataclass(frozen=True, slots=True)
class Disagreement:
    """A puzzle with contradictory claims, or with a wrong answer."""

    dataset: str
    """The first dataset that has the puzzle, by name."""
    name: str
    """The name of the puzzle in that dataset."""
    scramble: str
    """The seed of `--scramble` that made this puzzle from the one in the dataset; empty for
    none."""
    puzzle_id: str
    """Digest of houses and givens."""
    puzzle: str
    """Givens as a line."""
    original: str
    """The puzzle of the dataset as a line, if `puzzle` is a scramble of it; empty otherwise."""
    shape: str
    """Name of the shape."""
    contradiction: str
    """The two ends that exclude each other, as in `at least 2 solutions against no solution`;
    empty if an answer is wrong and the other claims agree."""
    claims: tuple[Claim, ...]
    """All claims on the puzzle, contradicted ones first."""
    commands: tuple[str, ...]
    """Shell commands that repeat the questions with a contradicted claim, each on all backends
    that answered it. A contradiction between two questions shows in the answers to both."""


def disagreements(trials: pd.DataFrame, claims: pd.DataFrame) -> tuple[Disagreement, ...]:
    """The puzzles with contradicted claims or wrong answers, smallest first.

    Among puzzles of equal size those with the most givens are first. The order of `trials`
    changes nothing.

    Args:
        trials: the columns of `harness.records.fields.DTYPES`.
        claims: their claims, from `harness.analysis.claims.claims_of`.
    """
    wrong = np.flatnonzero(trials["verdict"] == Verdict.WRONG)
    wrong_claims = pd.DataFrame({"row": wrong, "source": ClaimSource.ANSWER, "contradicted": True})
    puzzle_ids = {*claims.loc[claims["contradicted"], "puzzle_id"]}
    puzzle_ids |= {*trials["puzzle_id"].to_numpy(dtype=object)[wrong]}
    rows = pd.concat([claims[claims["puzzle_id"].isin(puzzle_ids)], wrong_claims])
    rows = rows.drop(columns="puzzle_id").reset_index(drop=True)
    of_trials = trials.iloc[rows["row"].astype("int64")].reset_index(drop=True)
    of_trials["reason"] = of_trials["reason"].fillna("")
    by_puzzle: dict[str, list[dict[Hashable, Any]]] = {}
    for row in pd.concat([rows, of_trials], axis=1).to_dict("records"):
        by_puzzle.setdefault(str(row["puzzle_id"]), []).append(row)
    disputes = map(_disagreement, by_puzzle.values())
    return tuple(
        sorted(disputes, key=lambda d: (len(d.puzzle), d.puzzle.count("."), d.name, d.puzzle_id))
    )


def alike(disagreements: Iterable[Disagreement]) -> list[list[Disagreement]]:
    """Groups of disagreements in which the same backends make the same kinds of claims.

    Numbers in a claim do not count: ``exactly 3 solutions`` and ``exactly 5 solutions`` are of
    one kind. The groups and their disagreements are in the order of `disagreements`.
    """
    groups: dict[Hashable, list[Disagreement]] = {}
    for disagreement in disagreements:
        kinds = {
            (c.task, c.start, c.backends, without_numbers(c.text)) for c in disagreement.claims
        }
        groups.setdefault(frozenset(kinds), []).append(disagreement)
    return list(groups.values())


def without_numbers(text: str) -> str:
    """`text` without its numbers: ``3 solutions`` and ``1 solution`` become equal."""
    return re.sub(r"\bsolutions\b", "solution", re.sub(r"0x[0-9a-fA-F]+|\d+(,\d{3})*", "0", text))


def _disagreement(rows: list[dict[Hashable, Any]]) -> Disagreement:
    """The disagreement of all claims on one puzzle, each with the fields of its trial."""
    pairs = [(row, _claim(row)) for row in rows]
    backends: dict[Claim, set[str]] = {}
    for row, claim in pairs:
        names = backends.setdefault(claim, set())
        if claim.source is ClaimSource.ANSWER:
            names.add(str(row["backend"]))
    all_claims = (replace(claim, backends=tuple(sorted(b))) for claim, b in backends.items())
    claims = tuple(sorted(all_claims, key=_order))
    first = min(rows, key=lambda row: (str(row["dataset"]), str(row["name"])))
    return Disagreement(
        **{name: str(first[name]) for name in ("dataset", "name", "puzzle_id", "puzzle", "shape")},
        scramble=_text(first["scramble"]),
        original=_text(first["original"]),
        contradiction=_contradiction(claims),
        claims=claims,
        commands=_commands(pairs),
    )


def _claim(row: Mapping[Hashable, Any]) -> Claim:
    """The claim of a row, without its backends."""
    source = ClaimSource(row["source"])
    is_answer = source is ClaimSource.ANSWER
    least, most = _integer(row["least"]), _integer(row["most"])
    text = f"wrong: {row['reason']}" if least is None else str(SolutionCount(least, most))
    of_puzzle = source is ClaimSource.SOLUTIONS
    return Claim(
        source=source,
        text=text,
        backends=(),
        dataset="" if of_puzzle else str(row["dataset"]),
        name="" if of_puzzle else str(row["name"]),
        task=str(row["task"]) if is_answer else "",
        limit=_integer(row["limit"]) if is_answer else None,
        start=str(row["start"]) if is_answer else "",
        least=least,
        most=most,
        contradicted=bool(row["contradicted"]),
    )


def _text(value: Any) -> str:
    return "" if pd.isna(value) else str(value)


def _integer(value: Any) -> int | None:
    return None if pd.isna(value) else int(value)


def _order(claim: Claim) -> tuple[Any, ...]:
    """The place of a claim: contradicted ones first, then from none to many solutions."""
    least = -1 if claim.least is None else claim.least
    number = not claim.contradicted, least, claim.most is None, claim.most or 0
    question = claim.task, claim.limit or 0, claim.start, claim.dataset, claim.name
    return *number, claim.source, *question, claim.text, claim.backends


def _contradiction(claims: Iterable[Claim]) -> str:
    """The highest lower end against the lowest upper end, if they exclude each other."""
    least = max((c.least for c in claims if c.least is not None), default=0)
    most = min((c.most for c in claims if c.most is not None), default=least)
    if least <= most:
        return ""
    lower = next(c for c in claims if c.least == least)
    upper = next(c for c in claims if c.most == most)
    return f"{lower.text} against {upper.text}"


def _commands(pairs: list[tuple[dict[Hashable, Any], Claim]]) -> tuple[str, ...]:
    """The commands that repeat the questions with a contradicted claim."""
    differ = any(c.contradicted for _, c in pairs if c.source is ClaimSource.SOLUTIONS)
    specs: dict[tuple[str, int, str], dict[str, str]] = {}
    questions = set()
    for row, claim in pairs:
        if row["source"] == ClaimSource.ANSWER:
            question = (claim.task, claim.limit or 0, claim.start)
            label = str(row["backend"])
            specs.setdefault(question, {})[label] = spec_of(label, row["spec"])
            if claim.contradicted or (differ and not pd.isna(row["solution"])):
                questions.add(question)
    puzzle, shape = (str(pairs[0][0][name]) for name in ("puzzle", "shape"))
    return tuple(
        solve_command(
            task,
            puzzle,
            shape,
            dict.fromkeys(spec for _, spec in sorted(specs[task, limit, start].items())),
            start=None if start == Start.COLD else start,
            limit=limit or None,
        )
        for task, limit, start in sorted(questions)
    )


# Agreement of backends: where their answers contradict each other.


@dataclass(frozen=True, slots=True)
class Failure:
    """Trials of one backend that ended without an answer for the same reason."""

    backend: str
    """Label of the configuration."""
    verdict: str
    """The verdict of these trials."""
    reason: str
    """The reason of the first of them; of a traceback, the last line."""
    trials: int
    """Number of trials."""
    dataset: str
    """The dataset of the first of them."""
    name: str
    """The puzzle of the first of them."""
    puzzle_id: str
    """Identifier of that puzzle."""
    original: str
    """The puzzle of the dataset as a line, if a scramble of it was run; empty otherwise."""
    shape: str
    """Shape of that puzzle."""
    command: str
    """The shell command that repeats the first of them."""


@dataclass(frozen=True, slots=True)
class Agreement:
    """The comparison of all answers."""

    json_keys: ClassVar[tuple[str, ...]] = (
        *("agreed", "puzzles", "questions", "compared", "not_compared", "disagreements"),
        *("unanswered", "failures", "without_answer"),
    )

    puzzles: int
    """Different puzzles of all datasets."""
    questions: int
    """Questions, each a puzzle with a task and its limit."""
    tasks: tuple[str, ...]
    """Tasks of the questions."""
    compared: int
    """Puzzles with claims of two backends or more, or of one backend and an expected count."""
    disagreements: tuple[Disagreement, ...]
    """The smallest puzzles first; among puzzles of equal size, the most givens first."""
    unanswered: dict[str, dict[str, int]]
    """For each backend the verdicts of its trials without an answer, with their numbers."""
    failures: tuple[Failure, ...]
    """The reasons for `unanswered`, the most frequent first."""
    without_answer: tuple[str, ...]
    """Backends without a single answer, except those that support none of the questions."""
    not_compared: str
    """Why no puzzle could be compared; empty if one was, or if there is a disagreement."""

    @property
    def agreed(self) -> bool:
        """Whether answers were compared and agree, and every backend has answers and no crash."""
        has_crashes = any(Verdict.CRASHED in verdicts for verdicts in self.unanswered.values())
        return not (self.disagreements or self.not_compared or self.without_answer or has_crashes)


def agreement(trials: pd.DataFrame) -> Agreement:
    """Compare the answers of all backends, puzzle by puzzle.

    Claims on the number of solutions agree if and only if their intervals intersect; see
    `harness.analysis.claims.claims_of`. The verdict of a trial already covers the check of its
    own solution; a wrong answer is a disagreement, but not evidence against other claims.

    Args:
        trials: the columns of `harness.records.fields.DTYPES`.

    Raises:
        PuzzleError: an expected count is malformed.
    """
    claims = claims_of(trials)
    wrong = (trials["verdict"] == Verdict.WRONG).to_numpy(dtype=bool)
    is_answer = trials["verdict"].isin(RIGHT).to_numpy(dtype=bool) | wrong
    claiming = wrong.copy()
    claiming[claims.loc[claims["source"] == ClaimSource.ANSWER, "row"]] = True
    who = trials.loc[claiming, ["puzzle_id", "backend"]]
    backends = who.groupby("puzzle_id")["backend"].nunique()
    expected = claims.loc[claims["source"] == ClaimSource.DATASET, "puzzle_id"]
    number = int(((backends > 1) | backends.index.isin(expected)).sum())
    disputes = disagreements(trials, claims)
    missing = trials[~is_answer]
    other_verdicts = {
        str(backend): {str(k): int(n) for k, n in verdicts.value_counts().items()}
        for backend, verdicts in missing["verdict"].astype("string").groupby(missing["backend"])
    }
    able = trials.loc[trials["verdict"] != Verdict.UNSUPPORTED, "backend"]
    answering = trials.loc[is_answer, "backend"].unique()
    return Agreement(
        puzzles=trials["puzzle_id"].nunique(),
        questions=len(number_rows(trials, ["puzzle_id", "task", "limit"])[1]),
        tasks=tuple(task for task in Task if (trials["task"] == task).any()),
        compared=number,
        disagreements=disputes,
        unanswered=other_verdicts,
        failures=_failures(missing),
        without_answer=tuple(sorted(set(able.unique()) - set(answering))),
        not_compared="" if number or disputes else _not_compared(trials, who["backend"]),
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
        name = shortened(without_folders(names[0]))
        return f"only {name} answered, and {unknown} for its puzzles"
    return f"no puzzle has answers of two backends, and {unknown}"


def _failures(missing: pd.DataFrame) -> tuple[Failure, ...]:
    """The reasons of trials without an answer; numbers in a reason do not count."""
    groups: dict[tuple[str, str, str], list[int]] = {}
    reasons = [reason_line(reason) for reason in missing["reason"].fillna("")]
    kinds = {reason: without_numbers(reason) for reason in set(reasons)}
    rows = zip(missing["backend"], missing["verdict"], reasons, strict=True)
    for at, (backend, verdict, reason) in enumerate(rows):
        groups.setdefault((str(backend), str(verdict), kinds[reason]), []).append(at)
    firsts = missing.iloc[[places[0] for places in groups.values()]]
    firsts = with_commands(with_group_columns(firsts))
    names = ("backend", "verdict", "dataset", "name", "puzzle_id", "shape", "command")
    failures = [
        Failure(
            reason=reasons[places[0]],
            trials=len(places),
            original=_text(first["original"]),
            **{name: str(first[name]) for name in names},
        )
        for places, first in zip(groups.values(), firsts.to_dict("records"), strict=True)
    ]
    return tuple(sorted(failures, key=lambda failure: -failure.trials))
