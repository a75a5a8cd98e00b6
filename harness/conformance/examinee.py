"""The processes in which a backend is examined: a guard, a monitor and its worker.

`harness.conformance.examiner` starts the guard with `harness.engine.processes.GuardedProcess`.
Guard and monitor are those of a run: they end a worker that exceeds a limit, with all its
descendants.
"""

import os
import socket
import sys
from collections import Counter
from functools import partial
from itertools import count
from pathlib import Path
from typing import Final

import msgspec

from harness.conformance.examination import Examination
from harness.conformance.examiner import (
    ExaminationRequest,
    ExamineeMessage,
    Found,
    PartsReady,
    PartToExamine,
    data_of_case,
    data_of_finding,
)
from harness.contract import registry
from harness.contract.backend import Unavailable
from harness.contract.registry import take_over
from harness.engine.guard import GuardArguments, guard
from harness.engine.monitor import run_monitored
from harness.engine.system.kernel import limit_address_space
from harness.engine.system.processes import run_and_exit
from harness.engine.wire.channel import Connection
from harness.engine.wire.messages import MIB, Done, Preparing, Refused
from harness.engine.wire.shared import CurrentTrial
from harness.errors import InputError

LOADING: Final = -1
"""The serial number of the import of the backend."""


def work(request: ExaminationRequest, current_trial: CurrentTrial) -> None:
    """Examine the parts from number `request.skip` on, in a process that a monitor has forked."""
    connection: Connection[ExamineeMessage] = Connection(
        socket.socket(fileno=request.connection), ExamineeMessage
    )
    current_trial.start(LOADING)
    spec = request.backend.spec
    take_over(request.backend.installed)
    try:
        backend, options = registry.load_backend(
            spec.locator, spec.settings, lambda text: connection.send(Preparing(text))
        )
    except (InputError, Unavailable) as error:
        connection.send(Refused.of(error))
        return
    current_trial.stop()
    # The limit comes after the import, as in a run; the monitor checks resident memory.
    limit_address_space(request.memory_limit_mib * MIB)
    calls = count(LOADING + 1)  # the monitor limits each call
    examination = Examination(
        backend,
        options,
        request.shapes,
        timeout=request.timeout_s,
        thorough=request.thorough,
        hash_seed=request.hash_seed,
        slow=Counter(request.slow),
        begin=lambda: current_trial.start(next(calls)),
    )
    with examination:
        parts = [part for part in examination.parts() if request.only in part.title]
        connection.send(
            PartsReady(
                [
                    PartToExamine(
                        part.title,
                        part.shape,
                        data_of_case(part.case) if part.case else None,
                        part.questions,
                        part.is_demanding,
                    )
                    for part in parts
                ]
            )
        )
        for part in parts[request.skip :]:
            current_trial.start(next(calls))
            finding = examination.examine(part)
            current_trial.stop()
            connection.send(Found(data_of_finding(finding)))
    connection.send(Done())


def monitor(request: ExaminationRequest, folder: Path) -> None:
    """Run the monitor of a worker in the folder of the guard."""
    run_monitored(
        socket.socket(fileno=request.control),
        folder / "worker",
        partial(work, request),
        worker_descriptors=(request.connection,),
    )


def main() -> None:
    """Run as the guard: its arguments, and the `ExaminationRequest`."""
    arguments = GuardArguments.decode(sys.argv[1:])
    request = msgspec.json.decode(sys.argv[5], type=ExaminationRequest)
    # The sandbox of the worker has another home: compiled code stays in the user's cache.
    os.environ.setdefault("XDG_CACHE_HOME", str(Path("~/.cache").expanduser()))
    descriptors = (request.control, request.connection)
    for descriptor in descriptors:
        os.set_inheritable(descriptor, False)
    run_and_exit(
        partial(guard, arguments, partial(monitor, request, arguments.folder), descriptors)
    )


if __name__ == "__main__":
    main()
