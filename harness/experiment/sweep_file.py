"""Sweep files: sweeps in TOML, as a user writes them and as a run keeps them."""

import hashlib
import os
from collections.abc import Sequence
from pathlib import Path

import msgspec

from harness.errors import InputError, OptionError
from harness.experiment.option import check_names, options_of
from harness.experiment.sweep import Sweep, SweepChanges
from harness.files import parse_toml, read_file_text
from harness.records.settings import Settings, parsed, read_settings, with_paths, write_settings
from harness.text import encodable


def read_sweeps(path: Path, changes: SweepChanges) -> list[Sweep]:
    """Read the sweeps in the TOML file at `path` and apply `changes` to each of them.

    Paths of datasets and backends in the file are relative to its folder. Sweeps that are
    equal after the changes are one.

    Raises:
        InputError: the file cannot be read or is not TOML.
        OptionError: an option is unknown, missing, of a wrong type or out of range;
            `where` is its name, after the path if the value comes from the file.
    """
    sweeps = [_sweep(path, values, changes) for values in _read(path)]
    return list(dict.fromkeys(sweeps))


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
    # An option that a file of an earlier version lacks has its default.
    if Sweep.of(added) not in [_checked(path, settings) for settings in earlier]:
        write_settings([*earlier, added], path)


def folder_name(sweeps: Sequence[Sweep]) -> str:
    """The name of the folder of a run of these sweeps."""
    names = [sweep.folder_name for sweep in sweeps]
    if len(names) == 1:
        return names[0]
    digest = hashlib.sha256(" ".join(names).encode()).hexdigest()
    return f"{names[0].rpartition('-')[0]}-{digest[:8]}"


def _sweep(path: Path, values: Settings, changes: SweepChanges) -> Sweep:
    try:
        check_names(Sweep, values)
        moved = with_paths(values, lambda file: str(path.parent / file))
        checked = {name: options_of(Sweep)[name].checked(v) for name, v in moved.items()}
        return Sweep.of(checked | dict(changes))
    except OptionError as error:
        if error.where in changes:
            raise
        raise error.at(f"{path}: {error.where}" if error.where else str(path)) from None


def _checked(path: Path, values: Settings) -> Sweep:
    """The sweep with the paths of the file as they are."""
    try:
        return Sweep.of(values)
    except OptionError as error:
        raise error.at(f"{path}: {error.where}" if error.where else str(path)) from None


def _read(path: Path) -> list[Settings]:
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
