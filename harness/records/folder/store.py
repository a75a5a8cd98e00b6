"""The trials of a run on disk: one SQLite file that survives a crash of the harness."""

import json
import platform
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from operator import attrgetter
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any, Final

import msgspec

from harness.base.errors import RunError, StorageError
from harness.base.text import LARGEST_OF_32_BITS, encodable, fits_64_bits
from harness.puzzles import Instance
from harness.records.folder.files import RunFile, present_time
from harness.records.folder.shard import ShardProgress, shard_progress
from harness.records.folder.store_file import (
    damage_reported,
    glancing,
    is_locked,
    open_for_writing,
    reading,
    seal,
)
from harness.records.question import WARNING_KINDS, Configuration, Question, WorkerEvent
from harness.records.schema import ANSWERED, IDENTITY, SELECT_PLANNED, SELECT_TRIALS, TRIAL_COLUMNS
from harness.records.trial import SETTLED, Measurements, Trial, TrialRecord

if TYPE_CHECKING:
    import pandas as pd

    from harness.puzzles.datasets import Dataset

_COMMIT_EVERY_S: Final = 0.5
_COMMIT_ROWS: Final = 1000
_LAST_PROCESS: Final = f"""
SELECT coalesce(max(process), 0) FROM trials WHERE process BETWEEN 1 AND {LARGEST_OF_32_BITS}"""
Key = tuple[int, int, int]
"""The identity of a trial: the ids of its question and instance in the store, with its repetition
between them."""

_measurements = attrgetter(*Measurements.__struct_fields__)
_STATS: Final = Measurements.__struct_fields__.index("stats")


