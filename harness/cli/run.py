"""`harness run`: run a sweep."""

import shlex
import sys
from pathlib import Path
from typing import Annotated

import typer

from harness.cli.interrupts import interruptible
from harness.cli.options import JobsOption, SkipOption, sweep_of, with_sweep_options
from harness.experiment.sweep import SweepChanges


@with_sweep_options()
def run(
    sweep_file: Annotated[
        Path | None,
        typer.Argument(metavar="SWEEP.toml", help="Sweep file in TOML; options override it."),
    ] = None,
    *,
    changes: SweepChanges,
    jobs: JobsOption = 1,
    out: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Folder of the run; by default a folder in results/."),
    ] = None,
    fresh: Annotated[
        bool, typer.Option("--fresh", help="Delete results of an earlier run in the folder.")
    ] = False,
    skip_unavailable: SkipOption = False,
) -> None:
    """Run backends on datasets and show the tables.

    The same command resumes an interrupted run. Exit code 1: a wrong answer or a disagreement.
    """
    import numpy  # noqa: F401  before the part that can be interrupted, see `interruptible`
    from rich.console import Console

    from harness.analysis.run import load
    from harness.api import RESULTS
    from harness.cli.progress import LiveProgress
    from harness.experiment.run import run_sweep
    from harness.report.tables import text

    sweep = sweep_of(changes, sweep_file)
    folder = out or RESULTS / sweep.folder_name
    progress = LiveProgress(Console(stderr=True))
    try:
        with interruptible(), progress:
            finished = run_sweep(
                sweep,
                folder,
                jobs=jobs,
                fresh=fresh,
                skip_unavailable=skip_unavailable,
                observer=progress,
            )
    except KeyboardInterrupt:
        typer.echo(
            f"interrupted: {progress.done:,} of {progress.planned_trials:,} trials are in "
            f"{folder}; to resume: {shlex.join(['harness', *sys.argv[1:]])}",
            err=True,
        )
        raise
    for name, number in finished.repeats.items():
        typer.echo(f"{name}: {number} duplicate puzzles left out", err=True)
    if finished.done_before:
        typer.echo(
            f"{finished.done_before:,} of {finished.trials:,} trials were complete before",
            err=True,
        )
    found = load(folder)
    typer.echo(text(found, Console().width))
    typer.echo(f"results: {folder}   report: harness report {shlex.quote(str(folder))}")
    if found.agreement().disagreements:
        raise typer.Exit(1)
