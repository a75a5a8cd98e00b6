"""The lock of a run's folder, as readers see it."""

import os
import subprocess
import sys
from pathlib import Path

from harness.records.folder.files import is_held

HOLDS = """
import fcntl, sys
lock = open(sys.argv[1], "w")
fcntl.flock(lock, fcntl.LOCK_EX)
print("held", flush=True)
sys.stdin.read()
"""


def test_a_lock_is_held_as_long_as_its_process_lives(tmp_path: Path) -> None:
    assert is_held(tmp_path) is None
    holder = subprocess.Popen(
        [sys.executable, "-c", HOLDS, str(tmp_path / ".lock")],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    assert holder.stdout is not None
    assert holder.stdout.readline() == b"held\n"
    assert is_held(tmp_path) is True
    holder.kill()
    holder.communicate()
    assert is_held(tmp_path) is False


def test_a_lock_that_is_a_link_or_a_pipe_is_not_opened(tmp_path: Path) -> None:
    (tmp_path / "other").write_text("")
    (tmp_path / ".lock").symlink_to(tmp_path / "other")
    assert is_held(tmp_path) is None
    (tmp_path / ".lock").unlink()
    os.mkfifo(tmp_path / ".lock")
    assert is_held(tmp_path) in (None, False)
