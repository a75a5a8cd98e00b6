"""The plan of a sweep that several machines carry out: its shards."""

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import ceil
from pathlib import Path
from typing import Annotated, Final
from uuid import uuid4

import msgspec
from msgspec import Meta, Struct

from harness.errors import InputError
from harness.experiment.expected_times import ExpectedTimes
from harness.experiment.observer import Observer
from harness.experiment.run import identity, supervisor_of
from harness.experiment.selection import expand_specs, selected
from harness.experiment.sharding.costs import expected_seconds, filled, pilot
from harness.experiment.sharding.division import divided
from harness.experiment.sharding.numbering import (
    NumberedInstance,
    addresses,
    numbered_instances,
    numbers_by_source,
)
from harness.experiment.sharding.shard_file import settings_of
from harness.experiment.sweep import Sweep
from harness.puzzles.catalogue import Dataset, Instance
from harness.records.configuration import Configuration
from harness.records.environment import DatasetDigest, digest_of
from harness.records.shard import Shard

SHARD_S: Final = 300.0
"""Seconds that a shard is expected to take if the user names no number: long against the start of
a machine, short against what its loss costs."""
_MOST_SHARDS: Final = 1_000_000


@dataclass(frozen=True, slots=True)
class ShardSizes:
    """How a sweep is divided."""

    number: int | None = None
    """The number of shards; None for as many as take `seconds` each."""
    seconds: float = SHARD_S
    """The expected time of a shard, in seconds."""


@dataclass(frozen=True, slots=True)
class PlannedShard:
    """A shard with its puzzles."""

    shard: Shard
    whole: Sweep
    """The sweep that is divided."""
    instances: Sequence[NumberedInstance]
    """Its puzzles, by dataset and number."""

    @property
    def sweep(self) -> Sweep:
        """The sweep that carries out the shard."""
        return replace(self.whole, datasets=tuple(addresses(self.instances)), where=None)


class ShardPlan:
    """The shards of a sweep, made one by one.

    Args:
        sweep: the whole sweep.
        folder: the folder of the shards' files, from which their paths start.
        configurations: the configurations of the sweep.
        members: the instances of each shard.
        seconds: the expected time of each shard; empty if unknown.
        run: the name of the run on an engine; None for a new one.
    """

    def __init__(
        self,
        sweep: Sweep,
        folder: Path,
        configurations: Sequence[Configuration],
        members: Sequence[Sequence[NumberedInstance]],
        seconds: Sequence[float],
        run: str | None = None,
    ) -> None:
        self.run = run or uuid4().hex[:12]
        """The name of the run on an engine. Another run of the same plan has another one, so that
        they share no trials."""
        self._sweep = sweep
        self._backends = {c.label: identity(c) for c in configurations}
        self.specs = {c.label: c.spec.label for c in configurations}
        """The spec of each configuration, by label."""
        self._members = members
        self._seconds = seconds
        self._whole = settings_of(sweep, folder)
        self._trials = len(self._backends) * len(sweep.questions()) * sweep.repeat
        """Trials of each instance."""
        self.name = _digest(self._whole, members, msgspec.to_builtins(self._backends))
        """The digest of the plan."""

    @property
    def number(self) -> int:
        """The number of shards."""
        return len(self._members)

    @property
    def trials(self) -> int:
        """Trials of all shards."""
        return sum(map(len, self._members)) * self._trials

    def trials_of(self, number: int) -> int:
        """Trials of the shard with this number, from 1."""
        return len(self._members[number - 1]) * self._trials

    @property
    def expected_s(self) -> float | None:
        """Seconds that all shards are expected to take one after the other; None if unknown."""
        return sum(self._seconds) if self._seconds else None

    @property
    def jobs(self) -> int:
        """Trials that run at the same time."""
        return self._sweep.jobs

    def shards(self) -> Iterator[PlannedShard]:
        """The shards in their order."""
        return map(self.shard, range(1, self.number + 1))

    def shard(self, number: int) -> PlannedShard:
        """The shard with this number, from 1."""
        instances = self._members[number - 1]
        shard = Shard(
            plan=self.name,
            number=number,
            of=self.number,
            trials=self.trials_of(number),
            expected_s=self._seconds[number - 1] if self._seconds else None,
            backends=self._backends,
            datasets=_digests(instances),
            sweep=self._whole,
        )
        return PlannedShard(shard, self._sweep, instances)

    def to_stored(self) -> "StoredPlan":
        """The plan as a file has it."""
        shards = [numbers_by_source(of) for of in self._members]
        return StoredPlan(plan=self.name, run=self.run, shards=shards, seconds=list(self._seconds))


