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
from types import ModuleType, SimpleNamespace
from typing import Any, Final

from harness.base.errors import InputError, UnknownBackendError, not_among, one_of, with_home
from harness.base.files import sha256_of, similar_file
from harness.base.plugins import Plugin, plugins, version_of
from harness.base.text import described, existing_path, short_repr, text_of
from harness.contract.backend import Backend, Capability, Restriction, Unavailable, capabilities_of
from harness.contract.options import (
    COMMAND_LINE,
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
    return _import_file(name, path, loader=_SourceLoader(name, str(path)))


def _import_file(name: str, path: Path, **details: Any) -> ModuleType:
    """Import the file at `path` under this name, with details of its `ModuleSpec`."""
    spec = importlib.util.spec_from_file_location(name, path, **details)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # dataclasses and type hints look their module up by name
    try:
        spec.loader.exec_module(module)
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


def digest_of(path: Path) -> dict[str, str]:
    """A digest of a file's content, under the key `code`; empty if the file cannot be read."""
    try:
        return {"code": f"sha256:{sha256_of(path)[:16]}"}
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
    _import_file(_PINNED, _BUILT_IN, submodule_search_locations=[str(_BUILT_IN.parent)])
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


_backends: tuple[Plugin, ...] | None = None


def installed_backends() -> tuple[Plugin, ...]:
    """The backends of all installed packages, sorted by name; a built-in one keeps its name."""
    return plugins(GROUP) if _backends is None else _backends


def take_over(backends: tuple[Plugin, ...]) -> None:
    """Let `installed_backends` return these backends, which another process has read."""
    global _backends
    _backends = backends


def object_of(backend: Plugin) -> Any:
    """The object that the entry point of a backend names; imports its module."""
    module = backend.module
    if backend.is_built_in and module.startswith("backends."):
        module = f"{_built_in_package()}.{module.removeprefix('backends.')}"
    path = filter(None, backend.attribute.split("."))
    return reduce(getattr, path, importlib.import_module(module))


def home_of(locator: str) -> tuple[str, str]:
    """The package of a backend and the folder that holds it; both empty if built in or a file.

    A process in another environment does not find the package on its own; see `borrow`.
    """
    backend = _installed_backend(locator)
    is_alone = locator.endswith((".py", COMMAND_SUFFIX)) or COMMAND_LINE.fullmatch(locator)
    if backend.is_built_in if backend else is_alone:
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

    def find_spec(name: str, *_: object) -> Any:
        return PathFinder.find_spec(name, [folder]) if name == package else None

    if package:
        finder: Any = SimpleNamespace(find_spec=find_spec)
        sys.meta_path.append(finder)


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
    return [backend.name for backend in installed_backends()]


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
    if COMMAND_LINE.fullmatch(locator):
        from harness.contract.command import located_line  # servers of others start without it

        return located_line(locator, base or Path.cwd())
    if locator.endswith((COMMAND_SUFFIX, ".py")):
        return str(_existing(locator, base))
    place, colon, class_name = locator.rpartition(":")
    if not colon:
        if {".", "/"} & set(locator):
            raise UnknownBackendError(
                f"unknown backend {locator!r}",
                expected=f"a backend file, which ends in .py or {COMMAND_SUFFIX}",
            )
        if " " in locator:
            expected = "a command line with one, such as minisat {cnf} {out}"
            raise UnknownBackendError(f"no placeholder in {locator!r}", expected=expected)
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
    _check_declarations(backend, locator)
    options = parse_options(backend.options_type, settings, locator)
    versions = {name: version_of(name) for name in backend.distributions}
    if missing := [name for name, version in versions.items() if version is None]:
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
        if not versions:
            raise Unavailable(described(error)) from error
        suffix = ", ".join(f"{name} {version}" for name, version in versions.items())
        reinstall = f"pip install --upgrade --force-reinstall {' '.join(versions)}"
        raise Unavailable(f"{described(error)} (with {suffix})", reinstall) from error
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


def _check_declarations(backend: type[Backend[Any]], locator: str) -> None:
    """Check the types of a backend's name, paradigm and distributions.

    Raises:
        Unavailable: one is missing or is something else.
    """
    for attribute in ("name", "paradigm"):
        value: object = getattr(backend, attribute, None)
        if not hasattr(backend, attribute):
            raise Unavailable(f"its class has no {attribute}", f'declare {attribute} = "..."')
        if not isinstance(value, str) or not value.strip() or not ONE_LINE.fullmatch(value):
            reason = f"its {attribute} is {short_repr(value)}, not a line of text"
            raise Unavailable(reason, f'declare {attribute} = "..."')
    if locator not in names() and not NAME.fullmatch(backend.name):
        word = "a word of letters, digits, '.', '_', '+' and '-'"
        raise Unavailable(f"its name is {backend.name!r:.80}, not {word}")
    packages: object = backend.distributions
    if not isinstance(packages, tuple) or not all(isinstance(name, str) for name in packages):
        raise Unavailable(f"its distributions are {short_repr(packages)}, not a tuple of names")


def _shown_name(backend: type[Backend[Any]], locator: str) -> str:
    name: object = getattr(backend, "name", None)
    if not isinstance(name, str) or not NAME.fullmatch(name):
        return ""
    installed_names = names()
    if not locator or locator in installed_names or name not in installed_names:
        return name
    if COMMAND_LINE.fullmatch(locator):
        return f"{name} (command)"
    return f"{name} ({Path(locator.rpartition(':')[0] or locator).name})"


def _code_of(backend: type[Backend[Any]], locator: str) -> dict[str, str]:
    is_line = COMMAND_LINE.fullmatch(locator)
    if is_line or locator.endswith(COMMAND_SUFFIX):
        digests = {} if is_line else digest_of(Path(locator))
        return digests | getattr(backend, "receipts", dict)()
    installed_backend = _installed_backend(locator)
    if installed_backend is None:
        return _digest_of_class(backend)
    if installed_backend.is_built_in or not installed_backend.version:
        return {}
    return {installed_backend.package: installed_backend.version} | _digest_of_class(backend)


def _digest_of_class(kind: type) -> dict[str, str]:
    file = getattr(sys.modules.get(str(kind.__module__)), "__file__", None)
    return digest_of(Path(file)) if isinstance(file, str) else {}


def _installed_backend(name: str) -> Plugin | None:
    """The installed backend called `name`; None if there is none."""
    return next((backend for backend in installed_backends() if backend.name == name), None)


def _find(locator: str) -> Any:
    if backend := _installed_backend(locator):
        return object_of(backend)
    if COMMAND_LINE.fullmatch(locator):
        from harness.contract.command import class_of_line  # servers of others start without it

        return class_of_line(locator)
    if locator.endswith(COMMAND_SUFFIX):
        from harness.contract.library import class_of_file  # servers of others start without it

        return class_of_file(Path(locator))
    place, class_name = locator, ""
    if not locator.endswith(".py"):
        place, _, class_name = locator.rpartition(":")
    is_file = place.endswith(".py")
    module = module_of_file(Path(place)) if is_file else importlib.import_module(place)
    if class_name and hasattr(module, class_name):
        return getattr(module, class_name)
    kinds = _backends_of(module)
    own = [kind.__name__ for kind in kinds]
    if class_name:
        fault, expected = f"no class {class_name!r}", one_of(own) or _A_BACKEND
        raise not_among(UnknownBackendError, fault, class_name, own, where=place, expected=expected)
    if len(own) != 1:
        fault = f"{len(own) or 'no'} backend{'s' if own else ''} in this file"
        expected = one_of([f"{place}:{name}" for name in own]) or _A_BACKEND
        raise UnknownBackendError(fault, where=place, expected=expected)
    return kinds[0]


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
