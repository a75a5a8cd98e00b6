"""Some puzzles of a file: by their numbers, their name or a condition."""

from collections.abc import Iterable, Iterator, Mapping, Set
from dataclasses import replace
from typing import Protocol

from harness.puzzles.address import Address
from harness.puzzles.formats.convert import Input, parsed_puzzles
from harness.puzzles.formats.source import ParsedPuzzle


class Condition(Protocol):
    """A condition on puzzles, such as `harness.features.where.Where`."""

    def accepts(self, record: ParsedPuzzle, dataset: str = "") -> bool:
        """Whether a puzzle of this dataset meets it."""
        ...

    def require_met(self, sizes: Mapping[str, int], chosen: int, known: Set[str]) -> None:
        """Check that puzzles met it, and that one of them has each field that it names."""
        ...


def addressed(source: Input, dataset: str) -> Input:
    """`source` with the addresses of its puzzles in this `dataset` as their positions."""

    def change(puzzles: Iterator[ParsedPuzzle]) -> Iterator[ParsedPuzzle]:
        for number, one in enumerate(source.change(puzzles), 1):
            yield replace(one, place=f"{dataset}/{number}")

    return replace(source, change=change)


def selected(source: Input, address: Address, where: Condition | None = None) -> Input:
    """`source` with only the puzzles that `address` means and that meet the condition `where`.

    Numbers and a name read the whole file into memory, since a name may occur twice.
    """

    def change(puzzles: Iterator[ParsedPuzzle]) -> Iterator[ParsedPuzzle]:
        return (one for _, one in _numbered(source.change(puzzles), address, where))

    return replace(source, change=change)


def numbered(
    source: Input, address: Address, where: Condition | None = None
) -> Iterator[tuple[int, ParsedPuzzle]]:
    """The puzzles of `selected`, each with its number in the file.

    Raises:
        PuzzleError: the file cannot be read or is malformed.
    """
    return _numbered(parsed_puzzles(source), address, where)


def _numbered(
    puzzles: Iterator[ParsedPuzzle], address: Address, where: Condition | None
) -> Iterator[tuple[int, ParsedPuzzle]]:
    pairs: Iterable[tuple[int, ParsedPuzzle]] = enumerate(puzzles, 1)
    if address.selection:
        every = [one for _, one in pairs]
        number_of = {id(one): number for number, one in enumerate(every, 1)}
        pairs = [(number_of[id(one)], one) for one in address.selected(every)]
    if where is None:
        yield from pairs
        return
    size = chosen = 0
    known: set[str] = set()
    for number, one in pairs:
        size += 1
        known.update(one.fields)
        if where.accepts(one, address.source):
            chosen += 1
            yield number, one
    if size:
        where.require_met({address.source: size}, chosen, known)
