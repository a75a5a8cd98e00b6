"""`harness check`: where backends disagree."""

import json
from dataclasses import asdict

import typer

from harness.cli.interrupts import interruptible
from harness.cli.options import (
    JobsOption,
    JsonOption,
    SkipOption,
    sweep_of,
    with_sweep_options,
    wrapped,
)
from harness.experiment.sweep import SweepChanges
from harness.records.question import Task


@with_sweep_options(
    *("datasets", "backends", "tasks", "limit", "timeout", "shape"),
    defaults={"backends": "every available one", "tasks": "solve count"},
)
def check(
    *,
    changes: SweepChanges,
    jobs: JobsOption = 1,
    skip_unavailable: SkipOption = False,
    as_json: JsonOption = False,
) -> None:
    """Show where backends disagree.

    Without --backend, compare every available backend except those that may give up. Exit
    code 1: a wrong answer, a disagreement, a crash, or a backend without any answer.
    """
    from rich.console import Console

    from harness.analysis.agreement import agreement
    from harness.cli.progress import LiveProgress
    from harness.experiment.run import collect
    from harness.experiment.selection import EVERY_BACKEND
    from harness.records.frame import frame_of
    from harness.report.formatting import backend_name
    from harness.report.tables import agreement_lines

    defaults = {"backends": (EVERY_BACKEND,), "tasks": tuple(Task)}
    sweep = sweep_of(defaults | dict(changes))
    with interruptible(), LiveProgress(Console(stderr=True)) as progress:
        collected = collect(sweep, jobs=jobs, skip_unavailable=skip_unavailable, observer=progress)
    found = agreement(frame_of(collected.records))
    if as_json:
        data = {
            "agreed": found.agreed,
            "backends": collected.backends,
            "unavailable": collected.unavailable,
            "questions": found.questions,
            "compared": found.compared,
            "disagreements": [asdict(d) | {"command": d.command} for d in found.disagreements],
            "unanswered": found.unanswered,
            "without_answer": found.without_answers,
        }
        typer.echo(json.dumps(data, indent=2))
    else:
        for name, reason in collected.unavailable.items():
            typer.echo(wrapped(f"left out: {name} is not available: {reason}", indent=0))
        names = ", ".join(map(backend_name, collected.backends))
        typer.echo(wrapped(f"backends: {names}", indent=0))
        for line in agreement_lines(found, None):
            typer.echo(line)
    if not found.agreed:
        raise typer.Exit(1)
