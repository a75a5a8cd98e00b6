"""`harness run`: carry out a sweep."""

import shlex
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from harness.cli.options import BackendOption, DatasetOption, ShapeOption, SkipOption
from harness.records.question import DEFAULT_LIMIT, DEFAULT_TIMEOUT_S, Start, Task


def run(
    sweep_file: Annotated[
        Path | None, typer.Argument(metavar="[SWEEP.toml]", help="The sweep; options go before it.")
    ] = None,
    dataset: DatasetOption = None,
    backend: BackendOption = None,
    task: Annotated[list[Task] | None, typer.Option("--task", help="Default: solve.")] = None,
    limit: Annotated[
        int | None, typer.Option(metavar="N", help=f"Where count stops; default {DEFAULT_LIMIT}.")
    ] = None,
    start: Annotated[list[Start] | None, typer.Option("--start", help="Default: cold.")] = None,
    repeat: Annotated[
        int | None, typer.Option(metavar="N", help="Repetitions of each trial; default 1.")
    ] = None,
    until_stable: Annotated[
        int | None,
        typer.Option(metavar="N", help="Up to so many repetitions where times differ too much."),
    ] = None,
    timeout: Annotated[
        float | None,
        typer.Option(metavar="SECONDS", help=f"Limit of a trial; default {DEFAULT_TIMEOUT_S:g}."),
    ] = None,
    cpu: Annotated[
        float | None, typer.Option(metavar="SECONDS", help="Limit of CPU time, children included.")
    ] = None,
    memory: Annotated[
        int | None, typer.Option(metavar="MIB", help="Limit of memory beyond a worker's start.")
    ] = None,
    jobs: Annotated[int, typer.Option(metavar="N", help="Trials at a time.")] = 1,
    seed: Annotated[
        int | None, typer.Option(metavar="N", help="Of the order of trials; default 0.")
    ] = None,
    out: Annotated[
        Path | None, typer.Option(metavar="DIR", help="The run's folder; default: under results/.")
    ] = None,
    fresh: Annotated[bool, typer.Option("--fresh", help="Start anew.")] = False,
    shape: ShapeOption = None,
    skip_unavailable: SkipOption = False,
) -> None:
    """Run backends x puzzles x tasks x repetitions, and show the tables.

    The same command again goes on where it stopped.
    """
    from rich.console import Console

    from harness.analysis.run import load
    from harness.api import RESULTS
    from harness.cli.progress import LiveProgress
    from harness.experiment.run import run_sweep
    from harness.experiment.sweep_file import read_sweep, sweep_from
    from harness.report.tables import text

    asked: dict[str, Any] = {
        "datasets": dataset,
        "backends": backend,
        "tasks": task,
        "limit": limit,
        "starts": start,
        "repeat": repeat,
        "until_stable": until_stable,
        "timeout": timeout,
        "cpu": cpu,
        "memory": memory,
        "seed": seed,
        "shape": shape,
    }
    fields = {name: value for name, value in asked.items() if value not in (None, [])}
    sweep = read_sweep(sweep_file, fields) if sweep_file else sweep_from(fields)
    folder = out or RESULTS / sweep.folder_name
    progress = LiveProgress(Console(stderr=True))
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
        typer.echo(
            f"stopped: {progress.done:,} of {progress.planned_trials:,} trials are in {folder}; "
            f"the same command goes on: {shlex.join(['harness', *sys.argv[1:]])}",
            err=True,
        )
        raise
    for name, number in finished.repeats.items():
        typer.echo(f"{name}: {number} repeated puzzles left out", err=True)
    if finished.done_before:
        typer.echo(f"{finished.done_before:,} of {finished.trials:,} trials were done", err=True)
    found = load(folder)
    typer.echo(text(found, Console().width))
    typer.echo(f"results: {folder}   again: harness report {shlex.quote(str(folder))}")
    if found.agreement().disagreements:
        raise typer.Exit(1)
