"""The argument PUZZLE: a line, a file, standard input, or puzzles of a dataset or file."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from harness.base.errors import PuzzleError, suggestion
from harness.base.text import existing_path
from harness.cli import lazy
from harness.cli.completers import datasets
from harness.cli.options import show_json
from harness.cli.terminal import notice, show
from harness.puzzles import Instance, Shape
from harness.puzzles.formats import ParsedPuzzle, ReadSettings, Symbols, forbid, only, parse_text

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
_TEXT: Final = re.compile(r"\s*[\[{<]|.*://|\S{100}|[0-9]+(x[0-9]+|j)\w*:|.*\n", re.DOTALL)
"""A link, a payload, data in JSON or XML, a game, or several lines, rather than a file name."""
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
            is_path = "\n" not in text and existing_path(text).exists()
            is_path = is_path or ("/" in text and not _TEXT.match(text))
        except OSError:  # a long puzzle exceeds the length of a file name
            is_path = False
        if not text.strip() or (not is_path and (_LINE.fullmatch(text) or _TEXT.match(text))):
            return cls(text, None)
        address = lazy.address_of(text)
        names = {"-", *lazy.public_sets(), *(listing.name for listing in lazy.listings())}
        return cls(text, address if address.selection or is_path or text in names else None)

    def read(
        self, shape: Shape | None, symbols: Symbols | None = None, *, strict: bool = False
    ) -> list[Instance]:
        """Read the puzzles, with their expected counts if known.

        How they are understood is printed on standard error, and is in their `notes`.

        Args:
            shape: their shape; None if the text determines it.
            symbols: the symbols of values; None if the puzzles decide.
            strict: whether a text that needs a note is refused.

        Raises:
            PuzzleError: a file or puzzle does not exist, the file contains several puzzles
                without a selection, a puzzle is malformed, or a note is refused.
        """
        every: list[str] = []
        understand = forbid if strict else every.append
        instances = self._instances(ReadSettings(shape, symbols, understand=understand))
        notes = tuple(dict.fromkeys(every))
        for text in notes:
            notice(f"note: {text}")
        return [replace(instance, notes=notes) for instance in instances]

    def _instances(self, reading: ReadSettings) -> Sequence[Instance]:
        if self.address is None:
            instance = self._parsed(reading).instance
            is_named = instance.name != "1"
            return [instance if is_named else replace(instance, name=instance.puzzle.id)]
        source = self.address.source
        path = Path(source) if source == "-" else lazy.find(source)
        instances = list(lazy.read_instances(path, reading))
        if self.address.selection:
            return self.address.select(instances)
        if (number := len(instances)) > 1:
            name = source.rstrip("/")
            expected = f"{name}/1 for one puzzle, or {name}/1-{number} for all"
            if source == "-":
                source, expected = "standard input", "one puzzle"
            raise PuzzleError(f"contains {number} puzzles", where=source, expected=expected)
        return instances

    def _parsed(self, reading: ReadSettings) -> ParsedPuzzle:
        if not self.text.strip():
            expected = "a puzzle line, a file or a dataset, such as named/3"
            raise PuzzleError("the puzzle is empty", expected=expected)
        try:
            return only(parse_text(self.text, reading))
        except PuzzleError:
            names = [listing.name for listing in lazy.listings()]
            if _NAME.fullmatch(self.text) or suggestion(self.text, names):
                lazy.find(self.text)  # raises an error, perhaps with a similar name
            raise

    def show_json(self, documents: Sequence[object]) -> None:
        """Print the document of one puzzle, or a list for a range or a list of puzzles."""
        numbers = self.address.numbers if self.address else ""
        show_json(documents if numbers and not numbers.isdigit() else documents[0])


def headed(instances: Sequence[Instance]) -> Iterator[Instance]:
    """Each instance; if there are several, after a line with its name."""
    for number, instance in enumerate(instances):
        if len(instances) > 1:
            show(f"\n{instance.name}\n" if number else f"{instance.name}\n")
        yield instance
