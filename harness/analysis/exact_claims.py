"""The answers of a run that state an exact number of solutions, which a proof can confirm."""

from dataclasses import dataclass
from typing import Any, Final

import pandas as pd

from harness.puzzles.puzzle import Puzzle
from harness.puzzles.shape import Shape
from harness.records.question import Task
from harness.records.verdict import Verdict

_COLUMNS: Final = ["puzzle_id", "shape", "puzzle", "dataset", "name", "backend"]


@dataclass(frozen=True)
class ExactClaims:
    """The exact numbers of solutions that answers state for one puzzle."""

    puzzle: Puzzle
    puzzle_id: str
    dataset: str
    """The first dataset with the puzzle."""
    name: str
    """The name of the puzzle in that dataset."""
    numbers: tuple[tuple[str, int], ...]
    """A backend and a number that it states, each once; 0 for "no solution"."""


def exact_claims(trials: pd.DataFrame) -> list[ExactClaims]:
    """The exact claims on each puzzle, in the order in which the puzzles occur.

    Answers that have been judged wrong are among them: a proof also decides where the expected
    count of a dataset is wrong.

    Args:
        trials: the columns of `harness.records.fields.DTYPES`.
    """
    wrong = trials["verdict"] == Verdict.WRONG
    states_none = wrong & (trials["task"] == Task.SOLVE) & trials["reason"].str.startswith("claims")
    none = (trials["verdict"] == Verdict.UNSATISFIABLE) | states_none.fillna(False)
    counted = (trials["verdict"] == Verdict.COUNTED) | (wrong & trials["count"].notna())
    exact = counted & trials["exact"].fillna(False).astype(bool)
    claimed = trials.loc[none | exact, [*_COLUMNS, "count"]].assign(
        number=trials["count"].where(exact, 0)
    )
    found = []
    for puzzle_id, rows in claimed.groupby("puzzle_id", sort=False):
        first: pd.Series[Any] = rows.iloc[0]
        stated = zip(rows["backend"], rows["number"], strict=True)
        puzzle = Puzzle.of_line(str(first["puzzle"]), Shape.parse(str(first["shape"])))
        numbers = dict.fromkeys((str(backend), int(number)) for backend, number in stated)
        dataset, name = str(first["dataset"]), str(first["name"])
        found.append(ExactClaims(puzzle, str(puzzle_id), dataset, name, tuple(numbers)))
    return found
