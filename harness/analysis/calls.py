"""Calls with the start ``batch``: one call is one measurement, however many puzzles it has.

The harness measures the time of a call and gives each of its puzzles an equal share, so the
times of these puzzles are one value, not many. Measures of times therefore take a call for an
instance: its time is the time per puzzle.
"""

import numpy as np
import numpy.typing as npt
import pandas as pd

from harness.analysis.results import (
    PUZZLES,
    RESULT_KEY,
    RIGHT,
    first_by_rank,
    numbered,
    with_group_columns,
)
from harness.records.question import Start
from harness.records.verdict import Verdict
from harness.text import number_of


def single(rows: pd.DataFrame) -> pd.DataFrame:
    """The trials or results that have a time of their own: those of every other start."""
    return rows[(rows["start"] != Start.BATCH).to_numpy(dtype=bool)]


def with_instances(trials: pd.DataFrame) -> pd.DataFrame:
    """The trials with the instance of each as its ``puzzle_id``: of a batch, its call.

    The name of a call is equal for backends that had the same puzzles in one call of the same
    repetition.
    """
    trials = with_group_columns(trials)
    batch = (trials["start"] == Start.BATCH).to_numpy(dtype=bool)
    if not batch.any():
        return trials
    calls = trials[batch]
    # A store of an earlier version does not record calls; a repetition then counts as one.
    digest = calls["call"].astype("string").fillna("")
    call = digest.where(digest != "", calls["shape"]) + "/" + calls["repetition"].astype("string")
    return trials.assign(puzzle_id=trials["puzzle_id"].astype("string").mask(batch, call))


def by_call(trials: pd.DataFrame) -> pd.DataFrame:
    """The trials with one row for each call of the start ``batch``, and the column ``puzzles``.

    Other rows stay as they are, with 1 puzzle. The row of a call is that of its worst trial: a
    wrong one, else a failure, else a right answer. Its ``puzzle_id`` names the call, see
    `with_instances`. Times are the same for all trials of a call: the time per puzzle.
    """
    trials = with_instances(trials)
    batch = (trials["start"] == Start.BATCH).to_numpy(dtype=bool)
    if not batch.any():
        return trials.assign(puzzles=1)
    calls = trials[batch]
    number, first = numbered(calls, RESULT_KEY)
    verdict = calls["verdict"]
    rank = np.where(verdict == Verdict.WRONG, 0, np.where(verdict.isin(RIGHT), 2, 1))
    chosen = first_by_rank(number, rank)
    sizes = np.bincount(number, minlength=len(first))
    names = [f"call of {number_of(size, 'puzzle')}" for size in sizes.tolist()]
    rows = calls.iloc[chosen].assign(puzzles=sizes, name=names, repetition=1)
    return pd.concat([trials[~batch].assign(puzzles=1), rows])


def puzzles_of(trials: pd.DataFrame) -> npt.NDArray[np.int64]:
    """The number of puzzles in the call of each trial, shape (n,); 1 for every other start."""
    if PUZZLES in trials:
        return trials[PUZZLES].to_numpy(dtype=np.int64)
    batch = (trials["start"] == Start.BATCH).to_numpy(dtype=bool)
    sizes = np.ones(len(trials), dtype=np.int64)
    if batch.any():
        number, _ = numbered(with_instances(trials[batch]), RESULT_KEY)
        sizes[batch] = np.bincount(number)[number]
    return sizes
