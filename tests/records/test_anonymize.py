"""A shared run has every trial, and no name of a machine or a folder."""

import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from harness.analysis.run import load
from harness.errors import InputError
from harness.records.anonymize import REPLACED, share
from harness.records.store import FILE

Harness = Callable[..., tuple[int, str, str]]


@pytest.fixture
def a_run(
    harness: Harness,
    a_file: Callable[..., Path],
    a_backend: Callable[..., str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> Path:
    monkeypatch.setattr("platform.node", lambda: "secret-host")
    puzzles = a_file(["1234............", "12.............."])
    broken = a_backend("raise ValueError(f'not at home: {__file__}')")
    folder = tmp_path / "run"
    words = ["--dataset", puzzles, "--backend", "native", broken, "--out", folder]
    assert harness("run", *words)[0] == 0
    return folder


def everything(folder: Path) -> str:
    return "".join(path.read_bytes().decode("latin-1") for path in sorted(folder.iterdir()))


def test_a_shared_run_names_no_machine_and_no_folder(a_run: Path, tmp_path: Path) -> None:
    before = everything(a_run)
    assert "secret-host" in before
    assert str(tmp_path) in before
    shared = everything(share(a_run, tmp_path / "shared"))
    assert "secret-host" not in shared
    assert str(tmp_path) not in shared
    assert tmp_path.name not in shared
    assert "not at home: made.py" in shared


def test_a_shared_run_has_all_else(a_run: Path, tmp_path: Path) -> None:
    run, shared = load(a_run), load(share(a_run, tmp_path / "shared"))
    changed = ["host", "backend", "reason"]
    assert shared.trials.drop(columns=changed).equals(run.trials.drop(columns=changed))
    assert set(shared.trials["host"]) == {"machine 1"}
    assert set(shared.trials["backend"]) == {"native", "made.py:Made"}
    (call,) = shared.invocations
    assert call["replaced"] == REPLACED
    assert call["packages"] == run.invocations[0]["packages"]
    assert call["host"] == "machine 1"
    assert (tmp_path / "shared" / "sweep.toml").is_file()


def test_machines_stay_apart(a_run: Path, tmp_path: Path) -> None:
    with closing(sqlite3.connect(a_run / FILE)) as db, db:
        db.execute("UPDATE questions SET host = 'another' WHERE id = 2")
    shared = load(share(a_run, tmp_path / "shared"))
    assert shared.hosts == ("machine 1", "machine 2")
    of_backends = shared.trials.groupby("backend")["host"].unique()
    assert all(len(hosts) == 1 for hosts in of_backends)


def test_a_word_with_a_slash_is_no_path(a_run: Path, tmp_path: Path) -> None:
    environment = a_run / "environment.json"
    invocations = json.loads(environment.read_text())
    invocations["calls"][0]["processor"] = "3 and/or 4 at 1/2, see /home/me/x y"
    invocations["calls"][0]["system"] = "on secret-host2 or secret-host"
    environment.write_text(json.dumps(invocations))
    (call,) = load(share(a_run, tmp_path / "shared")).invocations
    assert call["processor"] == "3 and/or 4 at 1/2, see x y"
    assert call["system"] == "on secret-host2 or machine 1"


def test_what_cannot_be_shared_is_told(a_run: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="is there already; expected a new folder"):
        share(a_run, a_run)
    with pytest.raises(InputError, match="no run"):
        share(tmp_path / "nowhere", tmp_path / "shared")
    assert not (tmp_path / "shared").exists()
    with closing(sqlite3.connect(a_run / FILE)) as db, db:
        db.execute("UPDATE backends SET label = '/x/' || label, versions = '', options = ''")
        db.execute("UPDATE backends SET label = '/y/native' WHERE id = 2")
    with pytest.raises(InputError, match="backends that only their folders tell apart"):
        share(a_run, tmp_path / "shared")
    assert not (tmp_path / "shared").exists()
