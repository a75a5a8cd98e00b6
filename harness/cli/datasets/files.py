"""`harness datasets import`, `remove` and `convert`: puzzle files."""

from typing import Annotated

import typer

from harness.base.errors import OptionError, invalid
from harness.base.interruption import interruptible
from harness.base.text import number_of
from harness.cli import lazy
from harness.cli.completers import datasets
from harness.cli.datasets.options import (
    OnError,
    OnErrorOption,
    PuzzlesArgument,
    ReadingOptions,
    SampleOption,
    ToOption,
    WhereOption,
    format_to_write,
    warn,
    warn_of_skipped,
    where_of,
)
from harness.cli.options import WRITTEN, choice_option, number_option, value_option, with_group
from harness.cli.terminal import notice
from harness.puzzles.datasets import (
    MOST_CANONICAL,
    Imported,
    ImportRequest,
    ImportSummary,
    OnDuplicate,
    address_of,
    import_file,
    remove_dataset,
)
from harness.puzzles.formats import Conversion, Format
from harness.puzzles.formats import convert as convert_puzzles

# `harness datasets convert`: puzzles as a file of another format.


@with_group(reading=ReadingOptions)
def convert(
    source: PuzzlesArgument,
    target: Annotated[
        str,
        typer.Argument(
            metavar="TO",
            help="The file to write, or - for standard output; .gz, .zip or .zst compresses it.",
        ),
        WRITTEN,
    ],
    to: ToOption = None,
    where: WhereOption = None,
    sample: SampleOption = None,
    seed: Annotated[int, number_option("--seed", "Random seed of --sample.", 0)] = 0,
    *,
    reading: ReadingOptions,
    on_error: OnErrorOption = OnError.STOP,
) -> None:
    """Convert a puzzle file or a dataset, or some of its puzzles, into another format."""
    target_format = format_to_write(target, to)
    sampling = (sample, seed) if sample else None
    read = address_of(source).restrict(reading.dataset(source), where_of(where), sampling)
    with interruptible():
        done = convert_puzzles(read, target, target_format, skip_errors=on_error is OnError.SKIP)
    report(done, target_format)


def report(done: Conversion, target_format: Format) -> None:
    """Report what was written, left out and skipped."""
    notice(f"{number_of(done.written, 'puzzle')} written")
    for text in done.notes:
        notice(f"note: {text}")
    for name, number in done.left_out.items():
        notice(
            f"the format {target_format.name} does not hold {name}: left out of "
            f"{number_of(number, 'puzzle')}"
        )
    warn_of_skipped(done)


# `harness datasets import`: a puzzle file becomes a dataset of the catalogue.


@with_group(reading=ReadingOptions)
def import_(
    source: Annotated[
        str, typer.Argument(metavar="FILE", help="A puzzle file, or - for standard input.")
    ],
    name: Annotated[
        str | None,
        value_option("--name", "NAME", "Name of the dataset; by default the name of the file."),
    ] = None,
    origin: Annotated[
        str,
        value_option(
            "--origin",
            "TEXT",
            "Where the puzzles come from, for example an address; by default the file.",
        ),
    ] = "",
    licence: Annotated[
        str, value_option("--licence", "TEXT", "Terms under which the puzzles may be used.")
    ] = "",
    *,
    reading: ReadingOptions,
    on_error: OnErrorOption = OnError.STOP,
    on_duplicate: Annotated[
        OnDuplicate,
        choice_option(
            OnDuplicate,
            "--on-duplicate",
            "What to do with a puzzle that duplicates, or is equivalent to, an earlier one of the "
            "file or the catalogue.",
        ),
    ] = OnDuplicate.KEEP,
    equivalents: Annotated[
        str,
        value_option(
            "--equivalents",
            "N",
            "Number of 9x9 puzzles, from the first, whose equivalents are searched: 0 for "
            "none, or all.",
        ),
    ] = str(MOST_CANONICAL),
    within_file: Annotated[
        bool,
        typer.Option(
            "--within-file",
            help="Compare the puzzles with others of the file only, not with the catalogue.",
        ),
    ] = False,
    replace: Annotated[
        bool, typer.Option("--replace", help="Replace the imported dataset of this name.")
    ] = False,
) -> None:
    """Import a puzzle file as a dataset, so that --dataset NAME works in every folder.

    The puzzles keep names, expected answers and other fields. The catalogue also keeps the
    origin, the licence and the SHA-256 digest of the file.
    """
    if name == "":
        raise OptionError("empty", where="--name", expected="a name")
    is_number = equivalents.isascii() and equivalents.isdigit() and len(equivalents) <= 18
    if not is_number and equivalents != "all":
        raise invalid("--equivalents", equivalents, "a whole number, or all")
    request = ImportRequest(
        source=reading.file(source),
        name=name or "",
        origin=origin,
        licence=licence,
        skip_errors=on_error is OnError.SKIP,
        on_duplicate=on_duplicate,
        most_canonical=int(equivalents) if is_number else None,
        within_file=within_file,
        replace=replace,
    )
    modules = "harness.cli.progress", "harness.puzzles.datasets.canonical"
    with interruptible(*modules), lazy.counting("importing") as watch:
        done = import_file(request, watch)
    report_import(done, on_duplicate)


def remove(
    name: Annotated[
        str,
        typer.Argument(
            metavar="NAME", help="Name of an imported dataset.", autocompletion=datasets
        ),
    ],
) -> None:
    """Remove an imported dataset from the catalogue. Runs on it stay as they are."""
    listing = remove_dataset(name)
    notice(f"{listing.name}: {number_of(listing.puzzles, 'puzzle')} removed")


def report_import(done: Imported, on_duplicate: OnDuplicate) -> None:
    """Report which puzzles a dataset has, where they come from, and their duplicates."""
    listing, summary = done.listing, done.summary
    shapes = ", ".join(listing.shapes)
    notice(f"{listing.name}: {number_of(listing.puzzles, 'puzzle')} imported ({shapes})")
    for text in done.conversion.notes:
        notice(f"note: {text}")
    notice(f"number of solutions: {listing.expected_count}")
    notice(f"origin: {listing.origin}; SHA-256 {listing.source_sha256}")
    _report_matches(summary, "skipped" if on_duplicate is OnDuplicate.SKIP else "kept")
    if summary.not_searched:
        number = number_of(summary.not_searched, "puzzle")
        notice(f"equivalents not searched for {number}: --equivalents all")
    for name in summary.unread:
        warn(f"the dataset {name} cannot be read: not compared")
    warn_of_skipped(done.conversion)


def _report_matches(summary: ImportSummary, outcome: str) -> None:
    for (group, equivalent), number in sorted(summary.matches.items()):
        several = number != 1
        verb = ("are" if several else "is") + " equivalent to"
        kind = verb if equivalent else "duplicate" if several else "duplicates"
        others = f"puzzles of {group}" if group else "earlier puzzles of the file"
        notice(f"{number_of(number, 'puzzle')} {kind} {others} ({outcome})")
    for match in summary.first_matches:
        notice(f"  {match}")
    if (more := summary.matches.total() - len(summary.first_matches)) > 0:
        notice(f"  and {more:,} more")
