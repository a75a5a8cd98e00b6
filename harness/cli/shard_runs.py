"""Shards in `harness run` and `harness merge`."""

from pathlib import Path
from typing import TYPE_CHECKING

from harness.cli.sweep_options import SWEEP_OPTIONS
from harness.cli.terminal import notice, show, wrapped
from harness.errors import OptionError
from harness.experiment.sweep import SweepChanges
from harness.text import number_of

if TYPE_CHECKING:
    from harness.records.gathering import Gathered
    from harness.records.shard import Shard

_FREE = ("jobs",)
"""Options of a sweep that a command may change for a shard."""


def shard_of(file: Path, changes: SweepChanges) -> "Shard | None":
    """The shard in a sweep file; None if it is a sweep of its own.

    Raises:
        InputError: the shard is malformed.
        OptionError: an option is set that all shards of a plan share.
    """
    from harness.experiment.sharding.shard_file import read_shard

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
    from harness.experiment.sharding.shard_file import file_name

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
