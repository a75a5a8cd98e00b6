"""A store is read and written only if it is what the harness has written."""

import os
import shutil
import sqlite3
import struct
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing, nullcontext
from pathlib import Path

import pytest

import harness as package
from harness.analysis.run import load
from harness.base.errors import InputError, RunError, StoreDamagedError
from harness.records.folder import store_file
from harness.records.folder.anonymization import anonymize
from harness.records.folder.files import RunFile
from harness.records.folder.merging import merge
from harness.records.folder.store import Store
from harness.records.folder.store_file import unseal
from tests.stores import changed

Harness = Callable[..., tuple[int, str, str]]
PROJECT = Path(__file__).resolve().parents[2]
REFERENCE = PROJECT / "results" / "reference"
LINES = ["12..............", "1...............", "1234............"]


@pytest.fixture
def puzzles(a_file: Callable[..., Path]) -> Path:
    return a_file(LINES)


@pytest.fixture
def a_run(build_once: Callable[[str, Callable[[Path], object]], Path], tmp_path: Path) -> Path:
    """A run of three trials, named by an event and with one row in every table."""

    def build(folder: Path) -> None:
        (folder / "puzzles.txt").write_text("".join(f"{line}\n" for line in LINES))
        package.run(str(folder / "puzzles.txt"), "native", out=folder / "run")

    folder = tmp_path / "run"
    shutil.copytree(build_once("three-trials", build) / "run", folder)
    return folder


def words(puzzles: Path) -> list[str | Path]:
    return ["--dataset", puzzles, "--backend", "native"]


def require_refused(run: Path, fact: str, kind: type[InputError] = InputError) -> None:
    """Require that each function that opens the store of a run raises an error with this fact."""
    aside = run.parent / "aside"
    openers: list[Callable[[], object]] = [
        lambda: load(run),
        lambda: anonymize(run, aside / "public"),
        lambda: merge([run, run.parent], aside / "both"),
        lambda: Store(run),
    ]
    for opener in openers:
        with pytest.raises(kind, match=fact):
            opener()
    assert not aside.exists()


def test_a_closed_store_has_a_checksum_that_sha256sum_checks(a_run: Path) -> None:
    command = ["sha256sum", "--check", RunFile.CHECKSUM]
    process = subprocess.run(command, cwd=a_run, capture_output=True, text=True)
    assert (process.returncode, process.stdout) == (0, f"{RunFile.STORE}: OK\n")


