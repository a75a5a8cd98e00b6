"""Types of all messages between processes.

A message is decoded to its type or rejected, so what a backend writes to a connection is
never more than data of the expected types.
"""

from enum import StrEnum
from typing import Annotated, Final

from msgspec import Meta, Struct

from harness.base.child import read_path_files
from harness.base.errors import (
    BackendUnavailableError,
    InputError,
    OptionError,
    UnknownBackendError,
)
from harness.base.plugins import Plugin
from harness.base.text import shortened
from harness.contract import BackendSpec, Description, Environment, Unavailable, registry
from harness.engine.wire.channel import Message
from harness.records import Ending, Start, Task

# Limits of a trial.


MIB: Final = 2**20
"""Bytes of a mebibyte."""


class Limits(Struct, frozen=True):
    """Resources that a trial may use; None where a resource is not limited."""

    wall_s: float | None = None
    """Wall time in seconds."""
    cpu_s: float | None = None
    """CPU time in seconds, children included."""
    memory_bytes: int | None = None
    """Resident memory of the worker and its descendants above the worker's baseline."""


# Types of all messages between processes.


LONGEST_REASON: Final = 1000
"""Maximum number of characters of a reason, a remedy, or the work that a backend prepares."""


class LoadBackend(Message):
    """Harness to server: load this backend.

    The texts are bytes: the name of a file need not be text that JSON can hold.
    """

    locator: bytes
    settings: tuple[tuple[bytes, bytes], ...]
    installed_backends: tuple[Plugin, ...]
    """The entry points that the harness has read from the installed packages."""
    home: tuple[bytes, bytes] = (b"", b"")
    """The package of the backend and its folder, for a process in another environment."""
    prepares: bool = True
    """Whether to do work that takes seconds, such as compiling."""

    @staticmethod
    def from_spec(
        spec: BackendSpec, environment: Environment | None, *, prepares: bool = True
    ) -> "LoadBackend":
        """The message that names `spec` to a process in this environment."""
        settings = tuple((_exact(name), _exact(value)) for name, value in spec.settings)
        package, folder = registry.home_of(spec.locator) if environment else ("", "")
        home = _exact(package), _exact(folder)
        return LoadBackend(
            _exact(spec.locator), settings, registry.installed_backends(), home, prepares
        )

    def prepare(self) -> BackendSpec:
        """Prepare this process for the import of the backend; return its spec."""
        registry.take_over(self.installed_backends)
        registry.borrow(*map(_text, self.home))
        read_path_files()
        settings = tuple((_text(name), _text(value)) for name, value in self.settings)
        return BackendSpec(_text(self.locator), settings)


