"""Shards: parts of a sweep that different machines carry out."""

import hashlib
import json
import os
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from heapq import heapify, heapreplace
from itertools import product
from math import ceil
from pathlib import Path
from statistics import fmean
from typing import Annotated, Any, Final
from uuid import uuid4

import msgspec
import tomli_w
from msgspec import Meta, Struct, structs

from harness.errors import InputError, unwritable
from harness.files import parse_toml, read_file_text
from harness.puzzles.catalogue import Dataset, address_of, find, read_instances
from harness.puzzles.puzzle import Instance
from harness.puzzles.shape import Shape, name_by_kinds
from harness.records.environment import DatasetDigest, digest_of
from harness.records.question import Configuration
from harness.records.run_files import SHARD, with_paths
from harness.records.shard import Shard, plan_digest
from harness.records.trial import Trial
from harness.runs.execute import Observer
from harness.runs.plan import datasets_of
from harness.runs.preview import ExpectedTimes
from harness.runs.run import collect, identity, supervisor_of
from harness.runs.selection import expand_specs, selected
from harness.runs.sweep import Sweep
from harness.text import encodable

# The instances of a sweep, with the numbers by which an address finds them in their files.


@dataclass(frozen=True, slots=True)
class NumberedInstance:
    """An instance of a sweep, before it is scrambled."""

    source: str
    """The name of its dataset, or the path of its file, as the sweep has it."""
    dataset: str
    """The name of its dataset in trials."""
    number: int
    """Its number in the file, from 1."""
    instance: Instance


def numbered_instances(sweep: Sweep) -> list[NumberedInstance]:
    """The instances of `sweep` that its condition chooses, by dataset and number.

    Raises:
        InputError: a dataset cannot be used, or is standard input.
    """
    named = [address_of(name).source for name in sweep.datasets]
    if "-" in named:
        raise InputError(
            "standard input cannot be divided into shards", where="--dataset", expected="a file"
        )
    chosen = datasets_of(replace(sweep, scramble=(0,)))
    sources: dict[Path, str] = {}
    for source in named:
        sources.setdefault(find(source).resolve(), source)
    shape = Shape.parse(sweep.shape) if sweep.shape else None
    found: list[NumberedInstance] = []
    for (path, source), dataset in zip(sources.items(), chosen, strict=True):
        numbers: dict[str, int] = {}
        for number, instance in enumerate(read_instances(path, shape), 1):
            numbers.setdefault(instance.puzzle.id, number)
        found += [
            NumberedInstance(source, dataset.name, numbers[instance.puzzle.id], instance)
            for instance in dataset.instances
        ]
    return found


def addresses(instances: Sequence[NumberedInstance]) -> list[str]:
    """Addresses of these instances, one for each source: ``named/1,3-5``."""
    found = []
    for source, numbers in numbers_by_source(instances).items():
        # A single number could be the name of another puzzle.
        found.append(
            f"{source}/{numbers}-{numbers}" if numbers.isdigit() else f"{source}/{numbers}"
        )
    return found


def numbers_by_source(instances: Sequence[NumberedInstance]) -> dict[str, str]:
    """The numbers of these instances in each source: ``{"named": "1,3-5"}``."""
    numbers: dict[str, list[int]] = {}
    for of in instances:
        numbers.setdefault(of.source, []).append(of.number)
    return {source: _ranges(sorted(of)) for source, of in numbers.items()}


def _ranges(numbers: Sequence[int]) -> str:
    """Ascending numbers with ranges: ``1,3-5``."""
    ranges: list[list[int]] = []
    for number in numbers:
        if ranges and number == ranges[-1][1] + 1:
            ranges[-1][1] = number
        else:
            ranges.append([number, number])
    return ",".join(f"{a}-{b}" if a != b else f"{a}" for a, b in ranges)


# How long the trials on each instance of a sweep are expected to take.


_SAMPLE: Final = 3
"""Instances of each shape and dataset that a pilot runs."""


def expected_seconds(
    sweep: Sweep,
    configurations: Sequence[Configuration],
    instances: Sequence[NumberedInstance],
    times: ExpectedTimes,
) -> list[float | None]:
    """The expected time of each instance: of all configurations, questions and repetitions.

    None where the time of a trial is unknown.
    """
    found: list[float | None] = []
    for of in instances:
        trials = [
            Trial(configuration.label, of.dataset, of.instance, question, 1)
            for configuration, question in product(configurations, sweep.questions())
        ]
        seconds = [times.of(trial) for trial in trials]
        known = [value for value in seconds if value is not None]
        found.append(sweep.repeat * sum(known) if len(known) == len(seconds) else None)
    return found


def pilot(sweep: Sweep, instances: Sequence[NumberedInstance], observer: Observer) -> ExpectedTimes:
    """Run some instances of each dataset and shape once, to know how long they take.

    Raises:
        InputError: a backend cannot be used.
    """
    groups: dict[tuple[str, str], list[NumberedInstance]] = {}
    for of in instances:
        key = (of.source, name_by_kinds(of.instance.puzzle.shape.definition))
        groups.setdefault(key, []).append(of)
    order = random.Random(f"{sweep.seed}:pilot")  # noqa: S311  a sample, not a secret
    sample = [
        of for group in groups.values() for of in order.sample(group, min(_SAMPLE, len(group)))
    ]
    sample.sort(key=lambda of: (of.source, of.number))
    small = replace(sweep, datasets=tuple(addresses(sample)), where=None, repeat=1, until_stable=0)
    times = ExpectedTimes()
    collected = collect(small, observer=observer)
    if collected.interruption is not None:
        raise collected.interruption
    times.add_records(collected.records)
    return times


