"""The shard of a sweep that a run carries out, and notes on merged shards.

A sweep that several machines carry out is divided into shards. Each shard has a run folder of its
own, with a file that records the shard's place in its plan. `harness.records.folder.merging` merges
the attempts, each shard once.
"""

import hashlib
import json
import os
import re
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Final
from uuid import uuid4

import msgspec
from msgspec import Meta, Struct, structs

from harness.base.errors import InputError, RunError
from harness.base.files import parse_toml, read_file_text
from harness.records.folder import files as run_files
from harness.records.folder.environment import ConfigurationVersions, DatasetDigest
from harness.records.folder.files import RunFile, with_paths
from harness.records.folder.store_file import reading

if TYPE_CHECKING:
    from harness.puzzles.datasets import Dataset

_LARGEST: Final = 64 * 2**20
"""Size of the largest shard in bytes: the numbers of a million puzzles take seven bytes each."""


class DifferentMachineError(InputError):
    """The software or the puzzles of a machine differ from those that a shard requires."""


class Shard(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The place of a shard in its plan, and what a machine needs to carry it out."""

    TABLE: ClassVar = run_files.SHARD
    """The table of a sweep file that carries out a shard."""

    plan: Annotated[str, Meta(pattern="^[0-9a-f]{12}$")]
    """The digest of the plan, see `digest_of_plan`: equal for all shards of one sweep."""
    puzzles: str
    """The digest of the puzzles of all shards."""
    number: Annotated[int, Meta(ge=1)]
    of: Annotated[int, Meta(ge=1)]
    """The number of shards of the plan."""
    trials: Annotated[int, Meta(ge=1)]
    """The number of trials of the shard."""
    backends: dict[str, ConfigurationVersions]
    """The options and versions of each configuration that every machine must have, by label."""
    datasets: dict[str, DatasetDigest]
    """The instances of the shard, by dataset."""
    sweep: dict[str, Any]
    """The options of the whole sweep. Paths in a file are relative to its folder."""

    def __post_init__(self) -> None:
        if self.number > self.of:
            raise ValueError(f"shard {self.number} of {self.of}")

    def __str__(self) -> str:
        return f"shard {self.number} of {self.of}"

    @property
    def name(self) -> str:
        """``shard-0007``, with as many digits as the last shard needs, at least four."""
        return f"shard-{self.number:0{max(4, len(str(self.of)))}d}"

    @property
    def folder(self) -> Path:
        """The folder of its run, relative to the folder of all results."""
        return Path(f"shards-{self.plan}") / self.name

    @property
    def is_edited(self) -> bool:
        """Whether its options or its software differ from those of its plan."""
        return self.plan != self.digest_of_plan(self.sweep, self.backends, self.puzzles)

    @staticmethod
    def digest_of_plan(
        options: Mapping[str, Any], backends: Mapping[str, ConfigurationVersions], puzzles: str
    ) -> str:
        """The digest of what the trials of all shards depend on, except the number of jobs.

        Args:
            options: the options of the whole sweep.
            backends: options and versions of each configuration, by label.
            puzzles: the digest of the puzzles of all shards.
        """
        common = {name: value for name, value in options.items() if name not in _OWN_OPTIONS}
        versions = [  # TOML has no value for a version that is missing
            (
                label,
                backend.options,
                {name: v for name, v in backend.versions.items() if v is not None},
            )
            for label, backend in backends.items()
        ]
        content = json.dumps([common, sorted(versions), puzzles], sort_keys=True)
        return hashlib.sha256(content.encode()).hexdigest()[:12]

    @staticmethod
    def read(path: Path) -> "Shard | None":
        """The shard that the sweep file at `path` carries out; None if the file has no shard.

        The paths in its sweep are relative to the working folder.

        Raises:
            InputError: the file cannot be read, or its table ``[shard]`` is malformed.
        """
        table = parse_toml(read_file_text(path, _LARGEST), str(path)).get(Shard.TABLE)
        if table is None:
            return None
        try:
            shard = msgspec.convert(table, Shard)
            sweep = with_paths(shard.sweep, lambda file: str(path.parent / file))
            return structs.replace(shard, sweep=sweep)
        except (msgspec.ValidationError, ValueError) as error:
            raise InputError(
                f"malformed: {error}",
                where=f"{path}: [{Shard.TABLE}]",
                expected="what harness cluster plan wrote",
            ) from None

    def require_equal(
        self,
        options: Mapping[str, object],
        backends: Mapping[str, ConfigurationVersions],
        datasets: "Sequence[Dataset]",
    ) -> None:
        """Require that this machine has what the shard requires.

        Args:
            options: the options of the sweep that carries out the shard.
            backends: the configurations of this machine, by label.
            datasets: the puzzles that the shard takes from the datasets of this machine.

        Raises:
            DifferentMachineError: a version, an option or a dataset is different; the error names
                all of them.
        """
        faults = [
            f"{name} {options.get(name)} here, {self.sweep.get(name)} required"
            for name in dict.fromkeys((*self.sweep, *options))
            if name not in _OWN_OPTIONS and options.get(name) != self.sweep.get(name)
        ]
        for label, plan_backend in self.backends.items():
            here = backends.get(label)
            if here is None:
                faults.append(f"no backend {label}")
                continue
            for name in sorted(plan_backend.versions.keys() | here.versions.keys()):
                mine, theirs = here.versions.get(name), plan_backend.versions.get(name)
                if mine != theirs:
                    subject = f"{name} of {label}" if name == "code" else name
                    versions = f"{mine or 'missing'} here, {theirs or 'missing'} required"
                    faults.append(f"{subject} {versions}")
            if here.options != plan_backend.options:
                faults.append(f"other options of {label}")
        faults += [f"unknown backend {label}" for label in backends if label not in self.backends]
        digests = {dataset.name: DatasetDigest.of_dataset(dataset) for dataset in datasets}
        for name in dict.fromkeys((*self.datasets, *digests)):
            if digests.get(name) != self.datasets.get(name):
                faults.append(f"other puzzles of dataset {name}")
        if not faults and self.is_edited:
            faults = [_EDITED]
        if faults:
            differences = "; ".join(dict.fromkeys(faults))
            raise DifferentMachineError(
                f"{self} of plan {self.plan} cannot run here: {differences}",
                expected="the options, software and datasets with which the shards were made",
            )


class Attempt(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A shard, and the name of one attempt to run it."""

    shard: Shard
    attempt: str
    """A random name, new each time that the shard runs from the start."""


def read_attempt(folder: Path) -> Attempt | None:
    """The shard that the run in `folder` carries out; None if the run has no shard.

    Raises:
        RunError: the file is damaged.
    """
    path = folder / RunFile.SHARD
    attempt = run_files.read_json(path, Attempt, "a record of a shard")
    if attempt and attempt.shard.is_edited:
        raise RunError(f"{attempt.shard} has {_EDITED}", where=str(path))
    return attempt


def begin_attempt(folder: Path, shard: Shard | None) -> None:
    """Record in `folder` that its run carries out `shard`, or continue the attempt that is there.

    Raises:
        RunError: the folder has a run of another shard, of a whole sweep or of merged shards, or
            `shard` is None and the folder has the run of a shard.
    """
    if (folder / RunFile.PLAN).exists():
        expected = "harness cluster run, or another folder"
        raise RunError("has a run of shards", where=str(folder), expected=expected)
    earlier = read_attempt(folder)
    if (
        earlier
        and shard
        and (earlier.shard.plan, earlier.shard.number) == (shard.plan, shard.number)
    ):
        return
    if earlier is None and (shard is None or not (folder / RunFile.STORE).exists()):
        if shard is not None:
            sweep = with_paths(shard.sweep, lambda file: os.path.relpath(file, folder))
            local = structs.replace(shard, sweep=dict(sweep))
            attempt = Attempt(shard=local, attempt=uuid4().hex[:12])
            run_files.write_json(folder / RunFile.SHARD, attempt)
        return
    fault = f"has {earlier.shard} of plan {earlier.shard.plan}" if earlier else "has a whole sweep"
    expected = f"a folder for {shard} of plan {shard.plan}" if shard else "another folder"
    raise RunError(fault, where=str(folder), expected=expected)


_EDITED: Final = "options or software that differ from its plan"
_OWN_OPTIONS: Final = ("datasets", "backends", "where", "jobs")
"""Options in which a shard may differ from its sweep. The datasets and backends are compared by
their contents; each machine has its own number of jobs."""


# The notes in a store about the shards that were merged into it.


Event = tuple[str, str, str, str, float | None]
"""A row of the table of events: time, backend, kind, detail and seconds."""

_DETAIL: Final = re.compile(
    r"shard ([0-9]+) of ([0-9]{1,9}) of plan ([0-9a-f]{12}), attempt [0-9a-f]+"
)


class ShardEvent(StrEnum):
    """The kind of a note about a shard."""

    MERGED = "shard merged"
    LEFT_OUT = "shard left out"
    """A further attempt at a shard that was merged before."""
    INCOMPLETE = "shard incomplete"
    """The shard was merged with fewer trials than planned."""


def event_of(kind: ShardEvent, attempt: Attempt) -> Event:
    """The row of a note about an attempt."""
    shard = attempt.shard
    detail = f"{shard} of plan {shard.plan}, attempt {attempt.attempt}"
    return (run_files.present_time(), "", str(kind), detail, None)


def shards_of_events(db: sqlite3.Connection) -> Iterator[tuple[str, str, int, int]]:
    """The kind, plan, number and number of shards of each note on a shard that the run has."""
    query = "SELECT kind, detail FROM events WHERE kind IN (?, ?)"
    for kind, detail in db.execute(query, (str(ShardEvent.MERGED), str(ShardEvent.INCOMPLETE))):
        if match := _DETAIL.fullmatch(detail):
            yield kind, match[3], int(match[1]), int(match[2])


@dataclass(frozen=True, slots=True)
class ShardProgress:
    """The merged shards of a run."""

    merged_shards: int
    """The number of merged shards that are complete."""
    plan_shards: int
    """The number of shards in the plan."""

    @property
    def is_complete(self) -> bool:
        """Whether no shard is missing or lacks trials."""
        return self.merged_shards >= self.plan_shards


def shards_in(folder: Path) -> set[tuple[str, int]]:
    """The plan and the number of each shard that was merged into the run in `folder`.

    Raises:
        RunError: the folder holds no run.
    """
    with reading(folder) as db:
        return {(plan, number) for _, plan, number, _ in shards_of_events(db)}


def shard_progress(db: sqlite3.Connection) -> ShardProgress | None:
    """The shards that were merged into the run with this store; None if none was merged."""
    shards = list(shards_of_events(db))
    complete = {number for kind, _, number, _ in shards if kind == ShardEvent.MERGED}
    return ShardProgress(len(complete), shards[0][-1]) if shards else None
