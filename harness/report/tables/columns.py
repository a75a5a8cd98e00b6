"""Columns that several tables have, and the ways of making one."""

from collections.abc import Callable
from typing import Any

import pandas as pd

from harness.report.formatting import amount, backend_name, duration, interval, probability, ratio
from harness.report.formatting import share as share_text
from harness.report.tables.table import Column, Row, is_missing


def text(title: str, key: str, *, wide: bool = False, whole: bool = False) -> Column:
    """A column of text as it stands in the frame, missing values left empty."""
    return Column(title, lambda row: _text(row[key]), key, number=False, wide=wide, whole=whole)


def where(frame: pd.DataFrame, *always: str) -> tuple[Column, ...]:
    """What of a comparison group tells rows apart: a column for each value that is not always the same.

    Those of ``dataset`` and ``task`` that are named in `always` have one anyway.
    """
    told = [
        text("dataset", "dataset"),
        text("task", "task"),
        text("start", "start"),
        seconds("timeout", "timeout_s"),
        seconds("CPU", "cpu_limit_s"),
        count("MiB", "memory_limit_mib"),
        text("machine", "host"),
    ]
    return tuple(
        column
        for column in told
        if column.key in frame
        and (column.key in always or frame[column.key].nunique(dropna=False) > 1)
    )


def what_is_always(frame: pd.DataFrame) -> str:
    """Dataset, task and start as far as they are the same in all rows: ``solve, cold start``."""
    same = {
        name: str(frame[name].iloc[0])
        for name in ("dataset", "task", "start")
        if len(frame) and frame[name].nunique(dropna=False) == 1
    }
    if "start" in same:
        same["start"] += " start"
    return ", ".join(same.values())


def count(title: str, key: str, *, wide: bool = False, short: str = "") -> Column:
    """A column of whole numbers."""
    return Column(title, lambda row: _count(row[key]), key, wide=wide, short=short)


def seconds(title: str, key: str, *, bound: str = "", wide: bool = False) -> Column:
    """A column of durations; `bound` is the column that says which are lower bounds."""

    def shown(row: Row) -> str:
        return duration(_float(row[key]), bound=bool(bound and row[bound]))

    return Column(title, shown, key, wide=wide)


def figure(
    title: str,
    key: str,
    form: Callable[[float], str] = amount,
    *,
    wide: bool = False,
    short: str = "",
) -> Column:
    """A column of numbers in the form that is given."""
    return Column(title, lambda row: form(_float(row[key])), key, wide=wide, short=short)


def ratios(title: str, key: str, *, wide: bool = False) -> Column:
    """A column of ratios."""
    return figure(title, key, ratio, wide=wide)


def shares(title: str, key: str, *, wide: bool = False, short: str = "") -> Column:
    """A column of shares, in per cent."""
    return figure(title, key, share_text, wide=wide, short=short)


REASON = Column("reason", lambda row: _end_of_trace(_text(row["reason"])), "reason", number=False)

BACKEND = Column("backend", lambda row: backend_name(str(row["backend"])), "backend", number=False)
OTHER = Column("other", lambda row: backend_name(str(row["other"])), "other", number=False)

FACTOR = (
    ratios("factor", "factor"),
    Column(
        "95 % interval",
        lambda row: interval(_float(row["factor_low"]), _float(row["factor_high"])),
        "factor_low",
    ),
)
TEST = (
    figure("p (Holm)", "p_holm", probability),
    Column("different", lambda row: "yes" if row["different"] else "no", "different", number=False),
)

ANSWERED = Column(
    "answered", lambda row: f"{_count(row['answered'])}/{_count(row['instances'])}", "answered"
)


def _end_of_trace(reason: str) -> str:
    """Of a traceback the line that says what happened, which is the last one."""
    lines = reason.strip().splitlines()
    return lines[-1] if reason.startswith("Traceback (") else reason


def _text(value: Any) -> str:
    return "" if is_missing(value) else str(value)


def _count(value: Any) -> str:
    return "-" if is_missing(value) else f"{int(value):,}"


def _float(value: Any) -> float:
    return float("nan") if is_missing(value) else float(value)
