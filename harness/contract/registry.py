"""The registry: finds backends by entry point, file, module or command file, and imports them.

The built-in backends are found in the folder ``backends`` beside this package, never by
searching for a package of that name: the user's project may have such a package, too.

Reading the entry points of all packages takes about 30 ms, so the harness reads them and passes
them to the processes that import backends.

The built-in backends are registered in the entry-point group ``harness.backends``,
like any other package's. Only `load_class` and `load_backend` import a backend. They
run in the process that will use it, so that two solver libraries never share a process
and a library that kills its process on import does not kill the harness.
"""

import ast
import hashlib
import importlib
import importlib.util
import inspect
import re
import sys
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import reduce
from importlib.machinery import PathFinder, SourceFileLoader
from pathlib import Path
from types import ModuleType
from typing import Any, Final

from harness.base.errors import InputError, UnknownBackendError, not_among, one_of, with_home
from harness.base.files import similar_file
from harness.base.plugins import DISTRIBUTION, entry_points, module_and_object, version_of
from harness.base.text import described, existing_path, short_repr, text_of
from harness.contract.backend import (
    Backend,
    Capability,
    Restriction,
    Unavailable,
    capabilities_of,
)
from harness.contract.options import (
    BackendSpec,
    OptionInfo,
    Options,
    describe_options,
    parse_options,
)

# Imports the modules of backends, in the process that uses them.


_BUILT_IN: Final = Path(__file__).resolve().parents[2] / "backends" / "__init__.py"
_PINNED: Final = "harness.backends"
"""The package of built-in backends where another package is called ``backends``."""


def module_of_file(path: Path) -> ModuleType:
    """Import the file at `path` under a name that no library has.

    Modules next to the file can be imported. Their folder is searched last, so that a file
    with the name of a library does not hide the library.
    """
    if str(path.parent) not in sys.path:
        sys.path.append(str(path.parent))
    digest = hashlib.sha256(str(path).encode("utf-8", "surrogateescape")).hexdigest()[:8]
    name = f"_{digest}_{path.stem}".replace(".", "_")  # a dot would make it part of a package
    loader = _SourceLoader(name, str(path))
    spec = importlib.util.spec_from_file_location(name, path, loader=loader)
    assert spec is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # dataclasses and type hints look their module up by name
    try:
        loader.exec_module(module)
    except BaseException:
        del sys.modules[name]
        raise
    return module


class _SourceLoader(SourceFileLoader):
    """Compiles the source whenever it is imported.

    Stored bytecode counts as current if the source has the same size and was changed in the
    same second, so a backend that is edited between two runs could run unchanged.
    """

    def path_stats(self, path: str) -> Mapping[str, Any]:
        """Without a time of the last change, Python neither reads nor stores bytecode."""
        raise OSError(path)


def digest_of(path: Path, part: str = "code") -> dict[str, str]:
    """A digest of a file's content, under the key `part`; empty if the file cannot be read."""
    try:
        return {part: f"sha256:{hashlib.sha256(path.read_bytes()).hexdigest()[:16]}"}
    except OSError:
        return {}


def file_digest(locator: str) -> str:
    """The digest of a backend's file; empty if the locator names none."""
    file = locator if locator.endswith((".py", ".toml")) else locator.rpartition(":")[0]
    return digest_of(Path(file)).get("code", "") if file else ""


def _built_in_package() -> str:
    """The name under which the folder of the built-in backends can be imported."""
    for name in ("backends", _PINNED):
        if _file_of(name) == _BUILT_IN:
            return name
    spec = importlib.util.spec_from_file_location(
        _PINNED, _BUILT_IN, submodule_search_locations=[str(_BUILT_IN.parent)]
    )
    assert spec is not None
    assert spec.loader is not None
    package = importlib.util.module_from_spec(spec)
    sys.modules[_PINNED] = package
    spec.loader.exec_module(package)
    return _PINNED


def _file_of(package: str) -> Path | None:
    """The file that an import of `package` would execute; None if it would find none."""
    try:
        spec = importlib.util.find_spec(package)
    except (ImportError, ValueError):
        return None
    return Path(spec.origin).resolve() if spec and spec.origin else None


# The backends of installed packages, which their entry points declare.


GROUP: Final = "harness.backends"
"""The group of the entry points."""


