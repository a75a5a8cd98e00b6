"""Trials as a pandas frame."""

import re
from collections.abc import Iterable, Sequence
from typing import Any, Final

import pandas as pd

from harness.contract.verdict import Verdict
from harness.sweep.trial import Result

DTYPES: Final[dict[str, str]] = {
    "backend": "string",
    "dataset": "string",
    "name": "string",
    "puzzle_id": "string",
    "shape": "string",
    "puzzle": "string",
    "clues": "int64",
    "truth": "string",
    "task": "string",
    "limit": "Int64",
    "start": "string",
    "repetition": "int64",
    "verdict": "string",
    "reason": "string",
    "count": "Int64",
    "exact": "boolean",
    "solution": "string",
    "wall_s": "float64",
    "cpu_s": "float64",
    "build_s": "float64",
    "encode_s": "float64",
    "search_s": "float64",
    "decode_s": "float64",
    "cpu_how": "string",
    "memory_mib": "float64",
    "memory_how": "string",
    "switches": "Int64",
    "forced_switches": "Int64",
    "core": "Int64",
    "host": "string",
    "timeout_s": "float64",
    "cpu_limit_s": "float64",
    "memory_limit_mib": "Int64",
    "exit_code": "Int64",
    "stats": "string",
    "ended_at": "string",
    "paradigm": "string",
    "options": "string",
    "versions": "string",
}
"""The columns of a frame of trials, in their order, with their pandas dtypes. Times
are in seconds; ``stats``, ``options`` and ``versions`` are JSON."""


def frame(columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> pd.DataFrame:
    """The rows as a frame with the columns and dtypes of `DTYPES`.

    A backend that ran with several versions or options under one label is told
    apart by its number: ``cpsat#2``. A claim that the trials themselves refute
    is judged wrong (see `refuted`).
    """
    trials = pd.DataFrame(list(rows), columns=list(columns))
    trials["limit"] = trials["limit"].astype("Int64").mask(lambda limit: limit == 0)
    if "backend_id" in trials:
        trials["backend"] = _told_apart(trials["backend"], trials["backend_id"])
    trials = trials.reindex(columns=list(DTYPES)).astype(DTYPES)
    return refuted(trials)


def spec_of(backend: str) -> str:
    """The spec that a label in a frame was asked for as: without its number, if it has one."""
    return re.sub(r"#\d+$", "", backend)


def frame_of(results: Iterable[Result]) -> pd.DataFrame:
    """The frame of results that were not stored."""
    columns = [
        *("backend", "dataset", "name", "puzzle_id", "shape", "puzzle", "clues", "truth"),
        *("task", "limit", "start", "timeout_s", "repetition", "verdict", "reason"),
        *("count", "exact", "solution", "wall_s", "cpu_s", "build_s", "encode_s", "search_s"),
        *("decode_s", "exit_code", "stats"),
    ]
    return frame(columns, map(_row, results))


def refuted(trials: pd.DataFrame) -> pd.DataFrame:
    """`trials` with those claims judged wrong that checked solutions of others refute.

    Who says that a puzzle has no solution, or exactly k, is wrong where more
    than k different solutions were found by anybody and passed the check.
    """
    right = trials["verdict"].isin([Verdict.SOLVED, Verdict.COUNTED, Verdict.UNKNOWN])
    known = trials[right & trials["solution"].notna()].groupby("puzzle_id")["solution"].nunique()
    found = trials["puzzle_id"].map(known).fillna(0).astype("int64")
    claimed = trials["count"].where(trials["exact"].fillna(False))
    claimed = claimed.mask(trials["verdict"] == Verdict.UNSATISFIABLE, 0)
    wrong = (claimed < found).fillna(False) & trials["verdict"].isin(
        [Verdict.UNSATISFIABLE, Verdict.COUNTED]
    )
    if not wrong.any():
        return trials
    trials = trials.copy()
    trials.loc[wrong, "reason"] = [
        f"claims {_solutions(claim)}, but {_solutions(number)} passed the check"
        for claim, number in zip(claimed[wrong], found[wrong], strict=True)
    ]
    trials.loc[wrong, "verdict"] = str(Verdict.WRONG)
    return trials


def _solutions(number: int) -> str:
    return f"{number or 'no'} solution{'' if number == 1 else 's'}"


def concatenated(frames: Sequence[pd.DataFrame]) -> pd.DataFrame:
    """Several frames as one; a label that has other options or versions is numbered anew.

    A trial that several of them have from the same machine becomes one more
    repetition of it. A claim that a solution in another frame refutes is wrong.
    """
    trials = pd.concat(frames, ignore_index=True).astype(DTYPES)
    labels = trials["backend"].map({label: spec_of(label) for label in trials["backend"].unique()})
    same = [labels, trials["options"].fillna(""), trials["versions"].fillna("")]
    trials["backend"] = _told_apart(labels, _numbers(same)).astype("string")
    key = ["backend", "dataset", "puzzle_id", "task", "limit", "start", "timeout_s"]
    key += ["cpu_limit_s", "memory_limit_mib", "host"]
    trials["repetition"] = (
        trials.groupby(_numbers([trials[name] for name in key])).cumcount() + 1
    ).astype("int64")
    return refuted(trials)


def _numbers(columns: "Sequence[pd.Series[Any]]") -> "pd.Series[int]":
    """A number for each row, equal where all of `columns` are."""
    number = pd.Series(0, index=columns[0].index)
    for column in columns:
        codes, uniques = pd.factorize(column)
        number[:] = pd.factorize(number * (len(uniques) + 1) + codes + 1)[0]
    return number


def _told_apart(labels: "pd.Series[str]", ids: "pd.Series[int]") -> "pd.Series[str]":
    """Labels, numbered where one label stands for several ids."""
    names = {
        id_: label if len(all_ids) == 1 else f"{label}#{number}"
        for label, all_ids in ids.groupby(labels).unique().items()
        for number, id_ in enumerate(sorted(all_ids), 1)
    }
    return ids.map(names)


def _row(result: Result) -> Sequence[Any]:
    trial, outcome = result.trial, result.outcome
    puzzle, truth, question = trial.entry.puzzle, trial.entry.truth, trial.question
    return (
        *(trial.backend, trial.dataset, trial.entry.name, puzzle.id, puzzle.shape.spec),
        *(puzzle.line, puzzle.clues, None if truth is None else str(truth), str(question.task)),
        *(question.limit, str(question.start), question.timeout, trial.repetition),
        *(str(result.verdict), result.reason, result.count, result.exact, result.solution),
        *(outcome.wall, outcome.cpu, outcome.build, outcome.encode, outcome.search),
        *(outcome.decode, outcome.exit_code, outcome.stats),
    )
