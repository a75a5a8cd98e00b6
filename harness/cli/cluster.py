"""`harness shard` and `harness run --on`: sweeps on several machines."""

import re
import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from harness.cli.options import JsonOption, parsed_option, whole_number
from harness.cli.sweep_options import (
    SWEEP_OPTIONS,
    SweepTotals,
    flags_in_errors,
    sweeps_of,
    with_sweep_options,
)
from harness.cli.terminal import console_of, interruptible, notice, show, theme_of, width, wrapped
from harness.errors import InputError, Interrupted, OptionError, unwritable
from harness.runs.sweep import SweepChanges
from harness.text import number_of

if TYPE_CHECKING:
    from harness.cluster.coordinator import ClusterStatus
    from harness.cluster.shards import ShardPlan, ShardSizes
    from harness.records.merge import Gathered
    from harness.records.shard import Shard
    from harness.runs.preview import ExpectedTimes
    from harness.runs.sweep import Sweep


# Shards in `harness run` and `harness merge`.


_FREE = ("jobs",)
"""Options of a sweep that a command may change for a shard."""


def shard_of(file: Path, changes: SweepChanges) -> "Shard | None":
    """The shard in a sweep file; None if it is a sweep of its own.

    Raises:
        InputError: the shard is malformed.
        OptionError: an option is set that all shards of a plan share.
    """
    from harness.cluster.shards import read_shard

    shard = read_shard(file)
    if shard is not None:
        for name in changes:
            if name not in _FREE:
                raise OptionError(
                    f"cannot be set for {shard} of a plan",
                    where=SWEEP_OPTIONS[name].flag,
                    expected="the options with which harness shard made it",
                )
    return shard


def folder_of(shard: "Shard") -> Path:
    """The folder of the run of a shard, relative to that of all results."""
    from harness.cluster.shards import file_name

    return Path(f"shards-{shard.plan}") / file_name(shard).removesuffix(".toml")


def show_gathered(gathered: "Gathered", out: Path) -> None:
    """Print what became of the runs of shards."""
    shards = number_of(len(gathered.kept), "shard")
    show(f"{gathered.trials:,} trials of {shards} are in {out}")
    for run in gathered.left_out:
        shard = run.attempt.shard
        notice(wrapped(f"left out: {run.folder}, another attempt at {shard}", indent=2, first=0))
    for run in gathered.incomplete:
        lacking = number_of(max(run.planned, run.attempt.shard.trials) - run.trials, "trial")
        notice(wrapped(f"incomplete: {run.folder} lacks {lacking}", indent=2, first=0))
    if gathered.missing:
        numbers = ", ".join(map(str, gathered.missing[:20]))
        more = ", ..." * (len(gathered.missing) > 20)
        notice(wrapped(f"missing: shards {numbers}{more}", indent=2, first=0))


# `harness shard`: divide a sweep into parts for several machines.


_SHARD: Final = re.compile(r"shard-\d{4,}\.toml")
_UNITS: Final = {"s": 1, "m": 60, "min": 60, "h": 3600}
_MOST_S: Final = 10**6


def shard_seconds(text: str) -> float:
    """The seconds of a time such as ``90s``, ``5m`` or ``1h``.

    Raises:
        OptionError: it is none, or too short or too long.
    """
    match = re.fullmatch(r"([0-9]{1,7}(?:\.[0-9]{1,3})?)(s|m|min|h)", text.strip().lower())
    seconds = float(match[1]) * _UNITS[match[2]] if match else 0.0
    if not 1 <= seconds <= _MOST_S:
        expected = "a time of a second or more, such as 90s, 5m or 1h"
        raise OptionError(f"invalid value {text!r:.60}", where="--shard-time", expected=expected)
    return seconds


ShardsOption = Annotated[
    int | None,
    parsed_option(
        *("--shards", "N", "Number of shards. [default: as many as --shard-time needs]"),
        whole_number("--shards", 1, 10**6),
    ),
]
ShardTimeOption = Annotated[
    float | None,
    parsed_option(
        *("--shard-time", "TIME", "Expected time of a shard: 90s, 5m, 1h. [default: 5m]"),
        shard_seconds,
    ),
]


def sizes_of(shards: int | None, shard_time: float | None) -> "ShardSizes":
    """How a sweep is divided by the two options.

    Raises:
        OptionError: both are set.
    """
    from harness.cluster.shards import SHARD_S, ShardSizes

    if shards is not None and shard_time is not None:
        raise OptionError("cannot be combined with --shards", where="--shard-time")
    return ShardSizes(shards, shard_time or SHARD_S)


def earlier_times() -> "ExpectedTimes":
    """The times of the runs in results/, from which those of shards are expected."""
    from harness.runs.preview import ExpectedTimes
    from harness.runs.sweep import RESULTS

    times = ExpectedTimes()
    times.add_runs(sorted(RESULTS.iterdir()) if RESULTS.is_dir() else [])
    return times


