"""Datasets: those of the catalogue, and any puzzle file."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path

from harness.arguments import path_of
from harness.errors import PuzzleError, meant, one_of
from harness.puzzles.address import Address, parse_address
from harness.puzzles.expected_count import ExpectedCount
from harness.puzzles.formats import read_file
from harness.puzzles.formats.compressed import bare_name
from harness.puzzles.listing import listings
from harness.puzzles.puzzle import Puzzle
from harness.puzzles.shape import Shape
from harness.text import encodable, existing_path, shortened


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
    fields: Mapping[str, str] = field(default_factory=dict, hash=False)
    """Further information by name: ratings, labels, comments."""
    scramble: str = ""
    """The seed of the scramble that made the puzzle; empty if it is as in the dataset."""
    original: Puzzle | None = None
    """The puzzle of the dataset, if a scramble of it replaces it."""


@dataclass(frozen=True, slots=True)
class Dataset:
    """A named list of distinct puzzles."""

    name: str
    """The name in the catalogue, or that of the file."""
    instances: tuple[Instance, ...]
    """The puzzles in their order."""
    repeats: int = 0
    """The number of duplicates in the file, which the dataset leaves out."""
    excluded: int = 0
    """The number of puzzles that a condition leaves out."""


def address_of(text: str, folder: Path | None = None) -> Address:
    """The dataset or file that `text` names, and the puzzles of it that are meant."""
    return parse_address(text, {listing.name for listing in listings()}, folder)


def find(name_or_path: str) -> Path:
    """The file of a dataset, by its name in the catalogue or its path.

    Raises:
        PuzzleError: neither a dataset nor a file has this name, or the file of an imported
            dataset has changed.
    """
    for listing in listings():
        if listing.name == name_or_path:
            listing.check()
            return listing.path
    if "://" in name_or_path:
        raise PuzzleError(
            f"{shortened(name_or_path, 60)!r} is a link",
            expected="a file with the link, or - for standard input: "
            "echo LINK | harness datasets show -",
        )
    path = Path(name_or_path)
    try:
        path = existing_path(name_or_path)
        if path.exists():
            return path
    except OSError as error:  # a name too long, a folder without permission
        raise PuzzleError(f"cannot be read: {error.strerror}", where=name_or_path) from None
    names = [listing.name for listing in listings()]
    if path.suffix or path.parent != Path():
        similar = meant(path.parts[0], names) or meant(path.name, _siblings(path))
        raise PuzzleError(f"no such file{similar}", where=name_or_path)
    raise PuzzleError(
        f"unknown dataset {name_or_path!r}{meant(name_or_path, names)}",
        expected=f"{one_of(names)}, or a puzzle file",
    )


def load_dataset(name_or_path: str | Path, shape: Shape | str | None = None) -> Dataset:
    """Load a dataset by its name in the catalogue or its path, or some of its puzzles.

    A puzzle that occurs more than once in the file becomes one instance, named after
    its first occurrence. A puzzle without a name is named by its number in the file.

    Args:
        name_or_path: a name that `harness datasets` lists, or a puzzle file; ``/3`` after
            it means its third puzzle, see `harness.puzzles.address`.
        shape: the shape of all puzzles, or its name; each puzzle's length determines it if
            None.

    Raises:
        PuzzleError: the dataset does not exist, or its file is malformed.
        OptionError: an argument has a wrong type.
    """
    name = str(path_of(name_or_path, "name_or_path", "the name of a dataset, or a puzzle file"))
    (dataset,) = load_datasets([name], Shape.chosen(shape))
    return dataset


def load_datasets(names: Sequence[str], shape: Shape | None = None) -> list[Dataset]:
    """Load several datasets; files with the same name keep their paths as names.

    Several selections from one file are one dataset, with its puzzles in their order.

    Raises:
        PuzzleError: as `load_dataset`, or a dataset occurs twice in `names`.
    """
    addresses: dict[Path, list[Address]] = {}
    for name in names:
        address = address_of(name)
        earlier = addresses.setdefault(find(address.source).resolve(), [])
        earlier.append(address)
        if len(earlier) > 1 and not all(other.selection for other in earlier):
            raise PuzzleError(f"duplicate dataset {name!r}", expected="each dataset once")
    datasets = [(of[0].source, _load(of, shape)) for of in addresses.values()]
    shared = Counter(dataset.name for _, dataset in datasets)
    return [
        replace(dataset, name=encodable(source)) if shared[dataset.name] > 1 else dataset
        for source, dataset in datasets
    ]


def _load(addresses: Sequence[Address], shape: Shape | None) -> Dataset:
    """The puzzles that these addresses, all with the same source, mean."""
    source = addresses[0].source
    path = find(source)
    instances = read_instances(path, shape)
    if any(address.selection for address in addresses):
        every = list(instances)
        meant_ids = {id(item) for address in addresses for item in address.selected(every)}
        instances = (item for item in every if id(item) in meant_ids)
    return collect(_name(source, path), instances)


def _siblings(path: Path) -> Iterator[str]:
    """The names of files in the folder of `path`, which does not exist; at most 1,000."""
    with suppress(OSError):
        yield from (entry.name for entry in islice(path.parent.iterdir(), 1000))


def read_instances(path: Path, shape: Shape | None = None) -> Iterator[Instance]:
    """The puzzles of a file as instances, duplicates included.

    Raises:
        PuzzleError: the file cannot be read or is malformed.
    """
    for parsed in read_file(path, shape):
        yield Instance(
            *(parsed.name, parsed.puzzle, parsed.expected_count, parsed.source), parsed.fields
        )


def collect(name: str, instances: Iterator[Instance]) -> Dataset:
    """A dataset of these instances without duplicates."""
    kept: dict[str, Instance] = {}
    total = 0
    for instance in instances:
        total += 1
        kept.setdefault(instance.puzzle.id, instance)
    return Dataset(name, tuple(kept.values()), total - len(kept))


def _name(name_or_path: str, path: Path) -> str:
    listed = any(listing.name == name_or_path for listing in listings())
    return name_or_path if listed else encodable(Path(bare_name(path.name)).stem)