def _exact(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def _text(data: bytes) -> str:
    return data.decode("utf-8", "surrogatepass")


class ForkWorker(Message):
    """Harness to server or monitor: fork a worker. Descriptors come with the message.

    They are, in this order, the worker's connection, the journal's memory and, for a server,
    the connection of the monitor that the server forks first.
    """

    name: str
    core: int | None
    address_space_bytes: int | None
    """Limit above the baseline; None for no limit."""


WORKER_DESCRIPTORS: Final = 2
"""Number of descriptors that come with `ForkWorker` to a monitor."""
FORK_DESCRIPTORS: Final = WORKER_DESCRIPTORS + 1
"""Number of descriptors that come with `ForkWorker` to a server."""

ServerRequest = LoadBackend | ForkWorker


class Preparing(Message):
    """Server to harness: loading takes seconds because of this work."""

    work: str


class Ready(Message):
    """Server to harness: the backend is loaded."""

    description: Description
    options: dict[str, bool | int | float | str]
    seconds: float


class Refusal(StrEnum):
    """Kinds of reasons why a backend cannot be loaded."""

    INPUT = "input"
    UNKNOWN = "unknown backend"
    OPTION = "option"
    UNAVAILABLE = "unavailable"


_ERRORS: Final[dict[Refusal, type[InputError]]] = {
    Refusal.UNKNOWN: UnknownBackendError,
    Refusal.OPTION: OptionError,
    Refusal.UNAVAILABLE: BackendUnavailableError,
    Refusal.INPUT: InputError,
}
"""The error of each kind, the base last."""


class Refused(Message):
    """Server to harness: the backend cannot be loaded."""

    kind: Refusal
    reason: str
    where: str = ""
    expected: str = ""
    remedy: str = ""
    description: Description | None = None

    @staticmethod
    def from_error(
        error: InputError | Unavailable, description: Description | None = None
    ) -> "Refused":
        """The message that reports `error`."""
        if isinstance(error, Unavailable):
            return Refused(
                Refusal.UNAVAILABLE,
                shortened(error.reason, LONGEST_REASON),
                remedy=shortened(error.remedy, LONGEST_REASON),
                description=description,
            )
        kind = next(kind for kind, error_class in _ERRORS.items() if isinstance(error, error_class))
        return Refused(kind, error.what, error.where, error.expected)

    def error(self) -> InputError:
        """The error that the message reports, as the harness raises it."""
        return _ERRORS[self.kind](self.reason, where=self.where, expected=self.expected)


ServerMessage = Preparing | Ready | Refused


class TrialsRequest(Message):
    """Harness to worker: run these trials one after another."""

    task: Task
    limit: int
    start: Start
    timeout_s: float
    warm_up: bool
    """Whether an unmeasured call precedes the first request of a shape and task."""
    shape: str
    puzzles: list[tuple[int, str]]
    """The serial number and the line of each puzzle."""


class WarmedUp(Message):
    """Worker to harness: the unmeasured call has ended."""

    task: Task
    shape: str
    seconds: float | None
    ending: Ending


class Done(Message):
    """Worker to harness: all trials of the request have ended."""

    calibration_s: Annotated[float, Meta(gt=0, lt=10)] | None = None
    """CPU time of the fixed computation of `harness.engine.meter` before these trials."""


WorkerMessage = WarmedUp | Done


class WatchTrials(Message):
    """Harness to monitor: the worker gets a request."""

    limits: Limits
    """The limits of each of its trials."""


class Rest(Message):
    """Harness to monitor: the worker is idle."""


class EndWorker(Message):
    """Harness to monitor: end the worker, and report."""

    is_dying: bool = False
    """Whether the worker has closed its connection, as a dying process does: it may take a while
    to die, and the monitor must report how it ended on its own."""


MonitorRequest = WatchTrials | Rest | EndWorker | ForkWorker


class MonitorStarted(Message):
    """Monitor to harness: the worker is forked."""

    monitor: int
    """The id of the monitor's process."""
    worker: int
    """The id of the worker's process."""


class CallObserved(Message):
    """Monitor to harness: a call is still running."""

    serial: int
    seconds: float
    """For how long the monitor has seen it running, at most its wall time so far."""


class EndReason(StrEnum):
    """Why a worker ended."""

    EXITED = "exited"
    """It exited, or another process killed it."""
    REQUESTED = "requested"
    """The monitor killed it because the harness requested it or is gone."""
    WALL_TIME = "wall time"
    CPU_TIME = "CPU time"
    MEMORY = "memory"
    STANDSTILL = "standstill"
    """All processes stood still during its trial, for example on a laptop with a closed lid."""


class MonitorReport(Message):
    """Monitor to harness: how the worker ended."""

    reason: EndReason
    exit_code: int
    """Exit code of the worker, negative for a signal."""
    serial: int | None = None
    """The trial that was running; None if no trial was running."""
    started_at: float | None = None
    """Start of that trial, on the clock of `time.monotonic`."""
    ended_at: float = 0.0
    """When the monitor noticed the reason for the end, on the same clock."""
    cpu_s: float | None = None
    """CPU time of the trial; None if it was too short to be sampled."""
    resident_bytes: int | None = None
    """Peak resident memory that was sampled during the trial."""
    output: str = ""
    """The end of the worker's standard output and error."""
    is_reporting: bool = False
    """Whether the call of the trial had ended, but its answer was not yet reported."""
    stood_still_s: float = 0.0
    """How long all processes stood still, if the reason is a standstill."""
    waits_for_next: bool = False
    """Whether the worker has left nothing, so that the monitor forks another one on request."""


MonitorMessage = MonitorStarted | CallObserved | MonitorReport
