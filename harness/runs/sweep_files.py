"""Sweep files: sweeps in TOML, as a user writes them and as a run keeps them."""

import os
from pathlib import Path

import msgspec

from harness.base.errors import InputError, located, within
from harness.base.files import parse_toml, read_file_text
from harness.base.text import encodable
from harness.records.folder import (
    RunFile,
    Settings,
    parsed,
    read_settings,
    with_paths,
    write_settings,
)
from harness.runs.sweep import Sweep, SweepChanges, check_names, options_of


def read_sweeps(path: Path, changes: SweepChanges) -> list[Sweep]:
    """Read the sweeps in the TOML file at `path` and apply `changes` to each of them.

    Paths of datasets and backends in the file are relative to its folder. Sweeps that are equal
    after the changes are kept once.

    Raises:
        InputError: the file cannot be read or is not TOML.
        OptionError: an option is unknown, missing, of a wrong type or out of range;
            `where` is its name, after the path if the value comes from the file.
    """
    sweeps: dict[Sweep, None] = {}
    for values in _read(path):
        with located(lambda where: where if where in changes else within(path, where)):
            check_names(Sweep, values)
            checked = {name: options_of(Sweep)[name].convert(v) for name, v in values.items()}
            moved = with_paths(checked, lambda file: str(path.parent / file))
            sweeps[Sweep.from_options(moved | dict(changes))] = None
    return list(sweeps)


def add_sweep(sweep: Sweep, path: Path) -> None:
    """Add `sweep` to the file of a run at `path`, unless it has an equal one.

    Paths of datasets and backends are written relative to the file's folder.

    Raises:
        RunError: the file is damaged.
        OptionError: a sweep in the file is invalid; `where` has the path.
        StorageError: the file cannot be written.
    """
    values: dict[str, object] = msgspec.to_builtins(sweep)
    added = with_paths(
        {name: value for name, value in values.items() if value is not None},
        lambda file: encodable(os.path.relpath(file, path.parent)),
    )
    earlier = read_settings(path.parent)
    with located(lambda where: within(path, where)):
        # An option that a file of an earlier version lacks has its default.
        is_new = Sweep.from_options(added) not in [
            Sweep.from_options(settings) for settings in earlier
        ]
    if is_new:
        write_settings([*earlier, added], path)


def _read(path: Path) -> list[Settings]:
    if (path / RunFile.SETTINGS).is_file():
        expected = str(path / RunFile.SETTINGS)
        raise InputError("is the folder of a run", where=str(path), expected=expected)
    try:
        values = parse_toml(read_file_text(path), str(path))
    except InputError as error:
        if path.suffix == ".toml" or error.expected:
            raise
        expected = f"a sweep file; --dataset {path} for a file of puzzles"
        raise InputError(error.what, where=error.where, expected=expected) from None
    try:
        return parsed(values)
    except ValueError as error:
        expected = "options, or tables [[sweep]]"
        raise InputError(str(error), where=str(path), expected=expected) from None