def test_one_changed_bit_of_a_finished_run_is_noticed(a_run: Path) -> None:
    data = bytearray((a_run / RunFile.STORE).read_bytes())
    data[len(data) // 2] ^= 1
    (a_run / RunFile.STORE).write_bytes(data)
    require_refused(a_run, "the file has changed since the harness closed it")
    assert (a_run / RunFile.STORE).read_bytes() == data


def test_without_its_checksum_a_store_is_read_and_gets_one_when_it_is_written(
    harness: Harness, a_run: Path, puzzles: Path
) -> None:
    unseal(a_run / RunFile.STORE)
    before = load(a_run).trials
    assert not (a_run / f"{RunFile.STORE}.sha256").exists()
    assert harness("run", *words(puzzles), "--out", a_run)[0] == 0
    assert (a_run / f"{RunFile.STORE}.sha256").exists()
    assert load(a_run).trials.equals(before)


@pytest.mark.parametrize("missing", [1, 4096])
def test_a_store_without_its_end_is_damaged(a_run: Path, missing: int) -> None:
    changed(a_run, "PRAGMA user_version")
    os.truncate(a_run / RunFile.STORE, (a_run / RunFile.STORE).stat().st_size - missing)
    require_refused(a_run, "the store is damaged: the file ends after")


def test_a_killed_run_has_its_last_pages_in_the_log(a_run: Path, tmp_path: Path) -> None:
    killed_run = killed_copy(a_run, tmp_path / "killed")
    size = (killed_run / RunFile.STORE).stat().st_size
    pages = int.from_bytes((killed_run / RunFile.STORE).read_bytes()[28:32], "big")
    assert (killed_run / f"{RunFile.STORE}-wal").stat().st_size > 0
    assert size <= pages * 4096 or pages == 0
    assert len(load(killed_run).trials) == 4
    assert len(load(a_run).trials) == 3


def test_an_interrupted_checkpoint_has_the_missing_pages_in_the_log(tmp_path: Path) -> None:
    head = b"SQLite format 3\0" + struct.pack(">H10xI", 4096, 4)  # four pages; two exist
    (tmp_path / RunFile.STORE).write_bytes(head.ljust(2 * 4096, b"\0"))
    three, four, old = (
        struct.pack(">I4x8s8x4096x", page, salt)
        for page, salt in ((3, b"this log"), (4, b"this log"), (4, b"last log"))
    )
    for frames, is_whole in ((three + four, True), (three, False), (three + old, False)):
        (tmp_path / f"{RunFile.STORE}-wal").write_bytes(bytes(16) + b"this log" + bytes(8) + frames)
        with nullcontext() if is_whole else pytest.raises(StoreDamagedError):
            store_file._check_size(tmp_path / RunFile.STORE)


def killed_copy(run: Path, copy: Path) -> Path:
    """A copy of the run, with one more trial that is only in the log of a killed process."""
    shutil.copytree(run, copy)
    unseal(copy / RunFile.STORE)
    code = (
        "import os, sqlite3, sys\n"
        f"db = sqlite3.connect({str(copy / RunFile.STORE)!r})\n"
        "db.execute('PRAGMA journal_mode = WAL')\n"
        "columns = [r[1] for r in db.execute('PRAGMA table_info(trials)')][4:]\n"
        "names = ', '.join(f'\"{c}\"' for c in columns)\n"
        "db.execute(f'INSERT INTO trials (question_id, instance_id, repetition, {names}) '\n"
        "           f'SELECT question_id, instance_id, 99, {names} FROM trials LIMIT 1')\n"
        "db.commit()\n"
        "os._exit(1)\n"
    )
    subprocess.run([sys.executable, "-c", code], check=False)
    return copy


def test_reading_leaves_a_run_as_it_is(harness: Harness, a_run: Path, tmp_path: Path) -> None:
    run = killed_copy(a_run, tmp_path / "killed")
    load(run)
    before = {p.name: p.read_bytes() for p in run.iterdir() if not p.name.endswith("-shm")}
    for command in (["report", run], ["export", run], ["compare", run, run]):
        assert harness(*command)[0] in (0, 1)
    merge([run, a_run], tmp_path / "merged")
    anonymize(run, tmp_path / "public")
    after = {p.name: p.read_bytes() for p in run.iterdir() if not p.name.endswith("-shm")}
    assert after == before


def test_a_run_in_a_folder_that_cannot_be_written_is_reported(
    harness: Harness, a_run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    killed_run = killed_copy(a_run, tmp_path / "killed")
    (killed_run / f"{RunFile.STORE}-shm").unlink()
    monkeypatch.setattr("os.access", lambda path, mode: mode != os.W_OK)  # as on a read-only disk
    for run, trials in ((a_run, 3), (killed_run, 4)):
        files = sorted(p.name for p in run.iterdir())
        page = tmp_path / "page.html"
        assert harness("report", run, "--format", "csv", "--out", page, "--replace")[0] == 0
        assert harness("export", run)[1].count("\n") == trials + 1
        assert sorted(p.name for p in run.iterdir()) == files


STRANGE_SCHEMAS = [
    "CREATE TRIGGER t AFTER INSERT ON trials BEGIN DELETE FROM trials; END",
    "CREATE VIEW v AS SELECT * FROM trials",
    "CREATE TABLE further (x)",
    "CREATE INDEX further ON trials (wall_s)",
    "ALTER TABLE trials ADD COLUMN further",
    "DROP TABLE events",
    "ALTER TABLE trials RENAME COLUMN wall_s TO wall_time",
]


@pytest.mark.parametrize("statement", STRANGE_SCHEMAS)
def test_a_store_with_another_schema_is_refused(a_run: Path, statement: str) -> None:
    changed(a_run, statement)
    before = (a_run / RunFile.STORE).read_bytes()
    require_refused(a_run, "has tables, indexes, views or triggers that the harness does not make")
    assert (a_run / RunFile.STORE).read_bytes() == before


ODD_CELLS = [
    ("UPDATE trials SET wall_s = 'soon'", "wall_s in row 1 of trials is 'soon'"),
    ("UPDATE trials SET wall_s = -1 WHERE id = 2", "wall_s in row 2 of trials is -1.0"),
    ("UPDATE questions SET timeout_s = 0", "timeout_s in row 1 of questions is 0.0"),
    ("UPDATE trials SET cpu_s = 9e999", "cpu_s in row 1 of trials is inf"),
    ("UPDATE trials SET count = 1.5", "count in row 1 of trials is 1.5"),
    ("UPDATE trials SET exact = 2", "exact in row 1 of trials is 2"),
    ("UPDATE trials SET solution = '12?4'", "solution in row 1 of trials is '12?4'"),
    ("UPDATE trials SET stats = '[]'", "stats in row 1 of trials is '[]'"),
    ('UPDATE trials SET stats = \'{"a": "b"}\'', "stats in row 1 of trials is"),
    ("UPDATE trials SET ended_at = 1e300", "ended_at in row 1 of trials is 1e+300"),
    ("UPDATE trials SET repetition = 0 WHERE id = 3", "repetition in row 3 of trials is 0"),
    (f"UPDATE trials SET process = {2**31} WHERE id = 2", "process in row 2 of trials is"),
    ("UPDATE trials SET answer_verdict = 'fine'", "answer_verdict in row 1 of trials is 'fine'"),
    ("UPDATE trials SET answer_reason = 5.0", ""),
    ("UPDATE questions SET task = 'guess'", "task in row 1 of questions is 'guess'"),
    ("UPDATE questions SET \"limit\" = 'x'", "limit in row 1 of questions is 'x'"),
    ("UPDATE puzzles SET shape = '3x5'", "shape in row 1 of puzzles is '3x5'"),
    ("UPDATE puzzles SET puzzle = '12'", "puzzle in row 1 of puzzles is '12'"),
    ("UPDATE instances SET expected_count = 'many'", "expected_count in row 1 of instances"),
    ("UPDATE configurations SET options = '{'", "options in row 1 of configurations is '{'"),
    ("UPDATE configurations SET versions = '{\"a\": 1}'", "versions in row 1 of configurations"),
    ("UPDATE events SET seconds = 'x'", "seconds in row 1 of events is 'x'"),
    ("UPDATE planned SET repetitions = 0", "repetitions in row 1, 1 of planned is 0"),
    ("UPDATE trials SET question_id = 99", "row 1 of trials refers to a missing row"),
    ("DELETE FROM puzzles", "refers to a missing row"),
]


@pytest.mark.parametrize(("statement", "message"), ODD_CELLS, ids=[s for s, _ in ODD_CELLS])
def test_a_cell_with_an_invalid_value_is_named(a_run: Path, statement: str, message: str) -> None:
    changed(a_run, statement)
    if not message:  # SQLite makes a text of it
        assert load(a_run).trials["reason"].tolist() == ["5.0"] * 3
        return
    with pytest.raises(StoreDamagedError) as caught:
        load(a_run)
    err = str(caught.value)
    assert f"{a_run / RunFile.STORE}: the store is damaged: " in err
    assert message in err
    assert len(err.splitlines()) == 1


@pytest.mark.parametrize(
    "name",
    [
        RunFile.STORE,
        *(
            pytest.param(name, marks=pytest.mark.long)
            for name in (".lock", "environment.json", RunFile.LOG, RunFile.CHECKSUM, "sweep.toml")
        ),
    ],
)
def test_a_link_in_the_folder_of_a_run_is_not_followed(
    harness: Harness, a_run: Path, puzzles: Path, tmp_path: Path, name: str
) -> None:
    precious = tmp_path / "precious"
    if (a_run / name).exists():
        (a_run / name).rename(precious)
    else:
        precious.write_text("precious")
    before = precious.read_bytes()
    (a_run / name).symlink_to(precious)
    code, _, err = harness("run", *words(puzzles), "--out", a_run)
    assert code == 2
    assert f"{a_run / name}: is a symbolic link" in err
    for command in (["report", a_run, "--format", "html"], ["export", a_run]):
        harness(*command)
    harness("export", a_run, "--anonymize", "--out", tmp_path / "public")
    harness("run", *words(puzzles), "--out", a_run, "--fresh")
    assert precious.read_bytes() == before
    assert (a_run / name).is_symlink()


@pytest.mark.long
def test_a_page_is_not_written_through_a_link(
    harness: Harness, a_run: Path, tmp_path: Path
) -> None:
    precious = tmp_path / "precious"
    precious.write_text("precious")
    for name, command in (("report.html", "report"), ("comparison.html", "compare")):
        (a_run / name).symlink_to(precious)
        runs = [a_run] * (2 if command == "compare" else 1)
        code, _, err = harness(command, *runs, "--format", "html")
        assert code == 2
        assert f"{a_run / name}: is a symbolic link" in err
        assert precious.read_text() == "precious"
        link = tmp_path / f"link-{name}"  # a link that the user names is followed
        link.symlink_to(tmp_path / name)
        assert harness(command, *runs, "--format", "html", "--out", link)[0] == 0
        assert (tmp_path / name).is_file()


def test_a_rollback_journal_is_refused_because_it_names_files_to_delete(a_run: Path) -> None:
    head = b"\xd9\xd5\x05\xf9\x20\xa1\x63\xd7"
    (a_run / f"{RunFile.STORE}-journal").write_bytes(head + b"\0" * 600)
    require_refused(a_run, "is a rollback journal")


def test_the_reference_run_is_read_as_it_is() -> None:
    with closing(sqlite3.connect(f"file:{REFERENCE / RunFile.STORE}?immutable=1", uri=True)) as db:
        raw = db.execute("SELECT count(*), sum(wall_s), sum(count) FROM trials").fetchone()
    trials = load(REFERENCE).trials
    assert (len(trials), trials["count"].sum()) == (raw[0], raw[2] or 0)
    assert trials["wall_s"].sum() == pytest.approx(raw[1], rel=1e-12)


def test_a_store_that_another_command_changes_meanwhile_is_read_again(a_run: Path) -> None:
    from harness.records.folder.store_file import reading

    with pytest.raises(RunError, match="began to write"), reading(a_run):
        os.utime(a_run / RunFile.STORE, (0, 0))


@pytest.mark.parametrize("content", [b"something else" * 100, b"SQLite format 3\0" + b"\0" * 5000])
def test_a_file_that_is_no_store_is_damaged(a_run: Path, content: bytes) -> None:
    unseal(a_run / RunFile.STORE)
    (a_run / RunFile.STORE).write_bytes(content)
    require_refused(a_run, "the store is damaged", StoreDamagedError)


@pytest.mark.parametrize(
    ("name", "kind"),
    [(RunFile.STORE, "pipe"), ("environment.json", "folder"), (f"{RunFile.STORE}-wal", "pipe")],
)
def test_a_special_file_in_the_folder_of_a_run_is_refused(
    harness: Harness, a_run: Path, puzzles: Path, name: str, kind: str
) -> None:
    (a_run / name).unlink(missing_ok=True)
    (os.mkfifo if kind == "pipe" else os.mkdir)(a_run / name)
    problem = "not a regular file" if kind == "pipe" else "a folder"
    expected = f"harness: {a_run / name}: is {problem}; expected a file of the run itself\n"
    for command in (["report", a_run, "--all"], [*("run", *words(puzzles)), "--out", a_run]):
        code, _, err = harness(*command)
        assert (code, err) == (2, expected)


def test_a_run_that_was_killed_while_its_store_was_created_continues(
    harness: Harness, puzzles: Path, tmp_path: Path
) -> None:
    run = tmp_path / "run"
    run.mkdir()
    for name in (".lock", *(f"{RunFile.STORE}.new{end}" for end in ("", "-wal", "-shm"))):
        (run / name).write_bytes(b"half a page")
    code, _, err = harness("run", *words(puzzles), "--out", run)
    assert (code, err) == (0, "")
    assert len(load(run).trials) == 3
    assert not list(run.glob("*.new*"))


@pytest.mark.long
def test_opening_a_store_leaves_no_moment_with_a_rollback_journal(a_run: Path) -> None:
    code = (
        "from pathlib import Path\n"
        "from harness.records.folder.files import RunFile\n"
        "from harness.records.folder.store_file import open_for_writing\n"
        f"folder = Path({str(a_run)!r})\n"
        "for _ in range(15):\n"
        "    (folder / RunFile.STORE).unlink()\n"
        "    open_for_writing(folder).close()\n"
    )
    names: set[str] = set()
    with subprocess.Popen([sys.executable, "-c", code]) as process:
        while process.poll() is None:
            names |= {path.name for path in a_run.iterdir()}
    assert process.returncode == 0
    assert f"{RunFile.STORE}.new" in names
    assert not [name for name in names if "journal" in name]


def test_a_store_without_a_plan_is_that_of_an_unfinished_run(
    harness: Harness, tmp_path: Path
) -> None:
    (tmp_path / "run").mkdir()
    Store(tmp_path / "run").close()
    code, out, err = harness("report", tmp_path / "run")
    assert code == 0, err
    assert "UNFINISHED RUN: 0 trials, incomplete" in out
    assert harness("report", tmp_path / "run", "--require-complete")[0] == 1


def test_a_store_that_another_process_has_locked_is_not_damaged(
    a_run: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A backend can lock the store of its run."""
    monkeypatch.setattr("harness.records.folder.store_file._WAIT_S", 0.1)
    with closing(sqlite3.connect(a_run / RunFile.STORE, isolation_level=None)) as other:
        other.execute("PRAGMA locking_mode = EXCLUSIVE")
        other.execute("BEGIN EXCLUSIVE")
        with pytest.raises(RunError, match=r"is locked by another process") as error:
            Store(a_run)
    assert not isinstance(error.value, StoreDamagedError)
