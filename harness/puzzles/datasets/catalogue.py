"""Datasets: those of the catalogue and any puzzle file, by name or address.

The folder of the user's datasets is ``$HARNESS_DATASETS``; by default
``sudoku-harness/datasets`` in ``$XDG_DATA_HOME`` or ``~/.local/share``. Each dataset has two
files there: ``NAME.toml`` with its entry, and a file of puzzles that the entry names. The
entry is the last file that an import writes, so a dataset exists completely or not at all.

========================  =====================================================
``named``, ``my.txt``     all puzzles of a dataset or a file
``named/3``               the third puzzle
``named/3-7,9``           the third to the seventh puzzle and the ninth
``named:fcc_48307``       the puzzle of this name; ``/`` works too, unless the
                          name consists of numbers
========================  =====================================================
"""

import hashlib
import re
import tomllib
from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence, Set
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import lru_cache
from heapq import nsmallest
from operator import itemgetter
from pathlib import Path
from typing import Any, ClassVar, Final, Protocol, TypeVar

from harness.base.compression import bare_name
from harness.base.errors import PuzzleError, not_among, one_of, path_of, suggestion
from harness.base.files import (
    LARGEST_BYTES,
    errors_named,
    parse_toml,
    read_file_text,
    sha256_of,
    similar_file,
)
from harness.base.files import user_folder as data_folder
from harness.base.text import encodable, existing_path, shortened
from harness.puzzles.formats import Input, ParsedPuzzle, ReadSettings, stream_file
from harness.puzzles.puzzle import Instance, line_of, values_of_line
from harness.puzzles.shape import Shape
from harness.puzzles.solution_count import SolutionCount
from harness.puzzles.symmetry import Scramble

# The entries of the catalogue: the shipped datasets, and those that the user imported.


FOLDER_VARIABLE: Final = "HARNESS_DATASETS"
"""The environment variable with the folder of the user's datasets."""
_MOST_ENTRIES: Final = 10_000
ENTRY_TEXTS: Final = (
    *("title", "origin", "expected_count", "licence", "source", "source_sha256", "sha256"),
)
"""The texts in the entry of an imported dataset."""


@dataclass(frozen=True, slots=True)
class Listing:
    """A dataset of the catalogue."""

    json_keys: ClassVar = (
        *("name", "title", "puzzles", "shapes", "origin", "licence", "expected_count"),
        *("commands", "imported", "source", "source_sha256", "problem"),
    )

    name: str
    """Name for `--dataset`."""
    path: Path
    title: str
    """Content in a few words."""
    origin: str
    """Origin of the puzzles."""
    expected_count: str
    """What is known about the numbers of solutions of its puzzles."""
    puzzles: int
    """Number of puzzles, with the duplicates that an import kept."""
    shapes: tuple[str, ...]
    """The shapes of its puzzles by name, in the order of their first puzzles."""
    commands: tuple[str, ...] = ()
    """The commands that generate the puzzles; empty for transcribed and imported puzzles."""
    licence: str | None = None
    """Terms of use that the import gave; None for shipped datasets."""
    source: str | None = None
    """Name of the imported file; None for shipped datasets."""
    source_sha256: str | None = None
    """SHA-256 digest of the imported file; None for shipped datasets."""
    sha256: str = ""
    """The SHA-256 digest of the file at `path`; empty for shipped datasets."""
    fault: str = ""
    """What is wrong with its entry; empty if the entry is valid."""

    @property
    def imported(self) -> bool:
        """Whether the user imported it."""
        return bool(self.source)

    @property
    def problem(self) -> str:
        """Why the dataset cannot be used; empty if it can."""
        try:
            self.check()
        except PuzzleError as error:
            return str(error).removeprefix(f"{error.where}: ")
        return ""

    def check(self) -> None:
        """Check that an imported dataset is unchanged since its import.

        Raises:
            PuzzleError: its entry is malformed, or its file is missing or has changed.
        """
        again = f"harness datasets import FILE --name {self.name} --replace"
        if self.fault:
            raise PuzzleError(self.fault, where=f"dataset {self.name}", expected=again)
        if self.sha256 and digest_of(self.path) != self.sha256:
            problem = f"the file {self.path} has changed since its import"
            expected = f"the SHA-256 digest {self.sha256}, or {again}"
            raise PuzzleError(problem, where=f"dataset {self.name}", expected=expected)


def folder() -> Path:
    """The folder of the shipped datasets: in the wheel, or in the checkout."""
    package = Path(__file__).resolve().parents[2]
    in_wheel = package / "datasets"
    return in_wheel if in_wheel.is_dir() else package.parent / "datasets"


