"""Measure `settings`: the options of all sweeps that a run was given."""

from collections.abc import Sequence
from typing import Any, Final

import pandas as pd

from harness.analysis.measure import (
    Kind,
    Measure,
    MeasureColumn,
    Scope,
    Source,
    View,
    rows_frame,
    varies,
)
from harness.records.settings import Settings

_DTYPES: Final = {"sweep": "int64", "option": "string", "value": "string"}


def settings(options: pd.DataFrame) -> pd.DataFrame:
    """List the options of the sweeps that a run was given, each value once.

    An option with the same value in several sweeps has one row, which names these sweeps by
    their numbers; the sweeps are numbered in the order in which the run was given them.
    """
    total = options["sweep"].nunique()
    rows = []
    for (option, value), part in options.groupby(["option", "value"], sort=False):
        numbers = sorted(set(part["sweep"]))
        sweeps = "all" if len(numbers) == total else ", ".join(map(str, numbers))
        rows.append({"option": option, "sweeps": sweeps, "value": value})
    order = {str(name): n for n, name in enumerate(options["option"].unique())}
    return SETTINGS.frame(sorted(rows, key=lambda row: order[row["option"]]))


def settings_frame(sweeps: Sequence[Settings]) -> pd.DataFrame:
    """A row for each option of each sweep, values as text."""
    rows = [
        {"sweep": number, "option": name, "value": as_text(value)}
        for number, sweep in enumerate(sweeps, 1)
        for name, value in sweep.items()
    ]
    return rows_frame(rows, _DTYPES)


def as_text(value: Any) -> str:
    """The value of an option: ``seeds, named`` for a list."""
    if isinstance(value, list | tuple):
        return ", ".join(map(as_text, value))
    return f"{value:g}" if isinstance(value, float) else str(value)


SETTINGS: Final = Measure(
    name="settings",
    title="Settings",
    scope=Scope.RUN,
    source=Source.SETTINGS,
    compute=settings,
    columns=(
        MeasureColumn(
            *("option", "string", "Name of the option in a sweep file.", ""),
            View(Kind.TEXT, "option"),
        ),
        MeasureColumn(
            *("sweeps", "string", "Numbers of the sweeps with this value, or `all`.", ""),
            View(Kind.TEXT, "sweeps", shown=varies("sweeps")),
        ),
        MeasureColumn(*("value", "string", "Value of the option.", ""), View(Kind.TEXT, "value")),
    ),
)
