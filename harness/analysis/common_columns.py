"""Columns and notes that several measures share."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

import pandas as pd

from harness.analysis.inference import ALPHA, MEANINGFUL, RESAMPLES
from harness.analysis.measure import Columns, Kind, MeasureColumn, Note, View
from harness.analysis.results import BACKEND, GROUP_COLUMNS


def _some_left_out(frame: pd.DataFrame) -> bool:
    return bool((frame["left_out"] > 0).any())


def _some_left_out_or_fewer(frame: pd.DataFrame) -> bool:
    return _some_left_out(frame) or frame["instances"].nunique() > 1


INSTANCES: Final = MeasureColumn(
    *("instances", "int64", "Instances in the comparison.", ""),
    View(Kind.COUNT, "instances", "n", shown=_some_left_out_or_fewer),
)
LEFT_OUT: Final = MeasureColumn(
    "left_out", "int64", "Instances left out because not all eligible backends were run on them."
)
LEFT_OUT_SHOWN: Final = replace(LEFT_OUT, view=View(Kind.COUNT, "left out", shown=_some_left_out))
WRONG: Final = MeasureColumn("wrong", "int64", "Instances with a wrong answer.")
WRONG_SHOWN: Final = replace(WRONG, view=View(Kind.COUNT, "wrong"))
ANSWERED: Final = MeasureColumn(
    *("answered", "int64", "Answered instances.", ""),
    View(Kind.FRACTION, "answered", out_of="instances"),
)


PAR2: Final = MeasureColumn(
    *("par2_s", "float64", "PAR-2: mean time with failures at 2 T.", "s"),
    View(Kind.SECONDS, "PAR-2"),
)
NAME: Final = MeasureColumn(
    *("name", "string", "Name of the instance in its dataset.", ""), View(Kind.TEXT, "puzzle")
)
PUZZLE_ID: Final = MeasureColumn(
    "puzzle_id", "string", "Digest of houses and givens: equal for equal puzzles."
)
COMMAND: Final = MeasureColumn(
    *("command", "string", "Shell command that repeats the trial.", ""),
    View(Kind.COMMAND, "again"),
)
REASON: Final = MeasureColumn(
    *("reason", "string", "Reason for the failure.", ""), View(Kind.REASON, "reason")
)
COMPARED: Final[Columns] = (*GROUP_COLUMNS, BACKEND, INSTANCES, LEFT_OUT, WRONG)
"""The first columns of a measure that compares the backends of a comparison group."""
TEST: Final[Columns] = (
    MeasureColumn("p", "float64", "p-value of Wilcoxon's signed-rank test."),
    MeasureColumn(
        *(
            "p_holm",
            "float64",
            "The p-value corrected for all rows that are tested together (Holm).",
            "",
        ),
        View(Kind.PROBABILITY, "p (Holm)"),
    ),
    MeasureColumn(
        *("different", "bool"),
        f"Whether p_holm < {ALPHA:g} and the factor is `least_factor` or more, in the "
        "direction of the ranks.",
        "",
        View(Kind.FLAG, "different"),
    ),
    MeasureColumn(
        "least_factor", "float64", f"Least factor that counts; by default {MEANINGFUL:g}."
    ),
)
DETECTABLE: Final = MeasureColumn(
    *("detectable", "float64"),
    "Least true factor that is found in 80 % of cases; missing for too few instances.",
    "",
    View(Kind.RATIO, "detectable"),
)


def factor_columns(meaning: str) -> Columns:
    """A factor with its interval; `meaning` describes the factor."""
    return (
        MeasureColumn("factor", "float64", meaning, "", View(Kind.RATIO, "factor")),
        MeasureColumn(
            *(
                "factor_low",
                "float64",
                "Lower end of its 95 % interval; missing below 8 instances.",
                "",
            ),
            View(Kind.INTERVAL, "95 % interval", upper="factor_high"),
        ),
        MeasureColumn("factor_high", "float64", "Upper end of the interval."),
    )


RESAMPLED: Final = MeasureColumn(
    "resamples", "int64", f"Bootstrap samples behind the interval: {RESAMPLES:,}, or 0 for none."
)


def optional(column: MeasureColumn) -> MeasureColumn:
    """The same column of counts, which may be missing."""
    return replace(column, dtype="Int64")


def power_notes(frame: pd.DataFrame) -> Iterator[Note]:
    """A note on the factors that a comparison is able to find."""
    known = frame["detectable"].dropna()
    if known.empty:
        return
    least, most = float(known.min()), float(known.max())
    found = "{least}" if most < 1.005 * least else "{least} to {most}, by row,"
    yield Note(
        f"detectable: this comparison finds a true factor of {found} or more in 80 % of cases; "
        f"it finds one of exactly {frame['least_factor'].iloc[0]:g} in half of them at most, "
        "whatever the number of instances",
        {"least": (Kind.RATIO, least), "most": (Kind.RATIO, most)},
    )


def answers_left_out_notes(frame: pd.DataFrame) -> Iterator[Note]:
    """A note on the instances that a table of answers leaves out."""
    if frame["left_out"].any():
        yield Note(
            "over the instances that all backends were run on; left out: {left}",
            {"left": (Kind.COUNT, int(frame["left_out"].max()))},
        )


def left_out_notes(frame: pd.DataFrame) -> Iterator[Note]:
    """A note on the instances that a comparison leaves out."""
    numbers = set(map(int, frame["left_out"]))
    if len(numbers) > 1:
        yield Note("over the instances that all backends of a group were run on")
    elif any(numbers):
        yield Note(
            "over the instances that all backends were run on: {kept}; left out: {left}",
            {
                "kept": (Kind.COUNT, int(frame["instances"].max())),
                "left": (Kind.COUNT, max(numbers)),
            },
        )
    if "instances" not in frame or "wrong" not in frame:
        return
    fewer = (frame["wrong"] > 0) & (frame["instances"] < frame["instances"].max())
    if len(numbers) == 1 and fewer.any():
        yield Note(
            "{backends}, with a wrong answer: only over those of the instances that it was run on",
            {"backends": (Kind.BACKEND, sorted(set(frame.loc[fewer, "backend"])))},
        )
