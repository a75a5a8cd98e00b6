"""The files of a backend that have to be on a machine that runs it."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from harness.errors import InputError

_SPEC: Final = re.compile(r"(?P<path>.*?\.(?:py|toml))(?P<rest>(?::[^\[]*)?(?:\[.*)?)", re.DOTALL)
_IN_FOLDER: Final = re.compile(r"\{folder\}/([^\s\"'{}]+)")
"""What the file of a command names in its folder."""


def split_spec(spec: str) -> tuple[Path, str]:
    """The file of a spec, and what follows: a class and options."""
    found = _SPEC.fullmatch(spec)
    return (Path(found["path"]), found["rest"]) if found else (Path(spec), "")


def files_of(path: Path) -> dict[str, bytes]:
    """The contents of a backend's file and of the files beside it that it names.

    A Python file names modules that it imports, and a command file what follows ``{folder}/``.
    A name may be that of a folder; then all files below it belong to it.

    Args:
        path: the file.

    Returns:
        The contents by their paths from the folder of the file.

    Raises:
        InputError: a file cannot be read.
    """
    folder = path.parent
    found: dict[str, bytes] = {}
    waiting = [path]
    while waiting:
        file = waiting.pop()
        name = file.relative_to(folder).as_posix()
        if name in found:
            continue
        try:
            found[name] = file.read_bytes()
        except OSError as error:
            raise InputError(f"cannot be read: {error.strerror}", where=str(file)) from None
        text = found[name].decode(errors="replace")
        names = _imported(text) if file.suffix == ".py" else _in_folder(text, file)
        for other in names:
            waiting += _below(folder, other)
    return found


def _imported(text: str) -> Iterator[str]:
    """The names of the files that a module may import."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError):
        return  # the error shows when the backend is loaded
    for node in ast.walk(tree):
        names = [node.module or ""] if isinstance(node, ast.ImportFrom) and not node.level else []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        for name in filter(None, (name.partition(".")[0] for name in names)):
            yield f"{name}.py"
            yield name


def _in_folder(text: str, file: Path) -> Iterator[str]:
    if file.suffix == ".toml":
        yield from _IN_FOLDER.findall(text)


def _below(folder: Path, name: str) -> list[Path]:
    """The file with this name in a folder, or the files below the folder with this name."""
    path = folder / name
    if ".." in Path(name).parts:
        return []
    if path.is_dir():
        return [file for file in sorted(path.rglob("*")) if _is_code(file)]
    return [path] if path.is_file() else []


def _is_code(file: Path) -> bool:
    return file.is_file() and "__pycache__" not in file.parts
