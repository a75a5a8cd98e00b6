"""The process in which a backend is examined: a monitor and its worker.

`harness.conformance.examiner` starts it as ``python -m harness.conformance.examinee``. The
monitor is the one of a run: it ends a worker that exceeds a limit, with all its
descendants.
"""

import os
import socket
import sys
from collections import Counter
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Final

import msgspec

from harness.conformance.examination import Examination
from harness.conformance.messages import ExaminationRequest, ExamineeMessage, Found, PartsReady
from harness.conformance.serialization import data_of_case, data_of_finding
from harness.contract import registry
from harness.contract.backend import Unavailable
from harness.engine.limits import MIB
from harness.engine.monitor import run_monitored
from harness.engine.system.child_environment import enter_sandbox
from harness.engine.system.kernel import die_with_parent, limit_address_space
from harness.engine.wire.channel import Connection
from harness.engine.wire.current_trial import CurrentTrial
from harness.engine.wire.messages import Done, Preparing, Refused
from harness.errors import InputError

LOADING: Final = -1
"""The serial number of the import of the backend."""


def work(request: ExaminationRequest, current_trial: CurrentTrial, folder: Path) -> None:
    """Turn this process into a worker and examine the parts from number `request.skip` on."""
    parent = os.getppid()
    os.setsid()
    die_with_parent(parent)
    enter_sandbox(folder)
    connection: Connection[ExamineeMessage] = Connection(
        socket.socket(fileno=request.connection), ExamineeMessage
    )
    current_trial.start(LOADING)
    spec = request.backend.spec
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
    number = 0
    examination = Examination(
        backend,
        options,
        request.shapes,
        timeout=request.timeout_s,
        slow=Counter(request.slow),
        begin=lambda: current_trial.start(number),
    )
    with examination:
        parts = [part for part in examination.parts() if request.only in part.title]
        connection.send(
            PartsReady(
                [
                    (part.title, part.shape, data_of_case(part.case) if part.case else None)
                    for part in parts
                ]
            )
        )
        for number, part in islice(enumerate(parts), request.skip, None):
            current_trial.start(number)
            finding = examination.examine(part)
            current_trial.stop()
            connection.send(Found(data_of_finding(finding)))
    connection.send(Done())


def main() -> None:
    """Run as the monitor; the argument is the `ExaminationRequest`."""
    request = msgspec.json.decode(sys.argv[1], type=ExaminationRequest)
    control = socket.socket(fileno=request.control)
    for descriptor in (request.control, request.connection):
        os.set_inheritable(descriptor, False)
    folder = Path(request.folder) / "worker"
    run_monitored(control, folder, partial(work, request), (request.connection,))


if __name__ == "__main__":
    main()
