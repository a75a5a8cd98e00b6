"""The argument PUZZLE: a line, a file, standard input, or puzzles of a dataset or file."""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated, Final

import typer

from harness.base.errors import PuzzleError, meant
from harness.base.text import existing_path
from harness.cli.completers import datasets
from harness.cli.terminal import show
from harness.puzzles import Instance, Shape
from harness.puzzles.datasets import address_of, find, listings, public_sets, read_instances
from harness.puzzles.formats import parse_puzzle

PuzzleArgument = Annotated[
    str,
    typer.Argument(
        metavar="PUZZLE",
        help="A puzzle line, a file, - for standard input, or puzzles of a dataset or file: "
        "named/3, named/3-7, file.txt/3, named:fcc_48307.",
        autocompletion=datasets,
    ),
]

_NAME: Final = re.compile(r"[a-z][a-z_]{0,30}|(?!.*\.\.).{0,99}[A-Za-z].{0,99}\.[A-Za-z]\w{0,9}")
"""A word, or the name of a file, rather than a puzzle."""


def read_puzzles(text: str, shape: Shape | None) -> list[Instance]:
    """Read the puzzles that `text` names, with their expected counts if known.

    ``-`` is standard input, the name of an existing file is that file, ``named/3-7`` are
    puzzles of a dataset or file, and any other text is a puzzle.

    Raises:
        PuzzleError: a file or puzzle does not exist, the file contains several puzzles
            without a selection, or a puzzle is malformed.
    """
    if not text.strip():
        expected = "a puzzle line, a file or a dataset, such as named/3"
        raise PuzzleError("the puzzle is empty", expected=expected)
    address = address_of(text)
    if not address.selection and not _is_there(text):
        try:
            puzzle = parse_puzzle(text, shape)
        except PuzzleError:
            if (
                text in public_sets()
                or _NAME.fullmatch(text)
                or meant(text, [listing.name for listing in listings()])
            ):
                find(text)  # raises an error, perhaps with a similar name
            raise
        return [Instance(puzzle.id, puzzle)]
    source = "standard input" if text == "-" else address.source
    instances = list(read_instances(Path("-") if text == "-" else find(address.source), shape))
    if address.selection:
        return address.selected(instances)
    if len(instances) > 1:
        name, number = source.rstrip("/"), len(instances)
        addresses = f"{name}/1 for one puzzle, or {name}/1-{number} for all"
        expected = "one puzzle" if text == "-" else addresses
        raise PuzzleError(f"contains {number} puzzles", where=source, expected=expected)
    return instances


def headed(instances: Sequence[Instance]) -> Iterator[Instance]:
    """Each instance; if there are several, after a line with its name."""
    for number, instance in enumerate(instances):
        if len(instances) > 1:
            show(f"\n{instance.name}\n" if number else f"{instance.name}\n")
        yield instance


def is_several(text: str) -> bool:
    """Whether `text` is a range or a list of puzzles, even if it has only one."""
    numbers = address_of(text).numbers
    return bool(numbers) and not numbers.isdigit()


def is_path(text: str) -> bool:
    """Whether `text` is the name of a dataset, fetched or not, or a file rather than a puzzle."""
    return _is_there(text) or text in public_sets()


def _is_there(text: str) -> bool:
    if "\n" in text:
        return False
    if text == "-" or text in (listing.name for listing in listings()):
        return True
    try:
        return existing_path(text).exists() or "/" in text
    except OSError:  # a long puzzle exceeds the length of a file name
        return False
