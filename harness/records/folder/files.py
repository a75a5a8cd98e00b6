"""The files of a run's folder, its lock, its settings, and command lines that repeat a question.

A link, a FIFO or a device in the folder is refused, a file beyond a size is not read, and a file is
written completely or not at all.

``sweep.toml`` has the options of one sweep, or a table ``[[sweep]]`` for each of several. This
module keeps the values as the file has them; `harness.runs.sweep` checks them.
"""

import os
import re
import shlex
import stat
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from itertools import chain
from pathlib import Path
from typing import Final, TypeVar

import msgspec
import tomli_w
from msgspec import Struct

from harness.base.errors import InputError, RunError, StorageError
from harness.base.files import NO_FOLLOW, parse_toml, read_beyond, replace_file
from harness.base.text import encodable, printable, shortened
from harness.contract import BackendSpec

Decoded = TypeVar("Decoded", bound=Struct)

# The files of a run's folder, which may come from a stranger.


class RunFile:
    """The names of the files in the folder of a run."""

    STORE: Final = "trials.sqlite"
    NEW_STORE: Final = f"{STORE}.new"
    """A store that is being created."""
    LOG: Final = f"{STORE}-wal"
    """SQLite's write-ahead log: committed pages that are not yet in the store."""
    INDEX: Final = f"{STORE}-shm"
    JOURNAL: Final = f"{STORE}-journal"
    """SQLite's rollback journal, which the harness does not use."""
    CHECKSUM: Final = f"{STORE}.sha256"
    RECORD: Final = "trials.parquet"
    """The trials in place of a store, in a run that is published as a record."""
    ENVIRONMENT: Final = "environment.json"
    SETTINGS: Final = "sweep.toml"
    """The sweeps of the run; `harness run` accepts it."""
    SHARD: Final = "shard.json"
    PLAN: Final = "shards.json"
    """The plan of a run of many shards."""
    LOCK: Final = ".lock"
    OF_STORE: Final = (STORE, LOG, INDEX, JOURNAL, CHECKSUM)
    """The files of a store: its own, those that SQLite makes beside it, and its checksum."""


LARGEST_BYTES: Final = 64 * 2**20
"""The size of the largest text file of a run that is read. The record of an invocation takes about
ten kilobytes, so this is enough for thousands of them."""


def refuse_special_file(path: Path) -> None:
    """Require that `path` is a regular file or nothing: no link, FIFO, device, socket or folder.

    Raises:
        RunError: it is another kind of file, or its name is invalid.
    """
    try:
        mode = path.lstat().st_mode
    except (FileNotFoundError, NotADirectoryError):
        return
    except OSError as error:
        raise RunError(f"cannot be used: {error.strerror}", where=str(path)) from None
    if stat.S_ISLNK(mode):
        raise RunError("is a symbolic link", where=str(path), expected="a file of the run itself")
    if not stat.S_ISREG(mode):
        kind = "a folder" if stat.S_ISDIR(mode) else "not a regular file"
        raise RunError(f"is {kind}", where=str(path), expected="a file of the run itself")


def read_run_file(path: Path) -> bytes | None:
    """The content of a file of a run; None if there is none.

    Raises:
        RunError: it is a link or another special file, is too large or cannot be read.
    """
    refuse_special_file(path)
    try:
        descriptor = os.open(path, os.O_RDONLY | NO_FOLLOW | getattr(os, "O_NONBLOCK", 0))
        with open(descriptor, "rb") as file:  # noqa: PTH123  of a descriptor
            data = read_beyond(file, LARGEST_BYTES)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise RunError(f"cannot be read: {error.strerror}", where=str(path)) from None
    if len(data) > LARGEST_BYTES:
        raise RunError(f"has more than {LARGEST_BYTES // 2**20} MiB", where=str(path))
    return data


def write_run_file(path: Path, data: bytes) -> None:
    """Write a file of a run, completely or not at all.

    Raises:
        RunError: `path` is a link or another special file.
        StorageError: it cannot be written.
    """
    refuse_special_file(path)
    try:
        replace_file(path, data)
    except InputError as error:
        raise StorageError(str(error)) from None


def read_json(path: Path, kind: type[Decoded], noun: str) -> Decoded | None:
    """The decoded content of a JSON file of a run; None if the file does not exist.

    Args:
        path: the file.
        kind: the type of its content.
        noun: what it is, for errors.

    Raises:
        RunError: the file cannot be read, or its content is damaged.
    """
    try:
        data = read_run_file(path)
        return None if data is None else msgspec.json.decode(data, type=kind)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise RunError(f"not {noun}: {error}", where=str(path)) from None


def write_json(path: Path, value: Struct) -> None:
    """Write a file of a run with this value, as `write_run_file` does."""
    data = msgspec.json.format(msgspec.json.encode(value), indent=2)
    write_run_file(path, data + b"\n")


def present_time(timespec: str = "milliseconds") -> str:
    """The present time in UTC as the files of a run have it, in units of `timespec`."""
    return datetime.now(UTC).isoformat(timespec=timespec)


# The lock of a run's folder, which `harness run` holds while it writes there.


