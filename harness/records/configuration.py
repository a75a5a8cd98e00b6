"""Configurations as their servers reported them, and events in the life of a worker."""

from dataclasses import dataclass
from typing import Final

from harness.contract.registry import Description
from harness.contract.spec import BackendSpec


@dataclass(frozen=True, slots=True)
class Configuration:
    """A backend with its options: ready, or unavailable with a reason."""

    spec: BackendSpec
    description: Description | None
    """None if its module could not be imported."""
    options: dict[str, bool | int | float | str]
    """The values of all options, defaults included; empty if it is unavailable."""
    unavailable: str = ""
    """Why it cannot be used here; empty if it can."""
    remedy: str = ""
    """How to make it available; empty if no remedy is known."""

    @property
    def label(self) -> str:
        """The spec as text."""
        return self.spec.label


WARNING_KINDS: Final = ("left running", "stood still", "replaced")
"""Kinds of events that users are warned about: a backend left processes or threads running, and
they were ended; all processes stood still, and a trial ran again; a server was replaced."""


@dataclass(frozen=True, slots=True)
class WorkerEvent:
    """An event of a worker that is not a trial."""

    backend: str
    kind: str
    """``imported``, ``forked``, ``warmed up``, ``ended``, ``died``, or one of `WARNING_KINDS`."""
    detail: str
    seconds: float | None
