"""The process that imports a backend, once, and forks workers that have it.

Started by the supervisor as ``python -m harness.engine.server``. It imports and
describes the backend and never calls it, so that a fork of it is safe, and a
worker that was killed is replaced within milliseconds instead of an import.
"""

import gc
import os
import shutil
import signal
import socket
import sys
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import asdict
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import Final

from harness.contract import registry
from harness.contract.backend import Backend, Unavailable
from harness.contract.options import Options
from harness.engine.limits import die_with_parent, outlive_parent
from harness.engine.monitor import do_and_exit, keep
from harness.engine.wire.channel import Frames, pack
from harness.engine.wire.messages import (
    ForkWorker,
    LoadBackend,
    Preparing,
    Ready,
    Refused,
    ServerRequest,
)
from harness.engine.worker import WorkerConfiguration, work
from harness.errors import InputError

_DESCRIPTORS: Final = 4


def serve(line: socket.socket, folder: Path) -> None:
    """Open the backend that the first message names, then fork a worker a message."""
    messages = _requests(line)
    request, _ = next(messages)
    assert isinstance(request, LoadBackend)
    opened = _open(request, line)
    if opened is None:
        return
    outlive_parent()  # from now on an end of the line says it, in time to clean up
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    gc.collect()
    gc.freeze()
    for request, descriptors in messages:
        assert isinstance(request, ForkWorker)
        monitor = os.fork()
        if not monitor:
            line.close()
            do_and_exit(partial(_run_monitor, *opened, request, descriptors, folder))
        for descriptor in descriptors:
            os.close(descriptor)
        _reap(wait=False)


def _open(request: LoadBackend, line: socket.socket) -> tuple[type[Backend], Options] | None:
    """Load the backend and report on `line`; None if it cannot be used."""
    began = perf_counter()
    try:
        backend, options = registry.load_backend(
            request.locator, request.settings, lambda text: line.sendall(pack(Preparing(text)))
        )
    except InputError as error:
        line.sendall(pack(Refused("input", str(error))))
    except Unavailable as error:
        description = _describe(request.locator)
        line.sendall(pack(Refused("unavailable", error.reason, error.remedy, description)))
    else:
        description = registry.describe(backend)
        line.sendall(pack(Ready(description, asdict(options), perf_counter() - began)))
        return backend, options
    return None


def _describe(locator: str) -> registry.Description | None:
    """What a backend that cannot be used says of itself, if its module can be imported."""
    with suppress(InputError, Unavailable):
        return registry.describe(registry.load_class(locator))
    return None


def _run_monitor(
    backend: type[Backend],
    options: Options,
    request: ForkWorker,
    descriptors: list[int],
    folder: Path,
) -> None:
    reading, writing, memory, control = descriptors
    configuration = WorkerConfiguration(
        reading, writing, memory, request.core, request.address_space_bytes
    )
    keep(
        socket.socket(fileno=control),
        folder / request.name,
        partial(work, backend, options, configuration),
        (reading, writing, memory),
    )


def _requests(line: socket.socket) -> Iterator[tuple[ServerRequest, list[int]]]:
    """The messages on `line`, each with the descriptors that came with it, until it is closed."""
    frames: Frames[ServerRequest] = Frames(ServerRequest)
    descriptors: list[int] = []
    while True:
        data, came, _, _ = socket.recv_fds(line, 1 << 16, _DESCRIPTORS)
        if not data:
            return
        for descriptor in came:
            os.set_inheritable(descriptor, False)
        descriptors += came
        for message in frames.feed(data):
            yield message, descriptors
            descriptors = []


def _reap(*, wait: bool) -> None:
    """Take leave of monitors that have ended, or wait for all of them."""
    with suppress(ChildProcessError):
        while os.waitpid(-1, 0 if wait else os.WNOHANG)[0]:
            pass


def _end_with(parent: int, folder: Path) -> None:
    """End when the supervisor dies: an import may take long, and nobody listens meanwhile."""

    def end(*_: object) -> None:
        shutil.rmtree(folder, ignore_errors=True)
        os._exit(1)

    signal.signal(signal.SIGTERM, end)
    die_with_parent(parent, signal.SIGTERM)


def main() -> None:
    """Run as a server: the line's descriptor, the folder and the supervisor are arguments."""
    line, folder = socket.socket(fileno=int(sys.argv[1])), Path(sys.argv[2])
    line.set_inheritable(False)
    _end_with(int(sys.argv[3]), folder)
    do_and_exit(partial(_serve_to_the_end, line, folder))


def _serve_to_the_end(line: socket.socket, folder: Path) -> None:
    # Afterwards the process ends without ado: taking down a solver's library takes longer
    # than all of its work here did.
    try:
        serve(line, folder)
        line.close()
        _reap(wait=True)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
