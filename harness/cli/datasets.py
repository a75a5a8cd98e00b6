"""`harness datasets`: shipped datasets, and the conversion of puzzle files."""

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from harness.cli.help import Command, Group
from harness.cli.options import JsonOption, choice_option, shape_of
from harness.cli.terminal import notice, show, wrapped
from harness.errors import OptionError
from harness.puzzles.catalogue import address_of, find, listings
from harness.puzzles.formats.conventions import Symbols
from harness.text import printable

if TYPE_CHECKING:
    from harness.cli.documents import DatasetData

app = typer.Typer(cls=Group, help="List the shipped datasets, or convert puzzle files.")


@app.callback(invoke_without_command=True)
def datasets(context: typer.Context, as_json: JsonOption = False) -> None:
    """List the shipped datasets. Any puzzle file is a dataset too."""
    if context.invoked_subcommand:
        return
    found = _datasets()
    if as_json:
        from harness.report.render.json import json

        show(json(found), end="")
        return
    for dataset in found:
        show(wrapped(f"{dataset.name}: {dataset.title}", 2, first=0))
        show(wrapped(f"{dataset.puzzles} puzzles, {', '.join(dataset.shapes)}", 2))
        show(wrapped(f"origin: {dataset.origin}", 2))
        show(wrapped(f"expected counts: {dataset.expected_count}", 2))


def _datasets() -> "list[DatasetData]":
    from harness.cli.documents import DatasetData

    return [
        DatasetData(
            name=listing.name,
            title=listing.title,
            puzzles=listing.puzzles,
            shapes=[*listing.shapes],
            origin=listing.origin,
            expected_count=listing.expected_count,
            commands=[*listing.commands],
        )
        for listing in listings()
    ]


class OnError(StrEnum):
    """What a puzzle that cannot be converted does."""

    STOP = "stop"
    SKIP = "skip"


@app.command(cls=Command)
def convert(
    source: Annotated[
        str,
        typer.Argument(
            metavar="FROM", help="A puzzle file, a shipped dataset, or - for standard input."
        ),
    ],
    target: Annotated[
        str,
        typer.Argument(
            metavar="TO",
            help="The file to write, or - for standard output; .gz, .zip or .zst compresses it.",
        ),
    ],
    to: Annotated[
        str | None,
        typer.Option(
            "--to",
            metavar="FORMAT",
            help="Format of the file to write; by default its suffix names it.",
            show_default=False,
        ),
    ] = None,
    format_name: Annotated[
        str | None,
        typer.Option(
            "--format",
            metavar="FORMAT",
            help="Format of the file to read; by default it is detected.",
            show_default=False,
        ),
    ] = None,
    symbols: Annotated[
        Symbols | None,
        choice_option(
            Symbols, "--symbols", "Symbols of values above 9; by default the puzzles decide."
        ),
    ] = None,
    shape: Annotated[
        str | None,
        typer.Option(
            "--shape",
            metavar="NAME",
            help="Shape of all puzzles; by default the file determines it.",
            show_default=False,
        ),
    ] = None,
    on_error: Annotated[
        OnError,
        choice_option(
            OnError,
            "--on-error",
            "Stop at a puzzle that cannot be converted, or skip it and list it.",
        ),
    ] = OnError.STOP,
) -> None:
    """Convert a puzzle file into another format. docs/puzzle-formats.md lists the formats."""
    from harness.puzzles.formats.convert import Input
    from harness.puzzles.formats.convert import convert as converted
    from harness.puzzles.formats.format import Reading
    from harness.puzzles.formats.registry import format_for, format_named, names

    if to is None and target == "-":
        raise OptionError("missing option --to", expected=f"--to {'|'.join(names())}")
    written = format_for(target) if to is None else format_named(to)
    address = address_of(source)
    if address.selection:
        raise OptionError(
            f"{source} is a selection", where="FROM", expected=f"a whole file: {address.source}"
        )
    path = source if source == "-" else str(find(address.source))
    if symbols is Symbols.NUMBERS:
        format_name = format_name or "numbers"
        if format_name != "numbers":
            raise OptionError(
                f"the format {format_name} has no numbers",
                where="--symbols",
                expected="--format numbers",
            )
    if format_name is not None:
        format_named(format_name)
    reading = Reading(shape_of(shape), symbols)
    done = converted(
        Input(path, format_name, reading), target, written, skip_errors=on_error is OnError.SKIP
    )
    notice(f"{_puzzles(done.written)} written")
    for name, number in done.left_out.items():
        notice(f"the format {written.name} does not hold {name}: left out of {_puzzles(number)}")
    if done.skipped:
        warn(f"{_puzzles(done.skipped)} skipped")
        for error in done.listed:
            warn(f"  {error}")
        if done.skipped > len(done.listed):
            warn(f"  and {done.skipped - len(done.listed):,} more")


def _puzzles(number: int) -> str:
    return f"{number:,} puzzle{'' if number == 1 else 's'}"


def warn(text: str) -> None:
    """Print a line on standard error, whether or not only results and errors are wanted."""
    typer.echo(printable(text), err=True)
