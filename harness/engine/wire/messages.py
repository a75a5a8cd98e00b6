"""Everything that processes say to each other, as types.

A message is decoded to its type or rejected, so what a backend writes into a channel is
never more than data of the expected types.
"""

from typing import Literal

from msgspec import Struct

from harness.contract.registry import Description
from harness.engine.limits import Limits
from harness.records.outcome import Ending, Outcome
from harness.records.question import Start, Task


class LoadBackend(Struct, frozen=True, tag=True, forbid_unknown_fields=True):
    """Harness to server: load this backend."""

    locator: str
    settings: tuple[tuple[str, str], ...]


class ForkWorker(Struct, frozen=True, tag=True, forbid_unknown_fields=True):
    """Harness to server: fork a worker. Its four descriptors come with the message."""

    name: str
    core: int | None
    address_space_bytes: int | None
    """Bytes beyond those at its start; None for no limit."""


ServerRequest = LoadBackend | ForkWorker


class Preparing(Struct, frozen=True, tag=True, forbid_unknown_fields=True):
    """Server to harness: loading takes seconds, for this reason."""

    what: str


class Ready(Struct, frozen=True, tag=True, forbid_unknown_fields=True):
    """Server to harness: the backend is loaded."""

    description: Description
    options: dict[str, bool | int | float | str]
    seconds: float


class Refused(Struct, frozen=True, tag=True, forbid_unknown_fields=True):
    """Server to harness: the backend cannot be loaded."""

    kind: Literal["input", "unavailable"]
    reason: str
    remedy: str = ""
    description: Description | None = None


ServerMessage = Preparing | Ready | Refused


class TrialsRequest(Struct, frozen=True, forbid_unknown_fields=True):
    """Harness to worker: run these trials in a row."""

    task: Task
    limit: int
    start: Start
    timeout_s: float
    warm_up: bool
    """Whether the first request of a kind is preceded by a call that is not measured."""
    shape: str
    puzzles: list[tuple[int, str]]
    """The serial number and the line of each puzzle."""


class Row(Struct, frozen=True, tag=True, forbid_unknown_fields=True):
    """Worker to harness: the outcome of a trial that the journal had no room for."""

    serial: int
    outcome: Outcome


class WarmedUp(Struct, frozen=True, tag=True, forbid_unknown_fields=True):
    """Worker to harness: the call that is not measured has ended."""

    task: Task
    shape: str
    seconds: float | None
    ending: Ending


class Done(Struct, frozen=True, tag=True, forbid_unknown_fields=True):
    """Worker to harness: all trials of the request have ended."""


WorkerMessage = Row | WarmedUp | Done

MonitorRequest = Limits
"""Harness to monitor: enforce these limits from now on."""
