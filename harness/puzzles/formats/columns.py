"""Columns of a file for the further fields of its puzzles."""

from collections.abc import Iterable, Iterator
from itertools import chain, islice
from typing import Final

from harness.errors import PuzzleError
from harness.puzzles.formats.source import ParsedPuzzle

AHEAD: Final = 10_000
"""Puzzles that decide which columns a file has."""


def with_columns(puzzles: Iterable[ParsedPuzzle]) -> tuple[list[str], Iterator[ParsedPuzzle]]:
    """The fields of the first `AHEAD` puzzles, each once in their order, and all puzzles.

    Raises:
        PuzzleError: a later puzzle has another field; raised when that puzzle is due.
    """
    every = iter(puzzles)
    first = list(islice(every, AHEAD))
    names = {name: None for parsed in first for name in parsed.fields}

    def later() -> Iterator[ParsedPuzzle]:
        for parsed in every:
            if unknown := parsed.fields.keys() - names.keys():
                raise PuzzleError(
                    f"the field {min(unknown)}",
                    where=parsed.place,
                    expected=f"those of the first {AHEAD:,} puzzles: {', '.join(names) or 'none'}",
                )
            yield parsed

    return list(names), chain(first, later())
