"""The argument PUZZLE: a line, a file, standard input, or puzzles of a dataset or file."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from harness.base.errors import PuzzleError, suggestion
from harness.base.text import existing_path
from harness.cli import lazy
from harness.cli.completers import datasets
from harness.cli.options import show_json
from harness.cli.terminal import show
from harness.puzzles import Instance, Puzzle, Shape
from harness.puzzles.formats import parse_puzzle

if TYPE_CHECKING:
    from harness.puzzles.datasets import Address

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
_LINE: Final = re.compile(r"[\d.]*\.[\d.]*|\d{65,}", re.ASCII)
"""A puzzle that cannot be the name of a dataset, so that the catalogue is not read."""


@dataclass(frozen=True, slots=True)
class PuzzleSource:
    """What the argument PUZZLE names.

    ``-`` is standard input, the name of an existing file is that file, ``named/3-7`` are
    puzzles of a dataset or file, and any other text is a puzzle.
    """

    text: str
    """The argument."""
    address: "Address | None"
    """The dataset, fetched or not, or the file, with the selection of puzzles; None for a
    puzzle."""

    @classmethod
    def parse(cls, text: str) -> "PuzzleSource":
        """Parse the argument; an empty text counts as a puzzle, which `read` refuses."""
        try:
            is_path = "\n" not in text and (existing_path(text).exists() or "/" in text)
        except OSError:  # a long puzzle exceeds the length of a file name
            is_path = False
        if not text.strip() or (_LINE.fullmatch(text) and not is_path):
            return cls(text, None)
        address = lazy.address_of(text)
        names = {"-", *lazy.public_sets(), *(listing.name for listing in lazy.listings())}
        return cls(text, address if address.selection or is_path or text in names else None)

    @property
    def is_several(self) -> bool:
        """Whether it is a range or a list of puzzles, even if it has only one."""
        numbers = self.address.numbers if self.address else ""
        return bool(numbers) and not numbers.isdigit()

    def read(self, shape: Shape | None) -> list[Instance]:
        """Read the puzzles, with their expected counts if known.

        Raises:
            PuzzleError: a file or puzzle does not exist, the file contains several puzzles
                without a selection, or a puzzle is malformed.
        """
        if self.address is None:
            puzzle = self._parsed(shape)
            return [Instance(puzzle.id, puzzle)]
        source = self.address.source
        path = Path(source) if source == "-" else lazy.find(source)
        instances = list(lazy.read_instances(path, shape))
        if self.address.selection:
            return self.address.select(instances)
        if (number := len(instances)) > 1:
            name = source.rstrip("/")
            expected = f"{name}/1 for one puzzle, or {name}/1-{number} for all"
            if source == "-":
                source, expected = "standard input", "one puzzle"
            raise PuzzleError(f"contains {number} puzzles", where=source, expected=expected)
        return instances

    def _parsed(self, shape: Shape | None) -> Puzzle:
        if not self.text.strip():
            expected = "a puzzle line, a file or a dataset, such as named/3"
            raise PuzzleError("the puzzle is empty", expected=expected)
        try:
            return parse_puzzle(self.text, shape)
        except PuzzleError:
            names = [listing.name for listing in lazy.listings()]
            if _NAME.fullmatch(self.text) or suggestion(self.text, names):
                lazy.find(self.text)  # raises an error, perhaps with a similar name
            raise

    def show_json(self, documents: Sequence[object]) -> None:
        """Print the document of one puzzle, or a list with those of several."""
        show_json(documents if self.is_several else documents[0])


def headed(instances: Sequence[Instance]) -> Iterator[Instance]:
    """Each instance; if there are several, after a line with its name."""
    for number, instance in enumerate(instances):
        if len(instances) > 1:
            show(f"\n{instance.name}\n" if number else f"{instance.name}\n")
        yield instance
