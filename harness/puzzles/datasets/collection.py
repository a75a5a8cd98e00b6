"""Datasets of the user: imported puzzle files, and which of their puzzles are duplicates.

Two puzzles are duplicates if shape, givens and pencilmarks are equal. Plain 9x9 puzzles are
equivalent if their canonical forms are equal. Puzzles of other shapes count as equivalent if
new names for the values make them equal; with pencilmarks or constraints only duplicates are found.

The puzzles seen so far are in a temporary database on disk, so that memory stays constant.

The puzzles are kept as JSON Lines with names, expected answers, sources and further fields.
The folder gets both files of the dataset when they are complete, so an error or an
interruption leaves the catalogue as it was.
"""

import hashlib
import os
import re
import sqlite3
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from enum import StrEnum
from hashlib import blake2b
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, BinaryIO, Final, cast

import tomli_w

from harness.base.compression import bare_name
from harness.base.errors import InputError, PuzzleError, not_among
from harness.base.files import errors_named, locked, name_of, replacing, sha256_of, writing
from harness.base.text import encodable
from harness.puzzles.datasets.catalogue import (
    ENTRY_TEXTS,
    Listing,
    digest_of,
    imported_listings,
    shipped_listings,
    user_folder,
)
from harness.puzzles.formats import (
    JSON_LINES,
    Conversion,
    Input,
    ParsedPuzzle,
    convert,
    stream_file,
)
from harness.puzzles.puzzle import Puzzle

# Choices of commands on datasets, without the search that they start.


MOST_CANONICAL: Final = 100_000
"""Maximum number of 9x9 puzzles whose equivalents are searched by default: a minute on one core."""
NODES: Final = 50_000
"""The default node limit of facts: less than a second for a 25x25."""


class OnDuplicate(StrEnum):
    """What happens to a puzzle that is the same as an earlier one, or equivalent."""

    KEEP = "keep"
    SKIP = "skip"
    ERROR = "error"


# Which puzzles of files and datasets are the same, or equivalent.


_DIGEST_BYTES: Final = 12
"""Bytes of the digest of a form; an identifier has 8, so that the two never coincide."""
_CACHE_KIB: Final = 65_536


@dataclass(frozen=True, slots=True)
class Match:
    """A puzzle that was seen before."""

    place: str
    """Its position: ``puzzles.txt:3``."""
    earlier: str
    """The position of the first puzzle that is the same or equivalent."""
    group: str
    """The group of the earlier puzzle: the name of a dataset, or empty for the same file."""
    equivalent: bool
    """Whether the two are equivalent but not the same."""

    def __str__(self) -> str:
        relation = "is equivalent to" if self.equivalent else "is the same as"
        return f"{self.place} {relation} {self.earlier}"


class Seen:
    """The puzzles seen so far, each with its position. Made by `remembering`."""

    def __init__(self, database: sqlite3.Connection, most_canonical: int | None) -> None:
        self._database = database
        self._most_canonical = most_canonical
        self._canonical: Counter[str] = Counter()
        """The number of 9x9 puzzles of each group."""
        self._group = ""

    def begin(self, group: str) -> None:
        """Begin or continue the puzzles of a file or a dataset; `group` is its name, or empty."""
        self._group = group

    @property
    def not_searched(self) -> int:
        """The number of 9x9 puzzles of the current group that were only compared for duplicates."""
        most = self._most_canonical
        return 0 if most is None else max(0, self._canonical[self._group] - most)

    def match(self, puzzle: Puzzle, place: str) -> Match | None:
        """The first puzzle seen that is the same, otherwise the first equivalent one.

        None if there is neither; the puzzle is then remembered with its position `place`.
        """
        if match := self._note(bytes.fromhex(puzzle.id), place, equivalent=False):
            return match
        form = self._form(puzzle)
        return None if form is None else self._note(form, place, equivalent=True)

    def _note(self, key: bytes, place: str, *, equivalent: bool) -> Match | None:
        """The earlier puzzle with this key; None if the key is new, and is then noted."""
        row = (key, self._group, place)
        if self._database.execute("INSERT OR IGNORE INTO seen VALUES (?, ?, ?)", row).rowcount:
            return None
        query = "SELECT category, position FROM seen WHERE key = ?"
        group, position = self._database.execute(query, (key,)).fetchone()
        return Match(place, position, group, equivalent)

    def _form(self, puzzle: Puzzle) -> bytes | None:
        """A digest that equivalent puzzles share; None if it is not computed."""
        if puzzle.pencilmarks is not None or puzzle.shape.primitives:
            return None
        from harness.puzzles.datasets.canonical import canonical_form, has_canonical_form  # Numba

        # Values are numbered in the order of their first occurrence.
        labels = {0: 0}
        givens = tuple(labels.setdefault(value, len(labels)) for value in puzzle.givens)
        if has_canonical_form(puzzle):
            self._canonical[self._group] += 1
            if self.not_searched:
                return None
            givens = canonical_form(puzzle).puzzle.givens
        content = puzzle.shape.digest.encode() + bytes(givens)
        return blake2b(content, digest_size=_DIGEST_BYTES).digest()


