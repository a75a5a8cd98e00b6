"""One table of fields: the store, frames and the documentation follow from it."""

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import msgspec
import pandas as pd
import pytest
from msgspec.structs import replace

from harness.analysis.run import load
from harness.puzzles import Instance, SolutionCount, parse_puzzle
from harness.records.fields import DTYPES, FIELDS, StoreTable, fields_of
from harness.records.folder.files import RunFile
from harness.records.folder.frames import frame_of
from harness.records.question import Question, Start, Task, Verdict
from harness.records.trial import Ending, Measurements, Outcome, Trial, TrialRecord
from tests.stores import store_of

PUZZLE = parse_puzzle("1234341221434..1")
MEASURED = {str: "measured", int: 7, float: 0.25}


def value_of(name: str) -> Any:
    """A value for a measurement, other than its default."""
    if name == "stats":
        return {"guesses": 3, "nodes": 4.5}
    (field,) = [f for f in FIELDS if f.name == name]
    return 1.5e9 if name == "ended_at" else MEASURED[field.type]


@pytest.fixture
def record() -> TrialRecord:
    """A finished count with every measurement set."""
    instance = Instance(
        "first", PUZZLE, SolutionCount.from_number(1), scramble="-7", original=PUZZLE
    )
    question = Question(Task.COUNT, 2, Start.WARM, 5.0, 2.5, 128)
    values: dict[str, Any] = {name: value_of(name) for name in Measurements.__struct_fields__}
    outcome = Outcome(
        ending=Ending.ANSWERED, count=1, exact=True, solution="1234341221434321", **values
    )
    trial = Trial("made", "d", instance, question, 2, call="0123456789ab")
    return TrialRecord(trial, outcome, Verdict.COUNTED)


@pytest.fixture
def folder(record: TrialRecord, tmp_path: Path) -> Path:
    """A run with that record."""
    store = store_of(tmp_path, record.trial.instance, {"depth": 3})
    store.add([record])
    store.close()
    return tmp_path


def test_the_store_has_the_declared_columns(folder: Path) -> None:
    with closing(sqlite3.connect(folder / RunFile.STORE)) as db:
        for table in StoreTable:
            columns = {
                name: (kind, bool(is_required))
                for _, name, kind, is_required, *_ in db.execute(f"PRAGMA table_info({table})")
            }
            for field in fields_of(table):
                kind = field.sql_type or {str: "TEXT", float: "REAL"}.get(field.type, "INTEGER")
                kind = "" if field.unbounded else kind
                assert columns[field.column.strip('"')] == (kind, not field.optional), field.name


def test_a_stored_record_and_the_same_in_memory_have_the_same_fields(
    folder: Path, record: TrialRecord
) -> None:
    from_store, from_memory = load(folder).trials, frame_of([record])
    assert dict(from_store.dtypes.astype(str)) == dict(from_memory.dtypes.astype(str)) == DTYPES
    unknown = ["host", "paradigm", "options", "versions"]  # of a record in memory
    for name in set(DTYPES) - set(unknown) - {"stats"}:
        assert from_store[name][0] == from_memory[name][0], name
    stored, remembered = (msgspec.json.decode(x["stats"][0]) for x in (from_store, from_memory))
    assert stored == remembered
    assert from_store["verdict"][0] == "counted"
    assert from_store["options"][0] == '{"depth": 3}'
    for name in Measurements.__struct_fields__:
        if name not in ("stats", "ended_at"):
            assert from_store[name][0] == value_of(name), name
    assert from_store["ended_at"][0] == "2017-07-14T02:40:00.000+00:00"


def test_a_record_without_measurements_has_missing_values(record: TrialRecord) -> None:
    trial = replace(record.trial, call=None)
    empty = TrialRecord(trial, Outcome(ending=Ending.EXITED), Verdict.CRASHED, "died")
    (row,) = frame_of([empty]).to_dict("records")
    for field in FIELDS:
        if field.optional and field.table is StoreTable.TRIALS and field.name != "process":
            assert pd.isna(row[field.name]), field.name


def test_every_field_says_what_it_means() -> None:
    documentation = pytest.importorskip("docs.declared")
    meanings = {f.name: f.meaning for f in FIELDS} | documentation.documented_fields(Measurements)
    assert [name for name, meaning in meanings.items() if not meaning.endswith(".")] == []
    assert len({f.name for f in FIELDS}) == len(FIELDS)
    assert all(f.unit for f in FIELDS if f.name.endswith(("_s", "_bytes", "_mib")))
