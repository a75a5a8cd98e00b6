"""Sweep files: a sweep in TOML, as a user writes it and as a run keeps it."""

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final

import msgspec
import tomli_w

from harness.errors import OptionError
from harness.experiment.option import check_names, options_of
from harness.experiment.sweep import Sweep, SweepChanges
from harness.files import parse_toml, read_file_text
from harness.records import run_files
from harness.text import encodable

_HEADER: Final = "# The options of this run. To run it again: harness run sweep.toml\n"


def read_sweep(path: Path, changes: SweepChanges) -> Sweep:
    """Read the sweep in the TOML file at `path` and apply `changes`.

    Paths of datasets and backends in the file are relative to its folder.

    Raises:
        InputError: the file cannot be read or is not TOML.
        OptionError: an option is unknown, missing, of a wrong type or out of range;
            `where` is its name, after the path if the value comes from the file.
    """
    values = _read(path)
    try:
        check_names(Sweep, values)
        values = {name: options_of(Sweep)[name].checked(v) for name, v in values.items()}
        return Sweep.of(values | dict(changes))
    except OptionError as error:
        if error.where in changes:
            raise
        raise error.at(f"{path}: {error.where}" if error.where else str(path)) from None


def write_sweep(sweep: Sweep, path: Path) -> None:
    """Write `sweep` to a TOML file that `read_sweep` reads back.

    Paths of datasets and backends are written relative to the file's folder.

    Raises:
        StorageError: the file cannot be written.
    """
    values: dict[str, object] = msgspec.to_builtins(sweep)
    text = tomli_w.dumps(
        {
            name: _encodable(
                _with_paths(name, value, lambda file: os.path.relpath(file, path.parent))
            )
            for name, value in values.items()
            if value is not None
        }
    )
    run_files.write(path, (_HEADER + text).encode())


def _encodable(value: object) -> object:
    """A value with the names of its files as `harness.text.existing_path` reads them back."""
    if isinstance(value, list | tuple):
        return [_encodable(item) for item in value]
    return encodable(value) if isinstance(value, str) else value


def _read(path: Path) -> Mapping[str, object]:
    """The options in the file, paths as seen from the working folder."""
    values = parse_toml(read_file_text(path), str(path))
    return {
        name: _with_paths(name, value, lambda file: str(path.parent / file))
        for name, value in values.items()
    }


def _with_paths(name: str, value: object, moved: Callable[[str], str]) -> object:
    """The value of an option with `moved` applied to each path in it."""
    is_file = _IS_FILE.get(name)
    if is_file is None or not isinstance(value, list | tuple):
        return value
    return [moved(v) if isinstance(v, str) and is_file(v) else v for v in value]


def _is_dataset_file(name: str) -> bool:
    return "/" in name or "." in name


def _is_backend_file(spec: str) -> bool:
    return ".py:" in spec or spec.partition("[")[0].endswith(".toml")


_IS_FILE: Final = {"datasets": _is_dataset_file, "backends": _is_backend_file}
