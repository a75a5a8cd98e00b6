"""The process that imports a backend once and forks workers that have it.

The harness starts it as ``python -m harness.engine.server``. It imports and describes the
backend and never calls it, so forking it is safe, and a killed worker is replaced within
milliseconds instead of the time of an import.
"""

import gc
import os
import shutil
import signal
import socket
import sys
from contextlib import suppress
from dataclasses import asdict
from functools import partial
from pathlib import Path
from time import perf_counter

from harness.contract import registry
from harness.contract.backend import Backend, Unavailable
from harness.contract.options import Options
from harness.engine.monitor import run_monitored
from harness.engine.system.forking import fork_to_run, run_and_exit
from harness.engine.system.kernel import die_with_parent, outlive_parent
from harness.engine.wire.channel import Connection
from harness.engine.wire.messages import (
    FORK_DESCRIPTORS,
    ForkWorker,
    LoadBackend,
    Preparing,
    Ready,
    Refused,
    ServerRequest,
)
from harness.engine.worker import WorkerConfiguration, run_worker
from harness.errors import InputError


def serve(connection: Connection[ServerRequest], folder: Path) -> None:
    """Load the backend that the first request names, then fork a worker for each request."""
    received: list[int] = []
    requests = connection.receive_with_descriptors(FORK_DESCRIPTORS, received)
    request = next(requests)
    assert isinstance(request, LoadBackend)
    loaded = _load(request, connection)
    if loaded is None:
        return
    outlive_parent()  # from now on the closed connection ends this process, after its clean-up
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    gc.collect()
    gc.freeze()
    for request in requests:
        assert isinstance(request, ForkWorker)
        descriptors, received[:] = received[:FORK_DESCRIPTORS], received[FORK_DESCRIPTORS:]
        fork_to_run(partial(_run_monitor, connection, *loaded, request, descriptors, folder))
        for descriptor in descriptors:
            os.close(descriptor)
        _reap_monitors(wait=False)


def _load(
    request: LoadBackend, connection: Connection[ServerRequest]
) -> tuple[type[Backend], Options] | None:
    """Load the backend and report to the harness; None if it cannot be used."""
    began, spec = perf_counter(), request.spec
    try:
        backend, options = registry.load_backend(
            spec.locator, spec.settings, lambda text: connection.send(Preparing(text))
        )
    except InputError as error:
        connection.send(Refused.of(error))
    except Unavailable as error:
        connection.send(Refused.of(error, _describe(spec.locator)))
    else:
        description = registry.describe(backend)
        connection.send(Ready(description, asdict(options), perf_counter() - began))
        return backend, options
    return None


def _describe(locator: str) -> registry.Description | None:
    """The description of an unavailable backend, if its module can be imported."""
    with suppress(InputError, Unavailable):
        return registry.describe(registry.load_class(locator))
    return None


def _run_monitor(
    connection: Connection[ServerRequest],
    backend: type[Backend],
    options: Options,
    request: ForkWorker,
    descriptors: list[int],
    folder: Path,
) -> None:
    connection.close()
    to_harness, journal_memory, control = descriptors
    configuration = WorkerConfiguration(
        to_harness, journal_memory, request.core, request.address_space_bytes
    )
    run_monitored(
        socket.socket(fileno=control),
        folder / request.name,
        partial(run_worker, backend, options, configuration),
        (to_harness, journal_memory),
    )


def _reap_monitors(*, wait: bool) -> None:
    """Reap monitors that have ended, or wait for all of them."""
    with suppress(ChildProcessError):
        while os.waitpid(-1, 0 if wait else os.WNOHANG)[0]:
            pass


def _end_with(harness: int, folder: Path) -> None:
    """Remove `folder` and exit when the harness dies: an import may take long."""

    def end(*_: object) -> None:
        shutil.rmtree(folder, ignore_errors=True)
        os._exit(1)

    signal.signal(signal.SIGTERM, end)
    die_with_parent(harness, signal.SIGTERM)


def _serve_and_clean_up(connection: Connection[ServerRequest], folder: Path) -> None:
    try:
        serve(connection, folder)
        connection.close()
        _reap_monitors(wait=True)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def main() -> None:
    """Run as a server: arguments are the connection's descriptor, the folder and the harness."""
    end, folder = socket.socket(fileno=int(sys.argv[1])), Path(sys.argv[2])
    end.set_inheritable(False)
    _end_with(int(sys.argv[3]), folder)
    run_and_exit(partial(_serve_and_clean_up, Connection(end, ServerRequest), folder))


if __name__ == "__main__":
    main()
