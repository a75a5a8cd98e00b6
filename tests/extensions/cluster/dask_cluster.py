"""A Dask cluster on loopback: a scheduler and workers, in processes of their own."""

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Sequence
from contextlib import closing, suppress
from pathlib import Path

from harness.engine.system import processes


class DaskCluster:
    """A scheduler and its workers."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        with closing(socket.socket()) as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.address = f"tcp://127.0.0.1:{self.port}"
        self._started = 0
        self.scheduler = self.start_scheduler()
        self.workers: list[subprocess.Popen[bytes]] = []

    def _start(
        self, *words: str, options: Sequence[str] = (), path: str = ""
    ) -> subprocess.Popen[bytes]:
        self._started += 1
        with (self._folder / f"log{self._started}.txt").open("wb") as log:
            return subprocess.Popen(
                [sys.executable, *options, "-m", "distributed.cli." + words[0], *words[1:]],
                cwd=self._folder,
                stdout=log,
                stderr=log,
                start_new_session=True,
                env=os.environ | {"TMPDIR": str(self._folder), "PYTHONPATH": path},
            )

    def start_scheduler(self) -> subprocess.Popen[bytes]:
        arguments = ["--host", "127.0.0.1", "--port", str(self.port), "--no-dashboard"]
        return self._start("dask_scheduler", *arguments)

    def start_worker(self, *options: str, path: str = "") -> None:
        """Start a worker with these options of Python, which finds modules in `path` first."""
        words = [self.address, "--host", "127.0.0.1", "--nthreads", "1", "--no-dashboard"]
        self.workers.append(self._start("dask_worker", *words, options=options, path=path))

    def kill_worker(self) -> None:
        """Kill the oldest worker and its nanny, as a power failure does."""
        kill(self.workers.pop(0))

    def close(self) -> None:
        for process in (*self.workers, self.scheduler):
            kill(process)


def kill(process: subprocess.Popen[bytes]) -> None:
    """Kill a process and its children, but not the shards that they have started."""
    below = processes.children(process.pid)
    for pid in (process.pid, *below):
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    process.wait()
