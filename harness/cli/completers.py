"""What a shell offers for the values of options and arguments; each completer stands at its option.

The values come from names, folders and the record of a run: no backend is imported, and no trial
is read. A value may have a help; a folder ends with ``/``, because more follows.
"""

import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import Final

import typer

from harness.cli import lazy
from harness.contract import environments, registry
from harness.errors import HarnessError
from harness.puzzles.catalogue import address_of, find, listings, public_sets, read_instances
from harness.puzzles.formats.reading import names

Value = str | tuple[str, str]
"""A value, perhaps with its help."""
Completer = Callable[..., Iterable[Value]]
"""Takes the beginning of the value as `incomplete`, or nothing, and may give other values too."""

_MOST: Final = 1000
"""Entries of a folder, and puzzles of a dataset, that are looked at."""
_RUNS: Final = "results"
_PUZZLES: Final = (".txt", ".sdm", ".csv", ".toml", ".json")
"""Suffixes of puzzle files; after the first letters of a name all files are offered."""
_STORE: Final = "trials.sqlite"


def backend_names(incomplete: str) -> Iterator[Value]:
    """Backends by name, with the versions of their environments, and files of backends."""
    yield from registry.names()
    yield from environment_names()
    yield from _files(incomplete, (".toml", ".py"))


def environment_names() -> Iterator[Value]:
    """Backends with the exact versions of their environments."""
    return (str(environment.spec) for environment in environments.installed())


def backends_of_runs(context: typer.Context, incomplete: str) -> Iterator[Value]:
    """The configurations of the runs that the command names; without any, all backends."""
    found: dict[str, None] = {}
    for folder in map(Path, context.args):
        if (folder / _STORE).is_file():
            with suppress(HarnessError):  # a damaged record has no names to offer
                for invocation in lazy.read_invocations(folder):
                    found |= dict.fromkeys(invocation.backends)
    return iter(found) if found else backend_names(incomplete)


def datasets(incomplete: str) -> Iterator[Value]:
    """Datasets and files; after ``named/`` or ``named:`` the puzzles of the dataset."""
    for at, char in enumerate(incomplete):
        if char in "/:":
            source = incomplete[:at]
            shipped = source in {listing.name for listing in listings()}
            if shipped or Path(source).is_file():
                with suppress(HarnessError):  # a malformed file has no puzzles to offer
                    instances = read_instances(find(address_of(source).source))
                    for instance in islice(instances, _MOST):
                        yield f"{source}{char}{instance.name}"
    yield from ((listing.name, listing.title) for listing in listings())
    yield from _files(incomplete, None if incomplete.rpartition("/")[2] else _PUZZLES)


def public_names() -> Iterator[Value]:
    """Public puzzle sets."""
    return ((entry.name, entry.title) for entry in public_sets().values())


def runs(incomplete: str) -> Iterator[Value]:
    """Folders of runs, those in ``results/`` first."""
    for entry in _entries(Path(_RUNS)):
        if (entry / _STORE).is_file():
            yield str(entry)
    for folder in _files(incomplete, ()):
        yield folder.rstrip("/") if (Path(folder) / _STORE).is_file() else folder


def formats() -> Iterable[Value]:
    """Formats of puzzle files."""
    return names()


def features() -> Iterator[Value]:
    """Features of puzzles."""
    return ((name, feature.meaning) for name, feature in lazy.difficulty.COLUMNS.items())


def files(*suffixes: str) -> Completer:
    """A completer for folders and files, of any name or with one of these suffixes."""

    def complete(incomplete: str) -> Iterator[Value]:
        return _files(incomplete, suffixes or None)

    return complete


def _files(incomplete: str, suffixes: tuple[str, ...] | None) -> Iterator[str]:
    """Folders, and files with one of the suffixes; None stands for all files."""
    stem = incomplete.rpartition("/")[2]
    prefix = incomplete[: len(incomplete) - len(stem)]
    for entry in _entries(Path(prefix or ".")):
        if entry.name.startswith(".") and not stem.startswith("."):
            continue
        if entry.is_dir():
            yield f"{prefix}{entry.name}/"
        elif suffixes is None or entry.suffix in suffixes:
            yield f"{prefix}{entry.name}"


def _entries(folder: Path) -> list[Path]:
    """The entries of a folder in order; none if it cannot be read."""
    with suppress(OSError, RuntimeError), os.scandir(folder.expanduser()) as entries:
        return sorted(Path(folder, entry.name) for entry in islice(entries, _MOST))
    return []
