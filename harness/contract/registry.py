"""The registry: finds backends by entry point, file, module or command file.

The built-in backends are registered in the entry-point group ``harness.backends``,
like any other package's. Only `load_class` and `load_backend` import a backend. They
run in the process that will use it, so that two solver libraries never share a process
and a library that kills its process on import kills only a worker.
"""

import importlib
import inspect
import re
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any, Final

from harness.contract.backend import Backend, Unavailable, capabilities_of
from harness.contract.capabilities import Capability
from harness.contract.importing import digest_of, module_of_file
from harness.contract.installed import InstalledBackend, installed
from harness.contract.options import OptionInfo, Options, describe_options, parse_options
from harness.errors import InputError, UnknownBackendError, meant, one_of
from harness.text import described, existing_path, short_repr, text_of

COMMAND_SUFFIX: Final = ".toml"
"""The suffix of a command file."""
NAME: Final = re.compile(r"[^\W_][\w.+-]{0,79}")
"""The names that a backend may declare."""

Settings = Iterable[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class Description:
    """The declarations of a backend's class."""

    name: str
    """The declared name. If it is that of an installed backend, the name of the file follows:
    ``native (mine.py)``. Empty if the declared name is not valid."""
    paradigm: str
    distributions: dict[str, str | None]
    """The installed version of each required package, None if it is missing."""
    capabilities: Capability
    options: tuple[OptionInfo, ...]
    code: dict[str, str] = field(default_factory=dict)
    """What identifies the code of a backend that is not built in: the version of its package,
    and a digest of its file."""


def names() -> list[str]:
    """The names of all registered backends, available or not."""
    return sorted({backend.name for backend in installed()})


def resolve(locator: str, base: Path | None = None) -> str:
    """`locator` with its path made absolute, valid in any working directory.

    Args:
        locator: a name in the registry, ``path/to/file.py``, ``path/to/file.py:Class``,
            ``module:Class`` or the path of a command file.
        base: the folder of relative paths; the working directory if None.

    Raises:
        UnknownBackendError: no backend has this name, or the file does not exist.
    """
    if locator in names():
        return locator
    if locator.endswith((COMMAND_SUFFIX, ".py")):
        return str(_existing(locator, base))
    place, colon, class_name = locator.rpartition(":")
    if not colon:
        raise UnknownBackendError(
            f"unknown backend {locator!r}{meant(locator, names())}",
            expected=f"{one_of(names())}, path/to/file.py or path/to/command.toml",
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
        UnknownBackendError: the module has no such backend, or several and none is named.
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
    for attribute in ("name", "paradigm"):
        _require_text(backend, attribute)
    if locator not in names():
        _check_name(backend.name)
    options = parse_options(backend.options_type, settings, locator)
    needed: Any = backend.distributions
    if not isinstance(needed, tuple) or not all(isinstance(name, str) for name in needed):
        raise Unavailable(f"its distributions are {short_repr(needed)}, not a tuple of names")
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


def describe(backend: type[Backend[Any]], locator: str = "") -> Description:
    """The declarations of this class, found at `locator`."""
    return Description(
        name=_shown_name(backend, locator),
        paradigm=text_of(getattr(backend, "paradigm", "")),
        distributions={text_of(name): version_of(name) for name in backend.distributions},
        capabilities=capabilities_of(backend),
        options=tuple(describe_options(backend.options_type)),
        code=_code_of(backend, locator),
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
        reason = f"its {attribute} is {short_repr(value)}, not a text"
        raise Unavailable(reason, f'declare {attribute} = "..."')


def _failure(backend: type[Backend[Any]], error: Exception) -> str:
    """Why an installed library fails to load, with its version, which may be the cause."""
    versions = [f"{name} {version_of(name)}" for name in backend.distributions]
    suffix = f" (with {', '.join(versions)})" if versions else ""
    return f"{described(error)}{suffix}"


def version_of(distribution: str) -> str | None:
    """The installed version of a distribution, None if it is missing."""
    from importlib import metadata  # servers of backends without libraries start without it

    try:
        return metadata.version(distribution)
    except metadata.PackageNotFoundError:
        return None


def _check_name(name: str) -> None:
    """Check that tables can call a backend by the name that it declares.

    Raises:
        Unavailable: they cannot.
    """
    if not NAME.fullmatch(name):
        raise Unavailable(
            f"its name is {name!r:.80}, not a word of letters, digits, '.', '_', '+' and '-'"
        )


def _shown_name(backend: type[Backend[Any]], locator: str) -> str:
    name: object = getattr(backend, "name", None)
    if not isinstance(name, str) or not NAME.fullmatch(name):
        return ""
    known = names()
    if not locator or locator in known or name not in known:
        return name
    return f"{name} ({Path(locator.rpartition(':')[0] or locator).name})"


def _code_of(backend: type[Backend[Any]], locator: str) -> dict[str, str]:
    if locator.endswith(COMMAND_SUFFIX):
        return digest_of(Path(locator))
    found = _installed_backend(locator)
    if found is None:
        return _digest_of_class(backend)
    if found.is_built_in or not found.distribution:
        return {}
    return {found.distribution: found.version} | _digest_of_class(backend)


def _digest_of_class(kind: type) -> dict[str, str]:
    file = getattr(sys.modules.get(str(kind.__module__)), "__file__", None)
    return digest_of(Path(file)) if isinstance(file, str) else {}


def _installed_backend(name: str) -> InstalledBackend | None:
    """The installed backend called `name`, a built-in one first; None if there is none."""
    return next((backend for backend in installed() if backend.name == name), None)


def _find(locator: str) -> Any:
    if found := _installed_backend(locator):
        return found.load()
    if locator.endswith(COMMAND_SUFFIX):
        from harness.contract.command import command_class  # servers of others start without it

        return command_class(Path(locator))
    if locator.endswith(".py"):
        return _only_backend_of(module_of_file(Path(locator)), locator)
    place, _, class_name = locator.rpartition(":")
    is_file = place.endswith(".py")
    module = module_of_file(Path(place)) if is_file else importlib.import_module(place)
    if not hasattr(module, class_name):
        own = [kind.__name__ for kind in _backends_of(module)]
        raise UnknownBackendError(
            f"no class {class_name!r}{meant(class_name, own)}",
            where=place,
            expected=one_of(own) or _A_BACKEND,
        )
    return getattr(module, class_name)


_A_BACKEND: Final = "a subclass of harness.contract.Backend"


def _only_backend_of(module: ModuleType, file: str) -> type[Backend[Any]]:
    """The backend that a file holds.

    Raises:
        UnknownBackendError: it holds none, or several; the error lists them.
    """
    found = _backends_of(module)
    if len(found) == 1:
        return found[0]
    if not found:
        raise UnknownBackendError("no backend in this file", where=file, expected=_A_BACKEND)
    specs = one_of([f"{file}:{kind.__name__}" for kind in found])
    raise UnknownBackendError(f"{len(found)} backends in this file", where=file, expected=specs)


def _backends_of(module: ModuleType) -> list[type[Backend[Any]]]:
    """The backends of a module: its own classes, or those it imports if it has none.

    Classes that leave `solve` or `__init__` abstract count only if there is no other.
    """
    classes = dict.fromkeys(
        value
        for value in vars(module).values()
        if isinstance(value, type) and issubclass(value, Backend)
    )
    foreign = [kind for kind in classes if not kind.__module__.startswith("harness.contract.")]
    own = [kind for kind in foreign if kind.__module__ == module.__name__] or foreign
    return [kind for kind in own if not inspect.isabstract(kind)] or own
