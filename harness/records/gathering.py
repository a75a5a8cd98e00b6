"""Shards put together: the runs of all shards of a plan as one run, each shard once."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from harness.errors import InputError, RunError
from harness.records.environment import Invocation, read_invocations
from harness.records.merge import merge
from harness.records.settings import FILE as SWEEP
from harness.records.settings import rebased, write_settings
from harness.records.shard import Attempt, Shard, read_attempt
from harness.records.shard_events import ShardEvent, event_of, shards_in
from harness.records.store_file import reading


@dataclass(frozen=True, slots=True)
class ShardRun:
    """A run that carries out a shard, or a part of one."""

    folder: Path
    attempt: Attempt
    trials: int
    """Finished trials."""
    planned: int
    """Planned trials."""
    ended_at: str
    """When its last command ended, in UTC; empty if unknown."""

    @property
    def is_complete(self) -> bool:
        """Whether no trial is missing."""
        return self.trials >= max(self.planned, self.attempt.shard.trials)


@dataclass(frozen=True, slots=True)
class Gathered:
    """What became of the runs of shards."""

    trials: int
    """Trials of the new run."""
    kept: list[ShardRun]
    """One run of each shard, by number."""
    left_out: list[ShardRun]
    """Further attempts at the same shards."""
    missing: list[int]
    """The numbers of shards without a run."""

    @property
    def incomplete(self) -> list[ShardRun]:
        """The runs that lack trials."""
        return [run for run in self.kept if not run.is_complete]


def are_shards(folders: Sequence[Path]) -> bool:
    """Whether the runs in these folders are of shards.

    Raises:
        InputError: some are and some are not.
    """
    attempts = [read_attempt(folder) for folder in folders]
    if not any(attempts):
        return False
    for folder, attempt in zip(folders, attempts, strict=True):
        if attempt is None:
            raise InputError(
                "does not hold a run of a shard",
                where=str(folder),
                expected="only runs of shards, or none",
            )
    return True


def require_disjoint(folders: Sequence[Path]) -> None:
    """Require that no two runs have the same shard, whose trials would count twice.

    Raises:
        InputError: two have; it names the shard.
        RunError: a folder holds no run.
    """
    known: dict[tuple[str, int], Path] = {}
    for folder in folders:
        for plan, number in sorted(shards_in(folder)):
            other = known.setdefault((plan, number), folder)
            if other != folder:
                what = f"has shard {number} of plan {plan}, and so has {other}"
                raise InputError(what, where=str(folder), expected="runs without common shards")


def gather(folders: Sequence[Path], target: Path) -> Gathered:
    """Write the trials of the runs of shards in `folders` into a new run at `target`.

    Of several attempts at a shard the first complete one is kept; without one, that with the most
    trials. So no trial counts twice, however often a shard ran.

    Raises:
        InputError: the runs are of different plans, or the target already exists.
        RunError: a folder does not hold a run of a shard, or the run used other software than
            its plan.
    """
    runs = [_read(folder) for folder in folders]
    first = runs[0].attempt.shard
    for run in runs:
        shard = run.attempt.shard
        if (shard.plan, shard.of) != (first.plan, first.of):
            what = f"is {_place(shard)}, and {runs[0].folder} {_place(first)}"
            raise InputError(what, where=str(run.folder), expected="shards of one plan")
        require_software(run.folder, read_invocations(run.folder), shard)
    kept: dict[int, ShardRun] = {}
    left_out = []
    for run in sorted(runs, key=_rank):
        if run.attempt.shard.number in kept:
            left_out.append(run)
        else:
            kept[run.attempt.shard.number] = run
    chosen = [kept[number] for number in sorted(kept)]
    events = [event_of(_kind(run), run.attempt) for run in chosen]
    events += [event_of(ShardEvent.LEFT_OUT, run.attempt) for run in left_out]
    trials = merge([run.folder for run in chosen], target, least=1, events=events)
    source = chosen[0].folder
    write_settings([rebased(first.sweep, source, target)], target / SWEEP)
    missing = [number for number in range(1, first.of + 1) if number not in kept]
    return Gathered(trials, chosen, left_out, missing)


def _place(shard: Shard) -> str:
    return f"one of {shard.of} shards of plan {shard.plan}"


def _kind(run: ShardRun) -> ShardEvent:
    return ShardEvent.MERGED if run.is_complete else ShardEvent.INCOMPLETE


def _rank(run: ShardRun) -> tuple[bool, int, str, str]:
    """Complete runs first, the earliest first; then those with the most trials."""
    lacking = 0 if run.is_complete else -run.trials
    return not run.is_complete, lacking, run.ended_at, str(run.folder)


def _read(folder: Path) -> ShardRun:
    attempt = read_attempt(folder)
    if attempt is None:
        raise RunError("does not hold a run of a shard", where=str(folder))
    with reading(folder) as db:
        trials = int(db.execute("SELECT count(*) FROM trials").fetchone()[0])
        planned = int(db.execute("SELECT coalesce(sum(repetitions), 0) FROM planned").fetchone()[0])
    ends = [invocation.ended_at or "" for invocation in read_invocations(folder)]
    return ShardRun(folder, attempt, trials, planned, max(ends, default=""))


def require_software(folder: Path, invocations: Sequence[Invocation], shard: Shard) -> None:
    """Require that every command of the run of a shard had the versions of the plan.

    Args:
        folder: the folder of the run.
        invocations: the commands that made the run.
        shard: what the run carries out.

    Raises:
        RunError: one had others.
    """
    for invocation in invocations:
        for label, of in invocation.backends.items():
            required = shard.backends.get(label)
            if required is None or required != of:
                raise RunError(
                    f"{label} had other versions or options than its plan requires",
                    where=str(folder),
                    expected="runs of the shards as they were made",
                )
