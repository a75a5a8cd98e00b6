"""The fields of a trial, declared in one table from which the other tables follow.

`FIELDS` lists them in the order in which a frame and an export have them. Each field
belongs to one table of the store. The measured fields come from
`harness.records.trial.Measurements`. From `FIELDS` follow the columns of SQLite
(`harness.records.schema`), the columns and dtypes of a frame (`harness.records.folder.frames`) and
the page ``docs/reference/columns.md``.
"""

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from types import UnionType
from typing import Annotated, Any, Final, Union, get_args, get_origin, get_type_hints

from msgspec import Meta

from harness.base.text import LARGEST_OF_32_BITS
from harness.records.question import Start, Task, Verdict
from harness.records.trial import Measurements


class StoreTable(StrEnum):
    """The tables of a store that hold the fields of its trials."""

    CONFIGURATIONS = "configurations"
    INSTANCES = "instances"
    PUZZLES = "puzzles"
    QUESTIONS = "questions"
    TRIALS = "trials"


_SQL_TYPES: Final[dict[type, str]] = {str: "TEXT", int: "INTEGER", bool: "INTEGER", float: "REAL"}
_DTYPES: Final[dict[type, str]] = {str: "string", int: "int64", bool: "bool", float: "float64"}
_OPTIONAL_DTYPES: Final[dict[type, str]] = _DTYPES | {int: "Int64", bool: "boolean"}


@dataclass(frozen=True, slots=True)
class Field:
    """A field of a trial."""

    name: str
    type: type
    """str, int, float or bool."""
    table: StoreTable
    meaning: str
    """Empty for a measurement: the docstring in `Measurements` has it."""
    unit: str = ""
    optional: bool = False
    """Whether the value may be missing."""
    stored_as: str = ""
    """The name of its column in the store; empty if that is `name`."""
    select: str = "{}"
    """The SQL expression that reads its column; `{}` stands for the column."""
    sql_type: str = ""
    """The SQL type of its column; if empty, it follows from `type`."""
    unbounded: bool = False
    """Whether an integer may be beyond 64 bits. Its column in the store has no type: it holds an
    integer or, beyond 64 bits, the decimal digits as text. In a frame its dtype is object if any
    value is beyond 64 bits."""
    least: float | None = None
    """The smallest valid number; None for no bound."""
    most: float | None = None
    """The largest valid number; None for no bound."""
    choices: tuple[str, ...] = ()
    """The valid texts; empty if every text is valid."""
    members: Any = None
    """The type of the values in a JSON object; None if the field is not JSON."""

    @property
    def in_store(self) -> str:
        """The name of its column in the store."""
        return self.stored_as or self.name

    @property
    def column(self) -> str:
        """The name of its column in the store, quoted."""
        return f'"{self.in_store}"'

    @property
    def declaration(self) -> str:
        """Its column in ``CREATE TABLE``."""
        kind = "" if self.unbounded else f" {self.sql_type or _SQL_TYPES[self.type]}"
        return f"{self.column}{kind}{'' if self.optional else ' NOT NULL'}"

    @property
    def dtype(self) -> str:
        """The pandas dtype of its column in a frame."""
        return (_OPTIONAL_DTYPES if self.optional else _DTYPES)[self.type]


def _measurements() -> Iterator[Field]:
    for name, hint in get_type_hints(Measurements, include_extras=True).items():
        kind, metas = _plain_type(hint)
        unit = next((meta.extra["unit"] for meta in metas if meta.extra), "")
        optional = kind not in (str, dict)
        least = next((meta.ge for meta in metas if meta.ge is not None), None)
        most = next((meta.le for meta in metas if meta.le is not None), None)
        if name == "ended_at":  # a time of day is text in a frame
            yield Field(name, str, StoreTable.TRIALS, "", "UTC", optional, "", _AS_TEXT, "REAL")
        elif kind is dict:  # JSON is text in a store and in a frame
            yield Field(name, str, StoreTable.TRIALS, "", unit, members=int | float)
        else:
            yield Field(name, kind, StoreTable.TRIALS, "", unit, optional, least=least, most=most)


