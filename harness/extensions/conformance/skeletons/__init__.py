"""Templates of new backends."""

import importlib.util
import keyword
import re
from enum import StrEnum
from importlib.resources import files
from pathlib import Path
from string import Template
from typing import Final

from harness.base.errors import InputError, unwritable
from harness.contract import registry


class SkeletonKind(StrEnum):
    """The kinds of new backends; each has a template ``KIND.*.txt``."""

    SEARCH = "search"
    """A search algorithm."""
    MODEL = "model"
    """A model for a solver library."""
    COMMAND = "command"
    """A program in any language, with a command file."""
    LIBRARY = "library"
    """A function in a shared library, with a library file."""


_TOML: Final = (SkeletonKind.COMMAND, SkeletonKind.LIBRARY)
"""The kinds that are written as a file without code."""


def write_file(name: str, folder: Path, kind: SkeletonKind) -> Path:
    """Write a backend to a new file in `folder`, and return its path.

    Raises:
        InputError: the name is invalid or taken, or the file exists.
    """
    names = _names(name)
    file = f"{name}.toml" if kind in _TOML else f"{names['module']}.py"
    suffix = Path(file).suffix
    _write({folder / file: _fill(f"{kind}{suffix}.txt", names | {"file": file})})
    return folder / file


def write_package(name: str, folder: Path, kind: SkeletonKind) -> Path:
    """Write a package with a backend to a new folder in `folder`, and return its path.

    Raises:
        InputError: the name is invalid or taken, the folder exists, or `kind` is COMMAND
            or LIBRARY.
    """
    if kind in _TOML:
        raise InputError(f"--kind {kind} writes a file, not a package", expected="no --package")
    names = _names(name)
    root = folder / names["distribution"]
    if root.exists():
        raise InputError("already exists", where=str(root), expected="a new folder")
    module = f"src/{names['package']}"
    templates = {
        "pyproject.toml": "package/pyproject.toml.txt",
        "README.md": "package/README.md.txt",
        "entry.toml": "package/entry.toml.txt",
        ".github/workflows/entry.yml": "package/entry.yml.txt",
        f"{module}/__init__.py": "package/init.py.txt",
        f"{module}/backend.py": f"{kind}.py.txt",
        "tests/test_conformance.py": "package/test_conformance.py.txt",
    }
    names["file"] = name
    texts = {root / place: _fill(file, names) for place, file in templates.items()}
    _write({root / module / "py.typed": "", **texts})
    return root


def _names(name: str) -> dict[str, str]:
    """The names in the templates.

    Raises:
        InputError: `name` is invalid, or taken by a backend or a module.
    """
    module = name.replace("-", "_")
    is_word = re.fullmatch(r"[a-z][a-z0-9]*([_-][a-z0-9]+)*", name)
    if not is_word or keyword.iskeyword(module):
        raise InputError(
            f"{name!r} is not a valid backend name",
            expected="lower-case words and digits, separated by - or _, and not a Python keyword: "
            "my-solver",
        )
    if name in registry.names():
        raise InputError(f"backend {name!r} already exists", expected="another name")
    if importlib.util.find_spec(module) is not None:
        raise InputError(f"the file would hide the module {module!r}", expected="another name")
    return {
        "name": name,
        "module": module,
        "class_name": "".join(word.capitalize() for word in re.split("[_-]", name)),
        "distribution": f"sudoku-{name.replace('_', '-')}",
        "package": f"sudoku_{module}",
    }


def _fill(template: str, names: dict[str, str]) -> str:
    text = (files(__name__) / template).read_text(encoding="utf-8")
    return Template(text).substitute(names)


def _write(texts: dict[Path, str]) -> None:
    """Write new files.

    Raises:
        InputError: a file exists or cannot be written.
    """
    for path, text in texts.items():
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            with path.open("x", encoding="utf-8") as file:
                file.write(text)
        except FileExistsError:
            raise InputError("already exists", where=str(path), expected="a new file") from None
        except OSError as error:
            raise unwritable(path, error) from error
