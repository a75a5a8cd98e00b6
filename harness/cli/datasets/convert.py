"""`harness datasets convert` and `export`: puzzles as a file of another format."""

from typing import TYPE_CHECKING, Annotated

import typer

from harness.cli.datasets.options import (
    DatasetArgument,
    FormatNameOption,
    OnError,
    OnErrorOption,
    ReplaceOption,
    ShapeNameOption,
    SymbolsOption,
    ToOption,
    WhereOption,
    dataset_input,
    format_to_write,
    unfinished_files_removed,
    warn_of_skipped,
    where_of,
)
from harness.cli.terminal import notice
from harness.errors import OptionError
from harness.puzzles.catalogue import address_of
from harness.text import number_of

if TYPE_CHECKING:
    from harness.puzzles.formats.convert import Conversion, Input
    from harness.puzzles.formats.format import Format

TargetArgument = Annotated[
    str,
    typer.Argument(
        metavar="TO",
        help="The file to write, or - for standard output; .gz, .zip or .zst compresses it.",
    ),
]


def convert(
    source: Annotated[
        str,
        typer.Argument(
            metavar="FROM",
            help="A puzzle file, a whole dataset, or - for standard input. For some puzzles of a "
            "dataset: harness datasets export.",
        ),
    ],
    target: TargetArgument,
    to: ToOption = None,
    format_name: FormatNameOption = None,
    symbols: SymbolsOption = None,
    shape: ShapeNameOption = None,
    on_error: OnErrorOption = OnError.STOP,
) -> None:
    """Convert a puzzle file into another format. docs/puzzle-formats.md lists the formats."""
    written = format_to_write(target, to)
    address = address_of(source)
    if address.selection:
        raise OptionError(
            f"{source} is a selection",
            where="FROM",
            expected=f"a whole file: {address.source}, or harness datasets export {source} "
            f"{target}",
        )
    read = dataset_input(source, shape, symbols, format_name)
    _convert(read, target, written, on_error)


def export(
    dataset: DatasetArgument,
    target: TargetArgument,
    to: ToOption = None,
    where: WhereOption = None,
    format_name: FormatNameOption = None,
    symbols: SymbolsOption = None,
    shape: ShapeNameOption = None,
    on_error: OnErrorOption = OnError.STOP,
    replace: ReplaceOption = False,
) -> None:
    """Export a dataset, or some of its puzzles, as a file of any format."""
    from harness.puzzles.collection.selecting import selected

    written = format_to_write(target, to)
    condition = where_of(where)
    refuse_existing(target, replace)
    read = dataset_input(dataset, shape, symbols, format_name)
    _convert(selected(read, address_of(dataset), condition), target, written, on_error)


def refuse_existing(target: str, replace: bool) -> None:
    """Check that no file called `target` would be lost.

    Raises:
        OptionError: there is one, and it is not to be replaced.
    """
    from pathlib import Path

    if target != "-" and not replace and Path(target).is_file():
        raise OptionError("the file exists", where=target, expected="--replace, or another file")


def _convert(read: "Input", target: str, written: "Format", on_error: OnError) -> None:
    from harness.puzzles.formats.convert import convert as converted

    with unfinished_files_removed():
        done = converted(read, target, written, skip_errors=on_error is OnError.SKIP)
    report(done, written)


def report(done: "Conversion", written: "Format") -> None:
    """Report what was written, left out and skipped."""
    notice(f"{number_of(done.written, 'puzzle')} written")
    for name, number in done.left_out.items():
        notice(
            f"the format {written.name} does not hold {name}: left out of "
            f"{number_of(number, 'puzzle')}"
        )
    warn_of_skipped(done)
