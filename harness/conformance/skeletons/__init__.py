"""A new backend, written from a template."""

import importlib.util
import keyword
import re
from enum import StrEnum
from importlib.resources import files
from pathlib import Path
from string import Template
from typing import Final

from harness.contract import registry
from harness.errors import InputError

_NAME: Final = re.compile(r"[a-z][a-z0-9]*([_-][a-z0-9]+)*")


class Kind(StrEnum):
    """How a new backend will solve; each has a template ``KIND.*.txt``."""

    SEARCH = "search"
    """A search of its own."""
    MODEL = "model"
    """A model that some solver's library solves."""
    COMMAND = "command"
    """A program in any language, called by a file in TOML."""


def write_file(name: str, folder: Path, kind: Kind) -> Path:
    """Write a backend called `name` into a file of its own in `folder`, and give its path.

    Raises:
        InputError: the name cannot be used, or the file is there already.
    """
    words = _words(name)
    file = f"{name}.toml" if kind is Kind.COMMAND else f"{words['module']}.py"
    suffix = Path(file).suffix
    _write({folder / file: _filled(f"{kind}{suffix}.txt", words | {"file": file})})
    return folder / file


def write_package(name: str, folder: Path, kind: Kind) -> Path:
    """Write a package that has a backend called `name`, in a folder of its own in `folder`.

    Raises:
        InputError: the name cannot be used, the folder is there already, or it is a program.
    """
    if kind is Kind.COMMAND:
        raise InputError("a program is called by a file alone", expected="no --package")
    words = _words(name)
    root = folder / words["distribution"]
    if root.exists():
        raise InputError("it is there already", where=str(root), expected="a new folder")
    module = root / "src" / words["package"]
    _write(
        {
            root / "pyproject.toml": _filled("package/pyproject.toml.txt", words),
            root / "README.md": _filled("package/README.md.txt", words),
            module / "__init__.py": _filled("package/init.py.txt", words),
            module / "py.typed": "",
            module / "backend.py": _filled(f"{kind}.py.txt", words | {"file": name}),
            root / "tests" / "test_conformance.py": _filled(
                "package/test_conformance.py.txt", words
            ),
        }
    )
    return root


def class_name_of(name: str) -> str:
    """``MySolver`` for ``my-solver``."""
    return "".join(word.capitalize() for word in re.split("[_-]", name))


def _words(name: str) -> dict[str, str]:
    """What templates call the new backend.

    Raises:
        InputError: `name` is no name, or somebody else has it.
    """
    module = name.replace("-", "_")
    if not _NAME.fullmatch(name) or keyword.iskeyword(module):
        raise InputError(
            f"{name!r} is no name for a backend",
            expected="lower-case letters and digits, words parted by - or _: my-solver",
        )
    if name in registry.names():
        raise InputError(f"there is a backend {name!r} already", expected="another name")
    if importlib.util.find_spec(module) is not None:
        raise InputError(
            f"there is a module {module!r} already, which its file would hide",
            expected="another name",
        )
    return {
        "name": name,
        "module": module,
        "class_name": class_name_of(name),
        "distribution": f"sudoku-{name.replace('_', '-')}",
        "package": f"sudoku_{module}",
    }


def _filled(template: str, words: dict[str, str]) -> str:
    text = (files(__name__) / template).read_text(encoding="utf-8")
    return Template(text).substitute(words)


def _write(texts: dict[Path, str]) -> None:
    """Write all of these files, none of which may be there."""
    for path, text in texts.items():
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            with path.open("x", encoding="utf-8") as file:
                file.write(text)
        except FileExistsError:
            raise InputError(
                "it is there already", where=str(path), expected="a new file"
            ) from None
        except OSError as error:
            raise InputError(f"it cannot be written: {error.strerror}", where=str(path)) from error
