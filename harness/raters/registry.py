"""Raters by name: those of installed packages, and programs.

The harness declares its own raters in the entry-point group ``harness.raters``, like any other
package.
"""

import sys
from collections.abc import Iterator
from contextlib import redirect_stdout
from pathlib import Path
from typing import Final, NamedTuple

from harness.contract.registry import version_of
from harness.errors import HarnessError, InputError, meant, one_of
from harness.plugins import Plugin, plugins
from harness.raters.rater import Rater
from harness.text import described, short_repr

GROUP: Final = "harness.raters"


def names() -> list[str]:
    """The names of all raters, available or not."""
    return [plugin.name for plugin in plugins(GROUP)]


class Listed(NamedTuple):
    """A rater as a list shows it."""

    name: str
    meaning: str
    problem: str
    """Why it cannot be used, with the command that installs it; empty if it can."""
    others: tuple[str, ...] = ()
    """Further packages with a rater of this name, which is not used."""


def listed() -> Iterator[Listed]:
    """All raters, with what keeps them from being used here."""
    for plugin in plugins(GROUP):
        try:
            kind = _loaded(plugin)
            missing = _missing(kind)
        except HarnessError as error:
            yield Listed(plugin.name, "", str(error), plugin.others)
            continue
        problem = f"pip install {' '.join(missing)}" if missing else ""
        yield Listed(plugin.name, kind.meaning, problem, plugin.others)


def rater_named(name: str) -> Rater:
    """The rater with this name, or of the command file with this path.

    Raises:
        InputError: there is none, a package is not installed, or it cannot be made.
    """
    if name.endswith(".toml"):
        from harness.raters.command import CommandRater

        return CommandRater(Path(name).expanduser())
    plugin = next((plugin for plugin in plugins(GROUP) if plugin.name == name), None)
    if plugin is None:
        raise InputError(
            f"unknown rater {name!r}{meant(name, names())}",
            expected=f"{one_of(names())}, or path/to/command.toml",
        )
    kind = _loaded(plugin)
    if missing := _missing(kind):
        raise InputError(
            f"the rater {name} needs {' and '.join(missing)}, which is not installed",
            expected=f"pip install {' '.join(missing)}",
        )
    try:
        with redirect_stdout(sys.stderr):
            return kind()
    except HarnessError:
        raise
    except (Exception, SystemExit) as error:
        raise InputError(f"the rater {name} cannot be made: {described(error)}") from error


def _loaded(plugin: Plugin) -> type[Rater]:
    """The class of an entry point.

    Raises:
        InputError: its module cannot be imported, or has no rater.
    """
    expected = f"a subclass of harness.raters.Rater called {plugin.attribute}"
    found = plugin.load("rater", expected, InputError)
    if not (isinstance(found, type) and issubclass(found, Rater)):
        reason = f"{plugin.module}:{plugin.attribute} is no rater"
        raise plugin.refused("rater", reason, expected, InputError)
    if not isinstance(getattr(found, "meaning", None), str):
        reason = "it has no meaning"
        raise plugin.refused("rater", reason, 'meaning = "..."', InputError)
    names: object = found.distributions
    if not isinstance(names, tuple | list) or not all(isinstance(name, str) for name in names):
        reason = f"its distributions are {short_repr(names)}"
        raise plugin.refused("rater", reason, 'a tuple such as ("package",)', InputError)
    return found


def _missing(kind: type[Rater]) -> list[str]:
    """The packages that a rater needs and that are not installed."""
    return [name for name in kind.distributions if version_of(name) is None]