def _plain_type(hint: Any) -> tuple[type, list[Meta]]:
    """The plain type behind annotations and ``| None``, and all annotations on the way."""
    metas: list[Meta] = []
    while True:
        if get_origin(hint) is Annotated:
            hint, *annotations = get_args(hint)
            metas += [meta for meta in annotations if isinstance(meta, Meta)]
        elif get_origin(hint) in (UnionType, Union):
            (hint,) = (part for part in get_args(hint) if part is not type(None))
        else:
            return get_origin(hint) or hint, metas


_optional: Final = partial(Field, optional=True)
_AS_TEXT: Final = "strftime('%Y-%m-%dT%H:%M:%f+00:00', {}, 'unixepoch')"
_C, _I, _P, _Q, _T = StoreTable

FIELDS: Final[tuple[Field, ...]] = (
    Field("backend", str, _C, "Label of the configuration: the backend with its options."),
    _optional(
        "spec", str, _C, "Spec of the configuration on the command line; for a file, its path."
    ),
    Field("dataset", str, _I, "Name of the dataset."),
    Field("scramble", str, _I, "Seed of `--scramble`; empty if the puzzles are as in the dataset."),
    Field("name", str, _I, "Name of the instance in its dataset."),
    Field("puzzle_id", str, _I, "Digest of houses and givens: equal for equal puzzles."),
    Field("shape", str, _P, "Name of the shape."),
    Field("puzzle", str, _P, "Givens that the backend received, as a line, `.` for a blank."),
    _optional("original", str, _I, "Puzzle of the dataset if a scramble of it was run."),
    Field("clues", int, _P, "Number of givens.", least=0),
    _optional("expected_count", str, _I, "Number of solutions that the dataset gives."),
    Field("task", str, _Q, "`solve` or `count`.", choices=tuple(Task)),
    _optional(
        "limit",
        int,
        _Q,
        "Number of solutions at which `count` stops; missing for `solve`.",
        unbounded=True,
    ),
    Field("start", str, _Q, "`cold`, `warm` or `batch`.", choices=tuple(Start)),
    Field("repetition", int, _T, "Number of the repetition, from 1.", least=1),
    _optional(
        "call", str, _T, "Digest of the puzzles in one batch; missing for a call with one puzzle."
    ),
    _optional(
        "process",
        int,
        _T,
        "Number of the process that imported the backend; its replacement after an early end has "
        "the same number. Missing in records of earlier versions.",
        least=1,
        most=LARGEST_OF_32_BITS,
    ),
    Field(
        "verdict",
        str,
        _T,
        "Verdict of the trial.",
        stored_as="answer_verdict",
        choices=tuple(Verdict),
    ),
    Field(
        "reason",
        str,
        _T,
        "Why the answer is wrong or missing; empty for a right answer.",
        stored_as="answer_reason",
    ),
    _optional("count", int, _T, "Number of solutions that were counted.", unbounded=True),
    _optional("exact", bool, _T, "Whether `count` is the number of all solutions."),
    _optional("solution", str, _T, "Solution as a line; for a count, one of them."),
    *_measurements(),
    Field("host", str, _Q, "Name of the machine."),
    Field("timeout_s", float, _Q, "Limit on wall time.", "s", least=sys.float_info.min),
    Field("cpu_limit_s", float, _Q, "Limit on CPU time; 0 for no limit.", "s", least=0),
    _optional("memory_limit_mib", int, _Q, "Limit on memory; 0 for no limit.", "MiB", least=0),
    Field("paradigm", str, _C, "How the backend solves."),
    Field(
        "options",
        str,
        _C,
        "Options of the backend as a JSON object, defaults included.",
        members=bool | int | float | str,
    ),
    Field(
        "versions",
        str,
        _C,
        "Versions of the harness, distributions and the backend's file, as JSON.",
        members=str | None,
    ),
)

DTYPES: Final[dict[str, str]] = {field.name: field.dtype for field in FIELDS}
"""The columns of a frame of trials, in order, with their pandas dtypes."""


def fields_of(table: StoreTable) -> list[Field]:
    """The fields that `table` of the store holds, in order."""
    return [field for field in FIELDS if field.table is table]
