"""Columns of frames: how they are declared and shown, and the columns that several tables share.

A declaration reads as a row of a table: name, meaning and, if tables show the column, its title
there.
"""

from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass, replace
from enum import Enum
from functools import partial
from typing import Final, Literal

import pandas as pd

from harness.analysis.measures.inference import Criterion

Condition = Callable[[pd.DataFrame], bool]
"""A property of the rows that one table shows."""


def always(_: pd.DataFrame) -> bool:
    """Hold for any rows."""
    return True


def varies(name: str) -> Condition:
    """Hold for rows with different values in the column `name`, missing ones included."""
    return lambda frame: frame[name].nunique(dropna=False) > 1


def has_value(name: str) -> Condition:
    """Hold for rows with a value in the column `name`."""
    return lambda frame: bool(frame[name].notna().any())


def positive(*names: str) -> Condition:
    """Hold for rows with a value above 0 in one of these columns."""
    return lambda frame: bool((frame[list(names)] > 0).any(axis=None))


class ValueKind(Enum):
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
    SPAN = "span"
    """A long time for a person, in seconds."""
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
class Column:
    """A column of a frame, and how tables show it."""

    name: str
    meaning: str
    title: str = ""
    """The title in tables; empty for a column that tables do not show."""
    _: KW_ONLY
    kind: ValueKind
    dtype: Literal["string", "int64", "Int64", "float64", "bool", "category"] = "float64"
    unit: str = ""
    short: str = ""
    """A shorter title for a terminal of 80 columns; if empty, `title`."""
    bound_flag: str = ""
    """For seconds and numbers: the column that marks lower bounds."""
    upper: str = ""
    """For an interval or a range: the column of its upper end."""
    out_of: str = ""
    """For a fraction: the column of the whole."""
    suffix: str = ""
    """A word after the value, for lists without column titles."""
    zero: str = ""
    """The text for a 0 that does not stand for a number."""
    shown_if: Condition = always
    """Whether a table of these rows has the column at all."""
    sorted_by: str = ""
    """The column whose values sort the rows; the column itself if empty."""

    @property
    def key(self) -> str:
        """The column of the frame whose values sort the rows."""
        return self.sorted_by or self.name

    @property
    def is_number(self) -> bool:
        """Whether tables align its cells to the right and never wrap them."""
        return self.dtype not in ("string", "category", "bool")

    @property
    def is_label(self) -> bool:
        """Whether the column labels the rows: a folded table repeats it in each part."""
        labels = (*COMPARISON_GROUP, "other", "number")
        return self.kind is ValueKind.BACKEND or self.name in labels

    @property
    def is_command(self) -> bool:
        """Whether it has text to copy: never shortened, and on its own line in a terminal."""
        return self.kind is ValueKind.COMMAND


Columns = tuple[Column, ...]


text: Final = partial(Column, kind=ValueKind.TEXT, dtype="string")
backend: Final = partial(Column, kind=ValueKind.BACKEND, dtype="string")
reason: Final = partial(Column, kind=ValueKind.REASON, dtype="string")
command: Final = partial(Column, kind=ValueKind.COMMAND, dtype="string")
shape: Final = partial(Column, kind=ValueKind.SHAPE, dtype="string")
count: Final = partial(Column, kind=ValueKind.COUNT, dtype="int64")
fraction: Final = partial(Column, kind=ValueKind.FRACTION, dtype="int64")
flag: Final = partial(Column, kind=ValueKind.FLAG, dtype="bool")
seconds: Final = partial(Column, kind=ValueKind.SECONDS, unit="s")
span: Final = partial(Column, kind=ValueKind.SPAN, unit="s")
ratio: Final = partial(Column, kind=ValueKind.RATIO)
share: Final = partial(Column, kind=ValueKind.SHARE)
number: Final = partial(Column, kind=ValueKind.NUMBER)
rank: Final = partial(Column, kind=ValueKind.RANK)
probability: Final = partial(Column, kind=ValueKind.PROBABILITY)
interval: Final = partial(Column, kind=ValueKind.INTERVAL)
number_range: Final = partial(Column, kind=ValueKind.RANGE)


def category(column: Column) -> Column:
    """The same column with texts as categories, so that a large run is grouped quickly."""
    return replace(column, dtype="category") if column.dtype == "string" else column


def of_each_run(*columns: Column) -> Columns:
    """The columns for the run before, then for the run after; ``{}`` stands for the side."""
    texts = ("name", "meaning", "title", "out_of", "suffix")
    return tuple(
        replace(column, **{text: getattr(column, text).format(side) for text in texts})
        for side in ("before", "after")
        for column in columns
    )


def optional(column: Column) -> Column:
    """The same column of counts, where a count may be missing."""
    return replace(column, dtype="Int64")


# The columns of a comparison group, which most tables begin with.


TIME: Final = "time"
"""The column with the kind of the times in a row: a value of `TimeKind`."""


def _where(
    declare: Callable[..., Column], name: str, meaning: str, title: str, zero: str = ""
) -> Column:
    """A column that a table shows only if its values differ."""
    return declare(name, meaning, title, zero=zero, shown_if=varies(name))


