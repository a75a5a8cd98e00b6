"""Tables as every format renders them, and how each kind of value is formatted in them.

Text for a person that needs no table is formatted without pandas, by `harness.report.formatting`.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

import pandas as pd

from harness.analysis.measures import FrameLayout, Note
from harness.analysis.measures import columns as col
from harness.base.text import LONGEST, number_of, printable, reason_line, shortened
from harness.records import TimeKind
from harness.report import formatting
from harness.report.formatting import backend_name, shape_name, shown_backend

# How each kind of value is formatted, in the cells of tables and in notes.


def is_missing(value: object) -> bool:
    """Whether a value of a frame is missing, whatever its dtype."""
    return value is None or value is pd.NA or value != value


Row = Mapping[str, Any]
"""A row of a frame: values by the names of their columns."""


def cell_form(column: col.Column) -> Callable[[Row], str]:
    """The function that formats the cell of a row: printable and shortened, not escaped."""
    form = _form(column)
    if column.is_command:
        return lambda row: printable(form(row))
    return lambda row: printable(shortened(form(row), LONGEST))


def sort_value(column: col.Column, row: Row) -> Any:
    """The value that sorts a cell; None if it is missing."""
    value: object = row[column.key]
    return None if is_missing(value) else value


def note_text(note: Note) -> str:
    """A note with its values in their formats; names of backends are shortened."""
    return note.text.format(**{name: _in_note(*value) for name, value in note.values.items()})


def _form(column: col.Column) -> Callable[[Row], str]:
    name = column.name
    suffix = f" {column.suffix}" if column.suffix else ""
    match column.kind:
        case col.ValueKind.SECONDS if column.bound_flag:
            return lambda row: formatting.duration(
                _float(row[name]), is_bound=bool(row[column.bound_flag])
            )
        case col.ValueKind.NUMBER if column.bound_flag:
            return lambda row: (
                f"{'>' if row[column.bound_flag] else ''}{formatting.amount(_float(row[name]))}"
            )
        case col.ValueKind.RANGE:
            return lambda row: formatting.number_range(_float(row[name]), _float(row[column.upper]))
        case col.ValueKind.INTERVAL:
            return lambda row: formatting.interval(_float(row[name]), _float(row[column.upper]))
        case col.ValueKind.FRACTION:
            return lambda row: f"{_count(row[name])}/{_count(row[column.out_of])}{suffix}"
        case kind:
            form, zero = _FORMATS[kind], column.zero
            if zero:
                return lambda row: zero if row[name] == 0 else form(row[name])
            return lambda row: form(row[name])


def _in_note(kind: col.ValueKind, value: Any) -> str:
    """A value of a note; several backends are listed."""
    if kind is col.ValueKind.BACKEND:
        labels: Iterable[object] = [value] if isinstance(value, str) else value
        return ", ".join(shown_backend(str(label)) for label in labels)
    return _FORMATS[kind](value)


def _text(value: Any) -> str:
    return "" if is_missing(value) else str(value)


def _count(value: Any) -> str:
    return "-" if is_missing(value) else f"{int(value):,}"


def _float(value: Any) -> float:
    return float("nan") if is_missing(value) else float(value)


def _of_float(form: Callable[[float], str]) -> Callable[[Any], str]:
    return lambda value: form(_float(value))


_FORMATS: Final[Mapping[col.ValueKind, Callable[[Any], str]]] = {
    col.ValueKind.TEXT: _text,
    col.ValueKind.BACKEND: lambda value: backend_name(str(value)),
    col.ValueKind.REASON: lambda value: reason_line(_text(value)),
    col.ValueKind.COMMAND: _text,
    col.ValueKind.SHAPE: lambda value: shape_name(_text(value)),
    col.ValueKind.COUNT: _count,
    col.ValueKind.SECONDS: _of_float(formatting.duration),
    col.ValueKind.SPAN: _of_float(formatting.span),
    col.ValueKind.RATIO: _of_float(formatting.ratio),
    col.ValueKind.SHARE: _of_float(formatting.share),
    col.ValueKind.NUMBER: _of_float(formatting.amount),
    col.ValueKind.RANK: lambda value: "-" if is_missing(value) else f"{value:g}",
    col.ValueKind.PROBABILITY: _of_float(formatting.probability),
    col.ValueKind.FLAG: lambda value: "-" if is_missing(value) else "yes" if value else "no",
}


# Tables and their sections.


@dataclass(frozen=True, eq=False)
class ReportTable:
    """A table of a frame, with its notes."""

    name: str
    """The name of the measure: ``pairwise``."""
    title: str
    """Empty if the title of the section is enough."""
    columns: tuple[col.Column, ...]
    frame: pd.DataFrame
    """The rows, values unrounded."""
    notes: tuple[str, ...] = ()
    """The lines below the table."""

    def rows(self, most: int | None = None) -> Iterator[tuple[Row, list[str]]]:
        """The rows, at most `most` of them, each with the texts of its cells."""
        forms = [cell_form(column) for column in self.columns]
        for row in _records(self.frame if most is None else self.frame.head(most)):
            yield row, [form(row) for form in forms]

    def more_line(self, most: int | None) -> str:
        """The line after the first `most` rows; empty if these are all."""
        remaining = 0 if most is None else max(0, len(self.frame) - most)
        if not remaining:
            return ""
        return f"... and {number_of(remaining, 'more row')}: --format csv --table {self.name}"


def tables_of(
    layout: FrameLayout, frame: pd.DataFrame, title: str | None = None
) -> list[ReportTable]:
    """The table of a frame of this layout; none if the layout does not apply.

    By default its title is that of the layout, with what is equal in all rows and therefore
    has no column.
    """
    if frame.empty or not layout.applies(frame):
        return []
    if title is None:
        title = ": ".join(filter(None, [layout.title, _constant_columns(frame)]))
    notes = tuple(map(note_text, layout.notes(frame)))
    return [ReportTable(layout.name, title, layout.columns_of(frame), frame, notes)]


def _records(frame: pd.DataFrame) -> Iterator[Row]:
    """The rows; `DataFrame.to_dict` takes twice as long."""
    names = [str(name) for name in frame]
    columns = [frame[name].tolist() for name in frame]
    return (dict(zip(names, values, strict=True)) for values in zip(*columns, strict=True))


def _constant_columns(frame: pd.DataFrame) -> str:
    """Those of dataset, task, start and time that are equal in all rows: ``solve, cold start``."""
    same = {
        name: str(frame[name].iloc[0])
        for name in ("dataset", "task", "start", col.TIME)
        if name in frame and frame[name].nunique(dropna=False) == 1
    }
    if "start" in same:
        same["start"] += " start"
    if col.TIME in same:
        same[col.TIME] = TimeKind(same[col.TIME]).noun
    return ", ".join(same.values())


@dataclass(frozen=True, eq=False)
class Section:
    """Tables under one heading, with notes below them."""

    title: str
    tables: tuple[ReportTable, ...] = ()
    notes: tuple[str, ...] = ()
    group: Mapping[str, str] = field(default_factory=dict)
    """Dataset, task, start and kind of time of the comparison group; only the time for tables of
    the whole run, and empty for a section without tables."""
