"""What a signal does to a command and its processes."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path


def require_end_by(number: signal.Signals, words: Sequence[str], folder: Path) -> None:
    """Require that a signal ends a command with all that it has in its folder for temporary files.

    Args:
        number: the signal.
        words: the command.
        folder: an empty folder.
    """
    process = subprocess.Popen(
        [sys.executable, "-m", "harness", *words],
        env={**os.environ, "TMPDIR": str(folder)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )
    while process.poll() is None and not list(folder.iterdir()):
        time.sleep(0.01)
    process.send_signal(number)
    _, errors = process.communicate(timeout=20)
    assert (process.returncode, b"Traceback" in errors) == (128 + number, False)
    assert list(folder.iterdir()) == []
