"""Deadlines of the harness for its workers, monitors and servers.

Monitors enforce the limits of trials. A backend can stop its monitor or its server with a
signal, or hide its trial from its monitor, and the harness must not wait for any of them
for ever.
"""

from enum import Enum
from time import monotonic
from typing import Final

from harness.engine.processes import ServerHandle, WorkerHandle
from harness.engine.slot import Slot

_OVERDUE_S: Final = 15.0
"""Seconds without progress, besides the limit of a trial, after which the harness itself ends a
worker. Its monitor ends it within 10 seconds of any limit, unless the backend prevents it."""
_STOPPED_S: Final = 1.0
"""Seconds without progress, besides the limit, after which the harness looks whether a signal
has stopped the monitor or the server."""
_START_LIMIT_S: Final = 30.0
"""Seconds for a server to fork a worker and its monitor, which takes milliseconds."""
_REPORT_LIMIT_S: Final = 10.0
"""Seconds for a monitor to report, after it was requested to end its worker. It takes up to 6
seconds if a process does not die or a folder is large, and else milliseconds."""


class Overdue(Enum):
    """What the harness has waited for too long."""

    OUTCOME = "no outcome: its trial was hidden from its monitor"
    """The worker shows no progress; its monitor can still end it."""
    MONITOR = "its monitor was stopped"
    """The monitor does not run."""
    SERVER = "its server was stopped"
    """The server does not fork the worker."""


def overdue(slot: Slot, worker: WorkerHandle, server: ServerHandle) -> Overdue | None:
    """What the harness has waited for too long in `slot`; None if it goes on waiting."""
    assert slot.batch is not None
    now, limit = monotonic(), slot.batch.question.timeout_s
    waited = now - slot.progressed_at
    if not worker.is_started:
        is_stopped = waited > _STOPPED_S and server.process.is_stopped
        return Overdue.SERVER if is_stopped or waited > _START_LIMIT_S else None
    if slot.end_requested_at is not None:
        waited = now - slot.end_requested_at
        is_stopped = waited > _STOPPED_S and worker.is_monitor_stopped
        return Overdue.MONITOR if is_stopped or waited > _REPORT_LIMIT_S else None
    if waited > limit + _STOPPED_S and worker.is_monitor_stopped:
        return Overdue.MONITOR
    return Overdue.OUTCOME if waited > limit + _OVERDUE_S else None
