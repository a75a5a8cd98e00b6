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
from time import perf_counter
from typing import Final

from harness.base.errors import InputError
from harness.base.text import shortened
from harness.contract import Backend, Options, Unavailable, registry
from harness.engine import wire
from harness.engine.guard import GuardArguments, guard
from harness.engine.monitor import Monitored, run_monitored
from harness.engine.system import Cgroup, limited_data, processes
from harness.engine.worker import run_worker

_MEMORY_OF_IMPORT: Final = 0.5
"""The share of the machine's memory that an import may use: far more than any known import takes,
and little enough that the system need not end other processes."""


def serve(arguments: GuardArguments) -> None:
    """Load the backend that the first request names, then fork a worker for each request.

    Args:
        arguments: those of the guard of this process, with the connection to the harness.
    """
    (descriptor,) = arguments.descriptors
    connection: wire.Connection[wire.ServerRequest] = wire.Connection(
        socket.socket(fileno=descriptor), wire.ServerRequest
    )
    descriptor_queue: list[int] = []
    requests = connection.receive_with_descriptors(wire.FORK_DESCRIPTORS, descriptor_queue)
    request = next(requests)
    assert isinstance(request, wire.LoadBackend)
    with limited_data(_MEMORY_OF_IMPORT):
        backend = _load(request, connection)
    if backend is None:
        return
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    gc.collect()
    gc.freeze()
    for request in requests:
        assert isinstance(request, wire.ForkWorker)
        descriptors, descriptor_queue[:] = (
            descriptor_queue[: wire.FORK_DESCRIPTORS],
            descriptor_queue[wire.FORK_DESCRIPTORS :],
        )
        run = partial(_run_monitor, connection, *backend, request, descriptors, arguments)
        processes.fork_to_run(run)
        for descriptor in descriptors:
            os.close(descriptor)
        _reap_monitors(wait=False)
    if not processes.visible:  # its guard cannot find the monitors, and waits for this process
        connection.close()
        _reap_monitors(wait=True)


def _load(
    request: wire.LoadBackend, connection: wire.Connection[wire.ServerRequest]
) -> tuple[type[Backend], Options] | None:
    """Load the backend and report to the harness; None if it cannot be used."""
    began, spec = perf_counter(), request.prepare()
    # Bytecode of modules next to a file could soon be outdated.
    sys.dont_write_bytecode |= bool(registry.file_digest(spec.locator))
    try:
        backend, options = registry.load_backend(
            spec.locator,
            spec.settings,
            lambda text: connection.send(wire.Preparing(shortened(text, wire.LONGEST_REASON))),
            prepares=request.prepares,
        )
    except InputError as error:
        connection.send(wire.Refused.from_error(error))
    except Unavailable as error:
        description = None
        with suppress(InputError, Unavailable):  # its module may still be importable
            description = registry.describe(registry.load_class(spec.locator), spec.locator)
        connection.send(wire.Refused.from_error(error, description))
    else:
        description = registry.describe(backend, spec.locator)
        connection.send(wire.Ready(description, asdict(options), perf_counter() - began))
        return backend, options
    return None


def _run_monitor(
    connection: wire.Connection[wire.ServerRequest],
    backend: type[Backend],
    options: Options,
    request: wire.ForkWorker,
    descriptors: list[int],
    arguments: GuardArguments,
) -> None:
    connection.close()
    *of_worker, control = descriptors
    group = arguments.group

    def worker_setup(request: wire.ForkWorker, descriptors: Sequence[int]) -> Monitored:
        return Monitored(
            arguments.folder / request.name,
            partial(run_worker, backend, options, request, descriptors),
            descriptors,
            Cgroup.create(request.name, group) if group else None,
        )

    run_monitored(socket.socket(fileno=control), worker_setup(request, of_worker), worker_setup)


def _reap_monitors(*, wait: bool) -> None:
    """Reap monitors that have ended, or wait for all of them."""
    with suppress(ChildProcessError):
        while os.waitpid(-1, 0 if wait else os.WNOHANG)[0]:
            pass


def main(*words: str) -> None:
    """Run as the guard; the words are its arguments."""
    arguments = GuardArguments.decode(*words)
    processes.run_and_exit(partial(guard, arguments, partial(serve, arguments)))


if __name__ == "__main__":
    main(*sys.argv[1:])
