"""Finding backends: by entry point, by file, by module or by command file.

Built-in backends are found as a stranger's are, through the entry-point group
``harness.backends``. Nothing here imports a backend but `load_backend` and
`describe`, which run in the process that will use it: a solver's library never
meets another's, and one that kills its process on import kills a worker only.
"""

import importlib
import importlib.util
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass
from importlib import metadata
from pathlib import Path
from types import ModuleType
from typing import Any, Final

from harness.contract.backend import Backend, Unavailable
from harness.contract.command import SUFFIX, command_class
from harness.contract.options import OptionInfo, Options, describe_options, parse_options
from harness.errors import InputError, one_of

GROUP: Final = "harness.backends"

Settings = Iterable[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class Description:
    """What a backend says of itself."""

    name: str
    paradigm: str
    distributions: dict[str, str | None]
    """The version of each distribution it needs, None where it is missing."""
    capabilities: tuple[str, ...]
    options: tuple[OptionInfo, ...]

    def as_dict(self) -> dict[str, Any]:
        """The description as plain data, for JSON."""
        return asdict(self)

    @staticmethod
    def from_dict(data: dict[str, Any]) -> "Description":
        """The description from what `as_dict` gave, perhaps by way of JSON."""
        options = tuple(
            OptionInfo(**(o | {"choices": tuple(o["choices"])})) for o in data["options"]
        )
        return Description(
            **(data | {"options": options, "capabilities": tuple(data["capabilities"])})
        )


def names() -> list[str]:
    """The names of all installed backends, available here or not."""
    return sorted({point.name for point in metadata.entry_points(group=GROUP)})


def resolve(locator: str, base: Path | None = None) -> str:
    """`locator` in the form that any process understands: paths made absolute.

    Raises:
        InputError: no backend has that name, or there is no such file.
    """
    if locator in names():
        return locator
    if locator.endswith(SUFFIX):
        path = (base or Path.cwd()) / Path(locator).expanduser()
        if not path.is_file():
            raise InputError("no such file", where=locator)
        return str(path.resolve())
    place, colon, class_name = locator.rpartition(":")
    if not colon:
        if locator.endswith(".py"):
            if not ((base or Path.cwd()) / Path(locator).expanduser()).is_file():
                raise InputError("no such file", where=locator)
            raise InputError(f"{locator} names no class", expected=f"{locator}:Class")
        raise InputError(
            f"no backend {locator!r}",
            expected=f"{one_of(names())}, path/to/file.py:Class or path/to/command.toml",
        )
    if not class_name.isidentifier():
        raise InputError(f"{class_name!r} is no class", where=place, expected="file.py:Class")
    if not place.endswith(".py"):
        return locator
    path = (base or Path.cwd()) / Path(place).expanduser()
    if not path.is_file():
        raise InputError("no such file", where=place)
    return f"{path.resolve()}:{class_name}"


def load_class(locator: str) -> type[Backend]:
    """The class of a backend; its module is imported here and now.

    Raises:
        InputError: the module holds no such backend.
        Unavailable: the module cannot be imported.
    """
    try:
        found = _find(locator)
    except (InputError, Unavailable):
        raise
    except Exception as error:
        raise Unavailable(f"{type(error).__name__}: {error}") from error
    if not (isinstance(found, type) and issubclass(found, Backend)):
        raise InputError(
            f"{locator} is no backend", expected="a subclass of harness.contract.Backend"
        )
    return found


def load_backend(
    locator: str, settings: Settings = (), announce: Callable[[str], None] = lambda _: None
) -> tuple[type[Backend], Options]:
    """The class of a backend and its options, with everything imported that it needs.

    `announce` is told what it is about to do where that takes seconds.

    Raises:
        InputError: the module holds no such backend, or it does not take these
            options.
        Unavailable: it cannot be used here.
    """
    backend = load_class(locator)
    options = parse_options(backend.options_type, settings, locator)
    asked = " ".join(backend.distributions)
    install = f"pip install {asked}" if asked else ""
    again = f"pip install --upgrade --force-reinstall {asked}" if asked else ""
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
        raise Unavailable(_broken(backend, error), again) from error
    return backend, options


def describe(backend: type[Backend]) -> Description:
    """What this class says of itself."""
    return Description(
        name=backend.name,
        paradigm=backend.paradigm,
        distributions={name: version_of(name) for name in backend.distributions},
        capabilities=(
            *(["solve"] if backend.solves else []),
            "count",
            *(["native count"] if backend.counts_natively else []),
            *([] if backend.heeds_limit else ["counts to the end"]),
            *(["native batch"] if backend.batches_natively else []),
            *([] if backend.complete else ["may give up"]),
        ),
        options=tuple(describe_options(backend.options_type)),
    )


def _broken(backend: type[Backend], error: Exception) -> str:
    """Why a library that is installed cannot be used, with its version: it may be the wrong one."""
    versions = [f"{name} {version_of(name)}" for name in backend.distributions]
    with_what = f" (with {', '.join(versions)})" if versions else ""
    return f"{type(error).__name__}: {error}{with_what}"


def version_of(distribution: str) -> str | None:
    """The installed version of a distribution, None where it is missing."""
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
        raise InputError(
            f"no class {class_name!r}",
            where=place,
            expected=one_of([n for n in classes if n != "Backend"]),
        )
    return getattr(module, class_name)


def _module_of_file(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
