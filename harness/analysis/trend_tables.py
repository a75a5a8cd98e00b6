"""The tables of a trend: their columns and how each is shown."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

import pandas as pd

from harness.analysis.changes import FASTER, FASTER_UNEQUAL, SLOWER, SLOWER_UNEQUAL
from harness.analysis.inference import ALPHA
from harness.analysis.measure import Columns, Kind, Layout, MeasureColumn, Note, View, varies
from harness.analysis.results import BACKEND, GROUP_COLUMNS, WHERE
from harness.analysis.series import SERIES_GROUP, SERIES_KEY, series_key

MACHINE_CHANGED: Final = "machine changed"
"""The change of a step between runs of different machines."""
UNEQUAL: Final = (SLOWER_UNEQUAL, FASTER_UNEQUAL)
"""The changes of steps between runs of one machine under unequal conditions."""

_GROUP: Final[Columns] = tuple(c for c in GROUP_COLUMNS if c.name in SERIES_GROUP)
_WHERE: Final = tuple(name for name in WHERE if name in SERIES_GROUP)


@dataclass(frozen=True, slots=True)
class TrendMeasure:
    """A value of a configuration in a run, and how tables and charts show it."""

    name: str
    """The name that ``--measure`` takes."""
    column: str
    """The column of `VALUES`."""
    title: str
    kind: Kind


TREND_MEASURES: Final[Mapping[str, TrendMeasure]] = {
    measure.name: measure
    for measure in (
        TrendMeasure("par2", "par2_s", "PAR-2", Kind.SECONDS),
        TrendMeasure("median", "median_s", "median", Kind.SECONDS),
        TrendMeasure("solved", "answered", "answered", Kind.COUNT),
        TrendMeasure("throughput", "puzzles_per_s", "puzzles/s", Kind.NUMBER),
    )
}
"""The values that a trend can show, by name; the first one is the default."""


def _value(name: str, meaning: str, unit: str, kind: Kind, title: str) -> MeasureColumn:
    return MeasureColumn(name, "float64", meaning, unit, View(kind, title))


_RUN: Final = MeasureColumn(
    *("run", "int64", "Number of the run, from 1.", ""), View(Kind.COUNT, "run")
)
_COMMON: Final = MeasureColumn(
    *("instances", "int64", "Instances that all runs have in common.", ""),
    View(Kind.COUNT, "instances", "n"),
)

RUNS: Final = Layout(
    name="runs",
    title="Runs",
    columns=(
        _RUN,
        MeasureColumn("folder", "string", "Folder of the run.", "", View(Kind.TEXT, "folder")),
        MeasureColumn(
            *("started", "string", "Start of its first invocation in UTC; empty if unknown.", ""),
            View(Kind.TEXT, "started (UTC)"),
        ),
        MeasureColumn("trials", "int64", "Its trials.", "", View(Kind.COUNT, "trials")),
        MeasureColumn("planned", "Int64", "Its planned trials; missing if not recorded."),
        MeasureColumn(
            *("state", "string", "Whether it is finished, and if not, why.", ""),
            View(Kind.TEXT, "state", shown=varies("state")),
        ),
        MeasureColumn(
            *("host", "string", "Names of its machines; empty if unknown.", ""),
            View(Kind.TEXT, "machine"),
        ),
        MeasureColumn("machine_changed", "bool", "Whether the machine is another than before."),
        MeasureColumn("disturbed", "string", "What disturbed its machine; missing if nothing did."),
        MeasureColumn("harness", "string", "Version of the harness."),
        MeasureColumn("checkout", "string", "Commit of the harness, if it runs from a clone."),
    ),
)

VALUES: Final = Layout(
    name="values",
    title="Values",
    columns=(
        *_GROUP,
        BACKEND,
        _RUN,
        _COMMON,
        MeasureColumn(
            *("answered", "Int64", "Answered instances; missing after a wrong answer.", ""),
            View(Kind.FRACTION, "answered", out_of="instances"),
        ),
        MeasureColumn("wrong", "int64", "Wrong answers.", "", View(Kind.COUNT, "wrong")),
        _value("par2_s", "PAR-2: mean time with failures at 2 T.", "s", Kind.SECONDS, "PAR-2"),
        _value("median_s", "Median time, failures at T.", "s", Kind.SECONDS, "median"),
        _value(
            "geometric_mean_s", "Geometric mean of times, failures at T.", "s", Kind.SECONDS, "mean"
        ),
        _value(
            *("puzzles_per_s", "Instances over the sum of their times, failures at T.", "1/s"),
            *(Kind.NUMBER, "puzzles/s"),
        ),
    ),
)

_INTERVAL: Final = MeasureColumn(
    *("factor_low", "float64", "Lower end of its 95 % confidence interval, between runs.", ""),
    View(Kind.INTERVAL, "95 % interval", upper="factor_high"),
)

STEPS: Final = Layout(
    name="steps",
    title="Steps",
    columns=(
        MeasureColumn(
            *("change", "string"),
            f"`{SLOWER}` or `{FASTER}`; `{SLOWER_UNEQUAL}`, `{FASTER_UNEQUAL}` or "
            f"`{MACHINE_CHANGED}` if the machine may be the cause.",
            "",
            View(Kind.TEXT, "change"),
        ),
        *_GROUP,
        BACKEND,
        MeasureColumn(
            *("run", "int64", "Number of the first run after the step.", ""),
            View(Kind.COUNT, "from run"),
        ),
        MeasureColumn("previous", "int64", "Number of the last run before the step."),
        _COMMON,
        _value(
            *("before_s", "Geometric mean of times from the step before to this one.", "s"),
            *(Kind.SECONDS, "before"),
        ),
        _value(
            *("after_s", "Geometric mean of times from this step to the next one.", "s"),
            *(Kind.SECONDS, "after"),
        ),
        MeasureColumn("factor", "float64", "After over before.", "", View(Kind.RATIO, "factor")),
        _INTERVAL,
        MeasureColumn("factor_high", "float64", "Upper end of the interval."),
        MeasureColumn("p", "float64", "p-value of the t-test between runs, times their places."),
        MeasureColumn(
            *("p_holm", "float64", "The p-value corrected for all steps (Holm).", ""),
            View(Kind.PROBABILITY, "p (Holm)"),
        ),
        MeasureColumn("least_factor", "float64", "Least factor of a step."),
        MeasureColumn("changed", "string", "What differs between the runs before and after."),
    ),
    order=(
        *("change", "backend", *_WHERE, "run", "before_s", "after_s"),
        *("factor", "factor_low", "p_holm"),
    ),
    notes=lambda frame: (
        Note(
            f"step: a factor of {frame['least_factor'].iloc[0]:g} or more between the geometric "
            "means of the runs before and after, failures at the limit, and "
            f"p < {ALPHA:g} in a t-test between runs, corrected for all runs and steps"
        ),
    ),
)


def trends_layout(measure: TrendMeasure) -> Layout:
    """The table with one row for each configuration."""
    return Layout(
        name="trends",
        title=f"Trends of {measure.title}",
        columns=(
            *_GROUP,
            BACKEND,
            _COMMON,
            MeasureColumn("runs", "int64", "Runs with a value.", "", View(Kind.COUNT, "runs")),
            _value("first", f"{measure.title} in the first of them.", "", measure.kind, "first"),
            _value("last", f"{measure.title} in the last of them.", "", measure.kind, "last"),
            MeasureColumn(
                *("steps", "string", "Its steps: change, first run and factor.", ""),
                View(Kind.TEXT, "steps"),
            ),
        ),
        order=("backend", *_WHERE, "instances", "runs", "first", "last", "steps"),
    )


def in_words(change: str) -> str:
    """The change of a step without a comma, for lists of them."""
    return change.replace(", unequal machine", " on an unequal machine")


def trends_table(values: pd.DataFrame, steps: pd.DataFrame, measure: TrendMeasure) -> pd.DataFrame:
    """One row for each configuration: its first and last value, and its steps in words."""
    words: dict[tuple[str, ...], list[str]] = {}
    for step in steps.to_dict("records"):
        text = f"{in_words(str(step['change']))} at {step['run']} ({step['factor']:.2f}x)"
        words.setdefault(series_key(step), []).append(text)
    rows: list[dict[Any, Any]] = []
    for _, part in values.groupby(SERIES_KEY, dropna=False, sort=False):
        key = part[SERIES_KEY].to_dict("records")[0]
        known = part[part[measure.column].notna()]
        shown = known[measure.column].astype("float64")
        rows.append(
            {
                **key,
                "instances": part["instances"].iloc[0],
                "runs": len(known),
                "first": shown.iloc[0] if len(shown) else None,
                "last": shown.iloc[-1] if len(shown) else None,
                "steps": ", ".join(words.get(series_key(key), ["none"])),
            }
        )
    return trends_layout(measure).frame(rows)
