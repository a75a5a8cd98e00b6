"""A guarded conversation with a worker, which loads one backend and answers messages.

The harness's side starts a process with a function that the worker runs once the backend is
loaded. Guard and monitor are as in a run: they end a worker that exceeds a limit, with all its
descendants. Whatever the worker writes is a message of an expected type or an error.
"""

import os
import socket
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from math import inf
from pathlib import Path
from pkgutil import resolve_name
from time import monotonic
from typing import Any, Final, Generic, TypeVar

import msgspec

from harness.base.errors import InputError
from harness.contract import Backend, BackendSpec, Options, Unavailable, environments, registry
from harness.engine import wire
from harness.engine.guard import GuardArguments, guard
from harness.engine.monitor import Monitored, run_monitored
from harness.engine.processes import REPORT_LIMIT_S, START_UP_LIMIT_S, GuardedProcess
from harness.engine.system import limit_address_space, processes

Received = TypeVar("Received")
Work = Callable[[type[Backend[Any]], Options, socket.socket, wire.CurrentTrial], None]
"""What a worker does with a backend: it uses the socket, and shows the monitor its calls."""

_LOOK_EVERY_S: Final = 1.0
"""Seconds between two checks whether a signal has stopped the monitor."""


class _WorkerArguments(wire.Message):
    """What the process needs besides the arguments of its guard."""

    work: str
    """The function of the worker: ``module:function``."""
    backend: wire.LoadBackend
    memory_limit_mib: int
    """0 for no limit."""


# The harness's side.


class Conversation(Generic[Received]):
    """A worker from its start to its end; use it as a context manager, or close it.

    Args:
        work: the function that the worker runs; a module must define it at its top level.
        spec: the backend.
        messages: the type of the worker's messages, with `Preparing` and `Refused`.
        memory_limit_mib: limit on the memory of the worker; 0 for no limit.
        hash_seed: the seed for its string hashes.
        notice: receives a line before the backend prepares for seconds.

    Raises:
        Unavailable: the environment of the backend is not installed, or its Python does not start.
    """

    def __init__(
        self,
        work: Work,
        spec: BackendSpec,
        messages: Any,
        *,
        memory_limit_mib: int,
        hash_seed: int = 0,
        notice: Callable[[str], None],
    ) -> None:
        environment = environments.find(spec)
        self._spec = spec
        self._notice = notice
        self._memory_bytes = memory_limit_mib * wire.MIB or None
        self._is_dying = False
        self.channel_error = ""
        """The error in the bytes that the worker wrote; empty without one."""
        arguments = _WorkerArguments(
            f"{work.__module__}:{work.__name__}",
            wire.LoadBackend.from_spec(spec, environment),
            memory_limit_mib,
        )
        self._process = GuardedProcess(
            "harness.engine.conversation",
            msgspec.json.encode(arguments).decode(),
            wire.MonitorMessage,
            messages,
            hash_seed=hash_seed,
            environment=environment,
        )
        self._control: wire.Connection[wire.MonitorMessage]
        self._connection: wire.Connection[Received]
        self._control, self._connection = self._process.connections
        self.limit(START_UP_LIMIT_S)

    def __enter__(self) -> "Conversation[Received]":
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        """End the worker and everything below its guard."""
        self._control.close()
        self._connection.close()
        self._process.end()

    def limit(self, wall_s: float | None) -> None:
        """Limit the wall time of each further call of the worker, and of each pause between calls.

        With None neither is limited, so that the worker can wait for its next request.
        """
        limits = wire.Limits(wall_s=wall_s, memory_bytes=self._memory_bytes)
        with suppress(wire.ChannelClosed):  # the monitor's end is noticed at the next receive
            self._control.send(wire.WatchTrials(limits))

    def send(self, request: wire.Message) -> None:
        """Send the worker a message; if it has ended, the next receive notices that."""
        with suppress(wire.ChannelClosed):
            self._connection.send(request)

    def messages(self) -> Iterator[Received]:
        """The messages of the worker, as long as it runs.

        Raises:
            InputError: the backend does not exist or does not take its options.
            Unavailable: it is unavailable.
        """
        try:
            while self._wait(self._connection):
                for message in self._connection.receive(wait=False):
                    match message:
                        case wire.Preparing():
                            self._notice(message.work)
                        case wire.Refused(kind=wire.Refusal.UNAVAILABLE):
                            raise Unavailable(
                                message.reason, environments.remedy_of(self._spec, message.remedy)
                            )
                        case wire.Refused():
                            raise message.error()
                        case _:
                            yield message
        except wire.ChannelClosed:
            self._is_dying = True
        except wire.ChannelBroken as error:
            self.channel_error = f"writes to a descriptor that is not its own: {error}"

    def end(self) -> wire.MonitorReport:
        """End the worker; return the monitor's report on it."""
        with suppress(wire.ChannelClosed):  # a monitor that has reported an end on its own is gone
            self._control.send(wire.EndWorker(self._is_dying))
        with suppress(wire.ChannelClosed, wire.ChannelBroken):
            while self._wait(self._control, REPORT_LIMIT_S):
                for message in self._control.receive(wait=False):
                    if isinstance(message, wire.MonitorReport):
                        return message
        return wire.MonitorReport(wire.EndReason.EXITED, exit_code=self._process.wait())

    def _wait(self, connection: wire.Connection[Any], limit_s: float = inf) -> bool:
        """Wait for a message; False after the limit, or if a signal has stopped the monitor.

        The monitor enforces the limits of each call, so it is enough that it is running.
        """
        deadline, looks = monotonic() + limit_s, 0
        while monotonic() < deadline and looks < 2:
            if connection.wait_readable(_LOOK_EVERY_S):
                return True
            looks = looks + 1 if self._process.is_stopped else 0
        return False


# The side of the worker, below its guard and its monitor.


def _work(
    work: Work, arguments: _WorkerArguments, descriptor: int, current_trial: wire.CurrentTrial
) -> None:
    """Load the backend and do the work, in a process that a monitor has forked."""
    channel = socket.socket(fileno=descriptor)
    connection: wire.Connection[wire.Message] = wire.Connection(channel, wire.Message)
    # the import of the backend counts as a trial with a number of its own
    current_trial.start(-1)
    spec = arguments.backend.prepare()
    try:
        backend, options = registry.load_backend(
            spec.locator, spec.settings, lambda text: connection.send(wire.Preparing(text))
        )
    except (InputError, Unavailable) as error:
        connection.send(wire.Refused.from_error(error))
        return
    current_trial.stop()
    # The limit applies after the import, as in a run; the monitor checks resident memory.
    if arguments.memory_limit_mib:
        limit_address_space(arguments.memory_limit_mib * wire.MIB)
    work(backend, options, channel, current_trial)


def main(*words: str) -> None:
    """Run as the guard; the words are its arguments."""
    guarding = GuardArguments.decode(*words)
    arguments = msgspec.json.decode(guarding.words, type=_WorkerArguments)
    # The sandbox of the worker has another home: compiled code stays in the user's cache.
    os.environ.setdefault("XDG_CACHE_HOME", str(Path("~/.cache").expanduser()))
    control, descriptor = guarding.descriptors
    work = resolve_name(arguments.work)  # here: its module takes memory, and the worker has a limit
    worker = Monitored(
        guarding.folder / "worker", partial(_work, work, arguments, descriptor), (descriptor,)
    )

    def run() -> None:
        run_monitored(socket.socket(fileno=control), worker)

    processes.run_and_exit(partial(guard, guarding, run))


if __name__ == "__main__":
    main(*sys.argv[1:])
