"""`harness run`: run a sweep."""

import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from harness.cli.dry_run import DryRunOption, show_plan
from harness.cli.options import JobsOption, JsonOption, SkipOption
from harness.cli.sweep_options import sweep_of, with_sweep_options
from harness.cli.terminal import console_of, notice, show, theme_of, width
from harness.experiment.sweep import SweepChanges

if TYPE_CHECKING:
    from harness.cli.documents import Reported
    from harness.cli.progress import LiveProgress


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
    dry_run: DryRunOption = False,
    as_json: JsonOption = False,
) -> None:
    """Run backends on datasets and show the tables.

    The same command resumes an interrupted run. Exit code 1: a wrong answer or a disagreement.
    """
    from harness.analysis.run import load
    from harness.api import RESULTS
    from harness.cli.progress import LiveProgress
    from harness.experiment.run import run_sweep
    from harness.report.tables import BRIEF, text

    sweep = sweep_of(changes, sweep_file)
    folder = out or RESULTS / sweep.folder_name
    if dry_run:
        show_plan(
            *(sweep, folder),
            stored=not fresh,
            jobs=jobs,
            skip_unavailable=skip_unavailable,
            as_json=as_json,
        )
        return
    progress = LiveProgress(console_of(sys.stderr))
    try:
        with progress:
            finished = run_sweep(
                sweep,
                folder,
                jobs=jobs,
                fresh=fresh,
                skip_unavailable=skip_unavailable,
                observer=progress,
            )
    except KeyboardInterrupt:
        if as_json:
            _show_json(folder, progress, {}, done_before=progress.done_before, interrupted=True)
        where = f"{progress.done:,} of {progress.planned_trials:,} trials are in {folder}"
        notice(
            f"interrupted: {where if progress.planned_trials else 'no trial has run'}; "
            f"to resume: {shlex.join(['harness', *sys.argv[1:]])}"
        )
        raise
    for name, number in finished.repeats.items():
        notice(f"{name}: {number} duplicate puzzles left out")
    if finished.done_before:
        notice(f"{finished.done_before:,} of {finished.trials:,} trials were complete before")
    found = load(folder)
    if as_json:
        from harness.cli.fill import reported

        report = reported(found, BRIEF)
        before = finished.done_before
        _show_json(folder, progress, finished.repeats, done_before=before, report=report)
    else:
        show(text(found, width(), theme=theme_of()))
        show(f"results: {folder}   report: harness report {shlex.quote(str(folder))}")
    if found.agreement().disagreements:
        raise typer.Exit(1)


def _show_json(
    folder: Path,
    progress: "LiveProgress",
    duplicates: dict[str, int],
    *,
    done_before: int,
    interrupted: bool = False,
    report: "Reported | None" = None,
) -> None:
    from harness.cli.documents import Finished
    from harness.report.render.json import json

    document = Finished(
        folder=str(folder),
        interrupted=interrupted,
        trials=progress.planned_trials,
        done=progress.done,
        done_before=done_before,
        duplicates=duplicates,
        report=report,
    )
    show(json(document), end="")
