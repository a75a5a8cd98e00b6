"""An anonymized run has every trial, and no name of a machine or a folder."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from msgspec.structs import replace

import harness as api
from harness.analysis.run import load
from harness.base.errors import InputError, RunError
from harness.records.folder.anonymization import REPLACED, anonymize
from harness.records.folder.environment import read_invocations, write_invocations
from harness.records.folder.files import read_settings
from tests.stores import changed as changed_store

Harness = Callable[..., tuple[int, str, str]]


BROKEN = """
from backends.native import Native

class Made(Native):
    name = "made"
    def solve(self, puzzle):
        raise ValueError(f"not at home: {__file__}")
"""


@pytest.fixture(scope="module")
def private(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with puzzles, a backend and their run, on a machine with a name."""
    folder = tmp_path_factory.mktemp("private")
    (folder / "puzzles.txt").write_text("1234............\n12..............\n")
    (folder / "made.py").write_text(BROKEN)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("platform.node", lambda: "secret-host")
        backends = ["native", f"{folder}/made.py:Made"]
        api.run(str(folder / "puzzles.txt"), backends, out=folder / "run")
    return folder


@pytest.fixture
def a_run(private: Path, tmp_path: Path) -> Path:
    return shutil.copytree(private / "run", tmp_path / "run")


def everything(folder: Path) -> str:
    return "".join(path.read_bytes().decode("latin-1") for path in sorted(folder.iterdir()))


def test_an_anonymous_run_names_no_machine_and_no_folder(
    a_run: Path, private: Path, tmp_path: Path
) -> None:
    before = everything(a_run)
    assert "secret-host" in before
    assert str(private) in before
    anonymous = everything(anonymize(a_run, tmp_path / "anonymous"))
    assert "secret-host" not in anonymous
    assert str(private) not in anonymous
    assert private.name not in anonymous
    assert "not at home: made.py" in anonymous


def test_selections_of_puzzles_keep_their_datasets_and_conditions_their_divisions(
    private: Path, tmp_path: Path
) -> None:
    where = "clues/81 < 0.9"
    datasets = ["seeds/1,3-4", f"{private}/puzzles.txt/1-2", "named:fcc_48307", "6x6/2"]
    api.run(datasets, ["native"], out=tmp_path / "run", where=where)
    copy = anonymize(tmp_path / "run", tmp_path / "anonymous")
    (sweep,) = read_settings(copy)
    assert sweep["datasets"] == ["seeds/1,3-4", "puzzles.txt/1-2", "named:fcc_48307", "6x6/2"]
    assert sweep["where"] == where
    assert private.name not in everything(copy)
    command = ["harness", "run", "--dataset", *datasets, "--where", where]
    replace_command(tmp_path / "run", command)
    copy = anonymize(tmp_path / "run", tmp_path / "again")
    (invocation,) = read_invocations(copy)
    assert invocation.command == [*command[:3], *sweep["datasets"], "--where", where]


def replace_command(run: Path, command: list[str]) -> None:
    write_invocations(
        run, [replace(invocation, command=command) for invocation in read_invocations(run)]
    )


def test_an_anonymous_run_has_all_else(a_run: Path, tmp_path: Path) -> None:
    run, anonymous = load(a_run), load(anonymize(a_run, tmp_path / "anonymous"))
    columns = ["host", "spec", "reason"]
    assert anonymous.trials.drop(columns=columns).equals(run.trials.drop(columns=columns))
    assert set(anonymous.trials["host"]) == {"machine 1"}
    assert set(anonymous.trials["backend"]) == {"native", "made"}
    assert set(anonymous.trials["spec"]) == {"native", "made.py:Made"}
    (invocation,) = anonymous.invocations
    assert invocation.replaced == REPLACED
    assert invocation.packages == run.invocations[0].packages
    assert invocation.system.host == "machine 1"
    assert (tmp_path / "anonymous" / "sweep.toml").is_file()


def test_an_address_loses_its_user(a_run: Path, tmp_path: Path) -> None:
    reason = "'no licence from https://user:word@example.org/x'"
    changed_store(a_run, f"UPDATE trials SET answer_reason = {reason} WHERE id = 1")
    reasons = load(anonymize(a_run, tmp_path / "anonymous")).trials["reason"]
    assert reasons[0] == "no licence from https://example.org/x"


def test_machines_stay_apart(a_run: Path, tmp_path: Path) -> None:
    changed_store(a_run, "UPDATE questions SET host = 'another' WHERE id = 2")
    anonymous = load(anonymize(a_run, tmp_path / "anonymous"))
    assert anonymous.hosts == ("machine 1", "machine 2")
    of_backends = anonymous.trials.groupby("backend")["host"].unique()
    assert all(len(hosts) == 1 for hosts in of_backends)


def test_a_word_with_a_slash_is_no_path(a_run: Path, tmp_path: Path) -> None:
    (invocation,) = read_invocations(a_run)
    system = replace(
        invocation.system,
        processor="3 and/or 4 at 1/2, see /home/me/x y",
        system="on secret-host2 or secret-host",
    )
    write_invocations(a_run, [replace(invocation, system=system)])
    (invocation,) = load(anonymize(a_run, tmp_path / "anonymous")).invocations
    assert invocation.system.processor == "3 and/or 4 at 1/2, see x y"
    assert invocation.system.system == "on secret-host2 or machine 1"


def test_a_run_that_cannot_be_anonymized_leaves_no_copy(a_run: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        anonymize(a_run, a_run)
    assert caught.value.where == str(a_run)
    with pytest.raises(RunError):
        anonymize(tmp_path / "nowhere", tmp_path / "anonymous")
    assert not (tmp_path / "anonymous").exists()
    changed_store(
        a_run,
        "UPDATE configurations SET backend = '/x/' || backend, versions = '{}', options = '{}'",
        "UPDATE configurations SET backend = '/y/native' WHERE id = 2",
    )
    with pytest.raises(InputError) as caught:
        anonymize(a_run, tmp_path / "anonymous")
    assert caught.value.where == str(a_run)
    assert not (tmp_path / "anonymous").exists()


def test_relative_folders_and_folders_with_spaces_are_replaced(
    harness: Harness, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    private = tmp_path / "Private Folder" / "by name"
    private.mkdir(parents=True)
    (private / "puzzles.txt").write_text("1234............\n")
    (private / "made.py").write_text(BROKEN.replace('    name = "made"\n', ""))
    monkeypatch.chdir(tmp_path)
    words = ["--dataset", "./Private Folder/by name/puzzles.txt", "--backend"]
    words += ["Private Folder/by name/made.py:Made", "--out", "Private Folder/run"]
    code, _, errors = harness("run", *words)
    assert (code, errors) == (0, "")
    assert "Private Folder" in everything(tmp_path / "Private Folder" / "run")
    copy = anonymize(Path("Private Folder/run"), Path("copy"))
    assert "Private" not in everything(copy)
    assert "by name" not in everything(copy)
    assert tmp_path.name not in everything(copy)
    trials = load(copy).trials
    assert set(trials["dataset"]) == {"puzzles"}
    assert set(trials["backend"]) == {"native (made.py)"}
    assert set(trials["spec"]) == {"made.py:Made"}
    assert "not at home: made.py" in trials["reason"].iloc[0]
