"""What installed packages declare for an entry-point group of the harness.

The harness declares its own parts there too. Reading the entry points of all packages takes
about 30 ms; a module is imported when it is used.
"""

from functools import lru_cache
from importlib import import_module
from typing import Any, Final, NamedTuple

from harness.errors import InputError
from harness.text import described

_OURS: Final = "sudoku-harness"


class Plugin(NamedTuple):
    """An entry point."""

    name: str
    module: str
    attribute: str
    package: str
    """The name of the distribution that declares it."""

    @property
    def is_built_in(self) -> bool:
        """Whether the harness itself declares it."""
        return self.package == _OURS

    def load(self, noun: str, expected: str, error: type[InputError]) -> Any:
        """Import the object; an exception in the code of another package becomes a message.

        Args:
            noun: what the object is, such as ``format``.
            expected: the object that is expected, for the message.
            error: the class of the error.

        Raises:
            InputError: of class `error`: its module cannot be imported, or has no such object.
        """
        try:
            return getattr(import_module(self.module), self.attribute)
        except (Exception, SystemExit) as problem:
            raise self.refused(noun, described(problem), expected, error) from problem

    def refused(self, noun: str, reason: str, expected: str, error: type[InputError]) -> InputError:
        """The error of an object that cannot be used."""
        return error(
            f"the {noun} {self.name!r} cannot be loaded from the package {self.package}: {reason}",
            expected=expected,
        )


@lru_cache(maxsize=8)
def plugins(group: str) -> tuple[Plugin, ...]:
    """The entry points of a group by name; a built-in one comes before others of its name."""
    from importlib import metadata

    found: dict[str, Plugin] = {}
    for point in metadata.entry_points(group=group):
        package = "unknown" if point.dist is None else point.dist.name
        if package == _OURS or point.name not in found:
            found[point.name] = Plugin(point.name, point.module, point.attr, package)
    return tuple(found[name] for name in sorted(found))