def filled(seconds: Sequence[float | None]) -> list[float]:
    """The times, with the mean of the known ones where one is unknown; 1 if none is known."""
    known = [value for value in seconds if value is not None]
    mean = fmean(known) if known else 1.0
    return [mean if value is None else value for value in seconds]


# Division of the instances of a sweep into shards that take equally long.


def divided(
    instances: Sequence[NumberedInstance], seconds: Sequence[float], shards: int, seed: int
) -> list[list[NumberedInstance]]:
    """The instances of each shard, in the order of the sweep; deterministic.

    The longest instance goes to the shard with the least seconds, then the next one (longest
    processing time first: Graham, "Bounds on multiprocessing timing anomalies", SIAM Journal on
    Applied Mathematics 17, 1969). Instances of equal time are in random order, so that neighbours
    in a file are in different shards.

    Args:
        instances: the instances of the sweep.
        seconds: the expected time of each, in seconds.
        shards: the number of shards; no more than there are instances are made.
        seed: the random seed of the sweep.
    """
    order = list(range(len(instances)))
    random.Random(f"{seed}:shards").shuffle(order)  # noqa: S311  an order, not a secret
    order.sort(key=lambda at: -seconds[at])
    loads = [(0.0, 0, shard) for shard in range(min(shards, len(instances)))]
    heapify(loads)
    members: list[list[int]] = [[] for _ in loads]
    for at in order:
        load, number, shard = loads[0]
        members[shard].append(at)
        heapreplace(loads, (load + seconds[at], number + 1, shard))
    return [[instances[at] for at in sorted(of)] for of in members]


# Shards as sweep files, which `harness run` carries out like any sweep.


_HEADER: Final = "# {shard} of a sweep. To run it: harness run {name}\n"
_LARGEST: Final = 64 * 2**20
"""Size of the largest shard in bytes: a million numbers of puzzles take seven of them each."""


def settings_of(sweep: Sweep, folder: Path) -> dict[str, object]:
    """The options of a sweep as a file in `folder` has them: paths are relative to it."""
    values: dict[str, object] = msgspec.to_builtins(sweep)
    return with_paths(
        {name: value for name, value in values.items() if value is not None},
        lambda file: encodable(os.path.relpath(file, folder)),
    )


def file_name(shard: Shard) -> str:
    """``shard-0007.toml``, with as many digits as the last shard needs, four at least."""
    digits = max(4, len(str(shard.of)))
    return f"shard-{shard.number:0{digits}d}.toml"


def write_shard(sweep: Sweep, shard: Shard, folder: Path) -> Path:
    """Write a shard into `folder`, which exists.

    Args:
        sweep: the sweep of the instances of the shard.
        shard: its place in the plan.
        folder: the folder for the file.

    Raises:
        HarnessError: the file cannot be written.
    """
    path = folder / file_name(shard)
    table: dict[str, Any] = msgspec.to_builtins(shard)
    values = settings_of(sweep, folder) | {SHARD: without_none(table)}
    text = _HEADER.format(shard=str(shard).capitalize(), name=path.name) + tomli_w.dumps(values)
    try:
        path.write_bytes(encodable(text).encode())
    except OSError as error:
        raise unwritable(path, error) from None
    return path


def read_shard(path: Path) -> Shard | None:
    """The shard of the sweep file at `path`; None if it is a sweep of its own.

    The paths of its whole sweep are relative to the present folder.

    Raises:
        InputError: the file cannot be read, or its table ``[shard]`` is malformed.
    """
    table = parse_toml(read_file_text(path, _LARGEST), str(path)).get(SHARD)
    if table is None:
        return None
    try:
        shard = msgspec.convert(table, Shard)
        sweep = with_paths(shard.sweep, lambda file: str(path.parent / file))
        return structs.replace(shard, sweep=sweep)
    except (msgspec.ValidationError, ValueError) as error:
        raise InputError(
            f"malformed: {error}", where=f"{path}: [{SHARD}]", expected="what harness shard wrote"
        ) from None


def without_none(value: Any) -> Any:
    """The value without entries that TOML cannot hold."""
    if isinstance(value, Mapping):
        return {key: without_none(of) for key, of in value.items() if of is not None}
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [without_none(of) for of in value]
    return value


# The plan of a sweep that several machines carry out: its shards.


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
        self._puzzles = _digest(members)
        self.name = plan_digest(self._whole, self._backends, self._puzzles)
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
            puzzles=self._puzzles,
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


def _digest(members: Sequence[Sequence[NumberedInstance]]) -> str:
    """The digest of the puzzles of all shards, with their datasets."""
    ids = [[(of.dataset, of.instance.puzzle.id) for of in shard] for shard in members]
    return hashlib.sha256(json.dumps(ids).encode()).hexdigest()[:12]
