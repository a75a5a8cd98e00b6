"""Two runs against each other as tables, the worst first."""

from collections.abc import Iterator

import pandas as pd

from harness.analysis.comparison import FASTER, FIXED, NEW_FAILURE, NOW_WRONG, SLOWER, Comparison
from harness.analysis.inference import ALPHA, MEANINGFUL, RESAMPLES
from harness.report.columns import BACKEND, FACTOR, TEST, count, seconds, text, where
from harness.report.figures import number_of
from harness.report.table import Column, Section, Table


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
        text("reason", "reason"),
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
        seconds("before", "before_s"),
        seconds("after", "after_s"),
        *FACTOR,
        TEST[0],
    )


def sections(found: Comparison) -> list[Section]:
    """What was found, for any format: failures first, then times, then what to know."""
    tables = []
    if len(found.status):
        columns = _status(found.status)
        tables.append(Table("status", "New and fixed failures", columns, found.status))
    if len(found.times):
        note = (
            "before and after: geometric means over puzzles, failures at the limit; slower or "
            f"faster: a factor of {MEANINGFUL:g} or more and p < {ALPHA:g} in Wilcoxon's test, "
            f"corrected after Holm; interval: BCa bootstrap, {RESAMPLES:,} resamples"
        )
        tables.append(Table("times", "Times", _times(found.times), found.times, (note,)))
    notes = (*found.notes, *_only(found), verdict(found))
    return [Section("", (*tables,), notes)]


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


def _only(found: Comparison) -> Iterator[str]:
    for number, which in ((found.only_before, "first"), (found.only_after, "second")):
        if number:
            yield f"not compared: {number_of(number, 'instance')} only in the {which} run"
