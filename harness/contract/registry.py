"""The registry: finds backends by entry point, file, module or command file.

The built-in backends are registered in the entry-point group ``harness.backends``,
like any other package's. Only `load_class` and `load_backend` import a backend. They
run in the process that will use it, so that two solver libraries never share a process
and a library that kills its process on import kills only a worker.
"""

import importlib
import importlib.util
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from types import ModuleType
from typing import Any, Final

from harness.contract.backend import Backend, Unavailable, capabilities_of
from harness.contract.capabilities import Capability
from harness.contract.command import SUFFIX, command_class
from harness.contract.options import OptionInfo, Options, describe_options, parse_options
from harness.errors import InputError, UnknownBackendError, meant, one_of
from harness.text import described, existing_path, text_of

GROUP: Final = "harness.backends"

Settings = Iterable[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class Description:
    """The declarations of a backend's class."""

    name: str
    paradigm: str
    distributions: dict[str, str | None]
    """The installed version of each required package, None if it is missing."""
    capabilities: Capability
    options: tuple[OptionInfo, ...]


def names() -> list[str]:
    """The names of all registered backends, available or not."""
    return sorted({point.name for point in metadata.entry_points(group=GROUP)})


def resolve(locator: str, base: Path | None = None) -> str:
    """`locator` with its path made absolute, valid in any working directory.

    Args:
        locator: a name in the registry, ``path/to/file.py:Class``, ``module:Class`` or
            the path of a command file.
        base: the folder of relative paths; the working directory if None.

    Raises:
        UnknownBackendError: no backend has this name, or the file does not exist.
    """
    if locator in names():
        return locator
    if locator.endswith(SUFFIX):
        return str(_existing(locator, base))
    place, colon, class_name = locator.rpartition(":")
    if not colon:
        if locator.endswith(".py"):
            _existing(locator, base)
            raise UnknownBackendError(
                "missing name of the class", where=locator, expected=f"{locator}:Class"
            )
        raise UnknownBackendError(
            f"unknown backend {locator!r}{meant(locator, names())}",
            expected=f"{one_of(names())}, path/to/file.py:Class or path/to/command.toml",
        )
    if not class_name.isidentifier():
        raise UnknownBackendError(
            f"{class_name!r} is not a class name", where=place, expected="file.py:Class"
        )
    if not place.endswith(".py"):
        return locator
    return f"{_existing(place, base)}:{class_name}"


def _existing(file: str, base: Path | None) -> Path:
    try:
        path = existing_path((base or Path.cwd()) / Path(file).expanduser())
        if path.is_file():
            return path.resolve()
    except OSError as error:
        raise UnknownBackendError(f"cannot be read: {error.strerror}", where=file) from None
    raise UnknownBackendError("no such file", where=file)


def load_class(locator: str) -> type[Backend[Any]]:
    """The class of a backend; imports its module.

    Raises:
        UnknownBackendError: the module has no such backend.
        InputError: the command file is malformed.
        Unavailable: the module cannot be imported.
    """
    try:
        found = _find(locator)
    except (InputError, Unavailable):
        raise
    except Exception as error:
        raise Unavailable(described(error)) from error
    if not (isinstance(found, type) and issubclass(found, Backend)):
        raise UnknownBackendError(
            f"{locator} is not a backend", expected="a subclass of harness.contract.Backend"
        )
    return found


def load_backend(
    locator: str, settings: Settings = (), announce: Callable[[str], None] = lambda _: None
) -> tuple[type[Backend[Any]], Options]:
    """The class of a backend and its options, after importing its solver.

    Args:
        locator: see `resolve`.
        settings: names and values of options, as text.
        announce: called with one line before work that takes seconds.

    Raises:
        UnknownBackendError: the module has no such backend.
        OptionError: the backend does not take these options.
        Unavailable: the backend cannot run on this machine.
    """
    backend = load_class(locator)
    options = parse_options(backend.options_type, settings, locator)
    for attribute in ("name", "paradigm"):
        _require_text(backend, attribute)
    needed: Any = backend.distributions
    if not isinstance(needed, tuple) or not all(isinstance(name, str) for name in needed):
        raise Unavailable(f"its distributions are {needed!r:.80}, not a tuple of names")
    required = " ".join(backend.distributions)
    install = f"pip install {required}" if required else ""
    reinstall = f"pip install --upgrade --force-reinstall {required}" if required else ""
    missing = [name for name in backend.distributions if version_of(name) is None]
    if missing:
        verb = "is" if len(missing) == 1 else "are"
        raise Unavailable(f"{' and '.join(missing)} {verb} not installed", install)
    try:
        if preparation := backend.preparation(options):
            announce(preparation)
        backend.load(options)
    except Unavailable:
        raise
    except Exception as error:
        raise Unavailable(_failure(backend, error), reinstall) from error
    return backend, options


def describe(backend: type[Backend[Any]]) -> Description:
    """The declarations of this class."""
    return Description(
        name=text_of(getattr(backend, "name", "")),
        paradigm=text_of(getattr(backend, "paradigm", "")),
        distributions={text_of(name): version_of(name) for name in backend.distributions},
        capabilities=capabilities_of(backend),
        options=tuple(describe_options(backend.options_type)),
    )


def _require_text(backend: type[Backend[Any]], attribute: str) -> None:
    """Require that a backend declares this attribute as text.

    Raises:
        Unavailable: it does not.
    """
    value: object = getattr(backend, attribute, None)
    if not hasattr(backend, attribute):
        raise Unavailable(f"its class has no {attribute}", f'declare {attribute} = "..."')
    if not isinstance(value, str) or not value.strip():
        reason = f"its {attribute} is {value!r:.80}, not a text"
        raise Unavailable(reason, f'declare {attribute} = "..."')


def _failure(backend: type[Backend[Any]], error: Exception) -> str:
    """Why an installed library fails to load, with its version, which may be the cause."""
    versions = [f"{name} {version_of(name)}" for name in backend.distributions]
    suffix = f" (with {', '.join(versions)})" if versions else ""
    return f"{described(error)}{suffix}"


def version_of(distribution: str) -> str | None:
    """The installed version of a distribution, None if it is missing."""
    try:
        return metadata.version(distribution)
    except metadata.PackageNotFoundError:
        return None


def _find(locator: str) -> Any:
    points: Iterable[metadata.EntryPoint] = metadata.entry_points(group=GROUP, name=locator)
    for point in points:
        return point.load()
    if locator.endswith(SUFFIX):
        return command_class(Path(locator))
    place, _, class_name = locator.rpartition(":")
    module = (
        _module_of_file(Path(place)) if place.endswith(".py") else importlib.import_module(place)
    )
    if not hasattr(module, class_name):
        classes = [
            n for n, v in vars(module).items() if isinstance(v, type) and issubclass(v, Backend)
        ]
        own = [name for name in classes if name != "Backend"]
        raise UnknownBackendError(
            f"no class {class_name!r}{meant(class_name, own)}",
            where=place,
            expected=one_of(own) or "a subclass of harness.contract.Backend",
        )
    return getattr(module, class_name)


def _module_of_file(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
