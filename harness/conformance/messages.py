"""What the examiner and the process of the examined backend say to each other."""

from typing import Any

from msgspec import Struct

from harness.engine.wire.messages import Done, Preparing, Refused


class ExaminationRequest(Struct, frozen=True, forbid_unknown_fields=True):
    """What to examine, and how: the argument of the process."""

    locator: str
    settings: tuple[tuple[str, str], ...]
    shapes: list[str]
    only: str
    """Examine the parts with this text in their title."""
    timeout_s: float
    memory_mib: int
    skip: int
    """How many parts earlier processes have examined."""
    slow: dict[str, int]
    """For each shape the number of questions that were not answered in time."""
    folder: str
    control: int
    """The descriptor of the line to the examiner."""
    findings: int
    """The descriptor of the pipe for messages to the examiner."""


class PartsReady(Struct, frozen=True, tag=True, forbid_unknown_fields=True):
    """The backend is loaded; these are the parts: title, shape and question of each."""

    parts: list[tuple[str, str, dict[str, Any] | None]]


class Found(Struct, frozen=True, tag=True, forbid_unknown_fields=True):
    """A part has been examined."""

    finding: dict[str, Any]


ExamineeMessage = Preparing | Refused | PartsReady | Found | Done
