"""Configurations as their servers reported them, and events in the life of a worker."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from harness.contract.registry import Description
from harness.contract.spec import BackendSpec
from harness.errors import InputError
from harness.text import encodable


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
    def name(self) -> str:
        """The name of the backend in the registry, or the name that the class in a file declares.

        It is the locator if the file cannot be imported or declares no valid name.
        """
        declared = self.description.name if self.spec.is_file and self.description else ""
        return declared or encodable(self.spec.locator)

    @property
    def label(self) -> str:
        """The name with the settings: what tables call the configuration."""
        return self.spec.named(self.name)


def check_names(configurations: Iterable[Configuration]) -> None:
    """Check that a name belongs to one backend.

    Raises:
        InputError: two files declare the same name.
    """
    owners: dict[str, str] = {}
    for configuration in configurations:
        name, locator = configuration.name, configuration.spec.locator
        if owners.setdefault(name, locator) != locator:
            raise InputError(
                f"{owners[name]} has the name {name!r} too",
                where=locator,
                expected="a different name in each class",
            )


MACHINE_CHANGED: Final = "machine changed"
WARNING_KINDS: Final = ("left running", "stood still", "replaced", MACHINE_CHANGED)
"""Kinds of events that users are warned about: a backend left processes or threads running, and
they were ended; all processes stood still, and a trial ran again; a server was replaced; a machine
became slower or noisier while it carried out shards."""


@dataclass(frozen=True, slots=True)
class WorkerEvent:
    """An event of a worker that is not a trial."""

    backend: str
    kind: str
    """``imported``, ``forked``, ``warmed up``, ``ended``, ``died``, or one of `WARNING_KINDS`."""
    detail: str
    seconds: float | None
