"""Measure `phases`: the part of each phase in the wall time of right answers."""

from collections.abc import Iterator
from typing import Final

import pandas as pd

from harness.analysis.common_columns import LEFT_OUT as LEFT_OUT_COLUMN
from harness.analysis.common_columns import answers_left_out_notes
from harness.analysis.common_set import LEFT_OUT
from harness.analysis.measure import Kind, Measure, MeasureColumn, Note, Scope, Source, View
from harness.analysis.results import BACKEND, COMPARISON_GROUP, GROUP_COLUMNS
from harness.analysis.times import TIME
from harness.records.dtypes import with_dtypes
from harness.records.time_kind import TimeKind

_ROUNDING: Final = 1e-6
"""A share below 0 by less than this is an error of rounding."""

_PHASES: Final = {
    "build": "building the backend for the shape",
    "encode": "encoding the puzzle",
    "search": "the search",
    "decode": "decoding the solution",
}


def phases(answers: pd.DataFrame) -> pd.DataFrame:
    """Divide the mean wall time of a right answer into build, encode, search, decode and rest.

    Phases divide wall time, also in a report of CPU time: they are measured with its clock.
    The harness measures the build; backends report the other phases. The rest is wall time
    that belongs to no reported phase; the chart names it `other`. Phases that a backend does
    not report belong to the rest. All are shares of the wall time: if the reported phases
    exceed it, as those of several threads can, their shares are more than 100 % in all and the
    rest is negative. All are over the instances that every eligible backend was run on; of these
    a backend has the ones that it answered.
    """
    times = [f"{phase}_s" for phase in _PHASES]
    by = answers.groupby([*COMPARISON_GROUP, "backend"], dropna=False, observed=True, sort=True)
    # A missing time counts as zero: every answer counts in the mean.
    counts = by.size()
    means = by[["wall_s", *times]].sum().div(counts, axis=0)
    table = pd.DataFrame({"answers": counts, "mean_s": means["wall_s"]})
    table["left_out"] = by[LEFT_OUT].first()
    for phase in _PHASES:
        table[f"{phase}_share"] = means[f"{phase}_s"] / means["wall_s"]
    table["rest_share"] = 1 - means[times].sum(axis=1) / means["wall_s"]
    table = table.reset_index().assign(**{TIME: str(TimeKind.WALL)})
    return with_dtypes(table[list(PHASES.dtypes)], PHASES.dtypes)


def _notes(frame: pd.DataFrame) -> Iterator[Note]:
    yield from answers_left_out_notes(frame)
    beyond = list(frame.loc[frame["rest_share"] < -_ROUNDING, "backend"])
    if beyond:
        yield Note(
            "the phases of {backends} exceed the wall time: they overlap or run in several threads",
            {"backends": (Kind.BACKEND, beyond)},
        )


PHASES: Final = Measure(
    name="phases",
    title="Phases of wall time",
    scope=Scope.GROUP,
    source=Source.ANSWERS,
    compute=phases,
    columns=(
        *GROUP_COLUMNS,
        BACKEND,
        MeasureColumn(
            *("answers", "int64", "Trials with a right answer.", ""), View(Kind.COUNT, "answers")
        ),
        LEFT_OUT_COLUMN,
        MeasureColumn(
            *("mean_s", "float64", "Mean wall time of a right answer.", "s"),
            View(Kind.SECONDS, "mean"),
        ),
        *(
            MeasureColumn(
                *(f"{phase}_share", "float64", f"Share of {meaning}.", ""),
                View(Kind.SHARE, phase),
            )
            for phase, meaning in _PHASES.items()
        ),
        MeasureColumn(
            *("rest_share", "float64", "Share of wall time in no phase.", ""),
            View(Kind.SHARE, "rest"),
        ),
    ),
    order=("backend", "answers", "mean_s", *(f"{phase}_share" for phase in _PHASES), "rest_share"),
    applies=lambda frame: bool((frame["rest_share"] < 1).any()),
    notes=_notes,
)
