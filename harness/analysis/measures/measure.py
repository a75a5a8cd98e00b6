"""Declarations of frames and tables: columns, notes, and how a measure is computed.

A measure is one `Measure`. The methods of a run, ``--table``, the tables of every format, the CSV
columns, the reference of measures and the tests all follow from it. The parts of a comparison and
the curves, which are not tables of a run, are each a `FrameLayout`.
"""

import inspect
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from importlib import import_module
from typing import Any, Final

import pandas as pd

from harness.analysis.measures.columns import (
    COMPARISON_GROUP,
    Column,
    Columns,
    Condition,
    ValueKind,
    always,
)
from harness.base.errors import InputError, not_among
from harness.records.folder import typed_frame


@dataclass(frozen=True, slots=True)
class Note:
    """A line below a table. Each ``{name}`` in `text` stands for a value of `values`."""

    text: str
    values: Mapping[str, tuple[ValueKind, Any]] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class FrameLayout:
    """The columns of a frame, and the table that shows them."""

    name: str
    """The name that ``--table`` takes."""
    title: str
    """The title of the table; empty for none."""
    columns: Columns
    order: str = ""
    """The names of the shown columns from left to right, with ``group`` for those of the
    comparison group; by default all with a title."""
    applies: Condition = always
    """Whether a report shows a table of these rows."""
    notes: Callable[[pd.DataFrame], Iterable[Note]] = lambda _: ()
    """The lines below a table of these rows."""

    @property
    def dtypes(self) -> dict[str, str]:
        """The pandas dtypes of the columns, in order."""
        return {column.name: column.dtype for column in self.columns}

    def frame(self, rows: Sequence[Mapping[Any, Any]]) -> pd.DataFrame:
        """The rows as a frame with these columns; values that a row lacks are missing."""
        return rows_frame(rows, self.dtypes)

    def columns_of(self, frame: pd.DataFrame) -> tuple[Column, ...]:
        """The columns that a table of `frame` has, from left to right."""
        by_name = {column.name: column for column in self.columns}
        group = " ".join(name for name in COMPARISON_GROUP if name in by_name)
        order = re.sub(r"\bgroup\b", group, self.order).split() or by_name
        return tuple(c for c in map(by_name.__getitem__, order) if c.title and c.shown_if(frame))


class Scope(Enum):
    """The rows that one table of a measure shows."""

    GROUP = "one table for each comparison group"
    POOLED = "one table for each comparison group without its dataset"
    RUN = "one table for the run"


@dataclass(frozen=True, kw_only=True)
class Measure(FrameLayout):
    """A frame that is computed from the trials of a run."""

    name: str = ""
    """By default the name of `compute`, with dashes."""
    scope: Scope = Scope.GROUP
    takes: tuple[str, ...] = ("results",)
    """The attributes of a run that `compute` takes."""
    compute: Callable[..., pd.DataFrame]
    """The function that computes the frame from them; its docstring defines the measure."""

    def __post_init__(self) -> None:
        name = self.name or self.compute.__name__.replace("_", "-")
        object.__setattr__(self, "name", name)

    @property
    def definition(self) -> str:
        """The docstring of `compute`: what the measure is, with its sources."""
        return inspect.getdoc(self.compute) or ""


def rows_frame(rows: Sequence[Mapping[Any, Any]], dtypes: Mapping[str, str]) -> pd.DataFrame:
    """The rows as a frame with these columns and dtypes, even for no rows."""
    columns = {name: [row.get(name) for row in rows] for name in dtypes}
    return typed_frame(columns, dtypes, len(rows))


# The measures by name, in the order in which a report shows their tables.


_MODULES: Final = {
    "summary": "summary",
    "ranks": "ranking",
    "pairwise": "pairs",
    "contributions": "ranking",
    "averages": "ranking",
    "throughput": "timing",
    "by-difficulty": "difficulty",
    "stability": "timing",
    "phases": "timing",
    "pooled": "ranking",
    "scaling": "curves",
    "survival": "curves",
    "machines": "pairs",
    "machine-factors": "pairs",
    "completeness": "completeness",
    "failures": "summary",
    "incidents": "summary",
    "settings": "summary",
}
"""The module of each measure, which has it as a constant with its name in capitals.

The module is imported when the measure is looked up, so that one table of a report loads only
what it needs."""


class _Measures(Mapping[str, Measure]):
    """Finds measures where they are declared."""

    def __getitem__(self, name: str) -> Measure:
        module = import_module(f"harness.analysis.{_MODULES[name]}")
        measure: Measure = getattr(module, name.upper().replace("-", "_"))
        return measure

    def __iter__(self) -> Iterator[str]:
        return iter(_MODULES)

    def __len__(self) -> int:
        return len(_MODULES)


MEASURES: Final[Mapping[str, Measure]] = _Measures()
"""Every measure by its name."""


def check_tables(names: Iterable[str], tables: Collection[str]) -> None:
    """Check that these are names of `tables`.

    Raises:
        InputError: a name is not in `tables`.
    """
    for name in names:
        if name not in tables:
            raise not_among(InputError, f"unknown table {name!r}", name, tables)


def measures_of(names: Iterable[str]) -> list[Measure]:
    """Look up measures by name, in the order of `MEASURES`, without repeats.

    Raises:
        InputError: one of the names belongs to no measure.
    """
    choice = set(names)
    check_tables(choice, MEASURES)
    return [MEASURES[name] for name in MEASURES if name in choice]


# Notes that several tables share.


def power_notes(frame: pd.DataFrame) -> Iterator[Note]:
    """A note on the factors that a comparison can find."""
    factors = frame["detectable"].dropna()
    if factors.empty:
        return
    least, most = float(factors.min()), float(factors.max())
    range_text = "{least}" if most < 1.005 * least else "{least} to {most}"
    yield Note(
        f"detectable: the smallest true factor that 4 of 5 runs of this size find: {range_text}",
        {"least": (ValueKind.RATIO, least), "most": (ValueKind.RATIO, most)},
    )


def answers_left_out_notes(frame: pd.DataFrame) -> Iterator[Note]:
    """A note on the instances that a table of answers leaves out."""
    if frame["left_out"].any():
        yield Note(
            "over the instances that all backends were run on; left out: {left}",
            {"left": (ValueKind.COUNT, int(frame["left_out"].max()))},
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
                "kept": (ValueKind.COUNT, int(frame["instances"].max())),
                "left": (ValueKind.COUNT, max(numbers)),
            },
        )
    if "instances" not in frame or "wrong" not in frame:
        return
    fewer = (frame["wrong"] > 0) & (frame["instances"] < frame["instances"].max())
    if len(numbers) == 1 and fewer.any():
        yield Note(
            "{backends}, with a wrong answer: over its own instances only",
            {"backends": (ValueKind.BACKEND, sorted(set(frame.loc[fewer, "backend"])))},
        )
