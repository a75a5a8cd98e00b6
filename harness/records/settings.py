"""The settings of a run: the sweeps that it was given, in order, in its file ``sweep.toml``.

The file has the options of one sweep, or a table ``[[sweep]]`` for each of several. This
module keeps the values as the file has them; `harness.experiment.sweep` checks them.
"""

import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

import tomli_w

from harness.errors import RunError
from harness.files import parse_toml
from harness.puzzles.listing import listings
from harness.records import run_files
from harness.text import encodable, printable, shortened

FILE: Final = "sweep.toml"
"""The file in the folder of a run; `harness run` accepts it."""

Settings = Mapping[str, object]
"""The options of a sweep by name."""

_TABLES: Final = "sweep"
SHARD: Final = "shard"
"""The table of a sweep file that carries out a shard; see `harness.records.shard`."""
_HEADER: Final = "# The options of this run. To run it again: harness run sweep.toml\n"
_HEADER_OF_SEVERAL: Final = (
    "# The options of this run, which {} commands made; a later one adds to the earlier ones.\n"
    "# To run all of them again: harness run sweep.toml\n"
)


def parsed(values: Settings) -> list[Settings]:
    """The sweeps in the values of a file.

    Raises:
        ValueError: it has both options and tables of sweeps, or ``sweep`` is something else.
    """
    values = {name: value for name, value in values.items() if name != SHARD}
    tables = values.get(_TABLES)
    if tables is None:
        return [values]
    if len(values) > 1:
        raise ValueError("options beside tables [[sweep]]")
    if not isinstance(tables, list) or not all(isinstance(table, dict) for table in tables):
        raise ValueError("sweep is not a list of tables [[sweep]]")
    return tables


def _require_options(sweeps: Sequence[Settings]) -> None:
    """Require that the values of options are numbers, texts and lists of these.

    Raises:
        ValueError: an option is a table or a deeper list.
    """
    for sweep in sweeps:
        for name, value in sweep.items():
            items = value if isinstance(value, list) else [value]
            if not all(isinstance(item, str | int | float) for item in items):
                raise ValueError(
                    f"{printable(shortened(name))} is neither a value nor a list of values"
                )


def written(sweeps: Sequence[Settings]) -> str:
    """The text of the file for these sweeps."""
    if len(sweeps) == 1:
        return _HEADER + tomli_w.dumps(dict(sweeps[0]))
    tables = "\n".join(f"[[{_TABLES}]]\n{tomli_w.dumps(dict(sweep))}" for sweep in sweeps)
    return f"{_HEADER_OF_SEVERAL.format(len(sweeps))}\n{tables}"


def read_settings(folder: Path) -> list[Settings]:
    """The sweeps of the run in `folder`, paths relative to it; empty without the file.

    Raises:
        RunError: the file is damaged, or is not one that a run writes.
    """
    path = folder / FILE
    data = run_files.read(path)
    if data is None:
        return []
    try:
        sweeps = parsed(parse_toml(data.decode("utf-8"), str(path), RunError))
        _require_options(sweeps)
    except RunError:
        raise
    except ValueError as error:  # of UTF-8 and of tables
        raise RunError(f"not a sweep file: {error}", where=str(path)) from None
    return sweeps


def write_settings(sweeps: Sequence[Settings], path: Path) -> None:
    """Write the sweeps to the file `path`, completely or not at all.

    Raises:
        StorageError: the file cannot be written.
    """
    run_files.write(path, encodable(written(sweeps)).encode())


def merge_settings(sources: Sequence[Path], target: Path) -> None:
    """Write the different sweeps of all `sources` to the run in `target`, in their order."""
    sweeps: list[Settings] = []
    for source in sources:
        for sweep in read_settings(source):
            moved = rebased(sweep, source, target)
            if moved not in sweeps:
                sweeps.append(moved)
    if sweeps:
        write_settings(sweeps, target / FILE)


def rebased(settings: Settings, source: Path, target: Path) -> Settings:
    """The settings of a file in `source`, as a file in `target` has them."""
    return with_paths(settings, lambda file: os.path.relpath(source / file, target))


def resolved(settings: Settings, folder: Path) -> Settings:
    """The settings of the run in `folder` with absolute paths."""
    return with_paths(settings, lambda file: str((folder / file).resolve()))


def with_paths(settings: Settings, moved: Callable[[str], str]) -> dict[str, object]:
    """The settings with `moved` applied to each path of a dataset or backend."""
    return {
        name: list(_moved([value] if isinstance(value, str) else value, _IS_FILE[name], moved))
        if name in _IS_FILE and isinstance(value, str | list | tuple)
        else value
        for name, value in settings.items()
    }


def _moved(
    values: Sequence[object], is_file: Callable[[str], bool], moved: Callable[[str], str]
) -> Iterator[object]:
    for value in values:
        yield moved(value) if isinstance(value, str) and is_file(value) else value


def _is_dataset_file(name: str) -> bool:
    shipped = {listing.name for listing in listings()}
    return ("/" in name or "." in name) and re.split("[/:]", name)[0] not in shipped


def _is_backend_file(spec: str) -> bool:
    locator = spec.partition("[")[0]
    return ".py:" in locator or locator.endswith((".py", ".toml"))


_IS_FILE: Final = {"datasets": _is_dataset_file, "backends": _is_backend_file}
