"""One description of a table, from which every format is made."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import pandas as pd

from harness.report.formatting import LONGEST, number_of, printable, shortened


def is_missing(value: object) -> bool:
    """Whether a value of a frame is missing, whatever its dtype."""
    return value is None or value is pd.NA or value != value


Row = Mapping[str, Any]
"""A row of a frame: the names of its columns with their values."""


@dataclass(frozen=True, slots=True)
class Column:
    """A column as it is shown. What it shows of a row may come from several columns of a frame."""

    title: str
    shown: Callable[[Row], str]
    """The text of a cell. It is made harmless by whoever writes it into a format."""
    key: str
    """The column of the frame whose value stands for a cell where it is sorted."""
    number: bool = True
    """Whether it is set to the right."""
    wide: bool = False
    """Whether it is left out where there are only 80 columns."""
    short: str = ""
    """The title where there are only 80 columns."""
    whole: bool = False
    """Whether it is text to be copied, never shortened and on a line of its own in a terminal."""

    def cell(self, row: Row) -> str:
        """The text of a cell, printable and not too long, but not yet escaped for any format."""
        text = self.shown(row)
        return printable(text if self.whole else shortened(text, LONGEST))

    def value(self, row: Row) -> Any:
        """What a cell is sorted by; None where it is missing."""
        value: object = row[self.key]
        return None if is_missing(value) else value


@dataclass(frozen=True, eq=False)
class Table:
    """What is shown of a frame, and what must be said with it."""

    name: str
    """The measure it shows: ``pairwise``."""
    title: str
    """Empty where the section says it all."""
    columns: tuple[Column, ...]
    frame: pd.DataFrame
    """The rows, figures unrounded."""
    notes: tuple[str, ...] = ()
    """What the reader must know, a line each."""

    def rows(self, most: int | None = None) -> Iterator[Row]:
        """The rows, `most` of them if there are more."""
        shown = self.frame if most is None else self.frame.head(most)
        yield from ({str(k): v for k, v in row.items()} for row in shown.to_dict("records"))

    def hidden(self, most: int | None) -> str:
        """What to say where only `most` rows are shown; empty where all are."""
        left = 0 if most is None else max(0, len(self.frame) - most)
        return f"... and {number_of(left, 'more row')}: --format csv --table {self.name}" * bool(
            left
        )


@dataclass(frozen=True, eq=False)
class Section:
    """Tables that belong together, and what is said below them."""

    title: str
    tables: tuple[Table, ...] = ()
    notes: tuple[str, ...] = ()
    of: Mapping[str, str] = field(default_factory=dict)
    """Dataset, task and start of the comparison group that the tables are of; empty for other tables."""
