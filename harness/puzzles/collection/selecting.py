"""Some puzzles of a file, by their numbers or their name."""

from collections.abc import Iterator
from dataclasses import replace

from harness.puzzles.address import Address
from harness.puzzles.formats.convert import Input
from harness.puzzles.formats.source import ParsedPuzzle


def selected(source: Input, address: Address) -> Input:
    """`source` with only the puzzles that `address` means; without a selection all of them.

    A selection reads the whole file into memory, since a name may occur twice.
    """
    if not address.selection:
        return source

    def change(puzzles: Iterator[ParsedPuzzle]) -> Iterator[ParsedPuzzle]:
        yield from address.selected(list(source.change(puzzles)))

    return replace(source, change=change)
