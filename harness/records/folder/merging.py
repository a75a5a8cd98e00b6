"""Merging runs and shards: every row of several stores in one, each shard once.

The trials of a shard and the note that it has been merged are one transaction. So a run that is
interrupted at any moment has all trials of a shard or none, and knows which.
"""

import os
import shutil
import sqlite3
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from time import monotonic
from typing import Final

from msgspec import structs

from harness.base.errors import InputError, RunError
from harness.base.files import new_folder
from harness.records.folder.environment import Invocation, read_invocations, write_invocations
from harness.records.folder.files import (
    RunFile,
    merge_settings,
    read_settings,
    rebase,
    write_settings,
)
from harness.records.folder.shard import (
    Attempt,
    Event,
    ShardEvent,
    event_of,
    read_attempt,
    shards_in,
    shards_of_events,
)
from harness.records.folder.store_file import (
    damage_reported,
    open_for_writing,
    readable,
    reading,
    seal,
)
from harness.records.schema import IDENTITY, TRIAL_COLUMNS

# Merging runs: every row of several stores in one new store.


def merge(sources: Sequence[Path], target: Path) -> int:
    """Write the trials of all `sources` into a new run at `target`.

    If two runs have a trial from the same host, both results are kept: the second becomes a further
    repetition. The invocations of all runs are listed in the order of their start, and their
    different sweeps in the order of `sources`.

    Args:
        sources: the folders of the runs.
        target: the folder of the new run.

    Returns:
        The number of trials in the new run.

    Raises:
        InputError: fewer than two sources, a run or a shard given twice, or the target exists.
        RunError: a source is not a run.
    """
    if len(sources) < 2:
        raise InputError(f"{len(sources)} run to merge", expected="at least two")
    different_runs(sources)
    folder_of: dict[tuple[str, int], Path] = {}
    for source in sources:
        for plan, number in sorted(shards_in(source)):  # its trials would count twice
            other = folder_of.setdefault((plan, number), source)
            if other != source:
                fault = f"has shard {number} of plan {plan}, and so does {other}"
                raise InputError(fault, where=str(source), expected="runs without common shards")
    with ExitStack() as stack:
        folder = stack.enter_context(new_folder(target))
        stores = [stack.enter_context(readable(source)) for source in sources]
        invocations = [i for source in sources for i in read_invocations(source)]
        for source in sources:
            read_settings(source)  # the check, before anything is written
        with damage_reported(target / RunFile.STORE), closing(open_for_writing(folder)) as db:
            for store in stores:
                _add_store(db, store)
            total = int(db.execute("SELECT count(*) FROM trials").fetchone()[0])
        seal(folder / RunFile.STORE)
        merge_settings(sources, folder)
        write_invocations(folder, invocations)
    return total


_INSERT_EVENT: Final = "INSERT INTO events VALUES (?, ?, ?, ?, ?)"


def different_runs(folders: Sequence[Path]) -> None:
    """Require that no folder is named twice, even under different names.

    Raises:
        InputError: a folder is named twice; `where` is its second name.
    """
    paths: set[str] = set()
    for folder in folders:
        real = os.path.realpath(folder)
        if real in paths:
            raise InputError("named twice", where=str(folder), expected="different runs")
        paths.add(real)


def _add_store(db: sqlite3.Connection, uri: str, event: Event | None = None) -> None:
    """Add all rows of the store at `uri` in one transaction.

    Args:
        db: the store to which they are added, open for writing.
        uri: the store from which they come; see `store_file.readable`.
        event: the note that the store of a shard is merged. With it, trials that both stores have
            are an error of SQLite; without it, they become further repetitions.
    """
    db.execute("ATTACH DATABASE ? AS other", (uri,))
    try:
        with db:
            db.execute("INSERT OR IGNORE INTO puzzles SELECT * FROM other.puzzles")
            db.execute("INSERT INTO events SELECT * FROM other.events")
            if event:
                db.execute(_INSERT_EVENT, event)
            _add_missing(db, "instances", "other.instances")
            _add_missing(db, "configurations", "other.configurations")
            questions = ", ".join(["theirs.id", "c.id", *_columns(db, "questions")[1:]])
            _empty(db, "other_questions", ", ".join(["id", *_columns(db, "questions")]))
            db.execute(
                f"INSERT INTO temp.other_questions SELECT {questions} FROM other.questions theirs "
                "JOIN temp.configurations_ids c ON c.other_id = theirs.configuration_id"
            )
            _add_missing(db, "questions", "temp.other_questions")
            _add_trials(db, as_repetitions=event is None)
            db.execute(
                "INSERT INTO main.planned SELECT q.id, i.id, theirs.repetitions "
                "FROM other.planned theirs "
                "JOIN temp.questions_ids q ON q.other_id = theirs.question_id "
                "JOIN temp.instances_ids i ON i.other_id = theirs.instance_id WHERE true "
                "ON CONFLICT (question_id, instance_id) "
                "DO UPDATE SET repetitions = repetitions + excluded.repetitions"
            )
    finally:
        db.execute("DETACH DATABASE other")