def user_folder() -> Path:
    """The folder of the user's datasets, which need not exist."""
    return data_folder("datasets", FOLDER_VARIABLE)


def listings() -> tuple[Listing, ...]:
    """The shipped datasets in their order, then the imported ones by name."""
    return shipped_listings() + imported_listings()


@lru_cache(maxsize=1)
def shipped_listings() -> tuple[Listing, ...]:
    """The entries of ``datasets/catalogue.toml``."""
    catalogue = tomllib.loads((folder() / "catalogue.toml").read_text(encoding="utf-8"))
    return tuple(
        Listing(
            name=name,
            path=folder() / entry.pop("file"),
            shapes=tuple(entry.pop("shapes")),
            commands=tuple(entry.pop("commands", ())),
            **entry,
        )
        for name, entry in catalogue.items()
    )


def imported_listings() -> tuple[Listing, ...]:
    """The datasets in the user's folder by name, including those with a malformed entry."""
    folder = user_folder()
    try:
        entries = sorted(path for path in folder.iterdir() if path.suffix == ".toml")
    except NotADirectoryError:
        expected = f"a folder of datasets; {FOLDER_VARIABLE} names another"
        raise PuzzleError("is not a folder", where=str(folder), expected=expected) from None
    except OSError:  # usually there is no such folder
        return ()
    shipped_names = {listing.name for listing in shipped_listings()}
    datasets = (_imported_listing(path, _stamp(path)) for path in entries[:_MOST_ENTRIES])
    return tuple(listing for listing in datasets if listing.name not in shipped_names)


@dataclass(frozen=True, slots=True)
class PublicSet:
    """Puzzles that others publish, for `harness.extensions.formats.fetching` to import."""

    name: str
    title: str
    address: str
    """The address of the file, or of a zip archive with it."""
    paths: tuple[str, ...]
    """The files in a clone or in the archive; ``*`` in a name stands for any text."""
    licence: str
    shapes: tuple[str, ...]
    puzzles: int = 0
    """The number of puzzles in the files; 0 if it is unknown."""
    facts: tuple[str, ...] = ()
    """What is known about the puzzles, each fact with its source."""
    sha256: str = ""
    """The SHA-256 digest of the files, one after the other; empty if they were not at hand."""
    git_blob: str = ""
    """The hash of the only file as a git object, if there is no other digest."""

    @property
    def has_digest(self) -> bool:
        """Whether there is a digest by which the files can be recognized."""
        return bool(self.sha256 or self.git_blob)

    @property
    def verified(self) -> str:
        """How the files can be recognized, in words."""
        if self.sha256:
            return f"SHA-256 {self.sha256}"
        known = f"git names the file {self.git_blob}" if self.git_blob else "no checksum is known"
        return f"not verified here, since the file was not at hand; {known}"


@lru_cache(maxsize=1)
def public_sets() -> Mapping[str, PublicSet]:
    """The entries of ``datasets/public.toml`` by name."""
    catalogue = tomllib.loads((folder() / "public.toml").read_text(encoding="utf-8"))
    lists = ("paths", "shapes", "facts")
    return {
        name: PublicSet(name, **entry | {key: tuple(entry.get(key, ())) for key in lists})
        for name, entry in catalogue.items()
    }


def digest_of(path: Path) -> str:
    """The SHA-256 digest of a file.

    Raises:
        PuzzleError: the file cannot be read.
    """
    return _digest(path, _stamp(path))


def _stamp(path: Path) -> tuple[int, int]:
    """What changes with a file: its modification time and its size; zeros without access."""
    with suppress(OSError):
        state = path.stat()
        return state.st_mtime_ns, state.st_size
    return 0, 0


@lru_cache(maxsize=256)
def _digest(path: Path, _: tuple[int, int]) -> str:
    with errors_named(str(path), PuzzleError):
        return sha256_of(path)


@lru_cache(maxsize=1024)
def _imported_listing(path: Path, _: tuple[int, int]) -> Listing:
    """The dataset with the entry at `path`."""
    try:
        return _parsed(path, parse_toml(read_file_text(path), path.name))
    except ValueError as error:
        problem = f"its entry is malformed: {error}"
        return Listing(path.stem, path, "", "", "", 0, (), source=path.name, fault=problem)


def _parsed(path: Path, entry: Mapping[str, Any]) -> Listing:
    for key in ("file", *ENTRY_TEXTS):
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
        **{key: entry[key] for key in ENTRY_TEXTS} | {"licence": entry["licence"] or None},
    )


