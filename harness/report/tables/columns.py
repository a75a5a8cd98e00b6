"""How each kind of value is formatted, in the cells of tables and in notes."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

import pandas as pd

from harness.analysis.agreement import last_line
from harness.analysis.measure import Kind, Layout, MeasureColumn, Note, View
from harness.analysis.results import COMPARISON_GROUP, TIME
from harness.records.question import TimeKind
from harness.report.formatting import (
    amount,
    backend_name,
    duration,
    interval,
    number_range,
    probability,
    ratio,
    shape_name,
    share,
    shown_backend,
)
from harness.report.table import Column, Row, is_missing

_TEXTS: Final = (Kind.TEXT, Kind.BACKEND, Kind.REASON, Kind.COMMAND, Kind.SHAPE, Kind.FLAG)
"""Kinds that are aligned to the left."""


_LABELS: Final = (*COMPARISON_GROUP, "other")
"""Columns that label rows, besides those of backends."""


def columns_of(layout: Layout, frame: pd.DataFrame) -> tuple[Column, ...]:
    """The columns of the table that shows `frame`."""
    return tuple(_column(column, column.view) for column in layout.shown(frame) if column.view)


def table_notes(layout: Layout, frame: pd.DataFrame) -> tuple[str, ...]:
    """The lines below the table that shows `frame`."""
    return tuple(map(note_text, layout.notes(frame)))


def note_text(note: Note) -> str:
    """A note with its values in their formats; names of backends are shortened."""
    return note.text.format(**{name: _in_note(*value) for name, value in note.values.items()})


def constant_columns(frame: pd.DataFrame) -> str:
    """Those of dataset, task, start and time that are equal in all rows: ``solve, cold start``."""
    same = {
        name: str(frame[name].iloc[0])
        for name in ("dataset", "task", "start", TIME)
        if name in frame and len(frame) and frame[name].nunique(dropna=False) == 1
    }
    if "start" in same:
        same["start"] += " start"
    if TIME in same:
        same[TIME] = TimeKind(same[TIME]).noun
    return ", ".join(same.values())


def _column(column: MeasureColumn, view: View) -> Column:
    return Column(
        view.title,
        _cells(column.name, view),
        column.name,
        number=view.kind not in _TEXTS,
        label=view.kind is Kind.BACKEND or column.name in _LABELS,
        block=view.kind.value,
        short=view.short,
        whole=view.kind is Kind.COMMAND,
    )


def _cells(name: str, view: View) -> Callable[[Row], str]:
    """The function that formats the cell of a row."""
    suffix = f" {view.suffix}" if view.suffix else ""
    match view.kind:
        case Kind.SECONDS if view.bound:
            return lambda row: duration(_float(row[name]), bound=bool(row[view.bound]))
        case Kind.NUMBER if view.bound:
            return lambda row: f"{'>' * bool(row[view.bound])}{amount(_float(row[name]))}"
        case Kind.RANGE:
            return lambda row: number_range(_float(row[name]), _float(row[view.upper]))
        case Kind.INTERVAL:
            return lambda row: interval(_float(row[name]), _float(row[view.upper]))
        case Kind.FRACTION:
            return lambda row: f"{_count(row[name])}/{_count(row[view.out_of])}{suffix}"
        case kind:
            form, zero = _FORMATS[kind], view.zero
            if zero:
                return lambda row: zero if row[name] == 0 else form(row[name])
            return lambda row: form(row[name])


def _in_note(kind: Kind, value: Any) -> str:
    """A value of a note; several backends are listed."""
    if kind is Kind.BACKEND:
        labels: Iterable[object] = [value] if isinstance(value, str) else value
        return ", ".join(shown_backend(str(label)) for label in labels)
    return _FORMATS[kind](value)


def _text(value: Any) -> str:
    return "" if is_missing(value) else str(value)


def _count(value: Any) -> str:
    return "-" if is_missing(value) else f"{int(value):,}"


def _float(value: Any) -> float:
    return float("nan") if is_missing(value) else float(value)


def _rank(value: Any) -> str:
    return "-" if is_missing(value) else f"{value:g}"


_FORMATS: Final[Mapping[Kind, Callable[[Any], str]]] = {
    Kind.TEXT: _text,
    Kind.BACKEND: lambda value: backend_name(str(value)),
    Kind.REASON: lambda value: last_line(_text(value)),
    Kind.COMMAND: _text,
    Kind.SHAPE: lambda value: shape_name(_text(value)),
    Kind.COUNT: _count,
    Kind.SECONDS: lambda value: duration(_float(value)),
    Kind.RATIO: lambda value: ratio(_float(value)),
    Kind.SHARE: lambda value: share(_float(value)),
    Kind.NUMBER: lambda value: amount(_float(value)),
    Kind.RANK: _rank,
    Kind.PROBABILITY: lambda value: probability(_float(value)),
    Kind.FLAG: lambda value: "yes" if value else "no",
}