class StoredPlan(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A plan in a file."""

    plan: str
    """Its digest."""
    run: Annotated[str, Meta(pattern="^[0-9a-f]{12}$")]
    """The name of the run."""
    shards: list[dict[str, str]]
    """The numbers of the puzzles of each shard, by dataset: ``{"named": "1,3-5"}``."""
    seconds: list[float]
    """The expected time of each shard; empty if unknown."""


def shard_plan(
    sweep: Sweep,
    folder: Path,
    sizes: ShardSizes | None = None,
    *,
    times: ExpectedTimes | None = None,
    observer: Observer | None = None,
) -> ShardPlan:
    """Divide `sweep` into shards.

    Args:
        sweep: the sweep.
        folder: the folder of the shards' files, from which their paths start.
        sizes: how the sweep is divided; by default into shards of five minutes.
        times: times of earlier trials. Where they say nothing, a pilot runs some instances,
            unless the number is given and nothing is known.
        observer: receives the progress.

    Raises:
        InputError: a dataset or a backend cannot be used.
    """
    observer = observer or Observer()
    instances = numbered_instances(sweep)
    configurations = _configurations(sweep, observer)
    known = expected_seconds(sweep, configurations, instances, times or ExpectedTimes())
    sizes = sizes or ShardSizes()
    number = sizes.number
    if number is None and any(value is None for value in known):
        measured = pilot(sweep, instances, observer)
        guessed = expected_seconds(sweep, configurations, instances, measured)
        known = [a if a is not None else b for a, b in zip(known, guessed, strict=True)]
    is_known = any(value is not None for value in known)
    cost = [value / sweep.jobs for value in filled(known)]
    if number is None:
        number = ceil(sum(cost) / sizes.seconds) if is_known else 1
    number = min(max(1, number), len(instances), _MOST_SHARDS)
    members = divided(instances, cost, number, sweep.seed)
    cost_of = {id(of): value for of, value in zip(instances, cost, strict=True)}
    expected = [sum(cost_of[id(of)] for of in shard) for shard in members] if is_known else []
    return ShardPlan(sweep, folder, configurations, members, expected)


def restored_plan(
    stored: StoredPlan, sweep: Sweep, folder: Path, observer: Observer | None = None
) -> ShardPlan:
    """The plan in a file, for the same sweep and with the same software.

    Args:
        stored: the plan in the file.
        sweep: the sweep.
        folder: the folder of the file.
        observer: receives the progress.

    Raises:
        InputError: the sweep, a dataset or the software has changed.
    """
    instances = {(of.source, of.number): of for of in numbered_instances(sweep)}
    members = []
    for shard in stored.shards:
        found = [instances.get(key) for key in _numbers(shard)]
        members.append([of for of in found if of is not None])
    configurations = _configurations(sweep, observer or Observer())
    plan = ShardPlan(sweep, folder, configurations, members, stored.seconds, stored.run)
    if plan.name != stored.plan:
        raise InputError(
            "options, puzzles or software have changed since its shards were made",
            where=str(folder),
            expected="what they were, or another folder",
        )
    return plan


def _numbers(shard: Mapping[str, str]) -> Iterator[tuple[str, int]]:
    """The source and the number of each puzzle of a stored shard."""
    for source, numbers in shard.items():
        for part in numbers.split(","):
            first, _, last = part.partition("-")
            yield from ((source, number) for number in range(int(first), int(last or first) + 1))


def _configurations(sweep: Sweep, observer: Observer) -> Sequence[Configuration]:
    with supervisor_of(expand_specs(sweep.backends), 1, observer) as supervisor:
        used, _ = selected(supervisor.open(), sweep.backends, observer, skip_unavailable=False)
    return used


def _digests(instances: Sequence[NumberedInstance]) -> dict[str, DatasetDigest]:
    """The content of each dataset in a shard."""
    found: dict[str, list[Instance]] = {}
    for of in instances:
        found.setdefault(of.dataset, []).append(of.instance)
    return {name: digest_of(Dataset(name, tuple(group))) for name, group in found.items()}


def _digest(
    whole: dict[str, object], members: Sequence[Sequence[NumberedInstance]], backends: object
) -> str:
    """The digest of what makes shards what they are; the number of jobs does not."""
    options = {name: value for name, value in whole.items() if name != "jobs"}
    ids = [[of.instance.puzzle.id for of in shard] for shard in members]
    content = json.dumps([options, ids, backends], sort_keys=True)
    return hashlib.sha256(content.encode()).hexdigest()[:12]
