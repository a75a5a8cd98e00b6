"""The runs of shards in one run that grows: each shard once, whatever happens.

The trials of a shard and the note that it has been merged are one transaction. So a run that is
interrupted at any moment has all trials of a shard or none, and knows which.
"""

import shutil
import sqlite3
import tempfile
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from time import monotonic
from typing import Final

from msgspec import structs

from harness.errors import RunError
from harness.records.checksum import SUFFIX, seal
from harness.records.environment import FILE as ENVIRONMENT
from harness.records.environment import (
    Invocation,
    decode_invocations,
    read_invocations,
    write_invocations,
)
from harness.records.gathering import require_software
from harness.records.merge import add_store
from harness.records.shard import FILE as SHARD
from harness.records.shard import Attempt, Shard, decode_attempt
from harness.records.shard_events import (
    ShardEvent,
    event_of,
    machine_event,
    shard_of_event,
)
from harness.records.store_file import FILE as STORE
from harness.records.store_file import open_for_writing, readable

_INCOMING: Final = ".incoming-"
"""Folders for the files of a shard that is being merged; one of a killed command is removed."""
_WRITE_EVERY_S: Final = 10.0


class Collection:
    """The run to which the runs of shards are added, open for writing.

    Args:
        folder: the folder of the run, which exists and is locked.
        plan: the digest of the plan.
        specs: the specs of configurations, by label. Machines have copies of backends in files,
            whose names would lead nowhere.

    Raises:
        RunError: the folder has a run of another kind, or shards of another plan.
    """

    def __init__(self, folder: Path, plan: str, specs: Mapping[str, str] | None = None) -> None:
        self._specs = dict(specs or {})
        self._has_specs = False
        self._folder = folder
        self._plan = plan
        self._db = open_for_writing(folder)
        # Without a write to the disk for each shard: what a power failure loses is run again.
        self._db.execute("PRAGMA synchronous = NORMAL")
        for left in folder.glob(f"{_INCOMING}*"):
            shutil.rmtree(left)
        self._incoming = Path(tempfile.mkdtemp(dir=folder, prefix=_INCOMING))
        try:
            self.merged = self._known()
            """The numbers of the shards that have been merged."""
            self._machines = {_machine(i): i for i in read_invocations(folder)}
        except BaseException:
            self._db.close()
            shutil.rmtree(self._incoming)
            raise
        self._written_at = -_WRITE_EVERY_S

    def close(self) -> None:
        """Write the record of the machines, close, and write the checksum of the file."""
        self._set_specs()
        self._write_machines()
        self._db.close()
        shutil.rmtree(self._incoming)
        seal(self._folder / STORE)

    def add(self, files: Mapping[str, bytes]) -> Attempt | None:
        """Add the run of a shard, or leave it out if the shard has been merged.

        Args:
            files: the files of the run by their names.

        Returns:
            The attempt that was added; None if it was left out.

        Raises:
            RunError: the files are not a complete run of a shard of this plan, or the run used
                other software than the plan.
        """
        source = self._incoming
        attempt, invocations = self._decoded(files)
        shard = attempt.shard
        if shard.number in self.merged:
            with self._db:
                self._db.execute(_INSERT_EVENT, event_of(ShardEvent.LEFT_OUT, attempt))
            return None
        for name in (STORE, f"{STORE}{SUFFIX}"):
            if name in files:
                _overwrite(source / name, files[name])
            else:
                (source / name).unlink(missing_ok=True)
        with readable(source, afresh=True) as uri:
            add_store(
                self._db,
                uri,
                as_repetitions=False,
                events=[event_of(ShardEvent.MERGED, attempt)],
                require=partial(_require_complete, shard),
            )
        if not self._has_specs:  # each shard has all configurations
            self._set_specs()
        self.merged.add(shard.number)
        self._add_machines(invocations)
        return attempt

    def _set_specs(self) -> None:
        """Give the configurations the specs of this machine."""
        with self._db:
            self._db.executemany(
                "UPDATE configurations SET spec = ?1 WHERE backend = ?2 AND spec <> ?1",
                [(spec, label) for label, spec in self._specs.items()],
            )
        self._has_specs = True

    def note_machine(self, host: str, what: str) -> None:
        """Note that a machine has changed, for the table of incidents."""
        with self._db:
            self._db.execute(_INSERT_EVENT, machine_event(host, what))

    def _decoded(self, files: Mapping[str, bytes]) -> tuple[Attempt, list[Invocation]]:
        """The attempt and the commands of a run, which have the software of this plan."""
        source = Path("a run of a shard")
        if SHARD not in files or ENVIRONMENT not in files:
            raise RunError("is incomplete", where=str(source))
        attempt = decode_attempt(files[SHARD], source / SHARD)
        if attempt.shard.plan != self._plan:
            raise RunError("does not hold a run of a shard of this plan", where=str(source))
        invocations = decode_invocations(files[ENVIRONMENT], source / ENVIRONMENT)
        require_software(source, invocations, attempt.shard)
        return attempt, invocations

    def _known(self) -> set[int]:
        known: set[int] = set()
        query = "SELECT detail FROM events WHERE kind = ?"
        for (detail,) in self._db.execute(query, (str(ShardEvent.MERGED),)):
            found = shard_of_event(detail)
            if found is None or found[0] != self._plan:
                raise RunError(
                    f"has {detail}",
                    where=str(self._folder),
                    expected=f"shards of plan {self._plan}, or another folder",
                )
            known.add(found[1])
        (trials,) = self._db.execute("SELECT count(*) FROM trials").fetchone()
        if trials and not known:
            raise RunError(
                "has a run of one machine", where=str(self._folder), expected="another folder"
            )
        return known

    def _add_machines(self, invocations: list[Invocation]) -> None:
        """Keep one record of each machine and its software: the first, with the latest end."""
        for invocation in invocations:
            machine = _machine(invocation)
            first = self._machines.get(machine)
            if first is not None:
                invocation = structs.replace(
                    first, ended_at=invocation.ended_at, end=invocation.end
                )
            self._machines[machine] = invocation
        if monotonic() - self._written_at > _WRITE_EVERY_S:
            self._write_machines()

    def _write_machines(self) -> None:
        machines = sorted(self._machines.values(), key=lambda i: i.started_at or "")
        write_invocations(self._folder, machines)
        self._written_at = monotonic()


def _overwrite(path: Path, data: bytes) -> None:
    """Write a file over an earlier one, whose space on the disk it keeps."""
    with open(path, "r+b" if path.exists() else "wb") as file:  # noqa: PTH123
        file.write(data)
        file.truncate()


def _require_complete(shard: Shard, db: sqlite3.Connection) -> None:
    """Require that the attached store ``other`` has all trials of a shard.

    Raises:
        RunError: trials are missing.
    """
    (trials,) = db.execute("SELECT count(*) FROM other.trials").fetchone()
    query = "SELECT coalesce(sum(repetitions), 0) FROM other.planned"
    planned = max(shard.trials, db.execute(query).fetchone()[0])
    if trials < planned:
        raise RunError(f"{shard} has {trials:,} of {planned:,} trials")


_INSERT_EVENT: Final = "INSERT INTO events VALUES (?, ?, ?, ?, ?)"


def _machine(invocation: Invocation) -> tuple[object, ...]:
    """What distinguishes machines and their software."""
    system = invocation.system
    versions = tuple(sorted(invocation.packages.items()))
    return (system.host, system.processor, invocation.harness, invocation.python, versions)