@with_sweep_options()
def shard(
    sweep_file: Annotated[
        Path | None,
        typer.Argument(metavar="SWEEP.toml", help="Sweep file in TOML; options override it."),
    ] = None,
    *,
    changes: SweepChanges,
    shards: ShardsOption = None,
    shard_time: ShardTimeOption = None,
    out: Annotated[
        Path, typer.Option(metavar="DIR", help="Folder for the files of the shards.")
    ] = Path("shards"),
    as_json: JsonOption = False,
) -> None:
    """Divide a sweep into shards: parts that different machines carry out.

    A shard has some of the puzzles, with all backends and all repetitions, so that what is
    compared is measured on one machine. Each is a sweep file for `harness run`, and
    `harness merge` puts their runs together. Expected times are those of earlier runs in
    results/; without them some puzzles run first.
    """
    import numpy  # noqa: F401  before the part that can be interrupted, see `interruptible`

    from harness.cli.progress import LiveProgress
    from harness.cluster.shards import shard_plan, write_shard
    from harness.runs.run import signals_as_interrupts

    sizes = sizes_of(shards, shard_time)
    sweep = _one(sweeps_of(changes, sweep_file), sweep_file)
    _require_free(out)
    times = earlier_times()
    progress = LiveProgress(console_of(sys.stderr))
    with interruptible(), signals_as_interrupts(), flags_in_errors(), progress:
        plan = shard_plan(sweep, out, sizes, times=times, observer=progress)
    _make(out)
    files = [write_shard(planned.sweep, planned.shard, out) for planned in plan.shards()]
    if as_json:
        from harness.report.documents import Sharded, json

        document = Sharded(
            folder=str(out), plan=plan.name, shards=plan.number, expected_s=plan.expected_s
        )
        show(json(document), end="")
        return
    _show(plan, out, files[0])


def _show(plan: "ShardPlan", out: Path, first: Path) -> None:
    from harness.report.formatting import span
    from harness.text import number_of

    line = f"{number_of(plan.number, 'shard')} in {out}"
    if plan.expected_s is not None:
        line += f"; expected: {span(plan.expected_s / plan.number)} each, "
        line += f"{span(plan.expected_s)} in all"
    show(wrapped(line, indent=2, first=0))
    show(f"to run the first: harness run {shlex.quote(str(first))}")
    show(f"to merge the runs: harness merge results/shards-{plan.name}/* --out results/merged")


def _one(sweeps: "list[Sweep]", file: Path | None) -> "Sweep":
    if len(sweeps) == 1:
        return sweeps[0]
    raise InputError(f"has {len(sweeps)} sweeps", where=str(file), expected="one sweep")


def _require_free(folder: Path) -> None:
    """Require a folder without shards.

    Raises:
        OptionError: the folder has shards, or it is a file or cannot be read.
    """
    if folder.exists() and not folder.is_dir():
        raise OptionError("is a file", where=f"--out {folder}", expected="a folder")
    try:
        names = [path.name for path in folder.iterdir()] if folder.exists() else []
    except OSError as error:
        raise OptionError(
            f"cannot be read: {error.strerror}", where=f"--out {folder}", expected="a folder"
        ) from None
    if any(map(_SHARD.fullmatch, names)):
        raise OptionError("has shards", where=f"--out {folder}", expected="a folder without shards")


def _make(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise unwritable(folder, error) from None


# `harness run --on`: a sweep on an engine, with the progress of its shards.


OnOption = Annotated[
    str | None,
    typer.Option(
        "--on",
        metavar="ENGINE",
        help="Carry out shards on an engine: local, local:N, dask://HOST:PORT, slurm or "
        "slurm:PARTITION.",
    ),
]
RepeatSlowOption = Annotated[
    bool,
    typer.Option(
        "--repeat-slow",
        help="With --on: repeat shards of a machine that became slower on others.",
    ),
]


def run_on_engine(
    sweep: "Sweep",
    folder: Path,
    on: str,
    shards: int | None,
    shard_time: float | None,
    *,
    repeats_slow: bool,
    as_json: bool,
) -> None:
    """Carry out a sweep on an engine, and show the tables.

    Raises:
        InputError: the sweep, the folder or the engine cannot be used.
    """
    from harness.analysis.run import load
    from harness.cli.progress import ClusterProgress, LiveProgress
    from harness.cluster.coordinator import run_on
    from harness.cluster.engines import engine_of, require_engine
    from harness.report.filling import reported
    from harness.report.tables import BRIEF, text
    from harness.runs.run import signals_as_interrupts

    sizes = sizes_of(shards, shard_time)
    require_engine(on)
    planning = LiveProgress(console_of(sys.stderr))
    progress = ClusterProgress(console_of(sys.stderr))
    try:
        with interruptible(), signals_as_interrupts(), flags_in_errors(), progress:
            status = run_on(
                sweep,
                folder,
                lambda plan: engine_of(on, plan.run, plan.jobs, folder, notice),
                sizes=sizes,
                times=earlier_times(),
                observer=planning,
                coordinator_observer=progress,
                repeats_slow=repeats_slow,
            )
    except KeyboardInterrupt as interruption:
        if as_json:
            _totals(progress.status, folder).show_json(interrupted=True)
        done = f"{progress.status.done:,} of {number_of(progress.status.shards, 'shard')}"
        command = shlex.join(["harness", *sys.argv[1:]])
        notice(f"interrupted: {done} are in {folder}; to resume: {command}")
        if isinstance(interruption, Interrupted):
            raise typer.Exit(interruption.code) from None
        raise
    found = load(folder)
    if as_json:
        _totals(status, folder).show_json(report=reported(found, BRIEF))
    else:
        show(text(found, width(), theme=theme_of()))
        show(f"results: {folder}   report: harness report {shlex.quote(str(folder))}")
    _show_rest(status)
    if found.agreement().disagreements or not status.is_complete:
        raise typer.Exit(1)


def _totals(status: "ClusterStatus", folder: Path) -> SweepTotals:
    return SweepTotals(folder, status.trials, status.trials_done, status.trials_before)


def _show_rest(status: "ClusterStatus") -> None:
    for number, reason in sorted(status.failed.items()):  # also with --quiet
        text = wrapped(f"shard {number} failed: {reason}", indent=2, first=0)
        typer.echo(text, err=True)
    if status.left_out:
        notice(f"{number_of(status.left_out, 'further attempt')} left out: each shard counts once")
