"""The process that imports a backend once and forks monitors and workers that have it.

The harness starts its guard with `harness.engine.processes.GuardedProcess`. The server imports and
describes the backend and never calls it, so forking is safe, and replacing a killed worker takes
milliseconds instead of the time of an import.
"""

import gc
import os
import signal
import socket
import sys
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import Final

from harness.base.errors import InputError
from harness.base.text import shortened
from harness.contract import Backend, Options, Unavailable, registry
from harness.engine.guard import GuardArguments, guard
from harness.engine.monitor import Monitored, run_monitored
from harness.engine.system import Cgroup, fork_to_run, limited_data, processes, run_and_exit
from harness.engine.wire import (
    FORK_DESCRIPTORS,
    LONGEST_REASON,
    Connection,
    ForkWorker,
    LoadBackend,
    Preparing,
    Ready,
    Refused,
    ServerRequest,
)
from harness.engine.worker import WorkerConfiguration, run_worker

_MEMORY_OF_IMPORT: Final = 0.5
"""The share of the machine's memory that an import may use: far more than any known import takes,
and little enough that the system need not end other processes."""


def serve(connection: Connection[ServerRequest], folder: Path, group: Cgroup | None) -> None:
    """Load the backend that the first request names, then fork a worker for each request."""
    descriptor_queue: list[int] = []
    requests = connection.receive_with_descriptors(FORK_DESCRIPTORS, descriptor_queue)
    request = next(requests)
    assert isinstance(request, LoadBackend)
    with limited_data(_MEMORY_OF_IMPORT):
        backend = _load(request, connection)
    if backend is None:
        return
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    gc.collect()
    gc.freeze()
    for request in requests:
        assert isinstance(request, ForkWorker)
        descriptors, descriptor_queue[:] = (
            descriptor_queue[:FORK_DESCRIPTORS],
            descriptor_queue[FORK_DESCRIPTORS:],
        )
        run = partial(_run_monitor, connection, *backend, request, descriptors, folder, group)
        fork_to_run(run)
        for descriptor in descriptors:
            os.close(descriptor)
        _reap_monitors(wait=False)
    if not processes.visible:  # its guard cannot find the monitors, and waits for this process
        connection.close()
        _reap_monitors(wait=True)


def _load(
    request: LoadBackend, connection: Connection[ServerRequest]
) -> tuple[type[Backend], Options] | None:
    """Load the backend and report to the harness; None if it cannot be used."""
    began, spec = perf_counter(), request.prepare()
    if registry.file_digest(
        spec.locator
    ):  # bytecode of modules next to the file could soon be outdated
        sys.dont_write_bytecode = True
    try:
        backend, options = registry.load_backend(
            spec.locator,
            spec.settings,
            lambda text: connection.send(Preparing(shortened(text, LONGEST_REASON))),
            prepares=request.prepares,
        )
    except InputError as error:
        connection.send(Refused.from_error(error))
    except Unavailable as error:
        connection.send(Refused.from_error(error, _describe(spec.locator)))
    else:
        description = registry.describe(backend, spec.locator)
        connection.send(Ready(description, asdict(options), perf_counter() - began))
        return backend, options
    return None


def _describe(locator: str) -> registry.Description | None:
    """The description of an unavailable backend, if its module can be imported."""
    with suppress(InputError, Unavailable):
        return registry.describe(registry.load_class(locator), locator)
    return None


def _run_monitor(
    connection: Connection[ServerRequest],
    backend: type[Backend],
    options: Options,
    request: ForkWorker,
    descriptors: list[int],
    folder: Path,
    group: Cgroup | None,
) -> None:
    connection.close()
    *of_worker, control = descriptors

    def worker_setup(request: ForkWorker, descriptors: Sequence[int]) -> Monitored:
        to_harness, memory = descriptors
        own = WorkerConfiguration(to_harness, memory, request.core, request.address_space_bytes)
        return Monitored(
            folder / request.name,
            partial(run_worker, backend, options, own),
            descriptors,
            Cgroup.create(request.name, group) if group else None,
        )

    run_monitored(socket.socket(fileno=control), worker_setup(request, of_worker), worker_setup)


def _reap_monitors(*, wait: bool) -> None:
    """Reap monitors that have ended, or wait for all of them."""
    with suppress(ChildProcessError):
        while os.waitpid(-1, 0 if wait else os.WNOHANG)[0]:
            pass


def _run(arguments: GuardArguments, descriptor: int) -> None:
    connection: Connection[ServerRequest] = Connection(
        socket.socket(fileno=descriptor), ServerRequest
    )
    group = Cgroup(arguments.group) if arguments.group else None
    serve(connection, arguments.folder, group)


def main(*words: str) -> None:
    """Run as the guard; the words are its arguments, and the descriptor for the server."""
    *of_guard, of_connection = words
    arguments, descriptor = GuardArguments.decode(*of_guard), int(of_connection)
    os.set_inheritable(descriptor, False)
    run_and_exit(partial(guard, arguments, partial(_run, arguments, descriptor), (descriptor,)))


if __name__ == "__main__":
    main(*sys.argv[1:])
