"""Two runs against each other as tables, the worst first."""

from collections.abc import Iterator, Sequence
from typing import Final

import pandas as pd

from harness.analysis.comparison import (
    FASTER,
    FIXED,
    NEW_FAILURE,
    NOW_WRONG,
    SAME,
    SLOWER,
    Comparison,
)
from harness.analysis.inference import ALPHA, MEANINGFUL, RESAMPLES
from harness.analysis.results import COMPARISON_GROUP
from harness.errors import InputError, one_of
from harness.report.formatting import number_of, ratio, shown_backend
from harness.report.tables.columns import (
    BACKEND,
    FACTOR,
    REASON,
    TEST,
    count,
    seconds,
    text,
    what_is_always,
    where,
)
from harness.report.tables.contents import group_title
from harness.report.tables.table import Column, Section, Table, is_missing


def _status(frame: pd.DataFrame) -> tuple[Column, ...]:
    return (
        text("change", "change"),
        BACKEND,
        text("puzzle", "name"),
        *where(frame),
        text("before", "before"),
        text("after", "after"),
        _failed("before"),
        _failed("after"),
        REASON,
        text("again", "command", whole=True),
    )


def _failed(side: str) -> Column:
    """How many repetitions failed in one of the runs."""
    failed, trials = f"failed_{side}", f"trials_{side}"
    return Column(f"failed {side}", lambda row: f"{row[failed]}/{row[trials]} {side}", failed)


def _times(frame: pd.DataFrame) -> tuple[Column, ...]:
    return (
        text("change", "change"),
        BACKEND,
        *where(frame),
        count("puzzles", "instances", wide=True),
        count("unanswered before", "unanswered_before", wide=True),
        count("unanswered after", "unanswered_after", wide=True),
        seconds("before", "before_s"),
        seconds("after", "after_s"),
        *FACTOR,
        TEST[0],
    )


def _puzzles(frame: pd.DataFrame) -> tuple[Column, ...]:
    return (
        text("change", "change"),
        BACKEND,
        text("puzzle", "name"),
        *where(frame),
        seconds("before", "before_s"),
        seconds("after", "after_s"),
        FACTOR[0],
        text("again", "command", whole=True),
    )


_SETTINGS: Final = (text("what", "what"), text("before", "before"), text("after", "after"))


TABLES: Final = ("status", "times", "puzzles", "settings")
"""The tables there are, in the order in which they are shown."""


def sections(found: Comparison, names: Sequence[str] = TABLES) -> list[Section]:
    """What was found, for any format: failures first, then times, then what to know."""
    shown = tuple(table for table in _tables(found) if table.name in names)
    return [Section("", shown, (*notes(found), verdict(found)))]


def frame_of(found: Comparison, name: str) -> pd.DataFrame:
    """The frame behind a table, figures unrounded.

    Raises:
        InputError: there is no table of this name.
    """
    check_name(name)
    frame: pd.DataFrame = getattr(found, name)
    return frame


def check_name(name: str) -> None:
    """See whether there is a table of this name.

    Raises:
        InputError: there is none.
    """
    if name not in TABLES:
        raise InputError(f"no table {name!r}", expected=one_of(TABLES))


def _tables(found: Comparison) -> Iterator[Table]:
    if len(found.status):
        title = _title("New and fixed failures", found.status)
        yield Table("status", title, _status(found.status), found.status)
    if len(found.times):
        note = (
            "before and after: geometric means over puzzles, failures at the limit; slower or "
            f"faster: a factor of {MEANINGFUL:g} or more and p < {ALPHA:g} in Wilcoxon's test, "
            f"corrected after Holm; interval: BCa bootstrap, {RESAMPLES:,} resamples"
        )
        title = _title("Times", found.times)
        yield Table("times", title, _times(found.times), found.times, (note,))
    if len(found.puzzles):
        title = _title("Puzzles whose times changed most", found.puzzles)
        yield Table("puzzles", title, _puzzles(found.puzzles), found.puzzles)
    if len(found.settings):
        note = "a time may have changed because of any of these"
        title = "What else is different"
        yield Table("settings", title, _SETTINGS, found.settings, (note,))


def _title(title: str, frame: pd.DataFrame) -> str:
    """The title, and what is the same in all rows and so has no column."""
    return ": ".join(filter(None, [title, what_is_always(frame)]))


def sentences(found: Comparison) -> Iterator[str]:
    """A sentence on the times of each backend and comparison group, real changes first."""
    several = len(found.times["host"].unique()) > 1
    for row in found.times.to_dict("records"):
        place = group_title({name: row[name] for name in COMPARISON_GROUP}, None, several)
        name, factor = shown_backend(str(row["backend"])), float(row["factor"])
        low, high = float(row["factor_low"]), float(row["factor_high"])
        if factor < 1:
            factor, low, high = 1 / factor, 1 / high, 1 / low
        word = SLOWER if row["factor"] > 1 else FASTER
        between = "" if is_missing(low) else f", interval {ratio(low)} to {ratio(high)}"
        told = f"{ratio(factor)} {word}{between}"
        failures = [int(row[f"unanswered_{side}"]) for side in ("before", "after")]
        if any(failures):
            told += f", failures at the limit: {failures[0]:,} before, {failures[1]:,} after"
        if row["change"] == SAME:
            told = f"not called different ({told})"
        yield f"{name} {told}, over {number_of(row['instances'], 'puzzle')} of {place}"


def notes(found: Comparison) -> Iterator[str]:
    """What the reader must know to judge the comparison."""
    yield from found.notes
    for number, which in ((found.only_before, "first"), (found.only_after, "second")):
        if number:
            yield f"not compared: {number_of(number, 'instance')} only in the {which} run"


def verdict(found: Comparison) -> str:
    """The comparison in one line."""
    changes = {
        "now wrong": (found.status["change"] == NOW_WRONG).sum(),
        "new failures": (found.status["change"] == NEW_FAILURE).sum(),
        "fixed": (found.status["change"] == FIXED).sum(),
        "slower": (found.times["change"] == SLOWER).sum(),
        "faster": (found.times["change"] == FASTER).sum(),
    }
    told = ", ".join(f"{int(number)} {name}" for name, number in changes.items())
    return f"{'REGRESSION' if found.regressed else 'no regression'}: {told}"
