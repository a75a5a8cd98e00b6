"""`harness export` and `harness merge`: runs as files and as other runs."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated, Final

import typer

from harness.base.errors import OptionError
from harness.base.plugins import load_view
from harness.base.text import number_of
from harness.cli import lazy
from harness.cli.completers import features, runs
from harness.cli.folders import FolderArgument, OutOption, note, put
from harness.cli.options import value_option
from harness.cli.terminal import notice, show, wrapped
from harness.cli.views import format_option, formats


class ExportFormat(StrEnum):
    """Formats of exported trials."""

    CSV = "csv"
    PARQUET = "parquet"


_EXACT: Final = ("puzzle", "solution")
"""Exported columns of cell values, which a spreadsheet cannot take for formulas."""


def export(
    folder: FolderArgument,
    form: Annotated[str | None, format_option("export", ExportFormat, "benchexec")] = None,
    anonymize: Annotated[
        bool,
        typer.Option(
            "--anonymize",
            help="Copy the run to the folder --out, without names of machines and folders.",
        ),
    ] = False,
    names: Annotated[
        list[str] | None,
        value_option(
            "--features",
            "NAME",
            "Features of the puzzles to add as columns, or all. One or more.",
            lambda name: lazy.parse_feature(name),
            lambda: [*features(), lazy.EVERY],
        ),
    ] = None,
    out: OutOption = None,
) -> None:
    """Export the trials of a run, or an anonymized copy of it.

    CSV and Parquet have a row for each trial. CSV is text for every program; Parquet keeps the
    types of the columns. By default the suffix of --out names the format, otherwise csv.

    --format benchexec writes results for table-generator of BenchExec, one for each
    configuration, and --format aslib scenarios for algorithm selection, one for each question; both
    write to the new folder --out.

    The anonymized copy has all trials. It replaces the names of machines with numbers and
    paths with their last part, and records this in its environment. With --format parquet the
    copy is a record: a finished run to publish, which every command reads as a run.

    Features such as candidates, symmetries and guesses are computed from the puzzles that the
    backends received. An unknown name prints all names.
    """
    has_view = form is not None and form not in [*ExportFormat]
    if anonymize:
        if names or has_view:
            where = "--features" if names else f"--format {form}"
            raise OptionError(
                "not with --anonymize", where=where, expected="one of the two options"
            )
        if out is None:
            raise OptionError("missing", where="--out", expected="a new folder for --anonymize")
        as_record = form == ExportFormat.PARQUET
        copy = lazy.anonymize(folder, out, as_record=as_record)
        kind = "record" if as_record else "copy"
        typer.echo(f"{copy}: a {kind} without names of machines and folders")
        return
    if form is None:
        suffix = out.suffix.lower().removeprefix(".") if out else ""
        if suffix and suffix not in [*ExportFormat]:
            problem = f"{out} has the suffix of no format"
            expected = f"--format {'|'.join(formats('export', ExportFormat))}"
            raise OptionError(problem, where="--out", expected=expected)
        form = suffix or ExportFormat.CSV
    view = load_view(f"export.{form}") if has_view else None
    if form != ExportFormat.CSV and out is None:
        place = "a new folder" if view else "a file"
        raise OptionError("missing", where="--out", expected=f"{place} for --format {form}")
    run = lazy.load(folder)
    if view:
        typer.echo(view(run, out, names or ()))
        note(run)
        return
    trials = run.trials
    if names:
        trials = lazy.with_features(trials, names)
    if form == ExportFormat.PARQUET and out is not None:
        lazy.write_parquet(trials, out)
    else:
        put(lazy.csv(trials, exact=_EXACT), out)
    note(run)


def merge(
    folders: Annotated[
        list[Path], typer.Argument(metavar="DIR", help="Folders of runs.", autocompletion=runs)
    ],
    out: Annotated[Path, value_option("--out", "DIR", "Folder of the new run.")],
) -> None:
    """Merge several runs into one, with all their trials.

    Runs of shards become the run of their sweep, with each shard once.
    """
    if lazy.are_shards(folders):
        _show_gathered(lazy.gather(folders, out), out)
    else:
        trials = lazy.merge(folders, out)
        typer.echo(f"{trials:,} trials of {len(folders)} runs are in {out}")
    note(lazy.load(out))


def _show_gathered(collection: "lazy.Gathered", out: Path) -> None:
    """Print which runs of shards were merged, left out, incomplete or missing."""
    shards = number_of(len(collection.runs), "shard")
    show(f"{collection.trials:,} trials of {shards} are in {out}")
    for run in collection.left_out:
        shard = run.attempt.shard
        notice(wrapped(f"left out: {run.folder}, another attempt at {shard}", indent=2, first=0))
    for run in collection.incomplete:
        lacking = number_of(max(run.planned, run.attempt.shard.trials) - run.trials, "trial")
        notice(wrapped(f"incomplete: {run.folder} lacks {lacking}", indent=2, first=0))
    if collection.missing:
        numbers = ", ".join(map(str, collection.missing[:20]))
        more = ", ..." if len(collection.missing) > 20 else ""
        noun = "shard" if len(collection.missing) == 1 else "shards"
        notice(wrapped(f"missing: {noun} {numbers}{more}", indent=2, first=0))
