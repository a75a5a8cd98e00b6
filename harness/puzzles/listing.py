"""The entries of the catalogue: the shipped datasets, and those that the user imported.

The folder of the user's datasets is ``$HARNESS_DATASETS``; by default
``sudoku-harness/datasets`` in ``$XDG_DATA_HOME`` or ``~/.local/share``. Each dataset has two
files there: ``NAME.toml`` with its entry, and a file of puzzles that the entry names. The
entry is the last file that an import writes, so a dataset is there completely or not at all.
"""

import hashlib
import os
import tomllib
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

from harness.errors import PuzzleError
from harness.files import errors_named, parse_toml, read_file_text

FOLDER_VARIABLE: Final = "HARNESS_DATASETS"
"""The environment variable with the folder of the user's datasets."""
_MOST_ENTRIES: Final = 10_000


@dataclass(frozen=True, slots=True)
class Listing:
    """An entry of the catalogue."""

    name: str
    path: Path
    title: str
    origin: str
    expected_count: str
    puzzles: int
    """The number of its puzzles."""
    shapes: tuple[str, ...]
    """The shapes of its puzzles by name, in the order of their first puzzles."""
    commands: tuple[str, ...] = ()
    """The commands that generate it; empty for transcribed and imported puzzles."""
    licence: str = ""
    """The terms under which it may be used; empty if unknown, and for shipped datasets."""
    source: str = ""
    """The name of the imported file; empty for shipped datasets."""
    source_sha256: str = ""
    """The SHA-256 digest of the imported file; empty for shipped datasets."""
    sha256: str = ""
    """The SHA-256 digest of the file at `path`; empty for shipped datasets."""
    problem: str = ""
    """Why the dataset cannot be used; empty if its entry is right."""

    @property
    def imported(self) -> bool:
        """Whether the user imported it."""
        return bool(self.source)

    def check(self) -> None:
        """Check that an imported dataset is unchanged since its import.

        Raises:
            PuzzleError: its entry is malformed, or its file is missing or has changed.
        """
        again = f"harness datasets import FILE --name {self.name} --replace"
        if self.problem:
            raise PuzzleError(self.problem, where=f"dataset {self.name}", expected=again)
        if self.sha256 and digest_of(self.path) != self.sha256:
            raise PuzzleError(
                f"the file {self.path} has changed since its import",
                where=f"dataset {self.name}",
                expected=f"the SHA-256 digest {self.sha256}, or {again}",
            )


def folder() -> Path:
    """The folder of the shipped datasets: in the wheel, or in the checkout."""
    package = Path(__file__).resolve().parents[1]
    installed = package / "datasets"
    return installed if installed.is_dir() else package.parent / "datasets"


def user_folder() -> Path:
    """The folder of the user's datasets, which need not exist."""
    if chosen := os.environ.get(FOLDER_VARIABLE):
        return Path(chosen).expanduser()
    data = os.environ.get("XDG_DATA_HOME") or "~/.local/share"
    with suppress(RuntimeError):  # the user has no home
        return Path(data).expanduser() / "sudoku-harness" / "datasets"
    return Path(data) / "sudoku-harness" / "datasets"


def listings() -> tuple[Listing, ...]:
    """The shipped datasets in their order, then the imported ones by name."""
    return shipped() + imported()


@lru_cache(maxsize=1)
def shipped() -> tuple[Listing, ...]:
    """The entries of ``datasets/catalogue.toml``."""
    catalogue = tomllib.loads((folder() / "catalogue.toml").read_text(encoding="utf-8"))
    return tuple(
        Listing(
            name=name,
            path=folder() / dataset["file"],
            title=dataset["title"],
            origin=dataset["origin"],
            expected_count=dataset["expected_count"],
            puzzles=dataset["puzzles"],
            shapes=tuple(dataset["shapes"]),
            commands=tuple(dataset.get("commands", ())),
        )
        for name, dataset in catalogue.items()
    )


def imported() -> tuple[Listing, ...]:
    """The datasets in the user's folder by name, those with a malformed entry too."""
    folder = user_folder()
    try:
        entries = sorted(path for path in folder.iterdir() if path.suffix == ".toml")
    except OSError:  # usually there is no such folder
        return ()
    taken = {listing.name for listing in shipped()}
    found = (_imported(path, _stamp(path)) for path in entries[:_MOST_ENTRIES])
    return tuple(listing for listing in found if listing.name not in taken)


def digest_of(path: Path) -> str:
    """The SHA-256 digest of a file.

    Raises:
        PuzzleError: the file cannot be read.
    """
    return _digest(path, _stamp(path))


def _stamp(path: Path) -> tuple[int, int]:
    """What changes with a file: its time and its size."""
    with suppress(OSError):
        state = path.stat()
        return state.st_mtime_ns, state.st_size
    return 0, 0


@lru_cache(maxsize=256)
def _digest(path: Path, _: tuple[int, int]) -> str:
    with errors_named(str(path), PuzzleError), path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


@lru_cache(maxsize=1024)
def _imported(path: Path, _: tuple[int, int]) -> Listing:
    """The dataset with the entry at `path`."""
    try:
        return _parsed(path, parse_toml(read_file_text(path), path.name))
    except ValueError as error:
        problem = f"its entry is malformed: {error}"
        return Listing(path.stem, path, "", "", "", 0, (), source=path.name, problem=problem)


def _parsed(path: Path, entry: Mapping[str, Any]) -> Listing:
    texts = ("title", "origin", "expected_count", "licence", "source", "source_sha256", "sha256")
    for key in ("file", *texts):
        if not isinstance(entry.get(key), str):
            raise PuzzleError(f"no text {key!r}", where=path.name)
    puzzles, shapes, file = entry.get("puzzles"), entry.get("shapes"), Path(entry["file"])
    if type(puzzles) is not int or not isinstance(shapes, list):
        raise PuzzleError("no number 'puzzles' or no list 'shapes'", where=path.name)
    if file.name != entry["file"] or not entry["source"]:
        raise PuzzleError("no name of a file in 'file' or 'source'", where=path.name)
    return Listing(
        name=path.stem,
        path=path.with_name(file.name),
        puzzles=puzzles,
        shapes=tuple(map(str, shapes)),
        **{key: entry[key] for key in texts},
    )
