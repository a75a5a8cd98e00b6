"""The single trials of a run, as many as a page can hold."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import pandas as pd

from harness.analysis.failures import ORDER
from harness.analysis.results import COMPARISON_GROUP, RIGHT, with_group_columns
from harness.puzzles.shape import Shape
from harness.records.frame import spec_of
from harness.records.reproduction import solve_command
from harness.report.formatting import printable, shortened
from harness.report.render.html import plain
from harness.report.tables.contents import group_title
from harness.report.tables.table import is_missing

MOST: Final = 20_000
"""So many trials are shown one by one; of more, failures, outliers and a sample."""
_BYTES_OF_ALL: Final = 4_000_000
_BYTES_OF_SOME: Final = 1_000_000
"""About how much the trials of a page weigh."""
_FAILURES: Final = 6_000
_OUTLIERS: Final = 1_000
_SLOWEST: Final = 20
_FAR: Final = 3.0
"""Times the median of its repetitions from which on a trial is an outlier."""
_SAMPLE: Final = 4_000
_REASON: Final = 300
_COST: Final = 45
_QUESTION: Final = [*COMPARISON_GROUP, "backend", "shape"]


@dataclass(frozen=True, slots=True)
class Chosen:
    """The trials that a page shows."""

    trials: pd.DataFrame
    note: str
    """Which of all they are."""


def chosen(trials: pd.DataFrame, answers: pd.DataFrame) -> Chosen:
    """All trials, or of many the failures, the outliers and a sample.

    An outlier is among the `_SLOWEST` right answers of its comparison group and backend,
    or took `_FAR` times the median of its repetitions. The sample is of puzzles,
    with all that was asked about them first. Failures beyond `_FAILURES` are
    thinned out evenly, but wrong answers and crashes never before others.

    Args:
        trials: those of a run.
        answers: of these the right ones, see `harness.analysis.results.answers`.
    """
    if len(trials) <= MOST:
        kept = _within(trials, _BYTES_OF_ALL)
        which = "all trials"
    else:
        failed = _failures(trials)
        odd = _outliers(answers)
        sample = _sample(trials)
        order = pd.Index(np.concatenate([failed, odd, sample])).drop_duplicates()
        kept = _within(trials.loc[order], _BYTES_OF_SOME)
        all_failures = int((~trials["verdict"].isin(RIGHT)).sum())
        shown = int((~kept["verdict"].isin(RIGHT)).sum())
        some = "all" if shown == all_failures else f"{shown:,} of"
        which = f"{some} {all_failures:,} failures, outliers, and a sample of puzzles"
    note = f"{len(kept):,} of {len(trials):,} trials: {which}"
    if len(kept) < len(trials):
        note += "; harness export writes every one"
    return Chosen(kept, note)


def _failures(trials: pd.DataFrame) -> "np.ndarray[tuple[int], Any]":
    failed = trials[~trials["verdict"].isin(RIGHT)]
    rank = failed["verdict"].map({str(v): n for n, v in enumerate(ORDER)})
    # The n-th failure of each backend and verdict comes before the (n+1)-th of any.
    turn = failed.groupby(["verdict", "backend"], sort=False).cumcount()
    grave = (rank > 1).astype("int64")
    order = np.lexsort((rank.to_numpy(), turn.to_numpy(), grave.to_numpy()))
    return failed.index.to_numpy()[order[:_FAILURES]]


def _outliers(right: pd.DataFrame) -> "np.ndarray[tuple[int], Any]":
    by = [*COMPARISON_GROUP, "backend"]
    question = right.groupby(by, sort=False, dropna=False, observed=True).ngroup()
    wall = right["wall_s"]
    slowest = wall.groupby(question).nlargest(_SLOWEST).index.get_level_values(1)
    puzzle = right["puzzle_id"].cat.codes.to_numpy(dtype=np.int64)
    cell = question * (puzzle.max() + 1 if len(puzzle) else 1) + puzzle
    ratio = wall / wall.groupby(cell).transform("median")
    far = ratio[ratio >= _FAR].nlargest(_OUTLIERS).index
    return np.concatenate([slowest.to_numpy(), far.to_numpy()])


def _sample(trials: pd.DataFrame) -> "np.ndarray[tuple[int], Any]":
    first = trials[trials["repetition"] == 1]
    codes, puzzles = pd.factorize(first["puzzle_id"])
    place = np.random.default_rng(0).permutation(len(puzzles))[codes]
    return first.index.to_numpy()[np.argsort(place, kind="stable")[:_SAMPLE]]


def _within(trials: pd.DataFrame, most: int) -> pd.DataFrame:
    """The first of `trials` that weigh no more than `most` bytes together."""
    new = ~trials.duplicated(["dataset", "puzzle_id"])
    solution = (
        trials["solution"]
        .str.len()
        .fillna(0)
        .where(~trials.duplicated(["puzzle_id", "solution"]), 0)
    )
    reason = trials["reason"].str.len().fillna(0).clip(upper=_REASON)
    weight = _COST + new * (trials["puzzle"].str.len() + 40) + solution + reason
    return trials[(weight.cumsum() <= most).to_numpy()]


def packed(trials: pd.DataFrame, names: Mapping[str, str], several_hosts: bool) -> dict[str, Any]:
    """The trials as a page reads them: columns of numbers, and lists that they count into.

    Args:
        trials: what `chosen` gave.
        names: the shown name of each backend.
        several_hosts: whether it must be said where a trial ran.
    """
    trials = with_group_columns(trials)
    question, questions = _listed(trials, _QUESTION)
    puzzle, puzzles = _listed(trials, ["dataset", "puzzle_id", "name", "puzzle", "shape"])
    solution, solutions = pd.factorize(trials["solution"])
    reason, reasons = pd.factorize(trials["reason"].fillna("").where(trials["reason"] != ""))
    verdict, verdicts = pd.factorize(trials["verdict"])
    shapes = list(dict.fromkeys(row["shape"] for row in puzzles))
    return {
        "questions": [_question(row, names, several_hosts) for row in questions],
        "puzzles": {
            "name": [plain(row["name"]) for row in puzzles],
            "id": [plain(row["puzzle_id"]) for row in puzzles],
            "line": [str(row["puzzle"]) for row in puzzles],
            "shape": [shapes.index(row["shape"]) for row in puzzles],
        },
        "shapes": [_shape(str(spec)) for spec in shapes],
        "solutions": [str(line) for line in solutions],
        "reasons": [printable(shortened(str(text), _REASON)) for text in reasons],
        "verdicts": [str(text) for text in verdicts],
        "right": sorted(RIGHT),
        "trial": {
            "question": question.tolist(),
            "puzzle": puzzle.tolist(),
            "repetition": trials["repetition"].tolist(),
            "verdict": verdict.tolist(),
            "wall": _figures(trials["wall_s"]),
            "cpu": _figures(trials["cpu_s"]),
            "count": [None if is_missing(n) else int(n) for n in trials["count"]],
            "solution": solution.tolist(),
            "reason": reason.tolist(),
        },
    }


def _listed(
    trials: pd.DataFrame, columns: Sequence[str]
) -> tuple["pd.Series[int]", list[dict[str, Any]]]:
    """A number for each row, equal where `columns` are, and their values by that number."""
    number = trials.groupby(list(columns), sort=False, dropna=False).ngroup()
    rows = trials[~number.duplicated()][list(columns)].to_dict("records")
    return number, [{str(k): v for k, v in row.items()} for row in rows]


def _question(row: Mapping[str, Any], names: Mapping[str, str], with_host: bool) -> dict[str, Any]:
    task, shape = str(row["task"]), str(row["shape"])
    # The page puts the puzzle between the head and the tail.
    whole = solve_command(
        *(task, "1", shape, [spec_of(str(row["backend"]))]),
        start=str(row["start"]),
        timeout_s=float(row["timeout_s"]),
        limit=None if is_missing(row["limit"]) else int(row["limit"]),
        cpu_limit_s=float(row["cpu_limit_s"]),
        memory_limit_mib=int(row["memory_limit_mib"]),
    )
    head = f"harness {task} "
    group = {name: None if is_missing(row[name]) else row[name] for name in COMPARISON_GROUP}
    return {
        "dataset": plain(row["dataset"]),
        "task": task,
        "start": str(row["start"]),
        "backend": names[str(row["backend"])],
        "asked": printable(group_title(group, None, with_host)),
        "head": head,
        "tail": printable(whole.removeprefix(f"{head}1")),
    }


def _shape(spec: str) -> dict[str, Any]:
    """Size and regions of a shape: for each cell the number of its box, or none are drawn."""
    shape = Shape.parse(spec)
    regions = [0] * shape.size**2
    for kind in {house.kind for house in shape.houses} - {"row", "column"}:
        houses = [house for house in shape.houses if house.kind == kind]
        if sorted(cell for house in houses for cell in house.cells) == list(range(len(regions))):
            for number, house in enumerate(houses):
                for cell in house.cells:
                    regions[cell] = number
            break
    return {"spec": spec, "size": shape.size, "regions": regions}


def _figures(values: "pd.Series[float]") -> list[float | None]:
    return [None if is_missing(v) else float(f"{v:.4g}") for v in values.to_list()]
