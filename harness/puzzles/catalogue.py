"""Datasets: those of the catalogue, and any puzzle file."""

import tomllib
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

from harness.errors import PuzzleError, one_of
from harness.puzzles.expected_count import ExpectedCount
from harness.puzzles.formats import read_file
from harness.puzzles.puzzle import Puzzle
from harness.puzzles.shape import Shape
from harness.text import encodable, existing_path


@dataclass(frozen=True, slots=True)
class Instance:
    """A puzzle of a dataset, with the dataset's information about it."""

    name: str
    """The name, unique in its dataset."""
    puzzle: Puzzle
    """The puzzle itself."""
    expected_count: ExpectedCount | None = None
    """The known number of solutions, if the dataset gives it."""
    source: str | None = None
    """Where the puzzle comes from, if the dataset states it."""


@dataclass(frozen=True, slots=True)
class Dataset:
    """A named list of distinct puzzles."""

    name: str
    """The name in the catalogue, or that of the file."""
    instances: tuple[Instance, ...]
    """The puzzles in their order."""
    repeats: int = 0
    """The number of duplicates in the file, which the dataset leaves out."""


@dataclass(frozen=True, slots=True)
class Listing:
    """An entry of the catalogue."""

    name: str
    path: Path
    title: str
    origin: str
    expected_count: str


def folder() -> Path:
    """The folder of the catalogue's datasets: in the wheel, or in the checkout."""
    package = Path(__file__).resolve().parents[1]
    installed = package / "datasets"
    return installed if installed.is_dir() else package.parent / "datasets"


@lru_cache(maxsize=1)
def listings() -> tuple[Listing, ...]:
    """The entries of ``datasets/catalogue.toml``."""
    catalogue = tomllib.loads((folder() / "catalogue.toml").read_text(encoding="utf-8"))
    return tuple(
        Listing(
            name=name,
            path=folder() / dataset["file"],
            title=dataset["title"],
            origin=dataset["origin"],
            expected_count=dataset["expected_count"],
        )
        for name, dataset in catalogue.items()
    )


def find(name_or_path: str) -> Path:
    """The file of a dataset, by its name in the catalogue or its path.

    Raises:
        PuzzleError: neither a dataset nor a file has this name.
    """
    for listing in listings():
        if listing.name == name_or_path:
            return listing.path
    path = Path(name_or_path)
    try:
        path = existing_path(name_or_path)
        if path.exists():
            return path
    except OSError as error:  # a name too long, a folder without permission
        raise PuzzleError(f"cannot be read: {error.strerror}", where=name_or_path) from None
    if path.suffix or path.parent != Path():
        raise PuzzleError("no such file", where=name_or_path)
    names = [listing.name for listing in listings()]
    raise PuzzleError(
        f"unknown dataset {name_or_path!r}", expected=f"{one_of(names)}, or a puzzle file"
    )


def load_dataset(name_or_path: str, shape: Shape | None = None) -> Dataset:
    """Load a dataset by its name in the catalogue or its path.

    A puzzle that occurs more than once in the file becomes one instance, named after
    its first occurrence. A puzzle without a name is named by its line number.

    Args:
        name_or_path: a name that `harness datasets` lists, or a puzzle file.
        shape: the shape of all puzzles; each puzzle's length determines it if None.

    Raises:
        PuzzleError: the dataset does not exist, or its file is malformed.
    """
    path = find(name_or_path)
    return collect(_name(name_or_path, path), read_instances(path, shape))


def load_datasets(names: Sequence[str], shape: Shape | None = None) -> list[Dataset]:
    """Load several datasets; files with the same name keep their paths as names.

    Raises:
        PuzzleError: as `load_dataset`, or a dataset occurs twice in `names`.
    """
    paths: set[Path] = set()
    for name in names:
        path = find(name).resolve()
        if path in paths:
            raise PuzzleError(f"duplicate dataset {name!r}", expected="each dataset once")
        paths.add(path)
    datasets = [load_dataset(name, shape) for name in names]
    shared = Counter(dataset.name for dataset in datasets)
    return [
        replace(dataset, name=encodable(name)) if shared[dataset.name] > 1 else dataset
        for name, dataset in zip(names, datasets, strict=True)
    ]


def read_instances(path: Path, shape: Shape | None = None) -> Iterator[Instance]:
    """The puzzles of a file as instances, duplicates included.

    Raises:
        PuzzleError: the file cannot be read or is malformed.
    """
    for parsed in read_file(path, shape):
        yield Instance(parsed.name, parsed.puzzle, parsed.expected_count, parsed.source)


def collect(name: str, instances: Iterator[Instance]) -> Dataset:
    """A dataset of these instances without duplicates."""
    kept: dict[str, Instance] = {}
    total = 0
    for instance in instances:
        total += 1
        kept.setdefault(instance.puzzle.id, instance)
    return Dataset(name, tuple(kept.values()), total - len(kept))


def _name(name_or_path: str, path: Path) -> str:
    shipped = any(listing.name == name_or_path for listing in listings())
    return name_or_path if shipped else encodable(path.stem)
