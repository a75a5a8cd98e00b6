"""Claims on the number of solutions of a puzzle, each as a closed interval.

A checked solution claims at least one solution, "unsatisfiable" claims none, an exact count
of n claims n, and a count that stopped after n claims n or more. The expected count of a
dataset claims its own interval, and k different checked solutions claim k or more. All claims
on one puzzle can hold together if and only if their intervals intersect: the greatest lower
end is at most the least upper end. Intervals of a line have a common point if each two of
them have one (Helly, 1923), so a contradiction always has two claims that show it.
"""

from collections.abc import Mapping
from enum import StrEnum
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pandas as pd

from harness.analysis.results import Bools
from harness.puzzles.expected_count import ExpectedCount
from harness.records.dtypes import within_64_bits
from harness.records.verdict import Verdict

Objects = npt.NDArray[np.object_]


class Source(StrEnum):
    """The evidence for a claim."""

    ANSWER = "answer"
    """The answer of a backend."""
    DATASET = "expected count"
    """The number of solutions that a dataset gives."""
    SOLUTIONS = "different solutions"
    """The number of different checked solutions in all trials."""


_SOLUTIONS_FROM: Final = (Verdict.SOLVED, Verdict.COUNTED, Verdict.UNKNOWN)
"""Verdicts of trials whose solution, if they have one, passed the check."""


def claims_of(trials: pd.DataFrame) -> pd.DataFrame:
    """All claims on the numbers of solutions of the puzzles of `trials`.

    An answer after the time limit claims nothing, like any other failure, and a wrong answer
    is not evidence.

    Args:
        trials: n rows with the columns of `harness.records.fields.DTYPES`.

    Returns:
        One row for each claim: ``puzzle_id``; ``source``, a `Source`; ``row``, the position of
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
    contradicted = (least > smallest[puzzle]) | (most < greatest[puzzle])
    return claims.assign(contradicted=contradicted)


def in_words(least: int, most: int | None) -> str:
    """An interval in words: ``no solution``, ``exactly 3 solutions``, ``at least 1 solution``."""
    if most == 0:
        return "no solution"
    number = most is not None
    return f"{'exactly' if number else 'at least'} {least} solution{'' if least == 1 else 's'}"


def _of_trials(trials: pd.DataFrame) -> pd.DataFrame:
    verdict, number = trials["verdict"], within_64_bits(trials["count"])
    solved = _bools(verdict == Verdict.SOLVED)
    none = _bools(verdict == Verdict.UNSATISFIABLE)
    counted = _bools((verdict == Verdict.COUNTED) & number.notna())
    gave_up = _bools((verdict == Verdict.UNKNOWN) & (number.fillna(0) > 0))
    exact = _bools(trials["exact"].fillna(False)) & counted
    counts = trials["count"].to_numpy(dtype=object)
    least = np.where(counted | gave_up, counts, solved.astype(int).astype(object))
    most = np.where(exact, counts, _nothing(trials))
    most[none] = 0
    return _claims(trials, Source.ANSWER, solved | none | counted | gave_up, least, most)


def _of_datasets(trials: pd.DataFrame) -> pd.DataFrame:
    text = trials["expected_count"]
    repeated = trials.duplicated(["puzzle_id", "dataset", "expected_count"])
    rows = _bools(text.notna() & ~repeated)
    known = [ExpectedCount.of_words(words) for words in text[rows]]
    least, most = _nothing(trials), _nothing(trials)
    least[rows] = [expected.count for expected in known]
    most[rows] = [expected.count if expected.exact else None for expected in known]
    return _claims(trials, Source.DATASET, rows, least, most)


def _of_different_solutions(trials: pd.DataFrame) -> pd.DataFrame:
    shown = trials["verdict"].isin(_SOLUTIONS_FROM) & trials["solution"].notna()
    checked = trials.loc[shown, ["puzzle_id", "solution"]]
    numbers = checked.groupby("puzzle_id")["solution"].nunique()
    several = shown & trials["puzzle_id"].isin(numbers.index[numbers > 1])
    first = several & ~trials["puzzle_id"].where(several).duplicated()
    rows, least = _bools(first), _nothing(trials)
    least[rows] = [int(number) for number in trials["puzzle_id"][rows].map(numbers)]
    return _claims(trials, Source.SOLUTIONS, rows, least, _nothing(trials))


def _claims(
    trials: pd.DataFrame, source: Source, rows: Bools, least: Objects, most: Objects
) -> pd.DataFrame:
    """The claims of these rows; `least` and `most` have a value for each trial."""
    return pd.DataFrame(
        {
            "puzzle_id": trials["puzzle_id"].to_numpy(dtype=object)[rows],
            "source": np.full(rows.sum(), str(source), dtype=object),
            "row": np.flatnonzero(rows),
            "least": least[rows],
            "most": pd.Series(most[rows], dtype=object),
        }
    ).astype({"least": "object"})


def _nothing(trials: pd.DataFrame) -> Objects:
    return np.full(len(trials), None, dtype=object)


def _ranks(ends: "pd.Series[Any]", rank: Mapping[int | None, int]) -> npt.NDArray[np.int64]:
    return np.fromiter((rank[end] for end in ends), np.int64, len(ends))


def _bools(values: "pd.Series[Any]") -> Bools:
    return values.to_numpy(dtype=bool)
