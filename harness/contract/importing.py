"""Imports the modules of backends, in the process that uses them.

The built-in backends are found in the folder ``backends`` beside this package, never by
searching for a package of that name: a project of the user may have one too.
"""

import hashlib
import importlib
import importlib.util
import sys
from collections.abc import Mapping
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import ModuleType
from typing import Any, Final

_BUILT_IN: Final = Path(__file__).resolve().parents[2] / "backends" / "__init__.py"
_PINNED: Final = "harness.backends"
"""The package of built-in backends where another package is called ``backends``."""


def built_in_module(name: str) -> ModuleType:
    """The module `name` of the built-in backends, for instance ``native``.

    Its package is ``backends``, or ``harness.backends`` if an import of ``backends`` finds
    another package in the present process.
    """
    return importlib.import_module(f"{_built_in_package()}.{name}")


def module_of_file(path: Path) -> ModuleType:
    """Import the file at `path` under a name that no library has.

    Modules next to the file can be imported. They come after all others in the search, so
    that a file called like a library does not hide the library.
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

    Bytecode that is stored counts as current if the source has the same size and was changed
    in the same second. A backend that is edited between two runs would run as it was before.
    """

    def path_stats(self, path: str) -> Mapping[str, Any]:
        """Without a time of the last change, Python neither reads nor stores bytecode."""
        raise OSError(path)


def digest_of(path: Path) -> dict[str, str]:
    """A digest of the content of a file, whatever its name; empty if it cannot be read."""
    try:
        return {"code": f"sha256:{hashlib.sha256(path.read_bytes()).hexdigest()[:16]}"}
    except OSError:
        return {}


def file_digest(locator: str) -> str:
    """The digest of the file of a backend; empty for one that no file declares."""
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
    """The file that an import of `package` would execute; None if there is none."""
    try:
        spec = importlib.util.find_spec(package)
    except (ImportError, ValueError):
        return None
    return Path(spec.origin).resolve() if spec and spec.origin else None
