"""The process that imports a backend, once, and forks workers that have it.

Started by the supervisor as ``python -m harness.sweep.server``. It imports and
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
from harness.errors import InputError
from harness.sweep.channel import Frames, Message, pack
from harness.sweep.keeper import do_and_exit, keep
from harness.sweep.limits import die_with_parent, outlive_parent
from harness.sweep.worker import Place, work

_DESCRIPTORS: Final = 4


def serve(line: socket.socket, folder: Path) -> None:
    """Open the backend that the first message names, then fork a worker a message."""
    messages = _requests(line)
    message, _ = next(messages)
    opened = _open(message, line)
    if opened is None:
        return
    outlive_parent()  # from now on an end of the line says it, in time to clean up
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    gc.collect()
    gc.freeze()
    for message, descriptors in messages:
        keeper = os.fork()
        if not keeper:
            line.close()
            do_and_exit(partial(_keep, *opened, message, descriptors, folder))
        for descriptor in descriptors:
            os.close(descriptor)
        _reap(wait=False)


def _open(message: Message, line: socket.socket) -> tuple[type[Backend], Options] | None:
    """The backend and its options, told on `line`; None where there is no using it."""
    began = perf_counter()
    locator = message["locator"]
    settings = [(name, value) for name, value in message["settings"]]
    try:
        backend, options = registry.load_backend(
            locator, settings, lambda text: line.sendall(pack({"is": "preparing", "what": text}))
        )
    except InputError as error:
        line.sendall(pack({"is": "refused", "why": "input", "reason": str(error)}))
    except Unavailable as error:
        line.sendall(
            pack(
                {"is": "refused", "why": "unavailable", "reason": error.reason}
                | {"remedy": error.remedy, "description": _describe(locator)}
            )
        )
    else:
        description = registry.describe(backend).as_dict()
        line.sendall(
            pack(
                {"is": "ready", "description": description, "options": asdict(options)}
                | {"seconds": perf_counter() - began}
            )
        )
        return backend, options
    return None


def _describe(locator: str) -> Message | None:
    """What a backend that cannot be used says of itself, if its module can be imported."""
    with suppress(InputError, Unavailable):
        return registry.describe(registry.load_class(locator)).as_dict()
    return None


def _keep(
    backend: type[Backend],
    options: Options,
    message: Message,
    descriptors: list[int],
    folder: Path,
) -> None:
    reading, writing, memory, control = descriptors
    place = Place(reading, writing, memory, message["core"], message["address_space"])
    keep(
        socket.socket(fileno=control),
        folder / message["name"],
        partial(work, backend, options, place),
        (reading, writing, memory),
    )


def _requests(line: socket.socket) -> Iterator[tuple[Message, list[int]]]:
    """The messages on `line`, each with the descriptors that came with it, until it is closed."""
    frames = Frames()
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
    """Take leave of keepers that have ended, or wait for all of them."""
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
