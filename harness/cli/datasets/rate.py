"""`harness datasets rate`: puzzles with the number of guesses that they cost."""

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated

import typer

from harness.cli.counting import counting
from harness.cli.datasets.convert import refuse_existing, report
from harness.cli.datasets.options import (
    DatasetArgument,
    FormatNameOption,
    NodesOption,
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
    warn,
    where_of,
)
from harness.cli.options import parsed_option, whole_number
from harness.errors import OptionError
from harness.puzzles.catalogue import address_of
from harness.text import number_of

if TYPE_CHECKING:
    from harness.puzzles.formats.format import Format
    from harness.puzzles.formats.source import ParsedPuzzle


def rate(
    dataset: DatasetArgument,
    out: Annotated[
        str,
        typer.Option(
            "--out",
            metavar="FILE",
            help="The file to write, or - for standard output; .gz, .zip or .zst compresses it.",
        ),
    ],
    to: ToOption = None,
    scrambles: Annotated[
        int,
        parsed_option(
            "--scrambles",
            "N",
            "Number of scrambles of each puzzle.",
            whole_number("--scrambles", 1, 100_000),
        ),
    ] = 10,
    seed: Annotated[
        int,
        parsed_option("--seed", "N", "Random seed of the scrambles.", whole_number("--seed", 0)),
    ] = 0,
    where: WhereOption = None,
    nodes: NodesOption = 1_000_000,
    field: Annotated[
        str,
        typer.Option("--field", metavar="NAME", help="Field of the record with the rating."),
    ] = "rating",
    format_name: FormatNameOption = None,
    symbols: SymbolsOption = None,
    shape: ShapeNameOption = None,
    on_error: OnErrorOption = OnError.STOP,
    replace_: ReplaceOption = False,
) -> None:
    """Rate puzzles by the guesses of a search, on average over scrambles.

    The search applies naked and hidden singles and looks for two solutions. The rating is the
    same on every machine; everything else of each record stays.
    """
    from harness.puzzles.collection.rating import Rater
    from harness.puzzles.collection.selecting import selected
    from harness.puzzles.formats.convert import convert

    written = format_to_write(out, to)
    _require_field(written, field)
    refuse_existing(out, replace_)
    read = dataset_input(dataset, shape, symbols, format_name)
    read = selected(read, address_of(dataset), where_of(where))
    rater = Rater(scrambles, seed, nodes, field)
    with unfinished_files_removed(), counting("rating") as watch:

        def change(puzzles: "Iterator[ParsedPuzzle]") -> "Iterator[ParsedPuzzle]":
            for parsed in rater.rated(read.change(puzzles)):
                watch(parsed)
                yield parsed

        done = convert(
            replace(read, change=change), out, written, skip_errors=on_error is OnError.SKIP
        )
    report(done, written)
    if rater.unknown:
        warn(f"rating unknown within {nodes:,} nodes: {number_of(rater.unknown, 'puzzle')}")


def _require_field(written: "Format", field: str) -> None:
    """Check that a format keeps the field of the rating.

    Raises:
        OptionError: it does not, or the field has another meaning.
    """
    from harness.puzzles.formats.records import FIELDS
    from harness.puzzles.formats.registry import loadable

    if not field.isidentifier() or field.lower() in (*FIELDS, "name", "count", "symbols"):
        raise OptionError(
            f"{field!r} is no name for a rating",
            where="--field",
            expected="a word of letters and digits, such as rating or guesses",
        )
    if field not in written.keeps and "fields" not in written.keeps:
        able = [of.name for of in loadable() if {"fields", field} & of.keeps]
        raise OptionError(
            f"the format {written.name} does not hold the field {field!r}",
            where="--to",
            expected=f"one of {', '.join(able)}",
        )