def _empty(db: sqlite3.Connection, table: str, columns: str) -> None:
    """Make the temporary table, without types, unless it exists, and empty it.

    The table is not dropped, because SQLite compiles statements again after each change of tables.
    """
    db.execute(f"CREATE TEMP TABLE IF NOT EXISTS {table} ({columns})")
    db.execute(f"DELETE FROM temp.{table}")


def _columns(db: sqlite3.Connection, table: str) -> list[str]:
    """The columns of `table` without its id, quoted."""
    rows = db.execute(f"PRAGMA main.table_info({table})")
    return [f'"{row[1]}"' for row in rows if row[1] != "id"]


def _add_missing(db: sqlite3.Connection, table: str, source: str) -> None:
    """Add the rows that `source` has of `table`, unless rows with the same identity exist.

    The table ``{table}_ids`` then has their ids in `source` as `other_id`, and in this run as `id`.
    """
    columns = ", ".join(_columns(db, table))
    db.execute(f"INSERT OR IGNORE INTO {table} ({columns}) SELECT {columns} FROM {source}")
    _empty(db, f"{table}_ids", "other_id, id")
    equal = " AND ".join(f"mine.{column} = theirs.{column}" for column in IDENTITY[table])
    db.execute(
        f"INSERT INTO temp.{table}_ids SELECT theirs.id, mine.id "
        f"FROM {source} theirs JOIN main.{table} mine ON {equal}"
    )


def _add_trials(db: sqlite3.Connection, *, as_repetitions: bool) -> None:
    """Add the trials; as repetitions they have numbers after those that this run already has."""
    keys = ("question_id", "instance_id", '"repetition"', '"process"')
    rest = ", ".join(column for column in TRIAL_COLUMNS if column not in keys)
    _empty(db, "present", "question_id, instance_id, repetitions")
    db.execute("CREATE INDEX IF NOT EXISTS temp.present_keys ON present (question_id, instance_id)")
    if as_repetitions:
        db.execute(
            "INSERT INTO temp.present SELECT question_id, instance_id, max(repetition) "
            "FROM main.trials GROUP BY question_id, instance_id"
        )
    db.execute(
        f"INSERT INTO main.trials (question_id, instance_id, repetition, process, {rest}) "
        "SELECT q.id, i.id, t.repetition + coalesce(present.repetitions, 0), t.process + "
        f"(SELECT coalesce(max(process), 0) FROM main.trials), {rest} "
        "FROM other.trials t "
        "JOIN temp.questions_ids q ON q.other_id = t.question_id "
        "JOIN temp.instances_ids i ON i.other_id = t.instance_id "
        "LEFT JOIN temp.present "
        "ON present.question_id = q.id AND present.instance_id = i.id ORDER BY t.id"
    )


# Runs of shards: how one is read, and what is required of several.


