"""`harness export` and `harness merge`: runs as files and as other runs."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated, Final

import typer

from harness.cli.folders import FolderArgument, OutOption, note, put
from harness.cli.options import choice_option, parsed_option
from harness.errors import OptionError


def parse_feature(name: str) -> str:
    """Check the name of a feature; see `harness.analysis.difficulty`."""
    from harness.analysis import difficulty  # pandas, which most commands do without

    return difficulty.parse_feature(name)


class ExportFormat(StrEnum):
    """Formats of exported trials."""

    CSV = "csv"
    PARQUET = "parquet"


_EXACT: Final = ("puzzle", "solution")
"""Exported columns of cell values, which a spreadsheet cannot take for formulas."""


def export(
    folder: FolderArgument,
    form: Annotated[
        ExportFormat | None,
        choice_option(
            ExportFormat,
            "--format",
            "Format of the trials; by default that of the name of --out, otherwise csv.",
        ),
    ] = None,
    anonymize: Annotated[
        bool,
        typer.Option(
            "--anonymize",
            help="Copy the run to the folder --out, without names of machines and folders.",
        ),
    ] = False,
    features: Annotated[
        list[str] | None,
        parsed_option(
            "--features",
            "NAME",
            "Features of the puzzles to add as columns, or all. One or more.",
            parse_feature,
        ),
    ] = None,
    out: OutOption = None,
) -> None:
    """Export the trials of a run, or an anonymized copy of it. A trial is one row.

    CSV is text for every program; Parquet keeps the types of the columns.

    The anonymized copy has all trials. It replaces the names of machines by numbers and
    paths by their last part, and records this in its environment.

    Features such as candidates, symmetries and guesses are computed from the puzzles that the
    backends received. docs/reference/columns.md lists them.
    """
    if anonymize:
        from harness.records.anonymize import anonymize as anonymized_copy

        if features:
            raise OptionError(
                "not with --anonymize", where="--features", expected="one of the two options"
            )
        if out is None:
            raise OptionError("missing", where="--out", expected="a new folder for --anonymize")
        copy = anonymized_copy(folder, out)
        typer.echo(f"{copy}: a copy without names of machines and folders")
        return
    from harness.analysis.run import load
    from harness.report.render.data import csv

    if form is None:
        is_parquet = out is not None and out.suffix.lower() == ".parquet"
        form = ExportFormat.PARQUET if is_parquet else ExportFormat.CSV
    if form is ExportFormat.PARQUET and out is None:
        raise OptionError("missing", where="--out", expected="a file for --format parquet")
    found = load(folder)
    trials = found.trials
    if features:
        from harness.analysis.difficulty import with_features

        trials = with_features(trials, features)
    if form is ExportFormat.PARQUET and out is not None:
        from harness.report.render.data import write_parquet

        write_parquet(trials, out)
    else:
        put(csv(trials, exact=_EXACT), out)
    note(found)


def merge(
    folders: Annotated[list[Path], typer.Argument(metavar="DIR", help="Folders of runs.")],
    out: Annotated[Path, typer.Option("--out", metavar="DIR", help="Folder of the new run.")],
) -> None:
    """Merge several runs into one, with all their trials.

    Runs of shards become the run of their sweep, with each shard once.
    """
    from harness.analysis.run import load
    from harness.cli.cluster import show_gathered
    from harness.records.merge import are_shards, gather, require_disjoint
    from harness.records.merge import merge as merge_runs

    if are_shards(folders):
        show_gathered(gather(folders, out), out)
        note(load(out))
        return
    require_disjoint(folders)
    trials = merge_runs(folders, out)
    typer.echo(f"{trials:,} trials of {len(folders)} runs are in {out}")
    note(load(out))
