"""Environments: each is a Python with the packages of one backend in one version.

    environments/cpsat-9.14.6206/               a backend and the exact version of its solver
    environments/cpsat-9.14.6206-python3.13/    with another Python
        backend.json                            what the environment is for
        bin/python  lib/python3.13/site-packages/

They are in ``sudoku-harness`` in the user's data folder, or in the folder that
``HARNESS_ENVIRONMENTS`` names. `harness.extensions.versions.installation` makes and removes them.
They hold no code of the harness: its processes run there as `harness.base.child` describes.
"""

import json
import os
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from shutil import which
from typing import Any, Final

from harness.base.child import Interpreter
from harness.base.errors import InputError
from harness.base.files import parse_json, read_file_text, user_folder
from harness.base.plugins import version_of, versions_in
from harness.contract.backend import Unavailable
from harness.contract.options import BackendSpec

FOLDER_VARIABLE: Final = "HARNESS_ENVIRONMENTS"
OWN: Final = "own"
"""In place of a version: the packages of the harness, even if the backend has environments."""
RECORD: Final = "backend.json"
"""The file that records what an environment is for."""


@dataclass(frozen=True)
class Environment:
    """An environment that is installed."""

    folder: Path
    """Where it is installed."""
    backend: str
    """The locator of the backend: its name, or the path of its file."""
    package: str
    """The distribution whose version counts: the first that the backend requires."""
    version: str
    """The exact version of the package."""
    python: str
    """The exact version of Python."""
    chosen_python: str = ""
    """The version of Python in specs: ``3.13``; empty for that of the harness."""

    @staticmethod
    def read(folder: Path) -> "Environment | None":
        """The environment in `folder`; None if it has no valid record."""
        with suppress(OSError, InputError, TypeError, AttributeError):
            if (folder / RECORD).is_file():  # reading a FIFO would not end
                record = parse_json(read_file_text(folder / RECORD), RECORD)
                return Environment(folder, **{str(k): str(v) for k, v in record.items()})
        return None

    @property
    def record(self) -> bytes:
        """The content of its record."""
        values: Mapping[str, Any] = asdict(self)
        return json.dumps({k: v for k, v in values.items() if k != "folder"}, indent=2).encode()

    @property
    def spec(self) -> BackendSpec:
        """The spec that names exactly this version."""
        return BackendSpec(self.backend, version=self.version, python=self.chosen_python)

    @property
    def in_words(self) -> str:
        """The environment in a line: ``cpsat@9.14.6206 (ortools, Python 3.11.7, 251 MB)``."""
        size = f"{disk_bytes([self.folder]) / 1e6:,.0f} MB"
        return f"{self.spec} ({self.package}, Python {self.python}, {size})"

    @property
    def interpreter(self) -> Interpreter:
        """Its Python and its packages."""
        minor = ".".join(self.python.split(".")[:2])
        packages = self.folder / "lib" / f"python{minor}" / "site-packages"
        return Interpreter(self.folder / "bin" / "python", packages)

    @property
    def is_usable(self) -> bool:
        """Whether its packages are readable and its Python, a link to another, still exists."""
        program, packages = self.interpreter
        return which(program) is not None and os.access(packages, os.R_OK)

    @property
    def packages(self) -> dict[str, str]:
        """The version of each of its packages."""
        return versions_in([str(self.interpreter.packages)])

    @cached_property
    def rank(self) -> tuple[object, ...]:
        """The sort key of environments: backend, version and Python."""
        return (self.backend, version_key(self.version), self.chosen_python)

    @property
    def used_at(self) -> float:
        """When it was last used, as the time of its record."""
        return (self.folder / RECORD).stat().st_mtime

    def note_use(self) -> None:
        """Record that it is used now."""
        with suppress(OSError):  # it belongs to another user, or is gone
            os.utime(self.folder / RECORD)


def folder() -> Path:
    """The folder of all environments, which need not exist."""
    return user_folder("environments", FOLDER_VARIABLE)


def installed_environments() -> list[Environment]:
    """All environments, sorted by backend, version and Python."""
    try:
        folders = [path for path in folder().iterdir() if not path.name.startswith(".")]
    except OSError:
        return []
    return sorted(filter(None, map(Environment.read, folders)), key=lambda e: e.rank)


def disk_bytes(folders: Sequence[Path]) -> int:
    """The bytes of all files on the disk; a file that several folders link to counts once."""
    sizes = {}
    for folder in folders:
        for place, _, names in os.walk(folder):
            for name in names:
                with suppress(OSError):
                    status = os.lstat(Path(place) / name)
                    sizes[status.st_dev, status.st_ino] = status.st_blocks * 512
    return sum(sizes.values())


def find(spec: BackendSpec) -> Environment | None:
    """The environment in which a backend runs; None for the packages of the harness.

    A spec without version means the packages of the harness or, only if they lack the solver,
    the newest usable environment of the backend.

    Raises:
        Unavailable: the version is not installed, or its Python is missing.
    """
    if spec.version == OWN:
        return None
    own = [env for env in installed_environments() if env.backend == spec.locator]
    matching = [
        env
        for env in own
        if env.chosen_python == spec.python and is_version(env.version, spec.version)
    ]
    if not spec.version:
        return next((e for e in matching[::-1] if not version_of(e.package) and e.is_usable), None)
    if not matching:
        python = f" with Python {spec.python}" if spec.python else ""
        others = ", ".join(env.spec.spec_text("").removeprefix("@") for env in own)
        hint = f" (installed: {others})" if others else ""
        reason = f"version {spec.version}{python} is not installed{hint}"
        raise Unavailable(reason, spec.install_command)
    if not matching[-1].is_usable:
        where = matching[-1].interpreter.program
        reason = f"the Python of its environment is missing or not readable: {where}"
        raise Unavailable(reason, spec.install_command)
    return matching[-1]


def remedy_of(spec: BackendSpec, remedy: str = "") -> str:
    """How to make an unavailable backend available; pip cannot repair an environment."""
    in_own = not spec.version and find(spec) is None
    if in_own or (remedy and not remedy.startswith(("pip ", "harness "))):
        return remedy
    return spec.install_command


# The order of versions.


_RELEASE: Final = re.compile(r"[0-9]+(?:\.[0-9]+)*")
_BEFORE: Final = ("dev", "a", "b", "rc", "", "post")
"""The kinds of suffixes after the numbers of a version, in their order."""


def is_version(version: str, pattern: str) -> bool:
    """Whether `version` equals `pattern` or begins with its numbers; true if that is empty."""
    if version == pattern or not pattern:
        return True
    if not _RELEASE.fullmatch(pattern):
        return False
    numbers, prefix = _numbers(version), _numbers(pattern)
    return (numbers + (0,) * len(prefix))[: len(prefix)] == prefix


def version_key(version: str) -> tuple[object, ...]:
    """The sort key of a version; it orders 1.8.dev13, 1.8, 1.10."""
    release = _RELEASE.match(version)
    rest = version[release.end() :] if release else version
    kinds = re.findall(r"(dev|a|b|rc|post)([0-9]*)", rest) or [("", "0")]
    ranks = tuple((_BEFORE.index(kind), int(number or 0)) for kind, number in kinds)
    return (_numbers(version), ranks, version)


def _numbers(version: str) -> tuple[int, ...]:
    release = _RELEASE.match(version)
    return tuple(map(int, release[0].split("."))) if release else ()
