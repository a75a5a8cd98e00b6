"""`harness datasets import`, `fetch`, `convert` and `export`: puzzle files."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from harness.base.errors import OptionError, PuzzleError, invalid, not_among
from harness.base.interruption import interruptible
from harness.base.text import number_of
from harness.cli import lazy
from harness.cli.completers import datasets, public_names
from harness.cli.datasets.options import (
    DatasetArgument,
    OnError,
    OnErrorOption,
    ReadingOptions,
    SampleOption,
    ToOption,
    WhereOption,
    format_to_write,
    warn,
    warn_of_skipped,
    where_of,
)
from harness.cli.options import (
    WRITTEN,
    choice_option,
    value_option,
    whole_number,
    with_group,
)
from harness.cli.terminal import aligned, console_of, notice, show, wrapped
from harness.puzzles.catalogue import address_of, imported, public_sets, selected
from harness.puzzles.collection import (
    MOST_CANONICAL,
    Imported,
    ImportRequest,
    ImportSummary,
    OnDuplicate,
    import_file,
    remove_dataset,
)
from harness.puzzles.formats.format import Format
from harness.puzzles.formats.reading import Conversion, Input
from harness.puzzles.formats.reading import convert as convert_puzzles

# `harness datasets convert` and `export`: puzzles as a file of another format.


TargetArgument = Annotated[
    str,
    typer.Argument(
        metavar="TO",
        help="The file to write, or - for standard output; .gz, .zip or .zst compresses it.",
    ),
    WRITTEN,
]


@with_group(reading=ReadingOptions)
def convert(
    source: Annotated[
        str,
        typer.Argument(
            metavar="FROM",
            help="A puzzle file, a whole dataset, or - for standard input. For some puzzles of a "
            "dataset: harness datasets export.",
            autocompletion=datasets,
        ),
    ],
    target: TargetArgument,
    to: ToOption = None,
    *,
    reading: ReadingOptions,
    on_error: OnErrorOption = OnError.STOP,
) -> None:
    """Convert a puzzle file into another format."""
    written = format_to_write(target, to)
    address = address_of(source)
    if address.selection:
        raise OptionError(
            f"{source} is a selection",
            where="FROM",
            expected=f"a whole file: {address.source}, or harness datasets export {source} "
            f"{target}",
        )
    read = reading.dataset(source)
    _convert(read, target, written, on_error)


@with_group(reading=ReadingOptions)
def export(
    dataset: DatasetArgument,
    target: TargetArgument,
    to: ToOption = None,
    where: WhereOption = None,
    sample: SampleOption = None,
    seed: Annotated[
        int, value_option("--seed", "N", "Random seed of --sample.", whole_number("--seed", 0))
    ] = 0,
    *,
    reading: ReadingOptions,
    on_error: OnErrorOption = OnError.STOP,
) -> None:
    """Export a dataset, or some of its puzzles, as a file of any format."""
    written = format_to_write(target, to)
    condition = where_of(where)
    read = reading.dataset(dataset)
    chosen = (sample, seed) if sample else None
    _convert(selected(read, address_of(dataset), condition, chosen), target, written, on_error)


def _convert(read: Input, target: str, written: Format, on_error: OnError) -> None:
    with interruptible():
        done = convert_puzzles(read, target, written, skip_errors=on_error is OnError.SKIP)
    report(done, written)


def report(done: Conversion, written: Format) -> None:
    """Report what was written, left out and skipped."""
    notice(f"{number_of(done.written, 'puzzle')} written")
    for name, number in done.left_out.items():
        notice(
            f"the format {written.name} does not hold {name}: left out of "
            f"{number_of(number, 'puzzle')}"
        )
    warn_of_skipped(done)


# `harness datasets import`: a puzzle file becomes a dataset of the catalogue.


def _most_canonical(text: str) -> int | None:
    """The number that ``--equivalents`` gives; None for all."""
    if text == "all":
        return None
    if not (text.isascii() and text.isdigit() and len(text) <= 18):
        raise invalid("--equivalents", text, "a whole number, or all")
    return int(text)


@with_group(reading=ReadingOptions)
def import_(
    source: Annotated[
        str,
        typer.Argument(metavar="FILE", help="A puzzle file, or - for standard input."),
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
        str,
        value_option("--licence", "TEXT", "Terms under which the puzzles may be used."),
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
        bool,
        typer.Option("--replace", help="Replace the imported dataset of this name."),
    ] = False,
) -> None:
    """Import a puzzle file as a dataset, so that --dataset NAME works in every folder.

    The puzzles keep names, expected answers and other fields. The catalogue also keeps the
    origin, the licence and the SHA-256 digest of the file.
    """
    if name == "":
        raise OptionError("empty", where="--name", expected="a name")
    request = ImportRequest(
        source=reading.file(source),
        name=name or "",
        origin=origin,
        licence=licence,
        skip_errors=on_error is OnError.SKIP,
        on_duplicate=on_duplicate,
        most_canonical=_most_canonical(equivalents),
        within_file=within_file,
        replace=replace,
    )
    modules = "harness.cli.progress", "harness.puzzles.canonical"
    with interruptible(*modules), lazy.counting("importing") as watch:
        done = import_file(request, watch)
    _report(done, on_duplicate)


# `harness datasets fetch`: a public set becomes a dataset of the catalogue.


def fetch(
    name: Annotated[
        str | None,
        typer.Argument(
            metavar="NAME",
            help="A public set; without a name, list them.",
            autocompletion=public_names,
        ),
    ] = None,
    source: Annotated[
        Path | None,
        value_option(
            "--from",
            "PATH",
            "A clone, folder, archive or file that has the puzzles, in place of a download.",
        ),
    ] = None,
    replace: Annotated[
        bool, typer.Option("--replace", help="Replace the dataset of this name.")
    ] = False,
) -> None:
    """Fetch a public puzzle set, so that --dataset NAME works; without a name, list the sets.

    The files are those whose checksum the catalogue has.
    """
    sets = public_sets()
    if name is None:
        fetched = {listing.name for listing in imported()}
        rows = [
            (
                entry.name,
                f"{entry.puzzles:9,}" if entry.puzzles else f"{'?':>9}",
                entry.licence,
                "fetched" if entry.name in fetched else "",
                entry.title,
            )
            for entry in sets.values()
        ]
        show(wrapped("public sets; harness datasets NAME says what is known of one", 0))
        show(aligned([("set", "  puzzles", "licence", "", "content"), *rows]))
        return
    if name not in sets:
        raise not_among(PuzzleError, f"unknown public set {name!r}", name, sets)
    modules = "harness.cli.progress", "harness.puzzles.canonical"
    with interruptible(*modules), lazy.StatusLine(console_of(sys.stderr), name) as status:
        done = lazy.fetch(sets[name], source, replace, status.say)
    done.found.unchecked = 0  # equivalents are not searched
    _report(done, OnDuplicate.KEEP)
    if sets[name].puzzles not in (0, done.listing.puzzles):
        warn(f"the catalogue says {number_of(sets[name].puzzles, 'puzzle')}")


def remove(
    name: Annotated[
        str,
        typer.Argument(
            metavar="NAME", help="Name of an imported dataset.", autocompletion=datasets
        ),
    ],
) -> None:
    """Remove an imported dataset from the catalogue. Runs on it stay as they are."""
    removed = remove_dataset(name)
    notice(f"{removed.name}: {number_of(removed.puzzles, 'puzzle')} removed")


def _report(done: Imported, on_duplicate: OnDuplicate) -> None:
    listing, found = done.listing, done.found
    shapes = ", ".join(listing.shapes)
    notice(f"{listing.name}: {number_of(listing.puzzles, 'puzzle')} imported ({shapes})")
    for line in done.conversion.understood:
        notice(line)
    notice(f"number of solutions: {listing.expected_count}")
    notice(f"origin: {listing.origin}; SHA-256 {listing.source_sha256}")
    _report_matches(found, "skipped" if on_duplicate is OnDuplicate.SKIP else "kept")
    if found.unchecked:
        unchecked = number_of(found.unchecked, "puzzle")
        notice(f"equivalents not searched for {unchecked}: --equivalents all")
    for name in found.unread:
        warn(f"the dataset {name} cannot be read: not compared")
    warn_of_skipped(done.conversion)


def _report_matches(found: ImportSummary, what: str) -> None:
    for (group, equivalent), number in sorted(found.matches.items()):
        several = number != 1
        verb = ("are" if several else "is") + " equivalent to"
        kind = verb if equivalent else "duplicate" if several else "duplicates"
        of = f"puzzles of {group}" if group else "earlier puzzles of the file"
        notice(f"{number_of(number, 'puzzle')} {kind} {of} ({what})")
    for match in found.examples:
        notice(f"  {match}")
    if (more := found.matches.total() - len(found.examples)) > 0:
        notice(f"  and {more:,} more")
