"""Measure `scaling`: times by the size of the puzzle."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

import numpy as np
import pandas as pd

from harness.analysis.common_columns import LEFT_OUT_SHOWN, WRONG_SHOWN, left_out_notes
from harness.analysis.common_set import COMMON, common_instances, with_common_set
from harness.analysis.exponent import LEAST_INSTANCES, LEAST_SIZES, exponent_of, series_of
from harness.analysis.measure import (
    Kind,
    Measure,
    MeasureColumn,
    Note,
    Scope,
    Source,
    View,
    varies,
)
from harness.analysis.results import BACKEND, LABELLED_GROUP_COLUMNS, WHERE, numbered
from harness.analysis.time_statistics import TIME_COLUMNS, statistics_by
from harness.puzzles.shape import Shape

_OVER_DATASETS: Final = tuple(c for c in LABELLED_GROUP_COLUMNS if c.name != "dataset")
_GROUP: Final = [column.name for column in _OVER_DATASETS]
_INSTANCE: Final = ("dataset", "puzzle_id")
_FIT: Final = "fit"


def scaling(results: pd.DataFrame) -> pd.DataFrame:
    """Summarize the times of each shape and backend over all datasets, the smallest size first.

    A group is a comparison group without the dataset. PAR-2 and the geometric mean are as in
    `averages`, over the instances of the shape that every backend without a wrong answer on
    the shape was run on.

    The exponent describes how times grow with the size N: time = a * N ** exponent. It is fitted
    for each backend to the instances of all sizes of a series, with failures at T: NxN (4x4, 6x6,
    9x9, 16x16 ...), Latin squares, or one other shape. These are the instances that every backend
    without a wrong answer in the series was run on, so all backends have the same ones. See
    `harness.analysis.exponent.exponent_of` for the fit and the sources of its interval.
    """
    sizes = {str(spec): Shape.parse(str(spec)).size for spec in results["shape"].unique()}
    rows = []
    group = [*_GROUP, "shape"]
    placed = with_common_set(_with_series(results, sizes), group, _INSTANCE)
    exponents = _exponents(placed)
    for row in statistics_by(placed, [*group, "backend", _FIT]):
        row["size"] = sizes[str(row["shape"])]
        rows.append(row | exponents[row[_FIT]])
    found = SCALING.frame(rows)
    order = ["task", "limit", "start", "size", "shape", "backend"]
    return found.sort_values(order, kind="stable", ignore_index=True)


def _with_series(results: pd.DataFrame, sizes: Mapping[str, int]) -> pd.DataFrame:
    """`results` with ``size``, ``series`` and `_FIT`, a number for each fitted exponent."""
    shapes = results["shape"].astype("string")
    series = {shape: series_of(shape, size) for shape, size in sizes.items()}
    table = results.assign(size=shapes.map(sizes), series=shapes.map(series))
    number, _ = numbered(table, [*_GROUP, "series", "backend"])
    return table.assign(**{_FIT: number})


def _exponents(table: pd.DataFrame) -> dict[int, dict[str, Any]]:
    """The columns of the exponent for each number in `_FIT`."""
    common, _ = common_instances(table, [*_GROUP, "series"], _INSTANCE)
    found = {}
    for number, rows in table.assign(**{COMMON: common}).groupby(_FIT, sort=False):
        kept = rows[rows[COMMON]]
        fitted = exponent_of(
            kept["size"].to_numpy(dtype=np.float64),
            kept["time_s"].to_numpy(dtype=np.float64),
            kept["answered"].to_numpy(dtype=bool),
        )
        found[int(str(number))] = {
            "exponent": fitted.value,
            "exponent_low": fitted.low,
            "exponent_high": fitted.high,
            "exponent_is_bound": fitted.is_bound,
            "fitted_to": len(kept),
        }
    return found


def _has_exponent(frame: pd.DataFrame) -> bool:
    return bool(frame["exponent"].notna().any())


def _notes(frame: pd.DataFrame) -> Iterator[Note]:
    yield from left_out_notes(frame)
    if _has_exponent(frame):
        yield Note(
            "exponent: times grow as N to this power, fitted to all sizes of a series; "
            "> at least, as failures count as T"
        )


SCALING: Final = Measure(
    name="scaling",
    title="By size",
    scope=Scope.RUN,
    source=Source.RESULTS,
    compute=scaling,
    columns=(
        *_OVER_DATASETS,
        MeasureColumn(*("shape", "string", "Name of the shape.", ""), View(Kind.SHAPE, "shape")),
        MeasureColumn("size", "int64", "Size N of the shape: values, and cells of a house."),
        BACKEND,
        WRONG_SHOWN,
        LEFT_OUT_SHOWN,
        *TIME_COLUMNS,
        MeasureColumn(
            *("exponent", "float64"),
            f"Fitted growth of the time, N ** exponent; missing below {LEAST_SIZES} sizes or "
            f"{LEAST_INSTANCES} instances.",
            "",
            View(Kind.NUMBER, "exponent", bound="exponent_is_bound", shown=_has_exponent),
        ),
        MeasureColumn(
            *("exponent_low", "float64", "Lower end of its 95 % interval.", ""),
            View(Kind.RANGE, "95 % interval", upper="exponent_high", shown=_has_exponent),
        ),
        MeasureColumn(
            "exponent_high", "float64", "Upper end of the interval; missing for a lower bound."
        ),
        MeasureColumn("exponent_is_bound", "bool", "Whether `exponent` is only a lower bound."),
        MeasureColumn(
            *("fitted_to", "int64", "Instances of all sizes that the exponent is fitted to.", ""),
            View(Kind.COUNT, "fitted to", shown=_has_exponent),
        ),
    ),
    order=(
        *("shape", *(name for name in WHERE if name != "dataset")),
        *("backend", "answered", "left_out", "wrong", "median_s", "par2_s", "sgm_1ms_s"),
        *("exponent", "exponent_low", "fitted_to"),
    ),
    applies=varies("size"),
    notes=_notes,
)