@dataclass(frozen=True, slots=True)
class InstalledBackend:
    """An entry point of a backend."""

    name: str
    """The name in specs."""
    module: str
    """The module that declares the class."""
    attribute: str
    """The name of the class in its module."""
    distribution: str
    """The package that declares it; empty if unknown."""
    version: str
    """The version of that package."""

    @property
    def is_built_in(self) -> bool:
        """Whether this distribution declares it."""
        return self.distribution == DISTRIBUTION

    def load(self) -> Any:
        """Import its module; return the object that the entry point names."""
        if self.is_built_in and self.module.startswith("backends."):
            name = self.module.removeprefix("backends.")
            module = importlib.import_module(f"{_built_in_package()}.{name}")
        else:
            module = importlib.import_module(self.module)
        return reduce(getattr, filter(None, self.attribute.split(".")), module)


_backends: tuple[InstalledBackend, ...] | None = None


def installed_backends() -> tuple[InstalledBackend, ...]:
    """The backends of all installed packages, sorted by name, built-in ones first; read once."""
    if _backends is None:
        take_over(_read())
    assert _backends is not None
    return _backends


def take_over(backends: tuple[InstalledBackend, ...]) -> None:
    """Let `installed_backends` return these backends, which another process may have read."""
    global _backends
    _backends = backends


def _read() -> tuple[InstalledBackend, ...]:
    packages: dict[int, tuple[str, str]] = {}  # each access to a name reads a file
    backends = set()
    for point in entry_points(GROUP):
        key = id(point.dist)
        if key not in packages:
            packages[key] = (point.dist.name, point.dist.version) if point.dist else ("", "")
        backends.add(InstalledBackend(point.name, *module_and_object(point.value), *packages[key]))
    return tuple(sorted(backends, key=lambda b: (b.name, not b.is_built_in, b.distribution)))


class _Lender:
    """Finds one package or module in a folder, and nothing else there."""

    def __init__(self, name: str, folder: str) -> None:
        self._name, self._folder = name, folder

    def find_spec(self, name: str, *_: object) -> Any:
        """The spec of that package or module; None for any other name."""
        return PathFinder.find_spec(name, [self._folder]) if name == self._name else None


def home_of(locator: str) -> tuple[str, str]:
    """The package of a backend and the folder that holds it; both empty if built in or a file.

    A process in another environment does not find the package on its own; see `borrow`.
    """
    backend = _installed_backend(locator)
    if backend.is_built_in if backend else locator.endswith((".py", COMMAND_SUFFIX)):
        return "", ""
    module = backend.module if backend else locator.rpartition(":")[0]
    package = "" if module.endswith(".py") else module.partition(".")[0]
    with suppress(ImportError, ValueError):
        spec = importlib.util.find_spec(package)
        for place in [*(spec.submodule_search_locations or []), spec.origin] if spec else []:
            return package, str(Path(place or "").resolve().parent)
    return "", ""


def borrow(package: str, folder: str) -> None:
    """Let this process import a package from a folder, and nothing else from there."""
    if package:
        sys.meta_path.append(_Lender(package, folder))


# The registry: finds backends by entry point, file, module or command file.


COMMAND_SUFFIX: Final = ".toml"
"""The suffix of a command file."""
NAME: Final = re.compile(r"[^\W_][\w.+-]{0,79}")
"""The names that a backend may declare."""
ONE_LINE: Final = re.compile(r"[^\x00-\x1f\x7f]{1,200}")
"""The paradigms that a backend may declare."""

_A_BACKEND: Final = "a subclass of harness.contract.Backend"

