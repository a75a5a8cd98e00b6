"""Measure `scaling`: times by the size of the puzzle."""

from typing import Final

import pandas as pd

from harness.analysis.common_columns import LEFT_OUT_SHOWN, WRONG_SHOWN, left_out_notes
from harness.analysis.common_set import with_common_set
from harness.analysis.measure import Kind, Measure, MeasureColumn, Scope, Source, View, varies
from harness.analysis.results import BACKEND, LABELLED_GROUP_COLUMNS, WHERE
from harness.analysis.time_statistics import TIME_COLUMNS, statistics_of
from harness.puzzles.shape import Shape

_OVER_DATASETS: Final = tuple(c for c in LABELLED_GROUP_COLUMNS if c.name != "dataset")


def scaling(results: pd.DataFrame) -> pd.DataFrame:
    """Summarize the times of each shape and backend over all datasets, the smallest size first.

    A group is a comparison group without the dataset. PAR-2 and the geometric mean are as in
    `averages`, over the instances of the shape that every backend without a wrong answer on
    the shape was run on.
    """
    sizes = {str(spec): Shape.parse(str(spec)).size for spec in results["shape"].unique()}
    rows = []
    group = [*(column.name for column in _OVER_DATASETS), "shape"]
    by = [*group, "backend"]
    placed = with_common_set(results, group, ("dataset", "puzzle_id"))
    for key, table in placed.groupby(by, dropna=False, observed=True, sort=False):
        row = dict(zip(by, key, strict=True))
        rows.append(row | {"size": sizes[str(row["shape"])]} | statistics_of(table))
    found = SCALING.frame(rows)
    order = ["task", "limit", "start", "size", "shape", "backend"]
    return found.sort_values(order, kind="stable", ignore_index=True)


SCALING: Final = Measure(
    name="scaling",
    title="By size",
    scope=Scope.RUN,
    source=Source.RESULTS,
    compute=scaling,
    columns=(
        *_OVER_DATASETS,
        MeasureColumn(*("shape", "string", "Name of the shape.", ""), View(Kind.TEXT, "shape")),
        MeasureColumn("size", "int64", "Size N of the shape: values, and cells of a house."),
        BACKEND,
        WRONG_SHOWN,
        LEFT_OUT_SHOWN,
        *TIME_COLUMNS,
    ),
    order=(
        *("shape", *(name for name in WHERE if name != "dataset")),
        *("backend", "answered", "left_out", "wrong", "median_s", "par2_s", "sgm_1ms_s"),
    ),
    applies=varies("size"),
    notes=left_out_notes,
)