@contextmanager
def remembering(most_canonical: int | None = None) -> Iterator[Seen]:
    """An empty memory of puzzles, which disappears after the block.

    Args:
        most_canonical: the number of 9x9 puzzles of each group for which the canonical form is
            computed, from the first; None for all. The rest is compared for duplicates only.
    """
    database = sqlite3.connect("", isolation_level=None)  # a temporary file
    try:
        database.execute(f"PRAGMA cache_size = -{_CACHE_KIB}")
        database.execute("PRAGMA journal_mode = OFF")
        columns = "key BLOB PRIMARY KEY, category TEXT, position TEXT"
        database.execute(f"CREATE TABLE seen ({columns}) WITHOUT ROWID")
        database.execute("BEGIN")
        yield Seen(database, most_canonical)
    finally:
        database.close()


# A puzzle file becomes a dataset of the catalogue.


_MOST_LISTED: Final = 5
"""Maximum number of matches of each kind that are listed."""
_LARGEST_STREAM: Final = 2**31
_CHUNK: Final = 2**20


@dataclass(frozen=True, slots=True)
class ImportRequest:
    """A file to import, and how."""

    source: Input
    """The file, ``-`` for standard input."""
    name: str = ""
    """The name of the dataset; by default that of the file without its suffixes."""
    title: str = ""
    """The content of the dataset in a few words; by default ``puzzles of FILE``."""
    origin: str = ""
    """Where the puzzles come from; by default the name of the file."""
    source_sha256: str = ""
    """The digest of the published files, if the file was made from them; by default its own."""
    licence: str = ""
    """The terms under which the puzzles may be used; empty if unknown."""
    skip_errors: bool = False
    """Whether malformed puzzles are left out and counted."""
    on_duplicate: OnDuplicate = OnDuplicate.KEEP
    """What happens to a puzzle that is the same as an earlier one, or equivalent."""
    most_canonical: int | None = MOST_CANONICAL
    """The number of 9x9 puzzles compared by canonical form; None for all."""
    within_file: bool = False
    """Whether puzzles are compared with others of the file only, not with the catalogue."""
    replace: bool = False
    """Whether an imported dataset of the same name is replaced."""


@dataclass(slots=True)
class Imported:
    """What an import did."""

    listing: Listing
    conversion: Conversion
    summary: "ImportSummary"


@dataclass(slots=True)
class ImportSummary:
    """What an import found in the puzzles of a file."""

    puzzles: int = 0
    """Puzzles of the dataset."""
    shapes: dict[str, None] = field(default_factory=dict)
    counts: int = 0
    """Puzzles with a known number of solutions."""
    solutions: int = 0
    """Puzzles with a known solution."""
    matches: Counter[tuple[str, bool]] = field(default_factory=Counter)
    """Puzzles seen before: by the dataset of the earlier one, empty for the same file, and
    whether the two are equivalent but not the same."""
    first_matches: list[Match] = field(default_factory=list)
    """The first duplicates and the first equivalents, at most `_MOST_LISTED` of each."""
    not_searched: int = 0
    """9x9 puzzles whose equivalents were not searched."""
    unread: list[str] = field(default_factory=list)
    """Datasets of the catalogue that could not be read."""

    def note(self, match: Match) -> None:
        """Count a puzzle that was seen before."""
        self.matches[match.group, match.equivalent] += 1
        if sum(other.equivalent is match.equivalent for other in self.first_matches) < _MOST_LISTED:
            self.first_matches.append(match)

    def keep(self, parsed: ParsedPuzzle) -> None:
        """Count a puzzle of the dataset."""
        self.puzzles += 1
        self.shapes[parsed.puzzle.shape.spec] = None
        if parsed.expected_count is not None:
            self.counts += 1
            self.solutions += parsed.expected_count.solution is not None

    @property
    def expected_count(self) -> str:
        """What is known about the numbers of solutions, in words."""
        if not self.counts:
            return "unknown"
        number = "all" if self.counts == self.puzzles else f"{self.counts:,} of {self.puzzles:,}"
        if self.solutions in (0, self.counts):
            return f"known for {number} puzzles"
        return f"known for {number} puzzles, with the solution for {self.solutions:,}"


