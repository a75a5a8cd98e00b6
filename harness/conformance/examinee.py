"""The process in which a backend is examined: a monitor, and the worker that it keeps.

Started by `harness.conformance.examiner` as ``python -m harness.conformance.examinee``. The monitor is
that of any worker: it ends what takes too long or too much, with all that descends from it.
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
from harness.engine.limits import MIB, die_with_parent, limit_address_space
from harness.engine.monitor import keep
from harness.engine.wire.channel import pack, write_all
from harness.engine.wire.current_trial import CurrentTrial
from harness.engine.wire.messages import Done, Preparing, Refused
from harness.engine.worker import settle
from harness.errors import InputError

OPENING: Final = -1
"""The number under which the import of the backend runs."""


def work(request: ExaminationRequest, current_trial: CurrentTrial, folder: Path) -> None:
    """Be the worker: load the backend and examine the parts from number `request.skip` on."""
    parent = os.getppid()
    os.setsid()
    die_with_parent(parent)
    settle(folder)

    def send(message: ExamineeMessage) -> None:
        write_all(request.findings, pack(message))

    current_trial.start(OPENING)
    try:
        backend, options = registry.load_backend(
            request.locator, request.settings, lambda text: send(Preparing(text))
        )
    except InputError as error:
        send(Refused("input", str(error)))
        return
    except Unavailable as error:
        send(Refused("unavailable", error.reason, error.remedy))
        return
    current_trial.stop()
    # Beyond what the library has reserved by now, as in a run; the monitor sees real usage.
    limit_address_space(request.memory_mib * MIB)
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
        send(
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
            send(Found(data_of_finding(finding)))
    send(Done())


def main() -> None:
    """Run as the monitor: the argument is the `ExaminationRequest`."""
    request = msgspec.json.decode(sys.argv[1], type=ExaminationRequest)
    control = socket.socket(fileno=request.control)
    for descriptor in (request.control, request.findings):
        os.set_inheritable(descriptor, False)
    folder = Path(request.folder) / "worker"
    keep(control, folder, partial(work, request), (request.findings,))


if __name__ == "__main__":
    main()
