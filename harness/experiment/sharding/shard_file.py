"""Shards as sweep files, which `harness run` carries out like any sweep."""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import msgspec
import tomli_w
from msgspec import structs

from harness.errors import InputError, unwritable
from harness.experiment.sweep import Sweep
from harness.files import parse_toml, read_file_text
from harness.records.settings import SHARD, with_paths
from harness.records.shard import Shard
from harness.text import encodable

_HEADER: Final = "# {shard} of a sweep. To run it: harness run {name}\n"
_LARGEST: Final = 64 * 2**20
"""Size of the largest shard in bytes: a million numbers of puzzles take seven of them each."""


def settings_of(sweep: Sweep, folder: Path) -> dict[str, object]:
    """The options of a sweep as a file in `folder` has them: paths are relative to it."""
    values: dict[str, object] = msgspec.to_builtins(sweep)
    return with_paths(
        {name: value for name, value in values.items() if value is not None},
        lambda file: encodable(os.path.relpath(file, folder)),
    )


def file_name(shard: Shard) -> str:
    """``shard-0007.toml``, with as many digits as the last shard needs, four at least."""
    digits = max(4, len(str(shard.of)))
    return f"shard-{shard.number:0{digits}d}.toml"


def write_shard(sweep: Sweep, shard: Shard, folder: Path) -> Path:
    """Write a shard into `folder`, which exists.

    Args:
        sweep: the sweep of the instances of the shard.
        shard: its place in the plan.
        folder: the folder for the file.

    Raises:
        HarnessError: the file cannot be written.
    """
    path = folder / file_name(shard)
    table: dict[str, Any] = msgspec.to_builtins(shard)
    values = settings_of(sweep, folder) | {SHARD: without_none(table)}
    text = _HEADER.format(shard=str(shard).capitalize(), name=path.name) + tomli_w.dumps(values)
    try:
        path.write_bytes(encodable(text).encode())
    except OSError as error:
        raise unwritable(path, error) from None
    return path


def read_shard(path: Path) -> Shard | None:
    """The shard of the sweep file at `path`; None if it is a sweep of its own.

    The paths of its whole sweep are relative to the present folder.

    Raises:
        InputError: the file cannot be read, or its table ``[shard]`` is malformed.
    """
    table = parse_toml(read_file_text(path, _LARGEST), str(path)).get(SHARD)
    if table is None:
        return None
    try:
        shard = msgspec.convert(table, Shard)
        sweep = with_paths(shard.sweep, lambda file: str(path.parent / file))
        return structs.replace(shard, sweep=sweep)
    except (msgspec.ValidationError, ValueError) as error:
        raise InputError(
            f"malformed: {error}", where=f"{path}: [{SHARD}]", expected="what harness shard wrote"
        ) from None


def without_none(value: Any) -> Any:
    """The value without entries that TOML cannot hold."""
    if isinstance(value, Mapping):
        return {key: without_none(of) for key, of in value.items() if of is not None}
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [without_none(of) for of in value]
    return value
