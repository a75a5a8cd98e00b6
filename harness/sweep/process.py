"""The supervisor's end of a worker."""

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from time import monotonic
from typing import Final

from harness.contract.spec import BackendSpec
from harness.sweep.channel import Frames, Message, pack, write_all
from harness.sweep.heartbeat import Heartbeat
from harness.sweep.limits import SINGLE_THREADED, kill_group

_CHUNK: Final = 1 << 16
_TAIL: Final = 2000
_GRACE: Final = 0.2


class WorkerGone(Exception):
    """The worker closed its end of the channel."""


class WorkerProcess:
    """A worker, from its start to the removal of its last file.

    It leads a session of its own, so that it can be killed with all its
    children, and has a private folder, which is its working folder and its
    TMPDIR and is removed with it.
    """

    def __init__(self, spec: BackendSpec) -> None:
        self.spec = spec
        self.started = monotonic()
        self._folder = Path(tempfile.mkdtemp(prefix="harness-"))
        beat = self._folder / "heartbeat"
        self._heartbeat = Heartbeat(beat, create=True)
        self._output = self._folder / "output"
        self._frames = Frames()
        its_reading, self._writing = os.pipe()
        self.reading, its_writing = os.pipe()
        arguments = [str(its_reading), str(its_writing), str(beat), str(os.getpid())]
        try:
            with self._output.open("wb") as output:
                self._process = subprocess.Popen(
                    [sys.executable, "-P", "-m", "harness.sweep.worker", *arguments],
                    cwd=self._folder,
                    env=self._environment(),
                    stdin=subprocess.DEVNULL,
                    stdout=output,
                    stderr=output,
                    pass_fds=(its_reading, its_writing),
                    start_new_session=True,
                )
        finally:
            os.close(its_reading)
            os.close(its_writing)
        self.send({"do": "open", "locator": spec.locator, "settings": spec.settings})

    def _environment(self) -> dict[str, str]:
        # The worker sees the modules that this process sees, from its own folder too.
        path = [str(Path(entry).resolve()) for entry in sys.path]
        return (
            os.environ
            | SINGLE_THREADED
            | {"TMPDIR": str(self._folder), "PYTHONHASHSEED": "0"}
            | {"PYTHONPATH": os.pathsep.join(path)}
        )

    def send(self, message: Message) -> None:
        """Send it; a worker that is gone is noticed when it is next heard."""
        try:
            write_all(self._writing, pack(message))
        except BrokenPipeError:
            return

    def receive(self) -> Iterator[Message]:
        """The messages that have come; call it when `reading` is readable.

        Raises:
            WorkerGone: there will be no more.
            ChannelBroken: what came is no message.
        """
        data = os.read(self.reading, _CHUNK)
        if not data:
            raise WorkerGone
        yield from self._frames.feed(data)

    def running(self) -> tuple[int, float] | None:
        """The serial of the trial that runs now and when it started (`time.monotonic`)."""
        return self._heartbeat.running()

    def output_tail(self) -> str:
        """The end of what the worker wrote to its standard output and error."""
        with self._output.open("rb") as output:
            output.seek(max(0, self._output.stat().st_size - _TAIL))
            return output.read().decode(errors="replace").strip()

    def exit_code(self) -> int:
        """Wait for a worker that has closed its channel; negative for a signal."""
        try:
            return self._process.wait(_GRACE)
        except subprocess.TimeoutExpired:
            kill_group(self._process.pid)
            return self._process.wait()

    def end(self) -> None:
        """Kill the worker and all its children, and remove its folder."""
        kill_group(self._process.pid)
        self._process.wait()
        os.close(self._writing)
        os.close(self.reading)
        self._heartbeat.close()
        shutil.rmtree(self._folder, ignore_errors=True)