@dataclass(frozen=True, slots=True)
class ShardRun:
    """A run that carries out a shard, or a part of one."""

    folder: Path
    attempt: Attempt
    trials: int
    """Finished trials."""
    planned: int
    """Planned trials, at least as many as the shard has."""
    invocations: list[Invocation]
    """The commands that made the run."""

    @staticmethod
    def read(folder: Path) -> "ShardRun":
        """Read the run in `folder`, and require that it used the software of its plan.

        Raises:
            RunError: the folder does not hold a run of a shard, or the run used other software.
        """
        attempt, invocations = read_attempt(folder), read_invocations(folder)
        if attempt is None or not invocations:
            raise RunError("does not hold a run of a shard", where=str(folder))
        allowed = attempt.shard.backends
        for label, backend in chain.from_iterable(i.backends.items() for i in invocations):
            if allowed.get(label) != backend:
                fault = f"{label} had versions or options that its plan does not allow"
                expected = "runs of the shards as they were made"
                raise RunError(fault, where=str(folder), expected=expected)
        with reading(folder) as db:
            (trials,) = db.execute("SELECT count(*) FROM trials").fetchone()
            (planned,) = db.execute("SELECT coalesce(sum(repetitions), 0) FROM planned").fetchone()
        planned = max(planned, attempt.shard.trials)
        return ShardRun(folder, attempt, trials, planned, invocations)

    @property
    def is_complete(self) -> bool:
        """Whether no trial is missing."""
        return self.trials >= self.planned

    @property
    def rank(self) -> tuple[object, ...]:
        """The sort key: by shard, the earliest complete run first, then those with most trials."""
        lacking = 0 if self.is_complete else self.planned - self.trials
        ended_at = max(invocation.ended_at or "" for invocation in self.invocations)
        return self.attempt.shard.number, lacking, ended_at, str(self.folder)


def are_shards(folders: Sequence[Path]) -> bool:
    """Whether the runs in these folders belong to shards.

    Raises:
        InputError: some are and some are not.
    """
    others = [folder for folder in folders if read_attempt(folder) is None]
    if others and len(others) < len(folders):
        is_merge = shards_in(others[0])
        remedy = "the runs of its shards in place of their merge"
        expected = remedy if is_merge else "only runs of shards, or none"
        fault = "does not hold a run of a shard"
        raise InputError(fault, where=str(others[0]), expected=expected)
    return len(others) < len(folders)


# The runs of shards in one run that grows: each shard once, whatever happens.


_INCOMING: Final = ".incoming-"
"""The prefix of folders for the files of a shard that is being merged. Folders that a killed
command left are removed."""
_INCOMING_FILES: Final = {RunFile.STORE, RunFile.CHECKSUM, RunFile.ENVIRONMENT, RunFile.SHARD}
_WRITE_EVERY_S: Final = 10.0


class Collection:
    """The run to which the runs of shards are added, open for writing.

    Args:
        folder: the folder of the run, which exists and is locked.
        plan: the digest of the plan.
        specs: the specs of configurations, by label. Other machines run copies of backend files,
            whose paths do not exist here.

    Raises:
        RunError: the folder has a run of another kind, or shards of another plan.
    """

    def __init__(self, folder: Path, plan: str, specs: Mapping[str, str] | None = None) -> None:
        self._specs = dict(specs or {})
        self._has_specs = False
        self._folder = folder
        self._plan = plan
        self._db = open_for_writing(folder)
        # No flush to the disk for each shard: a shard that a power failure loses runs again.
        self._db.execute("PRAGMA synchronous = NORMAL")
        for remains in folder.glob(f"{_INCOMING}*"):
            shutil.rmtree(remains)
        try:
            self.merged = self._recorded_shards()
            """The numbers of the shards whose trials the run has."""
            self._machines = {_machine(i): i for i in read_invocations(folder)}
        except BaseException:
            self._db.close()
            raise
        self._written_at = -_WRITE_EVERY_S

    def close(self) -> None:
        """Write the record of the machines, close the store, and write its checksum."""
        self._set_specs()
        self._write_machines()
        self._db.close()
        seal(self._folder / RunFile.STORE)

    def add_files(self, files: Mapping[str, bytes]) -> Attempt | None:
        """Add the complete run of a shard, unless that shard has been merged.

        Args:
            files: the files of the run by their names.

        Returns:
            The attempt that was added; None if it was left out.

        Raises:
            RunError: the files are not a complete run of a shard of this plan, or the run used
                software other than that of the plan.
        """
        with tempfile.TemporaryDirectory(dir=self._folder, prefix=_INCOMING) as name:
            for file in _INCOMING_FILES & files.keys():
                (Path(name) / file).write_bytes(files[file])
            run = ShardRun.read(Path(name))
            if not run.is_complete:
                shard = run.attempt.shard
                raise RunError(f"{shard} has {run.trials:,} of {run.planned:,} trials")
            return run.attempt if self.add(run) else None

    def add(self, run: ShardRun) -> bool:
        """Add the run of a shard, unless that shard has been merged; returns whether it is added.

        Raises:
            RunError: it is a shard of another plan.
        """
        attempt, shard = run.attempt, run.attempt.shard
        if shard.plan != self._plan:
            fault = f"is one of {shard.of} shards of plan {shard.plan}"
            expected = f"shards of plan {self._plan}"
            raise RunError(fault, where=str(run.folder), expected=expected)
        if shard.number in self.merged:
            with self._db:
                self._db.execute(_INSERT_EVENT, event_of(ShardEvent.LEFT_OUT, attempt))
            return False
        kind = ShardEvent.MERGED if run.is_complete else ShardEvent.INCOMPLETE
        with readable(run.folder) as uri:
            _add_store(self._db, uri, event_of(kind, attempt))
        if not self._has_specs:  # each shard has all configurations
            self._set_specs()
        self.merged.add(shard.number)
        self._add_machines(run.invocations)
        return True

    def _set_specs(self) -> None:
        """Give the configurations the specs of this machine."""
        query = "UPDATE configurations SET spec = ?2 WHERE backend = ?1 AND spec <> ?2"
        with self._db:
            self._db.executemany(query, self._specs.items())
        self._has_specs = True

    def _recorded_shards(self) -> set[int]:
        where, numbers = str(self._folder), set[int]()
        for kind, plan, number, most in shards_of_events(self._db):
            if plan != self._plan:
                expected = f"shards of plan {self._plan}, or another folder"
                fault = f"has shard {number} of {most} of plan {plan}"
                raise RunError(fault, where=where, expected=expected)
            if kind == ShardEvent.MERGED:
                numbers.add(number)
        (trials,) = self._db.execute("SELECT count(*) FROM trials").fetchone()
        if trials and not numbers:
            raise RunError("has a run of one machine", where=where, expected="another folder")
        return numbers

    def _add_machines(self, invocations: list[Invocation]) -> None:
        """Keep one record of each machine and its software: the first, with the latest end."""
        for invocation in invocations:
            machine, end = _machine(invocation), invocation.end
            first = self._machines.setdefault(machine, invocation)
            latest = structs.replace(first, ended_at=invocation.ended_at, end=end)
            self._machines[machine] = latest
        if monotonic() - self._written_at > _WRITE_EVERY_S:
            self._write_machines()

    def _write_machines(self) -> None:
        write_invocations(self._folder, [*self._machines.values()])
        self._written_at = monotonic()


