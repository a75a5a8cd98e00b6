"""What installed packages declare for an entry-point group, and names imported on first use.

The harness declares its own parts as entry points, too. Reading those of all packages takes
about 30 ms; a module is imported when it is used.

With names imported on first use, a process loads only those parts of a package that it needs.
"""

import re
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import redirect_stdout
from functools import cache, lru_cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from harness.base.errors import InputError, failures_described
from harness.base.text import described, short_repr

if TYPE_CHECKING:
    from importlib.metadata import Distribution, EntryPoint


# What installed packages declare for an entry-point group of the harness.


DISTRIBUTION: Final = "sudoku-harness"
"""The distribution of the harness and of its built-in plugins."""


class Plugin(NamedTuple):
    """An entry point."""

    name: str
    value: str
    """The module and the object in it: ``module:Class``."""
    package: str
    """The name of the distribution that declares it."""
    version: str = ""
    """The version of that distribution; empty if unknown."""
    others: tuple[str, ...] = ()
    """Other distributions that declare the name; theirs are not used."""

    @property
    def module(self) -> str:
        """The name of the module."""
        return module_and_object(self.value)[0]

    @property
    def attribute(self) -> str:
        """The name of the object in the module."""
        return module_and_object(self.value)[1]

    @property
    def is_built_in(self) -> bool:
        """Whether the harness itself declares it."""
        return self.package == DISTRIBUTION

    @property
    def is_absent(self) -> bool:
        """Whether its module does not exist, for example because the extension was deleted."""
        try:
            return find_spec(self.module) is None
        except ModuleNotFoundError:  # its package does not exist either
            return True

    def load(
        self,
        noun: str,
        expected: str,
        error: type[InputError],
        is_right: Callable[[Any], bool] = lambda _: True,
    ) -> Any:
        """Import the object; an exception in the module's code becomes a one-line error.

        What the module prints goes to the standard error output.

        Args:
            noun: what the object is, such as ``format``.
            expected: the object that is expected, for the message.
            error: the class of the error.
            is_right: whether an object is what is expected.

        Raises:
            InputError: the module cannot be imported, or has no such object; its class is `error`.
        """
        if not all(part.isidentifier() for part in (*self.module.split("."), self.attribute)):
            reason = f"its entry point is {self.value!r}, not module:Class"
            raise self.refusal(noun, reason, expected, error)
        try:
            with redirect_stdout(sys.stderr):
                result = getattr(import_module(self.module), self.attribute)
        except (Exception, SystemExit) as problem:
            absent = (isinstance(problem, ModuleNotFoundError) and problem.name) or ""
            if self.is_built_in and absent.startswith("harness.extensions"):
                relation = "belongs to" if self.is_absent else "needs"
                module = self.module if self.is_absent else absent
                package = ".".join(module.split(".")[:3])
                name = self.name.replace(".", " ")
                reason = f"the {noun} {name} {relation} {package}, which is not installed"
                raise error(reason) from problem
            raise self.refusal(noun, described(problem), expected, error) from problem
        if not is_right(result):
            reason = f"{self.module}:{self.attribute} is not a {noun}"
            raise self.refusal(noun, reason, expected, error)
        return result

    def refusal(self, noun: str, reason: str, expected: str, error: type[InputError]) -> InputError:
        """The error for an object that cannot be used."""
        return error(
            f"the {noun} {self.name!r} cannot be loaded from the package {self.package}: {reason}",
            expected=expected,
        )


def module_and_object(value: str) -> tuple[str, str]:
    """Both names in the value ``module:object [extras]`` of an entry point; either may be empty."""
    module, _, attribute = value.partition("[")[0].partition(":")
    return module.strip(), attribute.strip()


def entry_points(group: str) -> "Iterator[EntryPoint]":
    """The entry points of a group, without those of packages whose entry points are malformed."""
    metadata = _metadata()
    try:
        yield from metadata.entry_points(group=group)
    except Exception:  # noqa: BLE001  whatever the parser meets in the file of one package
        names = set()
        for package in metadata.distributions():
            try:
                name, points = package.name, package.entry_points.select(group=group)
            except Exception:  # noqa: BLE001, S112
                continue
            if name not in names:  # Python imports the first on the path
                names.add(name)
                yield from points


def harness_version() -> str:
    """The version of the installed harness."""
    return str(_metadata().version(DISTRIBUTION))


