"""`harness run`: run a sweep."""

import shlex
import sys
from pathlib import Path
from typing import Annotated

import typer

from harness.cli.certified_run import CertifyRunOption, certify_run
from harness.cli.certify import RunProverOption, prover_of
from harness.cli.cluster import OnOption, RepeatSlowOption, run_on_engine
from harness.cli.dry_run import DryRunOption, show_plan
from harness.cli.interrupts import interruptible
from harness.cli.options import JsonOption, SkipOption
from harness.cli.shard_runs import folder_of, shard_of
from harness.cli.sharding import ShardsOption, ShardTimeOption
from harness.cli.sweep_options import flags_in_errors, sweeps_of, with_sweep_options
from harness.cli.sweep_totals import SweepTotals
from harness.cli.terminal import console_of, notice, show, theme_of, width
from harness.errors import Interrupted, OptionError
from harness.experiment.sweep import SweepChanges


@with_sweep_options()
def run(
    sweep_file: Annotated[
        Path | None,
        typer.Argument(metavar="SWEEP.toml", help="Sweep file in TOML; options override it."),
    ] = None,
    *,
    changes: SweepChanges,
    out: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Folder of the run; by default a folder in results/."),
    ] = None,
    fresh: Annotated[
        bool, typer.Option("--fresh", help="Delete results of an earlier run in the folder.")
    ] = False,
    skip_unavailable: SkipOption = False,
    dry_run: DryRunOption = False,
    on: OnOption = None,
    shards: ShardsOption = None,
    shard_time: ShardTimeOption = None,
    repeat_slow: RepeatSlowOption = False,
    certify: CertifyRunOption = False,
    prover: RunProverOption = None,
    as_json: JsonOption = False,
) -> None:
    """Run backends on datasets and show the tables.

    The same command resumes an interrupted run; another one adds to it. Exit code 1: a wrong
    answer, a disagreement, or an answer that a certificate refutes. Crashes, timeouts and
    unknowns are results, with exit code 0.
    """
    import numpy  # noqa: F401  before the part that can be interrupted, see `interruptible`

    from harness.analysis.run import load
    from harness.cli.progress import LiveProgress
    from harness.experiment.interruption import signals_as_interrupts
    from harness.experiment.run import run_sweep
    from harness.experiment.sweep import RESULTS
    from harness.experiment.sweep_file import folder_name
    from harness.report.tables import BRIEF, text
    from harness.text import number_of

    sweeps = sweeps_of(changes, sweep_file)
    shard = shard_of(sweep_file, changes) if sweep_file else None
    if prover is not None and not certify:
        raise OptionError("needs certificates", where="--prover", expected="--certify")
    provers = prover_of(prover)
    folder = out or RESULTS / (folder_of(shard) if shard else folder_name(sweeps))
    if on is None and (shards or shard_time or repeat_slow):
        flag = "--shards" if shards else "--shard-time" if shard_time else "--repeat-slow"
        raise OptionError("needs an engine", where=flag, expected="--on, or harness shard")
    if on is not None:
        (sweep,) = sweeps if len(sweeps) == 1 else (None,)
        if sweep is None or shard is not None or fresh or dry_run or certify or skip_unavailable:
            raise OptionError(
                "carries out one sweep",
                where="--on",
                expected="no shard, and none of --fresh, --dry-run, --certify and "
                "--skip-unavailable",
            )
        run_on_engine(
            *(sweep, folder, on, shards, shard_time), repeats_slow=repeat_slow, as_json=as_json
        )
        return
    if dry_run:
        show_plan(
            *(sweeps, folder),
            stored=not fresh,
            skip_unavailable=skip_unavailable,
            as_json=as_json,
        )
        return
    totals = SweepTotals(folder)
    for number, sweep in enumerate(sweeps):
        progress = LiveProgress(console_of(sys.stderr))
        try:
            with interruptible(), signals_as_interrupts(), flags_in_errors(), progress:
                finished = run_sweep(
                    sweep,
                    folder,
                    fresh=fresh and number == 0,
                    skip_unavailable=skip_unavailable,
                    shard=shard,
                    observer=progress,
                )
        except KeyboardInterrupt as interruption:
            totals.add(progress)
            if as_json:
                totals.show_json(interrupted=True)
            trials = number_of(progress.planned_trials, "trial")
            where = f"{progress.done:,} of {trials} are in {folder}"
            notice(
                f"interrupted: {where if progress.planned_trials else 'no trial has run'}; "
                f"to resume: {_same_command()}"
            )
            if isinstance(interruption, Interrupted):
                raise typer.Exit(interruption.code) from None
            raise
        totals.add(progress, finished.repeats)
        for name, repeats in finished.repeats.items():
            notice(f"{name}: {number_of(repeats, 'duplicate puzzle')} left out")
        for name, excluded in finished.excluded.items():
            notice(f"{name}: {number_of(excluded, 'puzzle')} left out by --where")
        if finished.done_before:
            verb = "was" if finished.trials == 1 else "were"
            trials = number_of(finished.trials, "trial")
            notice(f"{finished.done_before:,} of {trials} {verb} complete before")
    found = load(folder)
    certified = None
    if certify:
        timeout_s, memory_mib = max(s.timeout for s in sweeps), max(s.memory for s in sweeps)
        with interruptible(), signals_as_interrupts():
            certified = certify_run(found, provers, timeout_s=timeout_s, memory_mib=memory_mib)
    if as_json:
        from harness.documents.fill import reported

        totals.show_json(report=reported(found, BRIEF), certified=certified)
    else:
        show(text(found, width(), theme=theme_of()))
        if certified:
            certified.show()
        show(f"results: {folder}   report: harness report {shlex.quote(str(folder))}")
    if certified and certified.interruption:
        notice(f"interrupted: certificates are missing; to resume: {_same_command()}")
        if isinstance(certified.interruption, Interrupted):
            raise typer.Exit(certified.interruption.code)
        raise certified.interruption
    if found.agreement().disagreements or (certified and certified.refuted):
        raise typer.Exit(1)


def _same_command() -> str:
    """The command that goes on where this one ends."""
    return shlex.join(["harness", *(word for word in sys.argv[1:] if word != "--fresh")])