def is_held(folder: Path) -> bool | None:
    """Whether a live process holds the lock of `folder`; None if this system cannot find out.

    A folder without a lock file, such as a copy, and a system without POSIX locks give None.
    The check holds the lock for a moment, shared with other checks.
    """
    try:
        import fcntl
    except ImportError:
        return None
    try:
        lock = os.open(folder / RunFile.LOCK, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:
        return None
    try:
        fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:  # a file system without locks
        return None
    finally:
        with suppress(OSError):
            os.close(lock)
    return False


# The settings of a run: the sweeps that it was given, in order, in its file ``sweep.toml``.


Settings = Mapping[str, object]
"""The options of a sweep by name."""

_TABLES: Final = "sweep"
SHARD: Final = "shard"
"""The table of a sweep file that carries out a shard; see `harness.records.folder.shard`."""


def parsed(values: Settings) -> list[Settings]:
    """The sweeps in the values of a file.

    Raises:
        ValueError: the file has both options and tables of sweeps, or ``sweep`` is something else.
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


def read_settings(folder: Path) -> list[Settings]:
    """The sweeps of the run in `folder`, paths relative to it; empty without the file.

    Raises:
        RunError: the file is damaged, or was not written by a run.
    """
    path = folder / RunFile.SETTINGS
    data = read_run_file(path)
    if data is None:
        return []
    try:
        sweeps = parsed(parse_toml(data.decode("utf-8"), str(path), RunError))
    except RunError:
        raise
    except ValueError as error:  # of UTF-8 and of tables
        raise RunError(f"not a sweep file: {error}", where=str(path)) from None
    for name, value in chain.from_iterable(sweep.items() for sweep in sweeps):
        items = value if isinstance(value, list) else [value]
        if not all(isinstance(item, str | int | float) for item in items):
            fault = f"{printable(shortened(name))} is neither a value nor a list of values"
            raise RunError(f"not a sweep file: {fault}", where=str(path))
    return sweeps


def write_settings(sweeps: Sequence[Settings], path: Path) -> None:
    """Write the sweeps to the file `path`, completely or not at all.

    Raises:
        StorageError: the file cannot be written.
    """
    text = "# The options of this run. To run it again: harness run sweep.toml\n"
    if len(sweeps) == 1:
        text += tomli_w.dumps(dict(sweeps[0]))
    else:
        text += "".join(f"\n[[{_TABLES}]]\n{tomli_w.dumps(dict(sweep))}" for sweep in sweeps)
    write_run_file(path, encodable(text).encode())


def merge_settings(sources: Sequence[Path], target: Path) -> None:
    """Write the different sweeps of all `sources` to the run in `target`, in their order."""
    sweeps: list[Settings] = []
    for source in sources:
        for sweep in read_settings(source):
            local = rebase(sweep, source, target)
            if local not in sweeps:
                sweeps.append(local)
    if sweeps:
        write_settings(sweeps, target / RunFile.SETTINGS)


def rebase(settings: Settings, source: Path, target: Path) -> Settings:
    """The settings of a file in `source`, as a file in `target` has them."""
    return with_paths(settings, lambda file: os.path.relpath(source / file, target))


def seen_from_here(settings: Settings, folder: Path) -> Settings:
    """The settings of the run in `folder`; paths that leave it start in the working folder."""

    def path_from_here(file: str) -> str:
        if not file.startswith(os.pardir):
            return file
        try:
            return os.path.relpath(folder / file)
        except ValueError:  # another drive of Windows
            return str(folder / file)

    return with_paths(settings, path_from_here)


def with_absolute_paths(settings: Settings, folder: Path) -> Settings:
    """The settings of the run in `folder` with absolute paths."""
    return with_paths(settings, lambda file: str((folder / file).resolve()))


def with_paths(settings: Settings, convert: Callable[[str], str]) -> dict[str, object]:
    """The settings with `convert` applied to each path of a dataset or backend."""
    from harness.puzzles.datasets import listings  # reading a run needs no puzzle files

    def is_dataset_file(name: str) -> bool:
        names = {listing.name for listing in listings()}
        return ("/" in name or "." in name) and re.split("[/:]", name)[0] not in names

    def is_backend_file(spec: str) -> bool:
        locator = spec.partition("[")[0]
        if BackendSpec(spec).is_command_line:
            return False
        return ".py:" in locator or locator.endswith((".py", ".toml"))

    converted_settings = dict(settings)
    for name, is_file in (("datasets", is_dataset_file), ("backends", is_backend_file)):
        value = settings.get(name)
        if isinstance(value, str | list | tuple):
            texts = [value] if isinstance(value, str) else value
            converted_settings[name] = [
                convert(text) if isinstance(text, str) and is_file(text) else text for text in texts
            ]
    return converted_settings


# Command lines that repeat a question on backends.


def solve_command(
    task: str,
    puzzle: str,
    shape: str,
    backends: Iterable[str],
    *,
    start: str | None = None,
    timeout_s: float | None = None,
    limit: int | None = None,
    cpu_limit_s: float = 0.0,
    memory_limit_mib: int = 0,
) -> str:
    """Build the ``harness solve`` or ``harness count`` that repeats a trial.

    Args:
        task: `Task` as text, ``solve`` or ``count``.
        puzzle: the givens as a line.
        shape: the name of the shape.
        backends: specs of the backends, without the number of a label.
        start: `Start` as text; None for the default of the command.
        timeout_s: limit on wall time in seconds; None for the default.
        limit: number of solutions at which ``count`` stops; None for ``solve``.
        cpu_limit_s: limit on CPU time in seconds; 0 for no limit.
        memory_limit_mib: limit on memory in MiB; 0 for no limit.

    Returns:
        One line, quoted for a POSIX shell.
    """
    words = ["harness", task, puzzle, "--shape", shape]
    words += [word for backend in backends for word in ("--backend", backend)]
    if start is not None:
        words += ["--start", start]
    if timeout_s is not None:
        words += ["--timeout", f"{timeout_s:.15g}"]
    if limit is not None:
        words += ["--max-solutions", str(limit)]
    if cpu_limit_s:
        words += ["--cpu", f"{cpu_limit_s:.15g}"]
    if memory_limit_mib:
        words += ["--memory", str(memory_limit_mib)]
    return shlex.join(words)
