"""The argument PUZZLE: a line, a file, standard input or a puzzle of a dataset."""

from typing import Annotated

import typer

from harness.errors import PuzzleError
from harness.puzzles.catalogue import Instance, find, listings, read_instances
from harness.puzzles.formats import parse_puzzle
from harness.puzzles.shape import Shape
from harness.text import existing_path

PuzzleArgument = Annotated[
    str,
    typer.Argument(
        metavar="PUZZLE", help="A puzzle line, a file, - for standard input, or DATASET/NAME."
    ),
]


def read_puzzle(text: str, shape: Shape | None) -> Instance:
    """Read the puzzle that `text` names, with its expected count if known.

    ``-`` is standard input, ``named/wikipedia`` a puzzle of a shipped dataset, the name
    of an existing file is that file, and any other text is a puzzle.

    Raises:
        PuzzleError: the file or puzzle does not exist, the file contains several puzzles,
            or the puzzle is malformed.
    """
    dataset, slash, name = text.partition("/")
    if slash and dataset in {listing.name for listing in listings()}:
        return _puzzle_of_dataset(dataset, name, shape)
    if text == "-" or _is_path(text):
        instances = list(read_instances(existing_path(text), shape))
        if len(instances) != 1:
            raise PuzzleError(
                f"contains {len(instances)} puzzles",
                where="standard input" if text == "-" else text,
                expected="one puzzle; `harness run` takes several",
            )
        return instances[0]
    puzzle = parse_puzzle(text, shape)
    return Instance(puzzle.id, puzzle)


def _puzzle_of_dataset(dataset: str, name: str, shape: Shape | None) -> Instance:
    instances = {instance.name: instance for instance in read_instances(find(dataset), shape)}
    if name not in instances:
        names = ", ".join(instances)
        raise PuzzleError(f"no puzzle {name!r}", where=dataset, expected=f"one of {names}")
    return instances[name]


def _is_path(text: str) -> bool:
    """Whether `text` is the name of a file rather than a puzzle."""
    if "\n" in text:
        return False
    try:
        if existing_path(text).exists():
            return True
    except OSError:  # a long puzzle exceeds the length of a file name
        return False
    return "/" in text or text.endswith((".txt", ".toml", ".json", ".sdm", ".csv"))
