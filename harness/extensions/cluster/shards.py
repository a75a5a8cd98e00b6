"""Shards: parts of a sweep that different machines carry out."""

import hashlib
import json
import os
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import ceil
from pathlib import Path
from typing import Annotated, Any
from uuid import uuid4

import msgspec
import tomli_w
from msgspec import Meta, Struct

from harness.base.errors import InputError
from harness.base.files import replace_file
from harness.base.text import encodable
from harness.puzzles import Instance, Shape
from harness.puzzles.datasets import Dataset, address_of, find, read_instances
from harness.puzzles.formats import ReadSettings
from harness.records.folder import DatasetDigest, Shard, with_paths
from harness.runs import (
    Observer,
    Sweep,
    datasets_of,
    identity,
    ready_supervisor,
)

# The instances of a sweep, with their numbers in their files, which addresses use.


@dataclass(frozen=True, slots=True)
class NumberedInstance:
    """An instance of a sweep, before it is scrambled."""

    source: str
    """The name of its dataset or the path of its file, as in the sweep."""
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
    names = [address_of(name).source for name in sweep.datasets]
    if "-" in names:
        raise InputError(
            "standard input cannot be divided into shards", where="--dataset", expected="a file"
        )
    datasets = datasets_of(replace(sweep, scramble=(0,)))
    sources: dict[Path, str] = {}
    for source in names:
        sources.setdefault(find(source).resolve(), source)
    shape = Shape.parse(sweep.shape) if sweep.shape else None
    items: list[NumberedInstance] = []
    for (path, source), dataset in zip(sources.items(), datasets, strict=True):
        numbers: dict[str, int] = {}
        for number, instance in enumerate(read_instances(path, ReadSettings(shape)), 1):
            numbers.setdefault(instance.puzzle.id, number)
        items += [
            NumberedInstance(source, dataset.name, numbers[instance.puzzle.id], instance)
            for instance in dataset.instances
        ]
    return items


def addresses(instances: Sequence[NumberedInstance]) -> list[str]:
    """The addresses of these instances, one per source: ``named/1,3-5``."""
    numbers: dict[str, list[int]] = {}
    for item in instances:
        numbers.setdefault(item.source, []).append(item.number)
    return [f"{source}/{_ranges(sorted(group))}" for source, group in numbers.items()]


def _ranges(numbers: Sequence[int]) -> str:
    """Ascending numbers with ranges: ``1,3-5``."""
    ranges: list[list[int]] = []
    for number in numbers:
        if ranges and number == ranges[-1][1] + 1:
            ranges[-1][1] = number
        else:
            ranges.append([number, number])
    if len(numbers) == 1:  # a single number could be the name of another puzzle
        return f"{numbers[0]}-{numbers[0]}"
    return ",".join(f"{first}-{last}" if first != last else f"{first}" for first, last in ranges)


def divided(
    instances: Sequence[NumberedInstance], shards: int, seed: int
) -> list[list[NumberedInstance]]:
    """The instances of each shard, in the order of the sweep; deterministic.

    Each shard has an equal share of each dataset, give or take an instance. Its instances are
    chosen at random, since neighbours in a file are often alike.

    Args:
        instances: the instances of the sweep.
        shards: the number of shards, at most the number of instances.
        seed: the random seed of the sweep.
    """
    order = list(range(len(instances)))
    random.Random(f"{seed}:shards").shuffle(order)  # noqa: S311  an order, not a secret
    order.sort(key=lambda place: instances[place].dataset)
    return [[instances[place] for place in sorted(order[shard::shards])] for shard in range(shards)]


# Shards as sweep files, which `harness run` carries out like any sweep.


def settings_of(sweep: Sweep, folder: Path) -> dict[str, object]:
    """The options of a sweep for a file in `folder`: paths are relative to the folder."""
    return with_paths(
        without_none(msgspec.to_builtins(sweep)),
        lambda file: encodable(os.path.relpath(file, folder)),
    )


