"""The commands of the page "Many machines" that need a cluster or ssh.

`ssh` and `rsync` are replaced by scripts that do the same here, in a folder for each host.
"""

import os
import re
import subprocess
import sys
from collections.abc import Generator
from pathlib import Path

import pytest

from tests.conftest import PROJECT
from tests.extensions.cluster.checks import require_each_trial_once, require_no_process_in

pytestmark = pytest.mark.long
PAGE = (PROJECT / "docs" / "many-machines.md").read_text()
SWEEP = 'datasets = ["named"]\nbackends = ["native", "cnf"]\n'
SSH = """#!/bin/sh
host=$1; shift
mkdir -p "$HOSTS/$host" && cd "$HOSTS/$host" && exec sh -c "$*"
"""
RSYNC = """#!/bin/sh
place() { case $1 in *:*) echo "$HOSTS/${1%%:*}/${1#*:}" ;; *) echo "$1" ;; esac; }
to=$(place "$3"); mkdir -p "$to" && cp -r "$(place "$2")." "$to"
"""


def block(language: str, word: str) -> str:
    """The block of the page that has this word."""
    blocks: list[str] = re.findall(rf"^```{language}\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
    (only,) = [text for text in blocks if word in text]
    return only


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Generator[Path]:
    """A folder with a sweep, `ssh` and `rsync`; no process is left in it after the test."""
    programs = tmp_path / "bin"
    programs.mkdir()
    for name, text in (("ssh", SSH), ("rsync", RSYNC)):
        (programs / name).write_text(text)
        (programs / name).chmod(0o755)
    path = [str(programs), str(Path(sys.executable).parent), os.environ["PATH"]]
    monkeypatch.setenv("PATH", os.pathsep.join(path))
    monkeypatch.setenv("HOSTS", str(tmp_path / "hosts"))
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    (tmp_path / "sweep.toml").write_text(SWEEP)
    yield tmp_path
    require_no_process_in(tmp_path)


def require_success(command: str, folder: Path) -> None:
    result = subprocess.run(
        ["bash", "-e", "-c", command], cwd=folder, capture_output=True, text=True, check=False
    )
    assert result.returncode == 0, f"{result.stdout}{result.stderr}"


def test_shards_by_ssh(folder: Path) -> None:
    require_success(block("text", "rsync"), folder)
    require_each_trial_once(folder / "results" / "merged", 30 * 2)
    assert len(list((folder / "hosts").iterdir())) == 2


def test_the_engine_for_ssh(folder: Path) -> None:
    (folder / "ssh_engine.py").write_text(block("python", "SshEngine"))
    require_success(block("text", "ssh_engine.py"), folder)
    require_each_trial_once(folder / "results" / "by-ssh", 30 * 2)
