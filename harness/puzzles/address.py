"""Addresses of puzzles: a dataset or a file, and which of its puzzles are meant.

========================  =====================================================
``named``, ``my.txt``     all puzzles of a dataset or a file
``named/3``               the third puzzle
``named/3-7,9``           the third to the seventh puzzle and the ninth
``named:fcc_48307``       the puzzle of this name; ``/`` works too, unless the
                          name consists of numbers
========================  =====================================================
"""

import re
from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Protocol, TypeVar

from harness.errors import PuzzleError, meant, one_of

_NUMBERS: Final = re.compile(r"\d{1,18}(-\d{1,18})?(,\d{1,18}(-\d{1,18})?)*", re.ASCII)
_MOST_NAMES: Final = 20
"""Names that an error lists."""


class _Named(Protocol):
    @property
    def name(self) -> str: ...


_Item = TypeVar("_Item", bound=_Named)


@dataclass(frozen=True, slots=True)
class Address:
    """A dataset or file, and the puzzles of it that are meant."""

    source: str
    """The name of a shipped dataset, or a path; ``-`` for standard input."""
    numbers: str = ""
    """Numbers and ranges of puzzles, from 1: ``3-7,9``."""
    name: str = ""
    """The name of a puzzle."""

    @property
    def selection(self) -> str:
        """The numbers or the name; empty for all puzzles."""
        return self.numbers or self.name

    def selected(self, items: Sequence[_Item]) -> list[_Item]:
        """Those of `items`, the puzzles of the source in their order, that are meant.

        Raises:
            PuzzleError: no puzzle has the number or the name, several have the name, or a
                number is the name of another puzzle.
        """
        if self.numbers:
            chosen = sorted(set(self._positions(len(items))))
            if self.numbers.isdigit():
                self._check_names(items, chosen[0])
            return [items[number - 1] for number in chosen]
        if not self.name:
            return list(items)
        found = [item for item in items if item.name == self.name]
        if len(found) > 1:
            places = [n for n, item in enumerate(items, 1) if item.name == self.name]
            raise PuzzleError(
                f"{len(found)} puzzles have the name {self.name!r}",
                where=self.source,
                expected=one_of([f"{self.source}/{n}" for n in places[:_MOST_NAMES]]),
            )
        if not found:
            names = [item.name for item in items]
            listed = one_of(names[:_MOST_NAMES]) + ", ..." * (len(names) > _MOST_NAMES)
            if _NUMBERS.fullmatch(self.name):
                listed = f"{self.source}/{self.name} for a number, or {listed}"
            raise PuzzleError(
                f"no puzzle {self.name!r}{meant(self.name, names)}",
                where=self.source,
                expected=listed,
            )
        return found

    def _positions(self, size: int) -> Iterator[int]:
        for part in self.numbers.split(","):
            low, _, high = part.partition("-")
            first, last = int(low), int(high or low)
            if not 1 <= first <= last <= size:
                raise PuzzleError(
                    f"no puzzle {part}" if first <= last else f"invalid range {part}",
                    where=self.source,
                    expected=f"numbers from 1 to {size}",
                )
            yield from range(first, last + 1)

    def _check_names(self, items: Sequence[_Item], number: int) -> None:
        """Check that `number` is not the name of another puzzle."""
        others = (item for at, item in enumerate(items, 1) if at != number)
        if items[number - 1].name != self.numbers and any(
            item.name == self.numbers for item in others
        ):
            raise PuzzleError(
                f"puzzle {number} has the name {items[number - 1].name!r}, and another puzzle "
                f"has the name {self.numbers!r}",
                where=f"{self.source}/{self.numbers}",
                expected=f"{self.source}:{self.numbers} for the name, or "
                f"{self.source}/{number}-{number} for the number",
            )


def parse_address(text: str, datasets: Container[str], folder: Path | None = None) -> Address:
    """Split `text` into a source and the puzzles of it that are meant.

    The source is the first part before a ``/`` or ``:`` that is a dataset or a file. Text
    without such a part, and the name of an existing file, is a source as a whole.

    Args:
        text: an address.
        datasets: the names of the shipped datasets.
        folder: the folder of relative paths; the working directory if None.
    """
    if text in datasets or text == "-" or _exists(text, folder):
        return Address(text)
    for at in (match.start() for match in re.finditer("[/:]", text)):
        source, selection = text[:at], text[at + 1 :]
        if selection and (source in datasets or _is_file(source, folder)):
            if text[at] == "/" and _NUMBERS.fullmatch(selection):
                return Address(source, numbers=selection)
            return Address(source, name=selection)
    return Address(text)


def _exists(path: str, folder: Path | None) -> bool:
    try:
        return (folder or Path()).joinpath(path).exists()
    except (OSError, ValueError):  # a name that is too long, or contains NUL
        return False


def _is_file(path: str, folder: Path | None) -> bool:
    return _exists(path, folder) and not (folder or Path()).joinpath(path).is_dir()
