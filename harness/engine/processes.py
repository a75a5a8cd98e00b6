"""The supervisor's end of servers and workers."""

import os
import select
import shutil
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from time import monotonic
from typing import Final, TypeVar

from harness.contract.spec import BackendSpec
from harness.engine.limits import MIB, SINGLE_THREADED, Limits
from harness.engine.monitor import MonitorReport
from harness.engine.wire.channel import Frames, pack, write_all
from harness.engine.wire.journal import Journal, shared_memory
from harness.engine.wire.messages import (
    ForkWorker,
    LoadBackend,
    ServerMessage,
    ServerRequest,
    TrialsRequest,
    WorkerMessage,
)

_CHUNK: Final = 1 << 16
_PATIENCE: Final = 5.0

M = TypeVar("M")


class Gone(Exception):
    """The other end of a channel was closed."""


class BackendServer:
    """A process that has imported one backend and forks its workers."""

    def __init__(self, spec: BackendSpec) -> None:
        self.spec = spec
        self.started = monotonic()
        self._folder = Path(tempfile.mkdtemp(prefix="harness-"))
        self._output = self._folder / "output"
        self._frames: Frames[ServerMessage] = Frames(ServerMessage)
        self._workers = 0
        self.line, its_end = socket.socketpair()
        with its_end, self._output.open("wb") as output:
            self._process = subprocess.Popen(
                [
                    *(sys.executable, "-P", "-m", "harness.engine.server"),
                    *(str(its_end.fileno()), str(self._folder), str(os.getpid())),
                ],
                cwd=self._folder,
                env=self._environment(),
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                pass_fds=(its_end.fileno(),),
                start_new_session=True,
            )
        self._send(LoadBackend(spec.locator, spec.settings))

    def _environment(self) -> dict[str, str]:
        # The server sees the modules that this process sees, from its own folder too.
        path = [str(Path(entry).resolve()) for entry in sys.path]
        return (
            os.environ
            | SINGLE_THREADED
            | {"TMPDIR": str(self._folder), "PYTHONHASHSEED": "0"}
            | {"PYTHONPATH": os.pathsep.join(path)}
        )

    def _send(self, message: ServerRequest) -> None:
        with suppress(BrokenPipeError):  # a server that is gone is noticed when it is next heard
            self.line.sendall(pack(message))

    def receive(self) -> Iterator[ServerMessage]:
        """The messages that have come; call it when `line` is readable.

        Raises:
            Gone: there will be no more.
            ChannelBroken: what came is no message.
        """
        yield from _receive(self.line, self._frames)

    def fork(self, core: int | None, spare: int) -> "WorkerProcess":
        """A worker of this backend, on `core`, with so many MiB to spare; 0 for no limit.

        Raises:
            Gone: the server has ended.
        """
        self._workers += 1
        message = ForkWorker(f"worker-{self._workers}", core, spare * MIB or None)
        its_reading, writing = os.pipe()
        reading, its_writing = os.pipe()
        control, its_control = socket.socketpair()
        memory = shared_memory()
        journal = Journal(memory)
        descriptors = [its_reading, its_writing, memory, its_control.fileno()]
        try:
            socket.send_fds(self.line, [pack(message)], descriptors)
        except OSError:
            control.close()
            journal.close()
            for pipe in (reading, writing):
                os.close(pipe)
            raise Gone from None
        finally:
            its_control.close()
            for descriptor in (its_reading, its_writing, memory):
                os.close(descriptor)
        return WorkerProcess(self.spec.label, spare, reading, writing, control, journal)

    def death(self) -> tuple[int, str]:
        """The exit code of a server that has closed its line, and the end of its output."""
        try:
            code = self._process.wait(_PATIENCE)
        except subprocess.TimeoutExpired:
            self._process.kill()
            code = self._process.wait()
        with suppress(OSError):
            return code, self._output.read_text(errors="replace").strip()
        return code, ""

    def dismiss(self) -> None:
        """Have the server end, with every worker of it; `end` waits for it."""
        with suppress(OSError):
            self.line.shutdown(socket.SHUT_RDWR)

    def end(self) -> None:
        """End the server and every worker of it, and remove what they leave."""
        self.line.close()
        try:
            self._process.wait(_PATIENCE)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        shutil.rmtree(self._folder, ignore_errors=True)


class WorkerProcess:
    """A worker and its monitor, from the fork to the monitor's last word."""

    def __init__(
        self,
        backend: str,
        spare: int,
        reading: int,
        writing: int,
        control: socket.socket,
        journal: Journal,
    ) -> None:
        self.backend = backend
        self.spare = spare
        """The MiB of memory it has to spare, 0 for no limit."""
        self.journal = journal
        """Where it notes its ordinary rows."""
        self.reading = reading
        self.control = control
        self._writing = writing
        self._frames: Frames[WorkerMessage] = Frames(WorkerMessage)
        self._control_frames: Frames[MonitorReport] = Frames(MonitorReport)
        self._limits = Limits()
        self._closed = False

    def limit(self, limits: Limits) -> None:
        """Have these limits kept from now on."""
        if limits != self._limits:
            self._limits = limits
            with suppress(OSError):  # a monitor that is gone is noticed when it is next heard
                self.control.sendall(pack(limits))

    def send(self, message: TrialsRequest) -> None:
        """Send it; a worker that is gone is noticed when it is next heard."""
        with suppress(BrokenPipeError):
            write_all(self._writing, pack(message))

    def receive(self) -> Iterator[WorkerMessage]:
        """The messages that have come; call it when `reading` is readable.

        Raises:
            Gone: there will be no more.
            ChannelBroken: what came is no message.
        """
        data = os.read(self.reading, _CHUNK)
        if not data:
            raise Gone
        yield from self._frames.feed(data)

    @property
    def has_more_to_say(self) -> bool:
        """Whether a message has come, or the end of all messages."""
        return bool(select.select([self.reading], [], [], 0)[0])

    def order_end(self) -> None:
        """Have the monitor end the worker; its report follows."""
        with suppress(OSError):
            self.control.shutdown(socket.SHUT_WR)

    def report(self) -> MonitorReport:
        """The monitor's last word, waited for; call it when `control` is readable.

        Raises:
            Gone: the monitor was ended itself and says nothing.
        """
        while True:
            for report in _receive(self.control, self._control_frames):
                return report

    def close(self) -> None:
        """Close this end of everything; the monitor ends a worker that is still there."""
        if not self._closed:
            self._closed = True
            self.control.close()
            self.journal.close()
            os.close(self.reading)
            os.close(self._writing)


def _receive(line: socket.socket, frames: Frames[M]) -> Iterator[M]:
    try:
        data = line.recv(_CHUNK)
    except ConnectionError:
        data = b""
    if not data:
        raise Gone
    yield from frames.feed(data)