# Addresses of puzzles: a dataset or a file, and a selection of its puzzles.


_NUMBERS: Final = re.compile(r"\d{1,18}(-\d{1,18})?(,\d{1,18}(-\d{1,18})?)*", re.ASCII)
_MOST_NAMES: Final = 20
"""Maximum number of names that an error lists."""


_Record = TypeVar("_Record", Instance, ParsedPuzzle)


class Condition(Protocol):
    """A condition on puzzles, such as `harness.puzzles.datasets.where.Where`."""

    def accepts(self, record: ParsedPuzzle, dataset: str = "") -> bool:
        """Whether a puzzle of this dataset meets the condition."""
        ...

    def require_met(self, sizes: Mapping[str, int], matches: int, fields: Set[str]) -> None:
        """Check that puzzles met the condition, and that each field in it occurs in a puzzle."""
        ...


@dataclass(frozen=True, slots=True)
class Address:
    """A dataset or file, and a selection of its puzzles."""

    source: str
    """The name of a dataset, or a path; ``-`` for standard input."""
    numbers: str = ""
    """Numbers and ranges of puzzles, from 1: ``3-7,9``."""
    name: str = ""
    """The name of a puzzle."""

    @property
    def selection(self) -> str:
        """The numbers or the name; empty for all puzzles."""
        return self.numbers or self.name

    def select(self, items: Sequence[_Record]) -> list[_Record]:
        """The selected items; `items` are the puzzles of the source in their order.

        Raises:
            PuzzleError: no puzzle has the number or the name, several have the name, or a
                number is the name of another puzzle.
        """
        if self.numbers:
            numbers = sorted(set(self._positions(len(items))))
            if self.numbers.isdigit():
                self._check_names(items, numbers[0])
            return [items[number - 1] for number in numbers]
        if not self.name:
            return list(items)
        matches = [item for item in items if item.name == self.name]
        if len(matches) > 1:
            places = [n for n, item in enumerate(items, 1) if item.name == self.name]
            problem = f"{len(matches)} puzzles have the name {self.name!r}"
            expected = one_of([f"{self.source}/{n}" for n in places[:_MOST_NAMES]])
            raise PuzzleError(problem, where=self.source, expected=expected)
        if not matches:
            names = [item.name for item in items]
            examples = one_of(names[:_MOST_NAMES])
            if len(names) > _MOST_NAMES:
                examples += ", ..."
            if _NUMBERS.fullmatch(self.name):
                examples = f"{self.source}/{self.name} for a number, or {examples}"
            problem = f"no puzzle {self.name!r}"
            raise not_among(
                PuzzleError, problem, self.name, names, where=self.source, expected=examples
            )
        return matches

    def _positions(self, size: int) -> Iterator[int]:
        for part in self.numbers.split(","):
            low, _, high = part.partition("-")
            first, last = int(low), int(high or low)
            if not 1 <= first <= last <= size:
                problem = f"no puzzle {part}" if first <= last else f"invalid range {part}"
                raise PuzzleError(problem, where=self.source, expected=f"numbers from 1 to {size}")
            yield from range(first, last + 1)

    def _check_names(self, items: Sequence[_Record], number: int) -> None:
        """Check that `number` is not the name of another puzzle."""
        name = items[number - 1].name
        if name != self.numbers and any(item.name == self.numbers for item in items):
            raise PuzzleError(
                f"puzzle {number} has the name {name!r}, and another puzzle has the name "
                f"{self.numbers!r}",
                where=f"{self.source}/{self.numbers}",
                expected=f"{self.source}:{self.numbers} for the name, or "
                f"{self.source}/{number}-{number} for the number",
            )

    def restrict(
        self,
        source: Input,
        where: Condition | None = None,
        sample: tuple[int, int] | None = None,
    ) -> Input:
        """`source` with only the selected puzzles that meet the condition `where`.

        A sample, given by its size and its seed, is drawn from these; see `draw_sample`.

        A selection reads the whole file into memory, since a name may occur twice.
        """

        def change(puzzles: Iterator[ParsedPuzzle]) -> Iterator[ParsedPuzzle]:
            records = self._matches(source.change(puzzles), where)
            return (parsed for _, parsed in (draw_sample(records, *sample) if sample else records))

        return replace(source, change=change)

    def numbered_puzzles(
        self, source: Input, where: Condition | None = None
    ) -> Iterator[tuple[int, ParsedPuzzle]]:
        """The puzzles of `restrict`, each with its number in the file.

        Raises:
            PuzzleError: the file cannot be read or is malformed.
        """
        return self._matches(source.puzzles(), where)

    def _matches(
        self, puzzles: Iterator[ParsedPuzzle], where: Condition | None
    ) -> Iterator[tuple[int, ParsedPuzzle]]:
        pairs: Iterable[tuple[int, ParsedPuzzle]] = enumerate(puzzles, 1)
        if self.selection:
            every = [parsed for _, parsed in pairs]
            meant_ids = {id(parsed) for parsed in self.select(every)}
            pairs = [pair for pair in enumerate(every, 1) if id(pair[1]) in meant_ids]
        if where is None:
            yield from pairs
            return
        size = matches = 0
        fields: set[str] = set()
        for number, parsed in pairs:
            size += 1
            fields.update(parsed.fields)
            if where.accepts(parsed, self.source):
                matches += 1
                yield number, parsed
        if size:
            where.require_met({self.source: size}, matches, fields)


