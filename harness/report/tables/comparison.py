"""Two runs compared as tables, the worst changes first."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

import pandas as pd

from harness.analysis.changes import FASTER, FIXED, NEW_FAILURE, NOW_WRONG, SAME, SLOWER
from harness.analysis.comparison import LAYOUTS, Comparison
from harness.analysis.results import COMPARISON_GROUP
from harness.errors import InputError, meant, one_of
from harness.report.formatting import number_of, ratio, shown_backend
from harness.report.table import Section, Table, is_missing
from harness.report.tables.columns import columns_of, constant_columns, table_notes
from harness.report.tables.contents import group_title

PARTIAL: Final = "PARTIAL COMPARISON: it does not cover all of both runs"
"""The heading before what a comparison does not cover."""

TABLES: Final = tuple(layout.name for layout in LAYOUTS)
"""The names of the tables, in the order in which they are shown."""


def sections(found: Comparison, names: Sequence[str] = TABLES) -> list[Section]:
    """Make the sections for any format: failures first, then times, then the environment.

    What a partial comparison does not cover comes before them.
    """
    shown = tuple(table for table in _tables(found) if table.name in names)
    partial = [Section(PARTIAL, (), found.partial)] if found.partial else []
    return [*partial, Section("", shown, (*notes(found), verdict(found)))]


def frame_of(found: Comparison, name: str) -> pd.DataFrame:
    """The frame behind a table, values unrounded.

    Raises:
        InputError: `name` is not that of a table.
    """
    check_name(name)
    (layout,) = (layout for layout in LAYOUTS if layout.name == name)
    return found.frame(layout)


def check_name(name: str) -> None:
    """Check that this is the name of a table.

    Raises:
        InputError: `name` is not that of a table.
    """
    if name not in TABLES:
        raise InputError(f"unknown table {name!r}{meant(name, TABLES)}", expected=one_of(TABLES))


def _tables(found: Comparison) -> Iterator[Table]:
    for layout in LAYOUTS:
        frame = found.frame(layout)
        if len(frame) and layout.applies(frame):
            # What is the same in all rows is in the title and has no column.
            title = ": ".join(filter(None, [layout.title, constant_columns(frame)]))
            notes = table_notes(layout, frame)
            yield Table(layout.name, title, columns_of(layout, frame), frame, notes)


def sentences(found: Comparison) -> Iterator[str]:
    """A sentence on the times of each backend and comparison group, real changes first."""
    several = len(found.times["host"].unique()) > 1
    for row in found.times.to_dict("records"):
        yield sentence(row, several)


def sentence(row: Mapping[Any, Any], with_host: bool) -> str:
    """A sentence on a row of the table of times."""
    place = group_title({name: row[name] for name in COMPARISON_GROUP}, None, with_host)
    name, factor = shown_backend(str(row["backend"])), float(row["factor"])
    low, high = float(row["factor_low"]), float(row["factor_high"])
    if factor < 1:
        factor, low, high = 1 / factor, 1 / high, 1 / low
    word = SLOWER if row["factor"] > 1 else FASTER
    between = "" if is_missing(low) else f", interval {ratio(low)} to {ratio(high)}"
    change = f"{ratio(factor)} {word}{between}"
    failures = [int(row[f"unanswered_{side}"]) for side in ("before", "after")]
    if any(failures):
        change += f", failures at the limit: {failures[0]:,} before, {failures[1]:,} after"
    if row["change"] == SAME:
        change = f"has no significant change ({change})"
    return f"{name} {change}, over {number_of(row['instances'], 'instance')} of {place}"


def notes(found: Comparison) -> Iterator[str]:
    """Notes that a reader needs in order to judge the comparison."""
    yield from found.notes


def numbers_of_changes(found: Comparison) -> dict[str, int]:
    """The number of each kind of change."""
    changes = {
        "now wrong": found.status["change"] == NOW_WRONG,
        "new failures": found.status["change"] == NEW_FAILURE,
        "fixed": found.status["change"] == FIXED,
        "slower": found.times["change"] == SLOWER,
        "faster": found.times["change"] == FASTER,
    }
    return {name: int(rows.sum()) for name, rows in changes.items()}


def verdict(found: Comparison) -> str:
    """The comparison in one line."""
    counts = ", ".join(f"{n} {name}" for name, n in numbers_of_changes(found).items())
    scope = " in the part that was compared" if found.partial else ""
    return f"{'REGRESSION' if found.regressed else 'no regression'}{scope}: {counts}"