def import_file(
    request: ImportRequest, watch: Callable[[ParsedPuzzle], None] = lambda _: None
) -> Imported:
    """Import a puzzle file into the user's folder of datasets.

    Args:
        request: the file, and how it is imported.
        watch: called for each puzzle that was read.

    Raises:
        PuzzleError: the file is malformed, the name is taken or invalid, or a puzzle was seen
            before and `on_duplicate` makes this an error.
        HarnessError: the folder cannot be written.
    """
    name = _free_name(request)
    folder = user_folder()
    with writing(str(folder)):
        folder.mkdir(parents=True, exist_ok=True)
        temporary = TemporaryDirectory(prefix=".import-", dir=folder)
    summary = ImportSummary()
    with temporary as work, remembering(request.most_canonical) as earlier:
        source, digest = _readable(request.source, Path(work))

        def change(puzzles: Iterator[ParsedPuzzle]) -> Iterator[ParsedPuzzle]:
            catalogue = () if request.within_file else (*shipped_listings(), *imported_listings())
            unread = [listing for listing in catalogue if listing.name != name]
            return _members(puzzles, request, earlier, unread, summary, watch)

        source = replace(source, change=change)
        data = Path(work) / "puzzles"
        done = convert(source, str(data), JSON_LINES, request.skip_errors)
        summary.not_searched = earlier.not_searched
        file_name = encodable(Path(source.name or source.path).name)
        listing = Listing(
            name=name,
            path=folder / f"{name}-{digest_of(data)[:12]}.jsonl",
            title=request.title or f"puzzles of {file_name}",
            origin=encodable(request.origin) or file_name,
            expected_count=summary.expected_count,
            puzzles=summary.puzzles,
            shapes=tuple(summary.shapes),
            licence=encodable(request.licence) or None,
            source=file_name,
            source_sha256=request.source_sha256 or digest,
            sha256=digest_of(data),
        )
        with locked(folder):
            _free_name(request)  # another import may have taken the name since
            _publish(listing, data)
    return Imported(listing, done, summary)


def _free_name(request: ImportRequest) -> str:
    """The name of the new dataset.

    Raises:
        PuzzleError: the name is taken or invalid.
    """
    name = request.name
    if not name:
        if request.source.path == "-":
            raise PuzzleError("standard input has no name", expected="--name NAME")
        stem = Path(bare_name(Path(request.source.path).name)).stem
        name = re.sub(r"[^A-Za-z0-9_-]+", "-", stem).strip("-_")[:64]
    problem = expected = ""
    if not re.fullmatch("[A-Za-z0-9][A-Za-z0-9_-]{0,63}", name):
        problem = f"{name!r} is not a name for a dataset" if name else "the file has no name"
        expected = "1 to 64 letters, digits, - and _, the first a letter or a digit"
    for listing in (*shipped_listings(), *imported_listings()):
        if listing.name.casefold() != name.casefold():
            continue
        if not listing.imported:
            problem, expected = f"{name!r} is a shipped dataset", "another name: --name NAME"
        elif listing.name != name:
            problem = f"the dataset {listing.name!r} exists"
            expected = "a name that differs in more than its case: --name NAME"
        elif not request.replace:
            problem = f"the dataset {name!r} exists"
            expected = "--replace, or another name: --name NAME"
    if problem:
        raise PuzzleError(problem, where="--name", expected=expected)
    return name


def _readable(source: Input, work: Path) -> tuple[Input, str]:
    """The file to read and its SHA-256 digest; a stream is copied first.

    Raises:
        PuzzleError: the file cannot be read, or a stream is too long.
    """
    name = name_of(source.path)
    with errors_named(name, PuzzleError):
        if source.path != "-" and (Path(source.path).is_file() or Path(source.path).is_dir()):
            return source, sha256_of(Path(source.path))
        copy = work / "source"
        with _stream(source.path) as file, copy.open("wb") as to:
            digest, size = hashlib.sha256(), 0
            while chunk := file.read(_CHUNK):
                size += len(chunk)
                if size > _LARGEST_STREAM:
                    most = f"has more than {_LARGEST_STREAM // 2**30} GiB"
                    raise PuzzleError(most, where=name, expected="a file, which has no limit")
                digest.update(chunk)
                to.write(chunk)
    return replace(source, path=str(copy), name=name), digest.hexdigest()


