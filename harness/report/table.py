"""The description of a table, which every format renders, and backends that charts leave out.

Text for a person that needs no table is formatted without pandas, by `harness.report.formatting`.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

import pandas as pd

from harness.text import LONGEST, number_of, printable, shortened

# Backends that charts leave out, and why.


DISQUALIFIED: Final = "Disqualified for wrong answers"
WITHOUT_ANSWER: Final = "No instance answered"
_LONGEST: Final = 40


def disqualified(
    ranks: pd.DataFrame, name: Callable[[str], str], *, pooled: bool = False
) -> list[str]:
    """The backends with a wrong answer, each with the number of its instances.

    Args:
        ranks: rows of `harness.analysis.ranking`.
        name: the name to show for a label.
        pooled: whether to name the datasets.
    """
    found = []
    for backend, rows in ranks[ranks["wrong"] > 0].groupby("backend", sort=True):
        count = number_of(int(rows["wrong"].sum()), "instance")
        datasets = sorted(map(str, rows["dataset"].unique())) if pooled else []
        of = f" of {', '.join(printable(shortened(d, _LONGEST)) for d in datasets)}"
        found.append(f"{name(str(backend))} ({count}{of if datasets else ''})")
    return found


def without_answer(ranks: pd.DataFrame, name: Callable[[str], str]) -> list[str]:
    """The eligible backends that answered no instance, so that they have no curve."""
    none = ranks[(ranks["wrong"] == 0) & (ranks["answered"] == 0)]["backend"]
    return sorted({name(str(backend)) for backend in none})


def listed(what: str, names: list[str], most: int = 12) -> str:
    """``what: a, b, c and 2 more``; empty without names."""
    further = f" and {len(names) - most} more" if len(names) > most else ""
    return f"{what}: {', '.join(names[:most])}{further}" if names else ""


# The description of a table, which every format renders.


def is_missing(value: object) -> bool:
    """Whether a value of a frame is missing, whatever its dtype."""
    return value is None or value is pd.NA or value != value


Row = Mapping[str, Any]
"""A row of a frame: values by the names of their columns."""


def records(frame: pd.DataFrame) -> Iterator[Row]:
    """The rows; `DataFrame.to_dict` takes twice the time."""
    names = [str(name) for name in frame]
    columns = [frame[name].tolist() for name in frame]
    return (dict(zip(names, values, strict=True)) for values in zip(*columns, strict=True))


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table. A cell may show values of several columns of the frame."""

    title: str
    shown: Callable[[Row], str]
    """The text of a cell; each format escapes it."""
    key: str
    """The column of the frame that sorts the cells."""
    number: bool = True
    """Whether cells are aligned to the right."""
    label: bool = False
    """Whether it labels the rows: a table that is folded repeats it."""
    block: str = ""
    """Columns of the same block stay next to each other if a table is folded."""
    short: str = ""
    """The title in a terminal of only 80 columns; the same if empty."""
    whole: bool = False
    """Whether it is text to copy: never shortened, and on its own line in a terminal."""

    def cell(self, row: Row) -> str:
        """The text of a cell, printable and shortened, but not escaped for any format."""
        text = self.shown(row)
        return printable(text if self.whole else shortened(text, LONGEST))

    def value(self, row: Row) -> Any:
        """The value that sorts a cell; None if it is missing."""
        value: object = row[self.key]
        return None if is_missing(value) else value


@dataclass(frozen=True, eq=False)
class Table:
    """A table of a frame, with its notes."""

    name: str
    """The name of the measure: ``pairwise``."""
    title: str
    """Empty if the title of the section is enough."""
    columns: tuple[Column, ...]
    frame: pd.DataFrame
    """The rows, values unrounded."""
    notes: tuple[str, ...] = ()
    """The lines below the table."""

    def rows(self, most: int | None = None) -> Iterator[Row]:
        """The rows, at most `most` of them."""
        shown = self.frame if most is None else self.frame.head(most)
        return records(shown)

    def hidden(self, most: int | None) -> str:
        """The line after the first `most` rows; empty if these are all."""
        left = 0 if most is None else max(0, len(self.frame) - most)
        return f"... and {number_of(left, 'more row')}: --format csv --table {self.name}" * bool(
            left
        )


@dataclass(frozen=True, eq=False)
class Section:
    """Tables under one heading, with notes below them."""

    title: str
    tables: tuple[Table, ...] = ()
    notes: tuple[str, ...] = ()
    of: Mapping[str, str] = field(default_factory=dict)
    """Dataset, task, start and kind of time of the comparison group; only the time for tables of
    the whole run, and empty for a section without tables."""