class Store:
    """The trials of one run, open for writing.

    Added trials are on disk within a second, as long as trials are added or `flush` is
    called. Committed trials survive a kill of the process.

    Raises:
        RunError: the file is not a store, or has another version.
        StoreDamagedError: the store is damaged.
    """

    def __init__(self, folder: Path) -> None:
        self._path = folder / RunFile.STORE
        self._db = open_for_writing(folder)
        self._configuration_ids: dict[str, int] = {}
        self._question_ids: dict[tuple[str, Question], int] = {}
        self._instance_ids: dict[tuple[str, str, str], int] = {}
        self._last_question: tuple[str, Question | None, int] = ("", None, 0)
        self._earlier_processes = int(self._db.execute(_LAST_PROCESS).fetchone()[0])
        self._committed, self._uncommitted = monotonic(), 0

    @staticmethod
    def last_process(folder: Path) -> int:
        """The highest number of a process in the run in `folder`; 0 if it cannot be read."""
        with suppress(RunError, sqlite3.Error, OSError), glancing(folder) as db:
            return int(db.execute(_LAST_PROCESS).fetchone()[0])
        return 0

    def close(self) -> None:
        """Commit, close the store, and write its checksum."""
        try:
            self.flush()
        finally:
            with suppress(sqlite3.Error):  # `flush` has reported what cannot be committed
                self._db.close()
        seal(self._path)

    def flush(self) -> None:
        """Commit what was added.

        Raises:
            StorageError: the store cannot be written.
        """
        with self._writing():
            self._db.commit()
        self._committed, self._uncommitted = monotonic(), 0

    @contextmanager
    def _writing(self) -> Iterator[None]:
        with damage_reported(self._path):
            try:
                yield
            except sqlite3.OperationalError as error:
                if is_locked(error):
                    raise
                reason = f"{self._path}: cannot be written: {error}"
                raise StorageError(f"{reason}; earlier trials are intact") from error

    def add_configuration(
        self, configuration: Configuration, versions: Mapping[str, str | None]
    ) -> None:
        """Register a configuration; one with the same label, options and versions is kept."""
        assert configuration.description is not None
        row = {
            "backend": configuration.label,
            "spec": configuration.spec.label,
            "paradigm": configuration.description.paradigm,
            "options": json.dumps(configuration.options, sort_keys=True),
            "versions": json.dumps(dict(versions), sort_keys=True),
        }
        self._configuration_ids[configuration.label] = self._row_id("configurations", row)

    def _row_id(self, table: str, row: Mapping[str, object]) -> int:
        """The id of a row, which is added unless the table has one with the same identity."""
        names, values = ", ".join(row), tuple(row.values())
        query = f"INSERT OR IGNORE INTO {table} ({names}) VALUES ({_marks(values)})"
        with self._writing():
            self._db.execute(query, values)
        equal = " AND ".join(f"{name} = ?" for name in IDENTITY[table])
        identity = [row[name] for name in IDENTITY[table]]
        query = f"SELECT id FROM {table} WHERE {equal}"
        return int(self._db.execute(query, identity).fetchone()[0])

    def has_other_versions(self, label: str) -> bool:
        """Whether configurations with other options or versions have this label too."""
        query = "SELECT count(*) FROM configurations WHERE backend = ?"
        return bool(self._db.execute(query, (label,)).fetchone()[0] > 1)

    def add_dataset(self, dataset: "Dataset") -> None:
        """Register the instances of a dataset."""
        puzzles, instances = [], []
        for position, instance in enumerate(dataset.instances):
            puzzle, expected = instance.puzzle, instance.expected_count
            puzzles.append((puzzle.id, puzzle.shape.definition, puzzle.line, puzzle.clues))
            instances.append(
                (
                    position,
                    instance.name,
                    None if expected is None else expected.text,
                    instance.original and instance.original.line,
                    dataset.name,
                    instance.scramble,
                    puzzle.id,
                )
            )
        with self._writing():
            self._db.executemany(
                "INSERT OR IGNORE INTO puzzles (id, shape, puzzle, clues) VALUES (?, ?, ?, ?)",
                puzzles,
            )
            self._db.executemany(
                "INSERT INTO instances "
                "(position, name, expected_count, original, dataset, scramble, puzzle_id) "
                "VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (dataset, scramble, puzzle_id) "
                "DO UPDATE SET position = excluded.position, name = excluded.name, "
                "expected_count = excluded.expected_count, original = excluded.original",
                instances,
            )
        query = "SELECT scramble, puzzle_id, id FROM instances WHERE dataset = ?"
        for scramble, puzzle_id, id_ in self._db.execute(query, (dataset.name,)):
            self._instance_ids[dataset.name, scramble, puzzle_id] = id_

    def done(self) -> set[Key]:
        """The keys of the finished trials."""
        with damage_reported(self._path):
            return set(self._db.execute("SELECT question_id, repetition, instance_id FROM trials"))

    def key(self, trial: Trial) -> Key:
        """The identity of a trial.

        The identity follows from the content of the puzzle, its scramble and the name of the
        dataset, the question with its limits, the backend with its options and the versions of its
        distributions, the version of the harness, the machine and the number of the repetition.
        """
        question_id = self._question_id(trial.backend, trial.question)
        return question_id, trial.repetition, self._instance_id(trial.dataset, trial.instance)

    def plan(self, backend: str, question: Question, dataset: "Dataset", repetitions: int) -> None:
        """Record that `backend` is to answer `question` on every instance of `dataset`."""
        question_id = self._question_id(backend, question)
        ids = (self._instance_id(dataset.name, i) for i in dataset.instances)
        self._plan((question_id, repetitions, id_) for id_ in ids)

    def plan_trials(self, trials: Iterable[Trial]) -> None:
        """Record further trials as planned."""
        self._plan([self.key(trial) for trial in trials])

    def _plan(self, last_trials: Iterable[Key]) -> None:
        """Record as planned all repetitions up to these."""
        with self._writing():
            self._db.executemany(
                "INSERT INTO planned (question_id, repetitions, instance_id) VALUES (?, ?, ?) "
                "ON CONFLICT (question_id, instance_id) "
                "DO UPDATE SET repetitions = max(repetitions, excluded.repetitions)",
                last_trials,
            )

    def _instance_id(self, dataset: str, instance: Instance) -> int:
        return self._instance_ids[dataset, instance.scramble, instance.puzzle.id]

    def _question_id(self, backend: str, question: Question) -> int:
        last_backend, last_question, question_id = self._last_question
        if question is last_question and backend == last_backend:  # the usual case within a batch
            return question_id
        if (backend, question) not in self._question_ids:
            values = (
                self._configuration_ids[backend],
                str(question.task),
                in_64_bits(question.limit),
                str(question.start),
                encodable(platform.node()),
                question.timeout_s,
                question.cpu_limit_s,
                question.memory_limit_mib,
            )
            row = dict(zip(IDENTITY["questions"], values, strict=True))
            self._question_ids[backend, question] = self._row_id("questions", row)
        question_id = self._question_ids[backend, question]
        self._last_question = backend, question, question_id
        return question_id

    def keys_to_repeat(self, repetition: int) -> set[Key]:
        """The keys of trials that need the repetition `repetition`: their times differ too much.

        These are trials whose answers were all right, and whose mean wall time has a relative
        standard error of `SETTLED` or more, or none yet.
        """
        query = f"""
            SELECT question_id, {repetition}, instance_id FROM trials
            WHERE repetition < {repetition}
            GROUP BY question_id, instance_id
            HAVING count(*) = {repetition - 1} AND min(answer_verdict IN ({ANSWERED}))
            AND (count(*) = 1 OR (avg(wall_s * wall_s) - avg(wall_s) * avg(wall_s))
                 / (count(*) - 1) >= {SETTLED**2} * avg(wall_s) * avg(wall_s))"""
        with damage_reported(self._path):
            return set(self._db.execute(query))

    def add(self, records: Sequence[TrialRecord]) -> None:
        """Add finished trials."""
        rows = [self._row(record) for record in records]
        names, marks = ", ".join(TRIAL_COLUMNS), _marks(TRIAL_COLUMNS)
        with self._writing():
            self._db.executemany(f"INSERT INTO trials ({names}) VALUES ({marks})", rows)
        self._uncommitted += len(rows)
        if self._uncommitted >= _COMMIT_ROWS or monotonic() - self._committed > _COMMIT_EVERY_S:
            self.flush()

    def _row(self, record: TrialRecord) -> tuple[Any, ...]:
        """The values of `TRIAL_COLUMNS`."""
        question_id, repetition, instance_id = self.key(record.trial)
        values = _measurements(record.outcome)
        return (
            question_id,
            instance_id,
            repetition,
            record.trial.call,
            self._earlier_processes + record.trial.process,
            record.verdict.value,
            record.reason,
            in_64_bits(record.count),
            record.exact,
            record.solution,
            *values[:_STATS],
            msgspec.json.encode(values[_STATS]).decode() if values[_STATS] else "{}",
            *values[_STATS + 1 :],
        )

    def add_event(self, event: WorkerEvent) -> None:
        """Add an event of a worker."""
        row = (present_time(), event.backend, event.kind, event.detail, event.seconds)
        with self._writing():
            self._db.execute("INSERT INTO events VALUES (?, ?, ?, ?, ?)", row)