def parse_address(text: str, datasets: Container[str], folder: Path | None = None) -> Address:
    """Split `text` into a source and a selection of its puzzles.

    The source is the first part before a ``/`` or ``:`` that is a dataset or a file. Text
    without such a part is a source as a whole, and so is the path of an existing file.

    Args:
        text: an address.
        datasets: the names of the datasets in the catalogue.
        folder: the folder of relative paths; the working directory if None.
    """
    root = folder or Path()
    if text in datasets or text == "-" or _is_there(root / text):
        return Address(text)
    for at in (match.start() for match in re.finditer("[/:]", text)):
        source, selection = text[:at], text[at + 1 :]
        if selection and (source in datasets or _is_there(root / source, is_file=True)):
            if text[at] == "/" and _NUMBERS.fullmatch(selection):
                return Address(source, numbers=selection)
            return Address(source, name=selection)
    return Address(text)


def _is_there(path: Path, *, is_file: bool = False) -> bool:
    """Whether something has this path, with `is_file` anything but a folder."""
    try:
        return path.exists() and not (is_file and path.is_dir())
    except (OSError, ValueError):  # a name that is too long, or contains NUL
        return False


# Datasets: those of the catalogue, and any puzzle file.


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
    """The number of puzzles that a condition or a sample leaves out."""

    def sample(self, most: int, seed: int) -> "Dataset":
        """The dataset with at most `most` of its puzzles, drawn by `seed`; see `draw_sample`."""
        sample = tuple(item for _, item in draw_sample(enumerate(self.instances), most, seed))
        left_out = len(self.instances) - len(sample)
        return replace(self, instances=sample, excluded=self.excluded + left_out)

    def scramble(self, seeds: Sequence[int]) -> "Dataset":
        """The dataset with equivalent puzzles in place of its own, one for each of `seeds`.

        The seed 0 keeps its own puzzles. A new puzzle depends only on the seed and on the puzzle
        in the dataset. Puzzles that become equal with one seed are one instance, as duplicates
        are.
        """
        instances = (
            scrambled_instance(instance, seed) if seed else instance
            for seed in seeds
            for instance in self.instances
        )
        scrambles = collect(self.name, instances)
        repeats = self.repeats + scrambles.repeats
        return replace(scrambles, repeats=repeats, excluded=self.excluded)


def address_of(text: str, folder: Path | None = None) -> Address:
    """The dataset or file that `text` names, and its selection of puzzles."""
    return parse_address(text, {listing.name for listing in listings()}, folder)


def find(name_or_path: str) -> Path:
    """The file of a dataset, by its name in the catalogue or its path.

    Raises:
        PuzzleError: neither a dataset nor a file has this name, or the file of an imported
            dataset has changed.
    """
    catalogue = {listing.name: listing for listing in listings()}
    if name_or_path in catalogue:
        catalogue[name_or_path].check()
        return catalogue[name_or_path].path
    if "://" in name_or_path:
        problem = f"{shortened(name_or_path, 60)!r} is a link"
        expected = "a file with the link, or - for standard input: "
        raise PuzzleError(problem, expected=f"{expected}echo LINK | harness datasets show -")
    path = Path(name_or_path)
    try:
        path = existing_path(name_or_path)
        if path.exists():
            return path
    except OSError as error:  # a name too long, a folder without permission
        raise PuzzleError(f"cannot be read: {error.strerror}", where=name_or_path) from None
    if (name := re.split("[/:]", name_or_path)[0]) in public_sets():
        problem = f"the public set {name!r} is not fetched"
        raise PuzzleError(problem, expected=f"harness datasets fetch {name}")
    names = list(catalogue)
    if path.suffix or "/" in name_or_path.rstrip("/"):
        similar = suggestion(path.parts[0], names) or similar_file(name_or_path)
        raise PuzzleError(f"no such file{similar}", where=name_or_path)
    expected = f"{one_of(names)}, or a puzzle file"
    problem = f"unknown dataset {name_or_path!r}"
    raise not_among(PuzzleError, problem, name_or_path, names, expected=expected)


