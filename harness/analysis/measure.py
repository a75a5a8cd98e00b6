"""Declarations of frames: their columns, how each is shown, and how a measure is computed.

A measure is one `Measure`. The methods of a run, ``--table``, the tables of every format,
the CSV columns, ``docs/reference/measures.md`` and the tests read it. The parts of a comparison and
the curves, which are not tables of a run, are each a `Layout`.
"""

import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import Any, Literal

import pandas as pd

from harness.records.frame import integers

Dtype = Literal["string", "int64", "Int64", "float64", "bool", "category"]
Condition = Callable[[pd.DataFrame], bool]
"""A property of the rows that one table shows."""


def always(_: pd.DataFrame) -> bool:
    """Hold for any rows."""
    return True


def varies(name: str) -> Condition:
    """Hold for rows with different values in the column `name`, missing ones included."""
    return lambda frame: frame[name].nunique(dropna=False) > 1


class Kind(Enum):
    """What a value is, which decides how a report formats it."""

    TEXT = "text"
    BACKEND = "backend"
    """The label of a configuration."""
    REASON = "reason"
    """The reason for a failure, possibly a traceback."""
    COMMAND = "command"
    """A line for a shell, never shortened."""
    SHAPE = "shape"
    """The definition of a shape, shown by its short name."""
    COUNT = "count"
    SECONDS = "seconds"
    RATIO = "ratio"
    SHARE = "share"
    """A part of a whole, 0 to 1."""
    NUMBER = "number"
    """A number without a unit, shown with three significant digits."""
    RANK = "rank"
    """A rank, possibly the average of several."""
    PROBABILITY = "probability"
    FLAG = "flag"
    """Yes or no."""
    INTERVAL = "interval"
    """The ends of an interval of a ratio."""
    RANGE = "range"
    """The ends of an interval of a number; the upper end may be missing."""
    FRACTION = "fraction"
    """A count out of another count."""


@dataclass(frozen=True, slots=True)
class View:
    """How a table shows a column."""

    kind: Kind
    title: str
    short: str = ""
    """The title where a table has only 80 columns; the same if empty."""
    bound: str = ""
    """For seconds and numbers: the column that marks lower bounds."""
    upper: str = ""
    """For an interval or a range: the column of its upper end."""
    out_of: str = ""
    """For a fraction: the column of the whole."""
    suffix: str = ""
    """A word after the value, for lists without column titles."""
    zero: str = ""
    """The text of 0 where it stands for something else than a number."""
    shown: Condition = always
    """Whether the table has the column at all."""


@dataclass(frozen=True, slots=True)
class MeasureColumn:
    """A column of a frame."""

    name: str
    dtype: Dtype
    meaning: str
    unit: str = ""
    view: View | None = None
    """How tables show the column; None if they do not."""


Columns = tuple[MeasureColumn, ...]


@dataclass(frozen=True, slots=True)
class Note:
    """A line below a table. Each ``{name}`` in `text` stands for a value of `values`."""

    text: str
    values: Mapping[str, tuple[Kind, Any]] = field(default_factory=dict)


def no_notes(_: pd.DataFrame) -> Sequence[Note]:
    """No line below the table."""
    return ()


@dataclass(frozen=True, kw_only=True)
class Layout:
    """The columns of a frame, and the table that shows them."""

    name: str
    """The name that ``--table`` takes."""
    title: str
    """The title of the table; empty for none."""
    columns: Columns
    order: tuple[str, ...] = ()
    """The names of the shown columns from left to right; by default all with a view."""
    applies: Condition = always
    """Whether a table of these rows is worth showing."""
    notes: Callable[[pd.DataFrame], Iterable[Note]] = no_notes
    """The lines below a table of these rows."""

    @property
    def dtypes(self) -> dict[str, str]:
        """The pandas dtypes of the columns, in order."""
        return {column.name: column.dtype for column in self.columns}

    def frame(self, rows: Sequence[Mapping[Any, Any]]) -> pd.DataFrame:
        """The rows as a frame with these columns; values that a row lacks are missing."""
        return rows_frame(rows, self.dtypes)

    def shown(self, frame: pd.DataFrame) -> list[MeasureColumn]:
        """The columns that a table of `frame` has, from left to right."""
        named = {column.name: column for column in self.columns}
        columns = [named[name] for name in self.order] if self.order else self.columns
        return [c for c in columns if c.view is not None and c.view.shown(frame)]


class Scope(Enum):
    """The rows that one table of a measure shows."""

    GROUP = "one table for each comparison group"
    POOLED = "one table for each comparison group without its dataset"
    RUN = "one table for the run"


class Source(Enum):
    """The frame of a run that a measure is computed from."""

    TRIALS = "trials"
    MACHINE_TRIALS = "trials of each machine"
    ANSWERS = "right answers on common instances"
    RESULTS = "results"
    POOLED_RESULTS = "results of all datasets pooled"
    PLANNED = "planned trials"
    SETTINGS = "settings"
    EVENTS = "events"


@dataclass(frozen=True, kw_only=True)
class Measure(Layout):
    """A frame that is computed from the trials of a run."""

    scope: Scope
    source: Source
    compute: Callable[..., pd.DataFrame]
    """The function of the frame `source`; its docstring defines the measure."""
    decides: bool = False
    """Whether `compute` takes an `inference.Criterion` too, by which differences count."""
    by_feature: bool = False
    """Whether `compute` takes a `difficulty.Difficulty` too, the feature to group by, or None."""

    @property
    def definition(self) -> str:
        """The docstring of `compute`: what the measure is, with its sources."""
        return inspect.getdoc(self.compute) or ""


def rows_frame(rows: Sequence[Mapping[Any, Any]], dtypes: Mapping[str, str]) -> pd.DataFrame:
    """The rows as a frame with these columns and dtypes, also for no rows."""
    columns = {
        name: _column([row.get(name) for row in rows], dtype) for name, dtype in dtypes.items()
    }
    return pd.DataFrame(columns)


def _column(values: Sequence[Any], dtype: str) -> "pd.Series[Any]":
    return integers(values) if dtype == "Int64" else pd.Series(values, dtype=dtype)


def with_views(columns: Columns, **views: View) -> Columns:
    """The same columns, some of them with another view."""
    return tuple(replace(c, view=views[c.name]) if c.name in views else c for c in columns)