def in_64_bits(number: int | None) -> int | str | None:
    """A number for a column without a type: its digits if it is beyond SQLite's integers."""
    return number if number is None or fits_64_bits(number) else str(number)


def _marks(row: Sequence[Any]) -> str:
    return ", ".join("?" * len(row))


@dataclass(frozen=True, slots=True)
class StoredRun:
    """What a report reads from the store of a run."""

    trials: "pd.DataFrame"
    """All trials in the order of their end; see `harness.records.folder.frames`."""
    planned: list[Sequence[Any]]
    """The numbers of planned trials, with the columns of `harness.records.schema.COLUMNS`."""
    incidents: list[Sequence[Any]]
    """Time, backend, kind and detail of each event that users are warned about."""
    shards: ShardProgress | None
    """The shards that were merged into the run; None if none was merged."""


def read_run(folder: Path) -> StoredRun:
    """The content of the store of the run in `folder`.

    The run may still be in progress; its committed trials are read.

    Raises:
        RunError: the folder holds no run, or one of another version.
        StoreDamagedError: the store is damaged.
    """
    incidents = (
        f"SELECT at, backend, kind, detail FROM events WHERE kind IN ({_marks(WARNING_KINDS)}) "
        "ORDER BY rowid"
    )
    from harness.records.folder.frames import recorded_frame, stored_frame

    is_record = not (folder / RunFile.STORE).exists()
    with reading(folder) as db, damage_reported(folder / RunFile.STORE):
        return StoredRun(
            recorded_frame(db, folder / RunFile.RECORD) if is_record else stored_frame(db, folder),
            db.execute(SELECT_PLANNED).fetchall(),
            db.execute(incidents, WARNING_KINDS).fetchall(),
            shard_progress(db),
        )


def read_rows(folder: Path) -> tuple[list[str], list[Sequence[Any]]]:
    """The columns and rows of the trials alone; see `read_run`."""
    with reading(folder) as db, damage_reported(folder / RunFile.STORE):
        cursor = db.execute(SELECT_TRIALS)
        return [column[0] for column in cursor.description], cursor.fetchall()