def load_dataset(name_or_path: str | Path, shape: Shape | str | None = None) -> Dataset:
    """Load a dataset by its name in the catalogue or its path, or some of its puzzles.

    A puzzle that occurs more than once in the file becomes one instance, named after
    its first occurrence. A puzzle without a name is named by its number in the file.

    Args:
        name_or_path: a name that `harness datasets` lists, or a puzzle file; ``/3`` after
            it means its third puzzle, see `harness.puzzles.datasets.catalogue`.
        shape: the shape of all puzzles, or its name; each puzzle's length determines it if
            None.

    Raises:
        PuzzleError: the dataset does not exist, or its file is malformed.
        OptionError: an argument has a wrong type.
    """
    name = str(path_of(name_or_path, "name_or_path", "the name of a dataset, or a puzzle file"))
    (dataset,) = load_datasets([name], Shape.choose(shape))
    return dataset


def load_datasets(names: Sequence[str], shape: Shape | None = None) -> list[Dataset]:
    """Load several datasets; files with the same name keep their paths as names.

    Several selections from one file are one dataset, with the puzzles in the order of the file.

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
    listed_names = {listing.name for listing in listings()}
    datasets = []
    for group in addresses.values():
        source = group[0].source
        path = find(source)
        instances = read_instances(path, ReadSettings(shape))
        if any(address.selection for address in group):
            every = list(instances)
            meant_ids = {id(item) for address in group for item in address.select(every)}
            instances = (item for item in every if id(item) in meant_ids)
        name = source if source in listed_names else encodable(Path(bare_name(path.name)).stem)
        datasets.append((source, collect(name, instances)))
    counts = Counter(dataset.name for _, dataset in datasets)
    return [
        replace(dataset, name=encodable(source)) if counts[dataset.name] > 1 else dataset
        for source, dataset in datasets
    ]


def read_instances(path: Path, reading: ReadSettings | None = None) -> Iterator[Instance]:
    """The puzzles of a file as instances, duplicates included.

    Args:
        path: the file.
        reading: how it is read; by default each puzzle determines its shape.

    Raises:
        PuzzleError: the file cannot be read or is malformed.
    """
    return (parsed.instance for parsed in list(stream_file(path, reading, most=LARGEST_BYTES)))


def collect(name: str, instances: Iterator[Instance]) -> Dataset:
    """A dataset of these instances without duplicates."""
    first_of: dict[tuple[str, str], Instance] = {}
    total = 0
    for instance in instances:
        total += 1
        first_of.setdefault((instance.scramble, instance.puzzle.id), instance)
    return Dataset(name, tuple(first_of.values()), total - len(first_of))


# Datasets as a sweep uses them: sampled and scrambled.


def draw_sample(
    pairs: Iterable[tuple[int, _Record]], most: int, seed: int
) -> list[tuple[int, _Record]]:
    """At most `most` of the puzzles, chosen at random, in their order.

    Each puzzle has a random number that depends only on the seed and on the puzzle; those with
    the lowest numbers are chosen. So a smaller sample is part of a larger one with the same seed,
    and the sample does not depend on the order of the puzzles.

    Args:
        pairs: instances or records with their numbers, ascending.
        most: the largest size of the sample.
        seed: any whole number.
    """

    def rank(pair: tuple[int, _Record]) -> bytes:
        return hashlib.sha256(f"{seed}:{pair[1].puzzle.id}".encode()).digest()

    return sorted(nsmallest(most, pairs, key=rank), key=itemgetter(0))


def scrambled_instance(instance: Instance, seed: int) -> Instance:
    """The instance with an equivalent puzzle, and with the solution of that puzzle."""
    puzzle, expected = instance.puzzle, instance.expected_count
    scramble = Scramble.from_seed(puzzle.shape, f"{seed}:{puzzle.id}")
    if expected is not None and expected.solution is not None:
        solution = line_of(scramble.grid(values_of_line(expected.solution)))
        expected = SolutionCount(1, 1, solution)
    return replace(
        instance,
        puzzle=scramble.puzzle(puzzle),
        expected_count=expected,
        scramble=str(seed),
        original=puzzle,
    )
