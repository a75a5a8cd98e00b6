"""Raters by name: those of installed packages, and programs.

The harness declares its own raters in the entry-point group ``harness.raters``, like any other
package. The module of a rater is imported when it is used.
"""

from collections.abc import Iterator
from functools import lru_cache
from importlib import import_module
from pathlib import Path
from typing import Final, NamedTuple

from harness.contract.registry import version_of
from harness.errors import HarnessError, InputError, meant, one_of
from harness.raters.rater import Rater
from harness.text import described

GROUP: Final = "harness.raters"
_OURS: Final = "sudoku-harness"


class Declared(NamedTuple):
    """An entry point of a rater."""

    name: str
    module: str
    attribute: str
    package: str
    """The name of the distribution that declares it."""

    def load(self) -> type[Rater]:
        """Import the class; an error in the code of another package becomes a message.

        Raises:
            InputError: its module cannot be imported, or has no rater.
        """
        try:
            found = getattr(import_module(self.module), self.attribute)
        except Exception as error:
            raise self._refused(described(error)) from error
        if not (isinstance(found, type) and issubclass(found, Rater)):
            raise self._refused(f"{self.module}:{self.attribute} is no rater")
        return found

    def _refused(self, reason: str) -> InputError:
        return InputError(
            f"the rater {self.name!r} cannot be loaded from the package {self.package}: {reason}",
            expected=f"a subclass of harness.raters.Rater called {self.attribute}",
        )


@lru_cache(maxsize=1)
def declared() -> tuple[Declared, ...]:
    """The entry points of all raters by name; a built-in one comes before others of its name."""
    from importlib import metadata

    found: dict[str, Declared] = {}
    for point in metadata.entry_points(group=GROUP):
        package = "unknown" if point.dist is None else point.dist.name
        if package == _OURS or point.name not in found:
            found[point.name] = Declared(point.name, point.module, point.attr, package)
    return tuple(found[name] for name in sorted(found))


def names() -> list[str]:
    """The names of all raters, available or not."""
    return [entry.name for entry in declared()]


class Listed(NamedTuple):
    """A rater as a list shows it."""

    name: str
    meaning: str
    problem: str
    """Why it cannot be used, with the command that installs it; empty if it can."""


def listed() -> Iterator[Listed]:
    """All raters, with what keeps them from being used here."""
    for entry in declared():
        try:
            kind = entry.load()
            meaning = str(kind.meaning)
            missing = _missing(kind)
        except Exception as error:  # noqa: BLE001  the class may be a stranger's
            yield Listed(entry.name, "", described(error))
            continue
        yield Listed(entry.name, meaning, f"pip install {' '.join(missing)}" if missing else "")


def rater_named(name: str) -> Rater:
    """The rater with this name, or of the command file with this path.

    Raises:
        InputError: there is none, a package is not installed, or it cannot be made.
    """
    if name.endswith(".toml"):
        from harness.raters.command import CommandRater

        return CommandRater(Path(name).expanduser())
    entry = next((entry for entry in declared() if entry.name == name), None)
    if entry is None:
        raise InputError(
            f"unknown rater {name!r}{meant(name, names())}",
            expected=f"{one_of(names())}, or path/to/command.toml",
        )
    kind = entry.load()
    if missing := _missing(kind):
        raise InputError(
            f"the rater {name} needs {' and '.join(missing)}, which is not installed",
            expected=f"pip install {' '.join(missing)}",
        )
    try:
        return kind()
    except HarnessError:
        raise
    except Exception as error:
        raise InputError(f"the rater {name} cannot be made: {described(error)}") from error


def _missing(kind: type[Rater]) -> list[str]:
    """The packages that a rater needs and that are not installed."""
    return [name for name in kind.distributions if version_of(name) is None]
