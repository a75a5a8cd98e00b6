"""`harness cluster plan` and `harness cluster run`: a sweep in shards for several machines."""

import re
import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from harness.base.errors import OptionError
from harness.base.files import writing
from harness.base.interruption import interruptible
from harness.base.text import number_of
from harness.cli import lazy
from harness.cli.commands import Group, add_command
from harness.cli.completers import runs
from harness.cli.folders import show_answer
from harness.cli.options import (
    JsonOption,
    SweepTotals,
    flags_in_errors,
    number_option,
    same_command,
    show_json,
    sweeps_of,
    value_option,
)
from harness.cli.terminal import console_of, notice, show, wrapped
from harness.runs import RESULTS

if TYPE_CHECKING:
    from harness.extensions.cluster.coordinator import ClusterStatus
    from harness.runs import Sweep

SweepFileArgument = Annotated[
    Path, typer.Argument(metavar="SWEEP.toml", help="Sweep file in TOML, as a run has it.")
]
ShardsOption = Annotated[
    int | None,
    number_option(
        "--shards", "Number of shards. [default: one for every 10 puzzles, at most 100]", 1, 10**6
    ),
]


# `harness cluster plan`: the shards of a sweep as files.


def plan(
    sweep_file: SweepFileArgument,
    *,
    shards: ShardsOption = None,
    out: Annotated[
        Path,
        value_option("--out", "DIR", "Folder for the files of the shards."),
    ] = Path("shards"),
    as_json: JsonOption = False,
) -> None:
    """Divide a sweep into shards: parts that different machines carry out.

    A shard has some of the puzzles, with all backends and all repetitions, so that what is
    compared is measured on one machine. Each shard is a sweep file for `harness run`, and
    `harness merge` merges their runs.
    """
    from harness.extensions.cluster.shards import ShardPlan, write_shard

    sweep = _sweep_in(sweep_file)
    progress = lazy.LiveProgress(console_of(sys.stderr))
    with interruptible("numpy"), flags_in_errors(), progress:
        plan = ShardPlan(sweep, out, shards, observer=progress)
    with writing(str(out)):
        out.mkdir(parents=True, exist_ok=True)
        names = [path.name for path in out.iterdir()]
    if any(re.fullmatch(r"shard-\d{4,}\.toml", name) for name in names):
        raise OptionError("has shards", where=f"--out {out}", expected="a folder without shards")
    first, *_ = [write_shard(plan, number, out) for number in range(1, plan.number + 1)]
    if as_json:
        show_json({"plans": [{"folder": out, "plan": plan.name, "shards": plan.number}]})
        return
    line = f"{number_of(plan.number, 'shard')} in {out}"
    if shards and shards > plan.number:
        line += f", not {shards:,}: each has a puzzle of its own"
    show(wrapped(line, indent=2, first=0))
    show(f"to run the first: harness run {shlex.quote(str(first))}")
    target = RESULTS / "merged"
    show(f"to merge the runs: harness merge results/shards-{plan.name}/* --out {target}")


def _sweep_in(file: Path) -> "Sweep":
    """The only sweep of a file.

    Raises:
        OptionError: the file has several sweeps, or a shard.
    """
    sweeps = sweeps_of({}, file)
    if len(sweeps) > 1 or lazy.Shard.read(file):
        problem = f"{len(sweeps)} sweeps" if len(sweeps) > 1 else "a shard"
        raise OptionError(problem, where=str(file), expected="one whole sweep, or harness run")
    return sweeps[0]


# `harness cluster run`: a sweep on an engine, with the progress of its shards.


def run(
    sweep_file: SweepFileArgument,
    *,
    on: Annotated[
        str,
        value_option(
            "--on",
            "ENGINE",
            "What carries out the shards: local, local:N, dask://HOST:PORT, slurm or "
            "slurm:PARTITION.",
        ),
    ] = "local",
    shards: ShardsOption = None,
    out: Annotated[
        Path | None,
        value_option(
            "--out", "DIR", "Folder of the run; by default a folder in results/.", completer=runs
        ),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Carry out a sweep in shards on an engine, merge them, and show the tables.

    The same command resumes an interrupted run. Exit code 1: a wrong answer, a disagreement, or
    a shard that failed.
    """
    from harness.extensions.cluster.coordinator import run_on
    from harness.extensions.cluster.engines import engine_of, require_engine
    from harness.extensions.cluster.progress import ClusterProgress

    sweep = _sweep_in(sweep_file)
    folder = out or RESULTS / sweep.folder_name
    require_engine(on)
    progress = ClusterProgress(console_of(sys.stderr))
    try:
        with interruptible("numpy"), flags_in_errors(), progress:
            status = run_on(
                sweep,
                folder,
                lambda plan: engine_of(on, plan, folder, notice),
                shards=shards,
                observer=lazy.LiveProgress(console_of(sys.stderr)),
                coordinator_observer=progress,
            )
    except KeyboardInterrupt:
        if as_json:
            show_json(_totals(progress.status, folder, interrupted=True))
        done = f"{progress.status.done:,} of {number_of(progress.status.shards, 'shard')}"
        notice(f"interrupted: {done} are in {folder}; to resume: {same_command()}")
        raise
    run = lazy.load(folder)
    if as_json:
        report = lazy.Reported.of_run(run, lazy.tables.BRIEF)
        show_json(_totals(status, folder, report=report))
    else:
        show_answer(run, folder)
    for number, reason in sorted(status.failed.items()):  # also with --quiet
        line = wrapped(f"shard {number} failed: {reason}", indent=2, first=0)
        typer.echo(line, err=True)
    if run.agreement().disagreements or not status.is_complete:
        raise typer.Exit(1)


def _totals(status: "ClusterStatus", folder: Path, **more: Any) -> SweepTotals:
    trials, done, before = status.trials, status.trials_done, status.trials_before
    return SweepTotals(folder, trials=trials, done=done, done_before=before, **more)


app = typer.Typer(cls=Group, help="Divide a sweep into shards, and run them on many machines.")
add_command(app, "plan", plan)
add_command(app, "run", run)
