"""Options and messages that several commands on datasets share."""

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from harness.base.compression import bare_name
from harness.base.errors import OptionError, PuzzleError, located
from harness.base.text import number_of, printable
from harness.cli import lazy
from harness.cli.completers import datasets, formats
from harness.cli.options import SymbolsOption, choice_option, number_option, shape_of, value_option
from harness.puzzles.datasets import address_of, find, listings
from harness.puzzles.formats import (
    Conversion,
    Format,
    Input,
    ReadSettings,
    format_named,
    format_names,
    loadable,
)


class OnError(StrEnum):
    """What happens at a puzzle that cannot be converted."""

    STOP = "stop"
    SKIP = "skip"


PuzzlesArgument = Annotated[
    str,
    typer.Argument(
        metavar="FROM",
        help="A dataset or a puzzle file, or some of its puzzles, such as named/3-7; - for "
        "standard input.",
        autocompletion=datasets,
    ),
]
ToOption = Annotated[
    str | None,
    value_option(
        "--to",
        "FORMAT",
        "Format of the puzzles to write, such as line, csv or json; by default the suffix "
        "of the file names it.",
        completer=formats,
    ),
]
OnErrorOption = Annotated[
    OnError,
    choice_option(
        OnError, "--on-error", "Stop at a puzzle that cannot be converted, or skip it and list it."
    ),
]
WhereOption = Annotated[
    str | None,
    value_option(
        "--where",
        "CONDITION",
        "Only puzzles that meet this condition, such as \"clues < 20 and shape == '9x9'\".",
    ),
]
SampleOption = Annotated[
    int | None,
    number_option(
        "--sample", "Choose N puzzles at random that meet --where; all if there are fewer.", 1
    ),
]
NodesOption = Annotated[
    int,
    number_option("--nodes", "Node limit of each search; a larger one decides more puzzles.", 1),
]


def where_of(text: str | None) -> "lazy.Where | None":
    """The condition of the option ``--where``; None without one.

    Raises:
        OptionError: the text is not a condition.
    """
    if text is None:
        return None
    with located("--where"):
        return lazy.Where.parse(text)


@dataclass(frozen=True)
class ReadingOptions:
    """How the puzzles of a file are read."""

    format_name: Annotated[
        str | None,
        value_option(
            "--from",
            "FORMAT",
            "Format of the puzzles to read, such as line, csv or sdk; by default it is detected. "
            "An unknown name prints all names.",
            completer=formats,
        ),
    ] = None
    symbols: SymbolsOption = None
    shape: Annotated[
        str | None,
        value_option(
            "--shape",
            "NAME",
            "Shape of all puzzles, such as 9x9, latin7 or 6x6+diagonal; by default the file "
            "determines it.",
        ),
    ] = None

    def file(self, source: str) -> Input:
        """A file, or ``-`` for standard input.

        Raises:
            InputError: a shape or a format does not exist.
        """
        if self.format_name is not None:
            format_named(self.format_name)
        reading = ReadSettings(shape_of(self.shape), self.symbols)
        return Input(source, self.format_name, reading)

    def dataset(self, dataset: str) -> Input:
        """A dataset or a file.

        The positions of its puzzles are addresses such as ``named/3``
        if it is in the catalogue.

        Raises:
            InputError: the dataset does not exist, or as in `file`.
        """
        name = address_of(dataset).source
        file = self.file(dataset if dataset == "-" else str(find(name)))
        is_listed = name in {listing.name for listing in listings()}
        return file.with_addresses(name) if is_listed else file


def format_to_write(target: str, to: str | None) -> Format:
    """The format of the file `target`.

    Raises:
        InputError: neither the option nor the suffix determines a format.
    """
    if to is not None:
        return format_named(to)
    expected = f"--to {'|'.join(format_names())}"
    if target == "-":
        raise OptionError("missing option --to", expected=expected)
    suffix = Path(bare_name(target)).suffix.lower()
    formats = loadable(suffix) if suffix else []
    matches = [f for f in formats if suffix in (*f.suffixes, *f.shared_suffixes)]
    if len(matches) != 1:
        problem = "may be of several formats" if matches else "does not determine a format"
        raise PuzzleError(f"the name {problem}", where=target, expected=expected)
    return matches[0]


def warn(text: str) -> None:
    """Print a line on standard error, even if only results and errors are wanted."""
    typer.echo(printable(text), err=True)


def warn_of_skipped(done: Conversion) -> None:
    """List the puzzles that were skipped."""
    if not done.skipped:
        return
    warn(f"{number_of(done.skipped, 'puzzle')} skipped")
    for error in done.errors:
        warn(f"  {error}")
    if done.skipped > len(done.errors):
        warn(f"  and {done.skipped - len(done.errors):,} more")