def _stream(path: str) -> BinaryIO:
    if path != "-":
        return Path(path).open("rb")
    binary = getattr(sys.stdin, "buffer", None)
    if binary is None:
        raise PuzzleError("is closed", where="standard input", expected="puzzles")
    return cast("BinaryIO", os.fdopen(os.dup(binary.fileno()), "rb"))


def _remember_alike(
    unread: list[Listing], spec: str, earlier: Seen, summary: ImportSummary
) -> None:
    """Move the datasets that may have puzzles of a shape from `unread` to `earlier`."""
    kind = _kind_of(spec)
    for listing in tuple(unread):
        if not listing.fault and kind not in map(_kind_of, listing.shapes):
            continue
        unread.remove(listing)
        earlier.begin(listing.name)
        try:
            listing.check()
            for number, parsed in enumerate(stream_file(listing.path), 1):
                earlier.match(parsed.puzzle, f"{listing.name}/{number}")
        except InputError:
            summary.unread.append(listing.name)
    earlier.begin("")


def _kind_of(spec: str) -> str:
    """A key that equal shapes share: ``9x9`` for boxes and regions, ``9x9+`` with variants."""
    houses, plus, _ = spec.partition("+")
    # A shape with regions of its own is ``jigsaw9-ee2be7``.
    return re.sub(r"^[a-z]+(\d+)-.*", r"\1x\1", houses) + plus


def _members(
    puzzles: Iterator[ParsedPuzzle],
    request: ImportRequest,
    earlier: Seen,
    unread: list[Listing],
    summary: ImportSummary,
    watch: Callable[[ParsedPuzzle], None],
) -> Iterator[ParsedPuzzle]:
    """The puzzles that become part of the dataset; `unread` has datasets that `earlier` lacks."""
    specs: set[str] = set()
    for parsed in puzzles:
        if (spec := parsed.puzzle.shape.spec) not in specs:
            specs.add(spec)
            _remember_alike(unread, spec, earlier, summary)
        watch(parsed)
        match = earlier.match(parsed.puzzle, parsed.place)
        if match is not None:
            if request.on_duplicate is OnDuplicate.ERROR:
                problem = str(match).removeprefix(f"{match.place} ")
                expected = "different puzzles, or --on-duplicate keep or skip"
                raise PuzzleError(problem, where=match.place, expected=expected)
            summary.note(match)
            if request.on_duplicate is OnDuplicate.SKIP:
                continue
        if JSON_LINES.can_hold(parsed) is None:
            summary.keep(parsed)
        yield parsed
    if not summary.puzzles and summary.matches:
        raise PuzzleError(
            f"all {summary.matches.total():,} puzzles were seen before; "
            f"the first: {summary.first_matches[0]}",
            where=request.source.path,
            expected="a new puzzle, or --on-duplicate keep",
        )


def remove_dataset(name: str) -> Listing:
    """Remove an imported dataset: its entry, then its puzzles.

    Raises:
        PuzzleError: no imported dataset has this name.
        HarnessError: a file cannot be removed.
    """
    own = {listing.name: listing for listing in imported_listings()}
    if name not in own:
        problem = f"no imported dataset {name!r}"
        if any(listing.name == name for listing in shipped_listings()):
            problem = f"{name!r} is a shipped dataset"
        expected = None if own else "a dataset that harness datasets import has made"
        raise not_among(PuzzleError, problem, name, own, expected=expected)
    path = own[name].path
    folder = user_folder()
    with locked(folder), writing(str(folder)):
        (folder / f"{name}.toml").unlink(missing_ok=True)
        if path.parent == folder and not own[name].fault:
            path.unlink(missing_ok=True)
    return own[name]


def _publish(listing: Listing, data: Path) -> None:
    """Put the files of a dataset into the folder, the entry last."""
    document: dict[str, Any] = {key: getattr(listing, key) or "" for key in ENTRY_TEXTS}
    document |= {"file": listing.path.name, "puzzles": listing.puzzles}
    document["shapes"] = list(listing.shapes)
    folder = listing.path.parent
    before = {old.path for old in imported_listings() if old.name == listing.name and not old.fault}
    is_new = not listing.path.exists()
    try:
        with replacing(folder / f"{listing.name}.toml") as entry, writing(str(folder)):
            tomli_w.dump(document, entry)
            data.replace(listing.path)
    except BaseException:
        if is_new:
            with suppress(OSError):
                listing.path.unlink(missing_ok=True)
        raise
    for path in before - {listing.path}:
        with suppress(OSError):
            path.unlink()
