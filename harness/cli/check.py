"""`harness check`: do all backends agree?"""

import json
from dataclasses import asdict
from typing import Annotated

import typer

from harness.cli.options import (
    BackendOption,
    DatasetOption,
    JsonOption,
    ShapeOption,
    SkipOption,
    wrapped,
)
from harness.records.question import DEFAULT_LIMIT, DEFAULT_TIMEOUT_S, Task


def check(
    dataset: DatasetOption = None,
    backend: BackendOption = None,
    task: Annotated[
        list[Task] | None, typer.Option("--task", help="Default: solve and count.")
    ] = None,
    limit: Annotated[int, typer.Option(metavar="N", help="Where count stops.")] = DEFAULT_LIMIT,
    timeout: Annotated[
        float, typer.Option(metavar="SECONDS", help="Limit of a trial.")
    ] = DEFAULT_TIMEOUT_S,
    jobs: Annotated[int, typer.Option(metavar="N", help="Trials at a time.")] = 1,
    shape: ShapeOption = None,
    skip_unavailable: SkipOption = False,
    as_json: JsonOption = False,
) -> None:
    """Compare what all backends say of every puzzle; exit 1 where they disagree.

    Without --backend every backend that is available here takes part, but for
    those that may give up by themselves.
    """
    from rich.console import Console

    from harness.analysis.agreement import agreement
    from harness.cli.progress import LiveProgress
    from harness.experiment.run import collect
    from harness.experiment.sweep_file import sweep_from
    from harness.records.frame import frame_of
    from harness.report.formatting import backend_name
    from harness.report.tables import agreement_lines

    fields = {
        "datasets": dataset or [],
        "backends": backend or ["*"],
        "tasks": task or [Task.SOLVE, Task.COUNT],
        "limit": limit,
        "timeout": timeout,
        "shape": shape,
    }
    sweep = sweep_from({name: value for name, value in fields.items() if value is not None})
    with LiveProgress(Console(stderr=True)) as progress:
        gathered = collect(sweep, jobs=jobs, skip_unavailable=skip_unavailable, observer=progress)
    found = agreement(frame_of(gathered.results))
    if as_json:
        data = {
            "agreed": found.agreed,
            "backends": gathered.backends,
            "unavailable": gathered.unavailable,
            "questions": found.puzzles,
            "compared": found.compared,
            "disagreements": [asdict(d) | {"command": d.command} for d in found.disagreements],
            "unanswered": found.unanswered,
            "silent": found.silent,
        }
        typer.echo(json.dumps(data, indent=2))
    else:
        for name, reason in gathered.unavailable.items():
            typer.echo(wrapped(f"left out: {name} is not available: {reason}", indent=0))
        names = ", ".join(map(backend_name, gathered.backends))
        typer.echo(wrapped(f"backends: {names}", indent=0))
        for line in agreement_lines(found, None):
            typer.echo(line)
    if not found.agreed:
        raise typer.Exit(1)
