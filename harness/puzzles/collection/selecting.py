"""Some puzzles of a file: by their numbers, their name or a condition."""

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from harness.puzzles.address import Address
from harness.puzzles.formats.convert import Input
from harness.puzzles.formats.source import ParsedPuzzle

if TYPE_CHECKING:
    from harness.puzzles.where import Where


def selected(source: Input, address: Address, where: "Where | None" = None) -> Input:
    """`source` with only the puzzles that `address` means and that meet the condition `where`.

    Numbers and a name read the whole file into memory, since a name may occur twice.
    """

    def change(puzzles: Iterator[ParsedPuzzle]) -> Iterator[ParsedPuzzle]:
        puzzles = source.change(puzzles)
        if address.selection:
            puzzles = iter(address.selected(list(puzzles)))
        if where is not None:
            puzzles = (one for one in puzzles if where.accepts(one, address.source))
        return puzzles

    return replace(source, change=change)
