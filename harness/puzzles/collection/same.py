"""Which puzzles of files and datasets are the same, or equivalent.

Two puzzles are duplicates if shape, givens and pencilmarks are equal. Plain 9x9 puzzles are
equivalent if their canonical forms are equal. Puzzles of other shapes count as equivalent if
other values make them equal; with pencilmarks only duplicates are found.

The puzzles seen are in a temporary database on disk, so that memory stays constant.
"""

import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import blake2b
from typing import Final

from harness.puzzles.identity.canonical import canonical_form, has_canonical_form
from harness.puzzles.puzzle import Puzzle

_DIGEST_BYTES: Final = 12
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
    """Whether the two are equivalent only, not the same."""

    def __str__(self) -> str:
        relation = "is equivalent to" if self.equivalent else "is the same as"
        return f"{self.place} {relation} {self.earlier}"


class Seen:
    """The puzzles seen so far, each with its position. Made by `remembering`."""

    def __init__(self, database: sqlite3.Connection, most_canonical: int | None) -> None:
        self._database = database
        self._most_canonical = most_canonical
        self._canonical = 0
        self.unchecked = 0
        """Puzzles of the current group that were compared for duplicates only."""
        self._group = ""

    def begin(self, group: str) -> None:
        """Begin the puzzles of a file or a dataset; `group` is its name, or empty."""
        self._group = group
        self._canonical = self.unchecked = 0

    def match(self, puzzle: Puzzle, place: str) -> Match | None:
        """The first puzzle seen that is the same, otherwise the first equivalent one.

        A puzzle without either is remembered with its position `place`.
        """
        here = f"{self._group}\0{place}"
        earlier = self._noted("same", bytes.fromhex(puzzle.id), here)
        if earlier is not None:
            return self._match(place, earlier, equivalent=False)
        form = self._form(puzzle)
        if form is not None:
            earlier = self._noted("equivalent", form, here)
        return None if earlier is None else self._match(place, earlier, equivalent=True)

    def _match(self, place: str, earlier: str, *, equivalent: bool) -> Match:
        group, _, position = earlier.partition("\0")
        return Match(place, position, group, equivalent)

    def _noted(self, table: str, key: bytes, here: str) -> str | None:
        """The earlier position with this key; None if the key is new, and is then noted."""
        new = self._database.execute(_INSERT[table], (key, here)).rowcount
        if new:
            return None
        (earlier,) = self._database.execute(_SELECT[table], (key,)).fetchone()
        return str(earlier)

    def _form(self, puzzle: Puzzle) -> bytes | None:
        """What equivalent puzzles have in common; None if it is not computed."""
        if puzzle.pencilmarks is not None:
            return None
        givens: Iterable[int]
        if has_canonical_form(puzzle):
            if self._most_canonical is not None and self._canonical >= self._most_canonical:
                self.unchecked += 1
                return None
            self._canonical += 1
            givens = canonical_form(puzzle).puzzle.givens
        else:
            givens = relabelled(puzzle)
        content = puzzle.shape.digest.encode() + bytes(givens)
        return blake2b(content, digest_size=_DIGEST_BYTES).digest()


def relabelled(puzzle: Puzzle) -> tuple[int, ...]:
    """The givens of `puzzle` with values numbered in the order of their first occurrence."""
    labels = {0: 0}
    return tuple(labels.setdefault(value, len(labels)) for value in puzzle.givens)


_INSERT: Final = {
    "same": "INSERT OR IGNORE INTO same VALUES (?, ?)",
    "equivalent": "INSERT OR IGNORE INTO equivalent VALUES (?, ?)",
}
_SELECT: Final = {
    "same": "SELECT position FROM same WHERE key = ?",
    "equivalent": "SELECT position FROM equivalent WHERE key = ?",
}


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
        for table in _INSERT:
            columns = "key BLOB PRIMARY KEY, position TEXT"
            database.execute(f"CREATE TABLE {table} ({columns}) WITHOUT ROWID")
        database.execute("BEGIN")
        yield Seen(database, most_canonical)
    finally:
        database.close()
