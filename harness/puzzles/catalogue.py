"""Datasets: the ones that are shipped, and any file of puzzles."""

import tomllib
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

from harness.errors import InputError, one_of
from harness.puzzles.expected_count import ExpectedCount
from harness.puzzles.formats import read_file
from harness.puzzles.puzzle import Puzzle
from harness.puzzles.shape import Shape


@dataclass(frozen=True, slots=True)
class Instance:
    """A puzzle of a dataset, and what the dataset knows of it."""

    name: str
    puzzle: Puzzle
    expected_count: ExpectedCount | None = None
    source: str | None = None


@dataclass(frozen=True, slots=True)
class Dataset:
    """Different puzzles under one name."""

    name: str
    instances: tuple[Instance, ...]
    repeats: int = 0
    """How many puzzles of the file were left out because an earlier one is the same."""


@dataclass(frozen=True, slots=True)
class Listing:
    """A dataset of the catalogue, before it is read."""

    name: str
    path: Path
    title: str
    origin: str
    expected_count: str


def folder() -> Path:
    """Where the shipped datasets are: in the wheel, or in the checkout."""
    package = Path(__file__).resolve().parents[1]
    installed = package / "datasets"
    return installed if installed.is_dir() else package.parent / "datasets"


@lru_cache(maxsize=1)
def listings() -> tuple[Listing, ...]:
    """The datasets of ``datasets/catalogue.toml``."""
    catalog = tomllib.loads((folder() / "catalogue.toml").read_text(encoding="utf-8"))
    return tuple(
        Listing(
            name=name,
            path=folder() / dataset["file"],
            title=dataset["title"],
            origin=dataset["origin"],
            expected_count=dataset["expected_count"],
        )
        for name, dataset in catalog.items()
    )


def find(name_or_path: str) -> Path:
    """The file of a dataset: a name of the catalogue, otherwise a path.

    Raises:
        InputError: it is neither a name nor a file.
    """
    for listing in listings():
        if listing.name == name_or_path:
            return listing.path
    path = Path(name_or_path)
    try:
        if path.exists():
            return path
    except OSError as error:  # a name too long, a folder that may not be looked into
        raise InputError(f"cannot be read: {error.strerror}", where=name_or_path) from None
    if path.suffix or path.parent != Path():
        raise InputError("no such file", where=name_or_path)
    names = [listing.name for listing in listings()]
    raise InputError(
        f"no dataset {name_or_path!r}", expected=f"{one_of(names)}, or the path of a file"
    )


def load_dataset(name_or_path: str, shape: Shape | None = None) -> Dataset:
    """The puzzles of a dataset by its name in the catalogue or its path.

    A puzzle that stands more than once in a file is one puzzle of the dataset,
    under the name of its first place. A puzzle without a name of its own is
    called by its line number.

    Raises:
        InputError: there is no such dataset, or it cannot be read.
    """
    path = find(name_or_path)
    return collect(_name(name_or_path, path), read_instances(path, shape))


def load_datasets(names: Sequence[str], shape: Shape | None = None) -> list[Dataset]:
    """Several datasets; files of one name are told apart by their paths as given.

    Raises:
        InputError: as `load_dataset`, or one is named twice.
    """
    paths: set[Path] = set()
    for name in names:
        path = find(name).resolve()
        if path in paths:
            raise InputError(f"dataset {name!r} is named twice", expected="each dataset once")
        paths.add(path)
    datasets = [load_dataset(name, shape) for name in names]
    shared = Counter(dataset.name for dataset in datasets)
    return [
        replace(dataset, name=name) if shared[dataset.name] > 1 else dataset
        for name, dataset in zip(names, datasets, strict=True)
    ]


def read_instances(path: Path, shape: Shape | None = None) -> Iterator[Instance]:
    """The puzzles of a file, one entry each, repeats included.

    Raises:
        InputError: it cannot be read.
    """
    for read in read_file(path, shape):
        yield Instance(read.name, read.puzzle, read.expected_count, read.source)


def collect(name: str, instances: Iterator[Instance]) -> Dataset:
    """A dataset of these entries without the repeats."""
    kept: dict[str, Instance] = {}
    total = 0
    for instance in instances:
        total += 1
        kept.setdefault(instance.puzzle.id, instance)
    return Dataset(name, tuple(kept.values()), total - len(kept))


def _name(name_or_path: str, path: Path) -> str:
    shipped = any(listing.name == name_or_path for listing in listings())
    return name_or_path if shipped else path.stem
