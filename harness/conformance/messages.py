"""Messages between the examiner and the process of the examined backend."""

from typing import Any

from msgspec import Struct

from harness.engine.wire.messages import Done, LoadBackend, Preparing, Refused


class ExaminationRequest(Struct, frozen=True, forbid_unknown_fields=True):
    """What to examine: the argument of the process."""

    backend: LoadBackend
    shapes: list[str]
    only: str
    """Text in the titles of the parts to examine."""
    thorough: bool
    hash_seed: int
    """The seed of the hashes of texts in this process; 0 in that of all parts."""
    timeout_s: float
    memory_limit_mib: int
    skip: int
    """Number of parts that earlier processes have examined."""
    slow: dict[str, int]
    """For each shape the number of questions that were not answered in time."""
    control: int
    """The descriptor of the monitor's connection to the examiner."""
    connection: int
    """The descriptor of the worker's connection to the examiner."""


class PartToExamine(Struct, frozen=True, forbid_unknown_fields=True):
    """What the examiner needs to know of a part before its finding."""

    title: str
    shape: str = ""
    case: dict[str, Any] | None = None
    """The question, if the part has a single one."""
    questions: int = 0
    is_demanding: bool = False
    """Whether a question may take longer than its time limit."""


class PartsReady(Struct, frozen=True, tag=True, forbid_unknown_fields=True):
    """The backend is loaded; the parts to examine."""

    parts: list[PartToExamine]


class Found(Struct, frozen=True, tag=True, forbid_unknown_fields=True):
    """The finding of one part."""

    finding: dict[str, Any]


ExamineeMessage = Preparing | Refused | PartsReady | Found | Done
