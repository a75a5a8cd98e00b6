"""Runs in processes of their own, and what they leave behind."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path


def start_run(
    words: Sequence[str], folder: Path, environment: Mapping[str, str] | None = None
) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-m", "harness", "run", *words],
        cwd=folder,
        env=os.environ | dict(environment or {}),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        preexec_fn=restore_interrupt,
    )


def restore_interrupt() -> None:
    """Have Ctrl-C end this process, also if its parent ignores it (as under `nohup ... &`)."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def processes_with(text: str) -> list[str]:
    """The command lines of processes whose environment or working folder has `text` in it."""
    lines = []
    for instance in Path("/proc").iterdir():
        if instance.name.isdigit() and int(instance.name) != os.getpid():
            with suppress(OSError):
                state = (instance / "stat").read_text().rpartition(")")[2].split()[0]
                if state != "Z" and text.encode() in (instance / "environ").read_bytes():
                    lines.append((instance / "cmdline").read_text().replace("\0", " "))
    return lines


def nothing_is_left(temporary: Path) -> bool:
    """Whether no process and no file of a run is left, soon enough for a busy machine."""
    deadline = time.monotonic() + 10
    while processes_with(str(temporary)) or any(temporary.iterdir()):
        if time.monotonic() > deadline:
            return False
        time.sleep(0.02)
    return True
