"""``--dry-run``: the plan of a run or a check, without running it."""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from harness.cli.sweep_options import flags_in_errors
from harness.cli.terminal import console_of, show, theme_of, width

if TYPE_CHECKING:
    from harness.documents.runs import Planned
    from harness.experiment.preview import Preview
    from harness.experiment.sweep import Sweep

DryRunOption = Annotated[
    bool,
    typer.Option(
        "--dry-run",
        help="Show the plan and run nothing: trials, those already stored, expected time from "
        "earlier runs on this machine, and the time if all reach their time limits.",
    ),
]


def show_plan(
    sweeps: "Sequence[Sweep]",
    folder: Path | None,
    *,
    stored: bool,
    skip_unavailable: bool,
    as_json: bool,
) -> None:
    """Print the plan of sweeps in one folder.

    Args:
        sweeps: the sweeps.
        folder: the folder of the run; None for a check.
        stored: whether the trials in the folder count.
        skip_unavailable: whether unavailable backends are left out.
        as_json: whether to print JSON.
    """
    from harness.cli.progress import LiveProgress
    from harness.experiment.preview import preview
    from harness.experiment.sweep import RESULTS

    with flags_in_errors():
        found = preview(
            sweeps,
            folder if stored else None,
            skip_unavailable=skip_unavailable,
            earlier=sorted(RESULTS.iterdir()) if RESULTS.is_dir() else [],
            observer=LiveProgress(console_of(sys.stderr)),
        )
    if as_json:
        from harness.report.render.json import json

        show(json(_data(found, folder)), end="")
        return
    show(_text(found), end="")
    if most := max(sweep.until_stable for sweep in sweeps):
        show(f"further repetitions of unstable results, up to {most} in all: unknown")
    if folder:
        show(f"folder: {folder}")


def _text(found: "Preview") -> str:
    """The plan as a table with its totals."""
    import pandas as pd

    from harness.report.formatting import backend_name, number_of, span
    from harness.report.render.text import text
    from harness.report.table import Column, Section, Table

    columns = (
        Column("backend", lambda row: backend_name(row["backend"]), "backend", number=False),
        Column("dataset", lambda row: str(row["dataset"]), "dataset", number=False),
        Column("trials", lambda row: f"{row['trials']:,}", "trials"),
        Column("stored", lambda row: f"{row['stored']:,}", "stored"),
        Column("expected", lambda row: span(row["expected_s"]), "expected_s"),
        Column("at most", lambda row: span(row["longest_s"]), "longest_s"),
    )
    names = [column.key for column in columns]
    rows = [[getattr(row, name) for name in names] for row in found.rows]
    table = Table("plan", "", columns, pd.DataFrame(rows, columns=names))
    left = found.trials - found.stored
    at_once = f" with {found.jobs} at a time" if found.jobs > 1 else ""
    expected = "" if found.expected_s is None else f"about {span(found.expected_s)}, "
    total = (
        f"{number_of(left, 'trial')} to run, {found.stored:,} stored; "
        f"{expected}at most {span(found.longest_s)}{at_once}"
    )
    left_out = [
        f"left out: {backend_name(name)} is not available: {reason}"
        for name, reason in found.unavailable.items()
    ]
    unknown = ["-: no earlier trials on this machine to infer the time from"]
    notes = [*(unknown if found.expected_s is None else []), *left_out, total]
    return text([Section("", (table,), tuple(notes))], width(), theme_of())


def _data(found: "Preview", folder: Path | None) -> "Planned":
    from dataclasses import asdict

    from harness.documents.runs import Planned, PlannedData

    return Planned(
        folder=None if folder is None else str(folder),
        trials=found.trials,
        stored=found.stored,
        jobs=found.jobs,
        expected_s=found.expected_s,
        longest_s=found.longest_s,
        unavailable=found.unavailable,
        plan=[PlannedData(**asdict(row)) for row in found.rows],
    )