_mebibytes: Final = partial(count, dtype="Int64", unit="MiB")
GROUP_COLUMNS: Final[Columns] = (
    _where(text, "dataset", "Name of the dataset.", "dataset"),
    _where(text, "scramble", "Seed of `--scramble`; empty without.", "scramble"),
    _where(text, "task", "`solve` or `count`.", "task"),
    count(
        "limit", "Number of solutions at which `count` stops; missing for `solve`.", dtype="Int64"
    ),
    _where(text, "start", "`cold`, `warm` or `batch`.", "start"),
    _where(seconds, "timeout_s", "Wall time limit of a trial.", "timeout"),
    _where(seconds, "cpu_limit_s", "Limit on CPU time; 0 for no limit.", "CPU", "none"),
    _where(_mebibytes, "memory_limit_mib", "Limit on memory; 0 for no limit.", "MiB", "none"),
    _where(text, "host", "Name of the machine; empty if unknown.", "machine"),
    _where(text, TIME, "Kind of the times: `wall` or `cpu`.", "time"),
)
"""What must be equal for times to be compared. The machine and the kind of time are part of it."""

COMPARISON_GROUP: Final = [column.name for column in GROUP_COLUMNS]
"""The names of `GROUP_COLUMNS`."""

BACKEND_KEY: Final = [*COMPARISON_GROUP, "backend"]
"""The names of `BACKEND_COLUMNS`."""

RESULT_KEY: Final = [*BACKEND_KEY, "puzzle_id"]
"""The columns that identify a result."""

TRIAL_GROUP: Final = [name for name in COMPARISON_GROUP if name != TIME]
"""The part of a comparison group that trials have, whichever kind of time is reported."""

LABELLED_GROUP_COLUMNS: Final[Columns] = tuple(
    replace(column, shown_if=always) if column.name in ("dataset", "task") else column
    for column in GROUP_COLUMNS
)
"""`GROUP_COLUMNS` for tables that name dataset and task in every row."""

BACKEND: Final = backend(
    "backend", "Label of the configuration: the backend with its options.", "backend"
)
BACKEND_COLUMNS: Final[Columns] = (*GROUP_COLUMNS, BACKEND)
"""What identifies a backend in a comparison group."""


# Columns that several tables share.


INSTANCES: Final = count(
    "instances",
    "Instances in the comparison.",
    "instances",
    short="n",
    shown_if=lambda frame: positive("left_out")(frame) or frame["instances"].nunique() > 1,
)
LEFT_OUT: Final = count(
    "left_out", "Instances left out because not all eligible backends were run on them."
)
LEFT_OUT_SHOWN: Final = replace(LEFT_OUT, title="left out", shown_if=positive("left_out"))
WRONG: Final = count("wrong", "Instances with a wrong answer.")
WRONG_SHOWN: Final = replace(WRONG, title="wrong")
ANSWERED: Final = fraction("answered", "Answered instances.", "answered", out_of="instances")
PAR2: Final = seconds("par2_s", "PAR-2: mean time with failures at 2 T.", "PAR-2")
NAME: Final = text("name", "Name of the instance in its dataset.", "instance")
PUZZLE_ID: Final = text("puzzle_id", "Digest of houses and givens: equal for equal puzzles.")
RESULT_COLUMNS: Final[Columns] = (*BACKEND_COLUMNS, NAME, PUZZLE_ID)
"""What identifies a result, with the name of its instance."""
GROUPS: Final = text(
    "groups",
    "Letters: backends that share one are not different.",
    "group",
    shown_if=has_value("groups"),
)
COMMAND: Final = command("command", "Shell command that repeats the trial.", "again")
REASON: Final = reason("reason", "Reason for the failure.", "reason")
COMPARED: Final[Columns] = (*BACKEND_COLUMNS, INSTANCES, LEFT_OUT, WRONG)
"""The first columns of a measure that compares the backends of a comparison group."""
TEST: Final[Columns] = (
    probability("p", "p-value of Wilcoxon's signed-rank test."),
    probability(
        "p_holm",
        "The p-value with Holm's correction for all rows of a comparison group or comparison.",
        "p (Holm)",
    ),
    flag(
        "different",
        f"Whether p_holm < {Criterion.ALPHA:g} and the factor is `least_factor` or more, in the "
        "direction of the ranks.",
        "different",
    ),
    ratio("least_factor", f"Smallest factor that counts; by default {Criterion.MEANINGFUL:g}."),
)
DETECTABLE: Final = ratio(
    "detectable",
    "Smallest true factor that is found in 80 % of cases; missing for too few instances.",
    "detectable",
)


def factor_columns(
    meaning: str, low: str = "Lower end of its 95 % interval; missing below 8 instances."
) -> Columns:
    """A factor with its interval.

    Args:
        meaning: describes the factor.
        low: describes the lower end of its interval.
    """
    return (
        ratio("factor", meaning, "factor"),
        interval("factor_low", low, "95 % interval", upper="factor_high"),
        ratio("factor_high", "Upper end of the interval."),
    )
