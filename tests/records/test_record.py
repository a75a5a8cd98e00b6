"""A record says what its run says; one with a wrong, late or contradictory row is refused."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from pyarrow import parquet

import harness as api
from harness.analysis.run import load
from harness.base.errors import RunError, StoreDamagedError
from harness.records.folder.anonymization import anonymize
from harness.records.folder.files import RunFile
from harness.records.folder.record import METADATA
from tests.stores import changed

PUZZLES = "1234............\n12..............\n11..............\n"


@pytest.fixture(scope="module")
def a_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("runs")
    (folder / "puzzles.txt").write_text(PUZZLES)
    puzzles = str(folder / "puzzles.txt")
    out = folder / "run"
    tasks = ["solve", "count"]
    api.run(puzzles, ["native", "cnf"], tasks=tasks, max_solutions=10**20, repeat=2, out=out)
    return out


@pytest.fixture(scope="module")
def record(a_run: Path) -> Path:
    return anonymize(a_run, a_run.with_name("record"), as_record=True)


def test_a_record_has_every_figure_of_its_run(a_run: Path, record: Path) -> None:
    copy = load(anonymize(a_run, a_run.with_name("copy")))
    from_record = load(record)
    for name in ("summary", "ranks", "pairwise", "completeness", "incidents", "settings"):
        pd.testing.assert_frame_equal(from_record.measure(name), copy.measure(name))
    pd.testing.assert_frame_equal(from_record.trials, copy.trials)
    assert from_record.invocations == copy.invocations


def test_the_file_is_a_frame_of_trials(record: Path) -> None:
    assert pd.read_parquet(record / RunFile.RECORD).columns.tolist() == list(
        load(record).trials.columns
    )
    assert not (record / "trials.sqlite").exists()


def test_a_record_of_a_record_is_the_same(record: Path, tmp_path: Path) -> None:
    again = anonymize(record, tmp_path / "again", as_record=True)
    assert (again / RunFile.RECORD).read_bytes() == (record / RunFile.RECORD).read_bytes()


def test_a_run_that_lacks_trials_is_no_record(a_run: Path, tmp_path: Path) -> None:
    run = anonymize(a_run, tmp_path / "run")
    changed(run, "DELETE FROM trials WHERE id = 1")
    with pytest.raises(RunError, match="lacks 1 trial"):
        anonymize(run, tmp_path / "record", as_record=True)
    assert not (tmp_path / "record").exists()


def _set(row_verdict: str = "solved", **values: Any) -> Callable[[pd.DataFrame], pd.DataFrame]:
    """Sets values in the first row with the verdict `row_verdict` on the first puzzle."""

    def change(trials: pd.DataFrame) -> pd.DataFrame:
        solved = trials.index[(trials["verdict"] == row_verdict) & (trials["clues"] == 4)]
        for name, value in values.items():
            trials.loc[solved[0], name] = value
        return trials

    return change


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (_set(solution="1234123412341234"), "the answer of cnf to puzzles:1 is not a solution"),
        (_set(solution="1234"), "is not a solution"),
        (_set(solution=None), "has no solution"),
        (_set(wall_s=11.0), "exceeds its time limit"),
        (_set(wall_s=-1.0), "wall_s"),
        (_set(wall_s=0.0), "no possible wall time"),
        (_set(wall_s=1e-300), "no possible wall time"),
        (_set(wall_s=float("nan")), "no possible wall time"),
        (_set(cpu_s=5.0), "more CPU time"),
        (_set(encode_s=1.0, search_s=1.0), "longer than its wall time"),
        (_set(build_s=1.0), "longer than its wall time"),
        (_set(wall_s=1e-9, cpu_s=0.03), "more CPU time"),
        (_set(verdict="timeout", reason="slow", solution=None, wall_s=0.01), "it did not reach"),
        (lambda trials: trials.assign(backend=""), "no backend|contradict"),
        (lambda trials: trials.assign(clues=5), "4 clues"),
        (_set(ended_at="2999-01-01T00:00:00+00:00"), "in the future"),
        (_set(verdict="correct"), "answer_verdict"),
        (_set(verdict="wrong"), "wrong without a reason"),
        (_set(verdict="wrong", reason="a lie"), "is a solution, and not wrong"),
        (_set(verdict="unsatisfiable"), "has a solution"),
        (_set(verdict="counted"), "not an answer to solve"),
        (_set("counted", verdict="solved"), "not an answer to count"),
        (lambda trials: trials.assign(limit=trials["limit"].notna().map({True: "1"})), "the limit"),
        (lambda trials: trials.assign(expected_count="5 solutions"), "but the puzzle has"),
        (lambda trials: trials.assign(expected_count="0 solutions"), "but the puzzle has"),
        (lambda trials: trials.drop(index=3).reset_index(drop=True), "of 24 trials"),
        (_set(puzzle="4321............"), "contradict"),
        (_set(puzzle_id="0" * 16), "digest"),
        (_set(shape="5x5"), "contradict"),
        (_set(repetition=2), "contradict"),
        (_set(ended_at="yesterday"), "contradict"),
        (_set(core=-5), "core in row 1 of trials is -5"),
        (_set(core=2**40), "core in row"),
        (_set(exit_code=2**40), "exit_code in row"),
        (_set(backend="../../../x"), "backend is '../../../x'"),
        (_set(backend="b" * 10**6), r"backend is 'bbb.{,40}$"),
        (_set(name="a\0b"), r"name is 'a.x00b'"),
        (_set(name="n" * 200_000), r"name is 'nnn.{,40}$"),
        (lambda trials: trials.assign(dataset="d" * 200_000), "dataset is"),
        (_set(host="\0"), "host is"),
        (lambda trials: trials.assign(paradigm="p" * 10**6), "paradigm is"),
        (lambda trials: trials.assign(paradigm="two\nlines"), "paradigm is"),
        (lambda trials: trials.drop(columns="reason"), "its columns are not those of a run"),
        (lambda trials: trials.assign(clues="many"), "clues"),
    ],
)
def test_a_record_that_contradicts_itself_is_refused(
    change: Callable[[pd.DataFrame], pd.DataFrame], reason: str, record: Path, tmp_path: Path
) -> None:
    table = parquet.read_table(record / RunFile.RECORD)
    changes = parquet.read_table(record / RunFile.RECORD).from_pandas(change(table.to_pandas()))
    metadata = {METADATA: table.schema.metadata[METADATA]}
    parquet.write_table(changes.replace_schema_metadata(metadata), tmp_path / RunFile.RECORD)
    with pytest.raises(StoreDamagedError, match=reason):
        load(tmp_path)


@pytest.mark.parametrize("size", [0, 100, -100])
def test_a_file_that_is_not_whole_is_refused(size: int, record: Path, tmp_path: Path) -> None:
    (tmp_path / RunFile.RECORD).write_bytes((record / RunFile.RECORD).read_bytes()[:size])
    with pytest.raises(StoreDamagedError, match="the record is damaged"):
        load(tmp_path)


def test_a_small_file_with_large_rows_is_refused(
    record: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = parquet.read_table(record / RunFile.RECORD)
    texts = [b"x" * 10**6] * table.num_rows
    column = table.schema.get_field_index("reason")
    parquet.write_table(table.set_column(column, "reason", [texts]), tmp_path / RunFile.RECORD)
    assert (tmp_path / RunFile.RECORD).stat().st_size < 10**6
    monkeypatch.setattr("harness.records.folder.record._MOST_BYTES", 10**7)
    with pytest.raises(StoreDamagedError, match="too large"):
        load(tmp_path)


def test_a_table_without_the_metadata_of_a_record_is_refused(record: Path, tmp_path: Path) -> None:
    table = parquet.read_table(record / RunFile.RECORD).replace_schema_metadata(None)
    parquet.write_table(table, tmp_path / RunFile.RECORD)
    with pytest.raises(StoreDamagedError, match="no metadata of the harness"):
        load(tmp_path)