def write_shard(plan: "ShardPlan", number: int, folder: Path) -> Path:
    """Write the shard with this number into an existing `folder`; return the path of its file.

    Raises:
        HarnessError: the file cannot be written.
    """
    shard = plan.shard(number)
    path = folder / f"{shard.name}.toml"
    datasets = tuple(addresses(plan.instances(number)))
    values = settings_of(replace(plan.sweep, datasets=datasets, where=None), folder)
    values[Shard.TABLE] = without_none(msgspec.to_builtins(shard))
    header = f"# {str(shard).capitalize()} of a sweep. To run it: harness run {path.name}\n"
    replace_file(path, encodable(header + tomli_w.dumps(values)).encode())
    return path


def without_none(value: Any) -> Any:
    """The value without entries that are None, which TOML cannot hold."""
    if isinstance(value, Mapping):
        return {key: without_none(entry) for key, entry in value.items() if entry is not None}
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [without_none(entry) for entry in value]
    return value


# The plan of a sweep that several machines carry out: its shards.


class ShardPlan:
    """The shards of a sweep, made one by one.

    Args:
        sweep: the whole sweep.
        folder: the folder of the shards' files; the paths in them are relative to it.
        shards: the number of shards; by default one for every ten puzzles, at most 100. Starting
            a shard takes about two seconds.
        run: the name of the run on an engine; None for a new one.
        observer: receives notices while the backends are loaded.

    Raises:
        InputError: a dataset or a backend cannot be used.
    """

    def __init__(
        self,
        sweep: Sweep,
        folder: Path,
        shards: int | None = None,
        *,
        run: str | None = None,
        observer: Observer | None = None,
    ) -> None:
        self.run = run or uuid4().hex[:12]
        """The name of the run on an engine. Each run of a plan has a name of its own, so that
        runs share no trials."""
        self.sweep = sweep
        """The whole sweep."""
        instances = numbered_instances(sweep)
        self.number = min(shards or ceil(min(100, len(instances) / 10)), len(instances))
        """The number of shards."""
        self._members = divided(instances, self.number, sweep.seed)
        observer = observer or Observer()
        with ready_supervisor(sweep, observer, skip_unavailable=False) as ready:
            _, configurations, _ = ready
        self._backends = {c.label: identity(c) for c in configurations}
        self.specs = {c.label: c.spec.label for c in configurations}
        """The spec of each configuration, by label."""
        self._whole = settings_of(sweep, folder)
        self._trials = len(self._backends) * len(sweep.questions()) * sweep.repeat
        """The number of trials of each instance."""
        ids = [[(item.dataset, item.instance.puzzle.id) for item in m] for m in self._members]
        self._puzzles = hashlib.sha256(json.dumps(ids).encode()).hexdigest()[:12]
        """The digest of the puzzles of all shards, with their datasets."""
        self.name = Shard.digest_of_plan(self._whole, self._backends, self._puzzles)
        """The digest of the plan."""

    @property
    def trials(self) -> int:
        """Trials of all shards."""
        return sum(map(self.trials_of, range(1, self.number + 1)))

    def trials_of(self, number: int) -> int:
        """Trials of the shard with this number, from 1."""
        return len(self.instances(number)) * self._trials

    def instances(self, number: int) -> Sequence[NumberedInstance]:
        """The instances of the shard with this number, from 1, by dataset and number."""
        return self._members[number - 1]

    def shard(self, number: int) -> Shard:
        """The shard with this number, from 1."""
        groups: dict[str, list[Instance]] = {}
        for item in self.instances(number):
            groups.setdefault(item.dataset, []).append(item.instance)
        return Shard(
            plan=self.name,
            puzzles=self._puzzles,
            number=number,
            of=self.number,
            trials=self.trials_of(number),
            backends=self._backends,
            datasets={
                name: DatasetDigest.of_dataset(Dataset(name, tuple(group)))
                for name, group in groups.items()
            },
            sweep=self._whole,
        )


class StoredPlan(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What the folder of a run stores of its plan; the rest follows from the sweep and its seed."""

    plan: str
    """The digest of the plan."""
    run: Annotated[str, Meta(pattern="^[0-9a-f]{12}$")]
    """The name of the run."""
    shards: Annotated[int, Meta(ge=1)]
    """The number of shards."""