def _machine(invocation: Invocation) -> tuple[object, ...]:
    """What distinguishes machines and their software."""
    system = invocation.system
    versions = [invocation.packages, *(v for _, v in sorted(invocation.environments.items()))]
    packages = tuple(tuple(sorted(packages_of.items())) for packages_of in versions)
    return (system.host, system.processor, invocation.harness, invocation.python, packages)


# Shards put together: the runs of all shards of a plan as one run.


@dataclass(frozen=True, slots=True)
class Gathered:
    """The runs of shards that were merged or left out, and the shards that are missing."""

    runs: list[ShardRun]
    """One run of each shard, by number."""
    left_out: list[ShardRun]
    """Further attempts at the same shards."""
    missing: list[int]
    """The numbers of shards without a run."""

    @property
    def trials(self) -> int:
        """The number of trials of the new run."""
        return sum(run.trials for run in self.runs)

    @property
    def incomplete(self) -> list[ShardRun]:
        """The runs that lack trials."""
        return [run for run in self.runs if not run.is_complete]


def gather(folders: Sequence[Path], target: Path) -> Gathered:
    """Write the trials of the runs of shards in `folders` into a new run at `target`.

    Among several attempts at a shard, the first complete one is kept; if none is complete, the
    attempt with the most trials. So no trial counts twice, however often a shard ran.

    Raises:
        InputError: a run is named twice, the runs belong to different plans, or the target exists.
        RunError: a folder does not hold a run of a shard, or the run used software other than
            that of its plan.
    """
    different_runs(folders)
    every = sorted(map(ShardRun.read, folders), key=lambda run: run.rank)
    plan = every[0].attempt.shard
    runs: dict[bool, list[ShardRun]] = {True: [], False: []}
    with new_folder(target) as folder:
        with closing(Collection(folder, plan.plan)) as collection:
            for run in every:
                runs[collection.add(run)].append(run)
        write_invocations(folder, [i for run in runs[True] for i in run.invocations])
        settings = rebase(plan.sweep, every[0].folder, target)
        write_settings([settings], folder / RunFile.SETTINGS)
    missing = [number for number in range(1, plan.of + 1) if number not in collection.merged]
    return Gathered(runs[True], runs[False], missing)