Settings = Iterable[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class Description:
    """The declarations of a backend's class."""

    name: str
    """The declared name. If an installed backend has it, the name of the file follows:
    ``native (mine.py)``. Empty if the declared name is not valid."""
    paradigm: str
    """How the backend solves."""
    distributions: dict[str, str | None]
    """The installed version of each required package, None if it is missing."""
    capabilities: Capability
    """What the backend does."""
    takes: frozenset[Restriction]
    """What puzzles may have besides givens and houses."""
    options: tuple[OptionInfo, ...]
    """The options for its spec, in their order."""
    code: dict[str, str] = field(default_factory=dict)
    """What identifies the code of a backend that is not built in: the version of its package,
    and a digest of its file."""


def names() -> list[str]:
    """The names of all registered backends, available or not."""
    return sorted({backend.name for backend in installed_backends()})


def resolve(locator: str, base: Path | None = None) -> str:
    """`locator` with its path made absolute, valid in any working directory.

    Args:
        locator: a name in the registry, ``path/to/file.py``, ``path/to/file.py:Class``,
            ``module:Class`` or the path of a command file.
        base: the folder that relative paths start from; the working directory if None.

    Raises:
        UnknownBackendError: no backend has this name, or the file does not exist.
    """
    if locator in names():
        return locator
    if locator.endswith((COMMAND_SUFFIX, ".py")):
        return str(_existing(locator, base))
    place, colon, class_name = locator.rpartition(":")
    if not colon:
        if {".", "/"} & set(locator):
            raise UnknownBackendError(
                f"unknown backend {locator!r}",
                expected=f"a backend file, which ends in .py or {COMMAND_SUFFIX}",
            )
        expected = f"{one_of(names())}, path/to/file.py or path/to/command.toml"
        fault = f"unknown backend {locator!r}"
        raise not_among(UnknownBackendError, fault, locator, names(), expected=expected)
    if not class_name.isidentifier():
        raise UnknownBackendError(
            f"{class_name!r} is not a class name", where=place, expected="file.py:Class"
        )
    if not place.endswith(".py"):
        return locator
    return f"{_existing(place, base)}:{class_name}"


def _existing(file: str, base: Path | None) -> Path:
    try:
        path = existing_path((base or Path.cwd()) / with_home(file, kind=UnknownBackendError))
        if path.is_file():
            return path.resolve()
    except OSError as error:
        raise UnknownBackendError(f"cannot be read: {error.strerror}", where=file) from None
    raise UnknownBackendError(f"no such file{similar_file(str(path))}", where=file)


def load_class(locator: str) -> type[Backend[Any]]:
    """The class of a backend; imports its module.

    Raises:
        UnknownBackendError: the module has no such backend, or has several and the locator
            names none.
        InputError: the command file is malformed.
        Unavailable: the module cannot be imported.
    """
    try:
        backend = _find(locator)
    except (InputError, Unavailable):
        raise
    except Exception as error:
        lacks = isinstance(error, ModuleNotFoundError) and declared_distributions(locator)
        remedy = BackendSpec(locator).install_command if lacks else ""
        raise Unavailable(described(error), remedy) from error
    if not (isinstance(backend, type) and issubclass(backend, Backend)):
        raise UnknownBackendError(f"{locator} is not a backend", expected=_A_BACKEND)
    return backend


def load_backend(
    locator: str,
    settings: Settings = (),
    announce: Callable[[str], None] = lambda _: None,
    *,
    prepares: bool = True,
) -> tuple[type[Backend[Any]], Options]:
    """The class of a backend and its options, after importing its solver.

    Args:
        locator: see `resolve`.
        settings: names and values of options, as text.
        announce: called with one line before work that takes seconds.
        prepares: whether to do such work; if not, the solver of a backend that needs it is not
            imported.

    Raises:
        UnknownBackendError: the module has no such backend.
        OptionError: the backend does not take these options.
        Unavailable: the backend cannot run on this machine.
    """
    backend = load_class(locator)
    for attribute in ("name", "paradigm"):
        _require_text(backend, attribute)
    if locator not in names() and not NAME.fullmatch(backend.name):
        word = "a word of letters, digits, '.', '_', '+' and '-'"
        raise Unavailable(f"its name is {backend.name!r:.80}, not {word}")
    options = parse_options(backend.options_type, settings, locator)
    distributions: Any = backend.distributions
    if not isinstance(distributions, tuple) or not all(
        isinstance(name, str) for name in distributions
    ):
        raise Unavailable(
            f"its distributions are {short_repr(distributions)}, not a tuple of names"
        )
    packages = " ".join(backend.distributions)
    reinstall = f"pip install --upgrade --force-reinstall {packages}" if packages else ""
    missing = [name for name in backend.distributions if version_of(name) is None]
    if missing:
        verb = "is" if len(missing) == 1 else "are"
        install = BackendSpec(locator).install_command
        raise Unavailable(f"{' and '.join(missing)} {verb} not installed", install)
    try:
        if preparation := backend.preparation(options):
            announce(preparation)
        if prepares or not preparation:
            backend.load(options)
    except Unavailable:
        raise
    except Exception as error:
        versions = ", ".join(f"{name} {version_of(name)}" for name in backend.distributions)
        suffix = f" (with {versions})" if versions else ""
        raise Unavailable(f"{described(error)}{suffix}", reinstall) from error
    return backend, options


def declared_distributions(locator: str) -> dict[str, str | None]:
    """The distributions that a backend's source declares, with their installed versions.

    The source is parsed, not executed: without the distributions it may fail to import. The
    version of a missing distribution is None.
    """
    file = locator if locator.endswith(".py") else locator.rpartition(":")[0]
    with suppress(OSError, SyntaxError, ValueError, TypeError):
        for node in ast.walk(ast.parse(Path(file).read_bytes())):
            match node:
                case ast.Assign(targets=[ast.Name("distributions")], value=value):
                    return {str(name): version_of(str(name)) for name in ast.literal_eval(value)}
    return {}


def describe(backend: type[Backend[Any]], locator: str = "") -> Description:
    """The declarations of this class, found at `locator`."""
    return Description(
        name=_shown_name(backend, locator),
        paradigm=text_of(getattr(backend, "paradigm", "")),
        distributions={text_of(name): version_of(name) for name in backend.distributions},
        capabilities=capabilities_of(backend),
        takes=backend.takes,
        options=tuple(describe_options(backend.options_type)),
        code=_code_of(backend, locator),
    )


def _require_text(backend: type[Backend[Any]], attribute: str) -> None:
    """Require that a backend declares this attribute as a line of text.

    Raises:
        Unavailable: the attribute is missing or is something else.
    """
    value: object = getattr(backend, attribute, None)
    if not hasattr(backend, attribute):
        raise Unavailable(f"its class has no {attribute}", f'declare {attribute} = "..."')
    if not isinstance(value, str) or not value.strip() or not ONE_LINE.fullmatch(value):
        reason = f"its {attribute} is {short_repr(value)}, not a line of text"
        raise Unavailable(reason, f'declare {attribute} = "..."')


def _shown_name(backend: type[Backend[Any]], locator: str) -> str:
    name: object = getattr(backend, "name", None)
    if not isinstance(name, str) or not NAME.fullmatch(name):
        return ""
    installed_names = names()
    if not locator or locator in installed_names or name not in installed_names:
        return name
    return f"{name} ({Path(locator.rpartition(':')[0] or locator).name})"


def _code_of(backend: type[Backend[Any]], locator: str) -> dict[str, str]:
    if locator.endswith(COMMAND_SUFFIX):
        library: Path | None = getattr(backend, "path", None)
        parts = [("library", library)] if library else []
        parts += [("program", file) for file in getattr(backend, "parts", list)()]
        digests = digest_of(Path(locator))
        for part, file in parts:
            digests |= digest_of(file, part if part not in digests else f"{part} {file.name}")
        return digests
    installed_backend = _installed_backend(locator)
    if installed_backend is None:
        return _digest_of_class(backend)
    if installed_backend.is_built_in or not installed_backend.distribution:
        return {}
    return {installed_backend.distribution: installed_backend.version} | _digest_of_class(backend)


def _digest_of_class(kind: type) -> dict[str, str]:
    file = getattr(sys.modules.get(str(kind.__module__)), "__file__", None)
    return digest_of(Path(file)) if isinstance(file, str) else {}


def _installed_backend(name: str) -> InstalledBackend | None:
    """The installed backend called `name`, a built-in one first; None if there is none."""
    return next((backend for backend in installed_backends() if backend.name == name), None)


def _find(locator: str) -> Any:
    if backend := _installed_backend(locator):
        return backend.load()
    if locator.endswith(COMMAND_SUFFIX):
        from harness.contract.library import class_of_file  # servers of others start without it

        return class_of_file(Path(locator))
    if locator.endswith(".py"):
        return _only_backend_of(module_of_file(Path(locator)), locator)
    place, _, class_name = locator.rpartition(":")
    is_file = place.endswith(".py")
    module = module_of_file(Path(place)) if is_file else importlib.import_module(place)
    if not hasattr(module, class_name):
        own = [kind.__name__ for kind in _backends_of(module)]
        fault, expected = f"no class {class_name!r}", one_of(own) or _A_BACKEND
        raise not_among(UnknownBackendError, fault, class_name, own, where=place, expected=expected)
    return getattr(module, class_name)


def _only_backend_of(module: ModuleType, file: str) -> type[Backend[Any]]:
    """The backend that a file holds.

    Raises:
        UnknownBackendError: it holds none, or several; the error lists them.
    """
    kinds = _backends_of(module)
    if len(kinds) == 1:
        return kinds[0]
    if not kinds:
        raise UnknownBackendError("no backend in this file", where=file, expected=_A_BACKEND)
    specs = one_of([f"{file}:{kind.__name__}" for kind in kinds])
    raise UnknownBackendError(f"{len(kinds)} backends in this file", where=file, expected=specs)


def _backends_of(module: ModuleType) -> list[type[Backend[Any]]]:
    """The backends of a module: its own classes or, if it has none, those that it imports.

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