def version_of(distribution: str) -> str | None:
    """The installed version of a distribution, None if it is missing."""
    metadata = _metadata()
    try:
        return str(metadata.version(distribution))
    except metadata.PackageNotFoundError:
        return None


_FIELD: Final = re.compile(r"^(Name|Version): *(\S+)", re.MULTILINE)


def versions_in(path: Sequence[str] | None = None) -> dict[str, str]:
    """The version of each distribution in these folders; of several with one name, the first's.

    Args:
        path: the folders; None for those that this process searches.
    """
    metadata, versions = _metadata(), dict[str, str]()
    places = {} if path is None else {"path": list(path)}
    for distribution in metadata.distributions(**places):
        # `distribution.metadata` parses the whole description, which takes 0.2 s for 140 of them.
        text = distribution.read_text("METADATA") or distribution.read_text("PKG-INFO") or ""
        fields = dict(_FIELD.findall(text.partition("\n\n")[0]))
        if fields.keys() == {"Name", "Version"}:
            versions.setdefault(fields["Name"], fields["Version"])
    return dict(sorted(versions.items(), key=lambda item: item[0].lower()))


def _metadata() -> Any:
    """`importlib.metadata`; servers of backends without libraries start without it."""
    return import_module("importlib.metadata")


@lru_cache(maxsize=64)
def _name_and_version(distribution: "Distribution | None") -> tuple[str, str]:
    # Each access to the metadata parses the description of the package in half a millisecond.
    return (distribution.name, distribution.version) if distribution else ("unknown", "")


@lru_cache(maxsize=8)
def plugins(group: str) -> tuple[Plugin, ...]:
    """The entry points of a group, one per name: the built-in one if several have the name."""
    by_name: dict[str, list[Plugin]] = {}
    for point in entry_points(group):
        plugin = Plugin(point.name, point.value, *_name_and_version(point.dist))
        by_name.setdefault(point.name, []).append(plugin)
    first_of_each = []
    for name in sorted(by_name):
        first, *others = sorted(by_name[name], key=lambda plugin: not plugin.is_built_in)
        first_of_each.append(first._replace(others=tuple(other.package for other in others)))
    return tuple(first_of_each)


VIEWS: Final = "harness.views"
"""The entry points of views: functions that return a text.

A view of `report`, such as ``report.html``, takes the run. A view of `compare` takes the comparison
and both runs, and the keyword ``across_machines``: whether the times of different machines are
compared. The view ``puzzle.svg`` takes a puzzle, its solution or None, and a title. A view of
`export` takes the run, the path to write and names of features, and returns a line on its files.
"""


def load_view(name: str) -> Callable[..., str]:
    """The view with a name.

    Raises:
        InputError: the view cannot be used.
    """
    plugin = next(plugin for plugin in plugins(VIEWS) if plugin.name == name)
    expected = "a function that returns a text"
    function: Callable[..., str] = plugin.load("view", expected, InputError, callable)
    if plugin.is_built_in:
        return function
    subject = f"the view {plugin.name!r} of the package {plugin.package}"

    def text(*values: Any, **options: Any) -> str:
        with failures_described(f"{subject} failed"):
            result: object = function(*values, **options)
        if isinstance(result, str):
            return result
        raise InputError(f"{subject} returned {short_repr(result)}", expected="a text")

    return text


# Modules whose names are imported on first use.


def lazily(module: str, file: str) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """The functions ``__getattr__`` and ``__dir__`` of a module that imports names on first use.

    The stub beside the file lists the names, and type checkers read it, too:
    ``from harness.puzzles.shape import Shape as Shape``.

    Args:
        module: the name of the module.
        file: the file of the module.
    """

    @cache
    def places() -> dict[str, tuple[str, str]]:
        stub = Path(file).with_suffix(".pyi").read_text("utf-8")
        rows = re.findall(r"^from (\S+) import \(?\s*(\w+) as (\w+)", stub, re.MULTILINE)
        return {alias: (home, name) for home, name, alias in rows}

    def get(name: str) -> Any:
        if name == "__all__":
            return sorted(places())
        if name not in places():
            raise AttributeError(f"module {module!r} has no attribute {name!r}")
        home, attribute = places()[name]
        try:
            value = getattr(import_module(home), attribute)
        except AttributeError:  # a module of a package
            value = import_module(f"{home}.{attribute}")
        setattr(sys.modules[module], name, value)
        return value

    return get, lambda: sorted(places())
