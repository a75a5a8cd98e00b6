"""The process in which a backend is examined: a keeper, and the worker that it keeps.

Started by `harness.sweep.examiner` as ``python -m harness.sweep.examinee``. The keeper is
that of any worker: it ends what takes too long or too much, with all that descends from it.
"""

import json
import os
import socket
import sys
from collections import Counter
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any, Final

from harness.contract import registry
from harness.contract.backend import Unavailable
from harness.contract.conformance.examination import Examination
from harness.contract.conformance.wire import data_of_case, data_of_finding
from harness.errors import InputError
from harness.sweep.channel import pack, write_all
from harness.sweep.heartbeat import Heartbeat
from harness.sweep.keeper import keep
from harness.sweep.limits import MIB, die_with_parent, limit_address_space
from harness.sweep.worker import settle

OPENING: Final = -1
"""The number under which the import of the backend runs."""


def work(job: dict[str, Any], telling: int, heartbeat: Heartbeat, folder: Path) -> None:
    """Be the worker: open the backend, go through the parts from `job["skip"]` on."""
    parent = os.getppid()
    os.setsid()
    die_with_parent(parent)
    settle(folder)

    def tell(kind: str, **data: Any) -> None:
        write_all(telling, pack({"is": kind} | data))

    heartbeat.start(OPENING)
    try:
        backend, options = registry.load_backend(
            job["locator"], job["settings"], lambda text: tell("preparing", what=text)
        )
    except InputError as error:
        tell("refused", why="input", reason=str(error), remedy="")
        return
    except Unavailable as error:
        tell("refused", why="unavailable", reason=error.reason, remedy=error.remedy)
        return
    heartbeat.stop()
    # Beyond what the library has reserved by now, as in a run; the keeper sees what it really uses.
    limit_address_space(job["memory"] * MIB)
    number = 0
    slow = Counter(job["slow"])
    examination = Examination(
        backend,
        options,
        job["shapes"],
        timeout=job["timeout"],
        slow=slow,
        begin=lambda: heartbeat.start(number),
    )
    with examination:
        parts = [part for part in examination.parts() if job["only"] in part.title]
        told = [
            (part.title, part.shape, data_of_case(part.case) if part.case else None)
            for part in parts
        ]
        tell("ready", parts=told)
        for number, part in islice(enumerate(parts), job["skip"], None):
            heartbeat.start(number)
            finding = examination.examine(part)
            heartbeat.stop()
            tell("found", finding=data_of_finding(finding))
    tell("done")


def main() -> None:
    """Run as the keeper: what is to be done is the argument."""
    job = json.loads(sys.argv[1])
    control = socket.socket(fileno=job["control"])
    for descriptor in (job["control"], job["telling"]):
        os.set_inheritable(descriptor, False)
    folder = Path(job["folder"]) / "worker"
    keep(control, folder, partial(work, job, job["telling"]), (job["telling"],))


if __name__ == "__main__":
    main()
