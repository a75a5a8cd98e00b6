"""The backends of installed packages, which their entry points declare.

Reading the entry points of all packages takes about 30 ms, so the processes that import
backends get them from the harness.
"""

import importlib
import sys
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache, reduce
from pathlib import Path
from typing import Any, Final

from harness.contract.importing import built_in_module

GROUP: Final = "harness.backends"
"""The group of the entry points."""
DISTRIBUTION: Final = "sudoku-harness"
"""The distribution of the built-in backends."""


@dataclass(frozen=True, slots=True)
class InstalledBackend:
    """An entry point of a backend."""

    name: str
    module: str
    attribute: str
    """The name of the class in its module."""
    distribution: str
    """The package that declares it; empty if unknown."""
    version: str

    @property
    def is_built_in(self) -> bool:
        """Whether it is one of this distribution."""
        return self.distribution == DISTRIBUTION

    def load(self) -> Any:
        """Import its module; the object that the entry point names."""
        if self.is_built_in:
            module = built_in_module(self.module.removeprefix("backends."))
        else:
            module = importlib.import_module(self.module)
        return reduce(getattr, filter(None, self.attribute.split(".")), module)


_given: tuple[InstalledBackend, ...] | None = None


def installed() -> tuple[InstalledBackend, ...]:
    """The backends of all installed packages, sorted by name, built-in ones first."""
    return _read(_state_of_packages()) if _given is None else _given


def take_over(backends: tuple[InstalledBackend, ...]) -> None:
    """Let `installed` return these, which another process has read."""
    global _given
    _given = backends


def _state_of_packages() -> tuple[tuple[str, int], ...]:
    """The folders of packages with the times of their last changes."""
    folders = []
    for folder in sys.path:
        with suppress(OSError, ValueError):
            folders.append((folder, Path(folder or ".").stat().st_mtime_ns))
    return tuple(folders)


@lru_cache(maxsize=1)
def _read(_: object) -> tuple[InstalledBackend, ...]:
    from harness.plugins import entry_points, module_and_object

    packages: dict[int, tuple[str, str]] = {}  # each access to a name reads a file
    found = set()
    for point in entry_points(GROUP):
        key = id(point.dist)
        if key not in packages:
            packages[key] = (point.dist.name, point.dist.version) if point.dist else ("", "")
        found.add(InstalledBackend(point.name, *module_and_object(point.value), *packages[key]))
    return tuple(sorted(found, key=lambda b: (b.name, not b.is_built_in, b.distribution)))
