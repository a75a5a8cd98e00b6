"""`harness run`: run a sweep."""

import shlex
import sys
from pathlib import Path
from typing import Annotated

import typer

from harness.cli.interrupts import interruptible
from harness.cli.options import JobsOption, SkipOption, sweeps_of, with_sweep_options
from harness.errors import Interrupted
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

    The same command resumes an interrupted run; another one adds to it. Exit code 1: a wrong
    answer or a disagreement.
    """
    import numpy  # noqa: F401  before the part that can be interrupted, see `interruptible`
    from rich.console import Console

    from harness.analysis.run import load
    from harness.api import RESULTS
    from harness.cli.progress import LiveProgress
    from harness.experiment.interruption import signals_as_interrupts
    from harness.experiment.run import run_sweep
    from harness.experiment.sweep_file import folder_name
    from harness.report.formatting import number_of
    from harness.report.tables import text

    sweeps = sweeps_of(changes, sweep_file)
    folder = out or RESULTS / folder_name(sweeps)
    for number, sweep in enumerate(sweeps):
        progress = LiveProgress(Console(stderr=True))
        try:
            with interruptible(), signals_as_interrupts(), progress:
                finished = run_sweep(
                    sweep,
                    folder,
                    jobs=jobs,
                    fresh=fresh and number == 0,
                    skip_unavailable=skip_unavailable,
                    observer=progress,
                )
        except KeyboardInterrupt as interruption:
            command = ["harness", *(word for word in sys.argv[1:] if word != "--fresh")]
            typer.echo(
                f"interrupted: {progress.done:,} of {number_of(progress.planned_trials, 'trial')} "
                f"are in {folder}; to resume: {shlex.join(command)}",
                err=True,
            )
            if isinstance(interruption, Interrupted):
                raise typer.Exit(interruption.code) from None
            raise
        for name, repeats in finished.repeats.items():
            left_out = number_of(repeats, "duplicate puzzle")
            typer.echo(f"{name}: {left_out} left out", err=True)
        if finished.done_before:
            typer.echo(
                f"{finished.done_before:,} of {number_of(finished.trials, 'trial')} "
                f"{'was' if finished.trials == 1 else 'were'} complete before",
                err=True,
            )
    found = load(folder)
    typer.echo(text(found, Console().width))
    typer.echo(f"results: {folder}   report: harness report {shlex.quote(str(folder))}")
    if found.agreement().disagreements:
        raise typer.Exit(1)
