"""The trials of a run on disk: one SQLite file that a crash cannot hurt."""

import json
import platform
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from time import monotonic
from typing import Any, Final

from harness.contract.verdict import Verdict
from harness.errors import InputError, StorageError
from harness.puzzles.catalog import Dataset
from harness.sweep.limits import MIB
from harness.sweep.supervisor import Opened, WorkerEvent
from harness.sweep.trial import Question, Result, Trial

FILE: Final = "trials.sqlite"
SCHEMA_VERSION: Final = 4
_COMMIT_EVERY: Final = 0.5
_COMMIT_ROWS: Final = 1000
SETTLED: Final = 0.05
"""The standard error of a mean, as a share of it, below which more repetitions tell no more.
With two repetitions it is reached where they are 10 % of their mean apart."""
QUESTION_COLUMNS: Final = (
    *("backend_id", "task", '"limit"', "start", "timeout_s", "cpu_limit_s", "memory_limit_mib"),
    "host",
)

_SCHEMA: Final = """
CREATE TABLE backends (
    id INTEGER PRIMARY KEY,
    label TEXT NOT NULL,       -- the spec as it was asked for
    name TEXT NOT NULL,
    paradigm TEXT NOT NULL,
    options TEXT NOT NULL,     -- JSON, defaults included
    versions TEXT NOT NULL,    -- JSON, of the harness and of every distribution it needs
    UNIQUE (label, options, versions)
);
CREATE TABLE puzzles (
    id TEXT PRIMARY KEY,       -- follows from the content
    shape TEXT NOT NULL,
    puzzle TEXT NOT NULL,
    clues INTEGER NOT NULL
);
CREATE TABLE entries (
    id INTEGER PRIMARY KEY,
    dataset TEXT NOT NULL,
    position INTEGER NOT NULL,
    name TEXT NOT NULL,
    puzzle_id TEXT NOT NULL REFERENCES puzzles (id),
    truth TEXT,
    UNIQUE (dataset, puzzle_id)
);
CREATE TABLE questions (       -- what was asked of whom, and how it was timed
    id INTEGER PRIMARY KEY,
    backend_id INTEGER NOT NULL REFERENCES backends (id),
    task TEXT NOT NULL,
    "limit" INTEGER NOT NULL,  -- 0 where the task has none
    start TEXT NOT NULL,
    timeout_s REAL NOT NULL,
    cpu_limit_s REAL NOT NULL,         -- 0 where there is none
    memory_limit_mib INTEGER NOT NULL, -- 0 where there is none
    host TEXT NOT NULL,                -- the machine that ran it
    UNIQUE (backend_id, task, "limit", start, timeout_s, cpu_limit_s, memory_limit_mib, host)
);
CREATE TABLE trials (
    id INTEGER PRIMARY KEY,    -- in the order in which they were told of
    question_id INTEGER NOT NULL REFERENCES questions (id),
    repetition INTEGER NOT NULL,
    entry_id INTEGER NOT NULL REFERENCES entries (id),
    verdict TEXT NOT NULL,
    reason TEXT NOT NULL,
    count INTEGER,
    exact INTEGER,
    solution TEXT,
    wall_s REAL,
    cpu_s REAL,
    build_s REAL,
    encode_s REAL,
    search_s REAL,
    decode_s REAL,
    cpu_how TEXT NOT NULL,
    memory_mib REAL,
    memory_how TEXT NOT NULL,
    switches INTEGER,
    forced_switches INTEGER,
    core INTEGER,
    exit_code INTEGER,
    stats TEXT NOT NULL,       -- JSON
    ended_at REAL NOT NULL,    -- seconds since 1970
    UNIQUE (question_id, repetition, entry_id)
);
CREATE TABLE events (
    at TEXT NOT NULL,          -- UTC
    backend TEXT NOT NULL,
    kind TEXT NOT NULL,
    detail TEXT NOT NULL,
    seconds REAL
);
"""

Key = tuple[int, int, int]
"""What makes a trial the same trial: its question, its repetition and its entry, by their
ids in the store."""


class Store:
    """The trials of one run, open for writing.

    What is added is on disk within a second, while trials are added or on
    `flush`; a kill of the process loses nothing that was committed.

    Raises:
        InputError: the file is no store, or one of another version.
    """

    def __init__(self, folder: Path) -> None:
        self._path = folder / FILE
        self._db = open_store(folder)
        try:
            version = self._db.execute("PRAGMA user_version").fetchone()[0]
            if version == 0:
                self._db.execute("PRAGMA journal_mode = WAL")
                self._db.executescript(
                    f"BEGIN; {_SCHEMA} PRAGMA user_version = {SCHEMA_VERSION}; COMMIT;"
                )
            elif version != SCHEMA_VERSION:
                raise _wrong_version(folder, version)
        except sqlite3.DatabaseError as error:
            raise InputError(f"no store of trials: {error}", where=str(folder / FILE)) from None
        self._backend_ids: dict[str, int] = {}
        self._question_ids: dict[tuple[str, Question], int] = {}
        self._entry_ids: dict[tuple[str, str], int] = {}
        self._committed, self._uncommitted = monotonic(), 0

    def close(self) -> None:
        """Commit and close."""
        try:
            self.flush()
        finally:
            with suppress(sqlite3.Error):  # what cannot be committed was told by `flush`
                self._db.close()

    def flush(self) -> None:
        """Commit what was added.

        Raises:
            StorageError: it cannot be written.
        """
        with self._writing():
            self._db.commit()
        self._committed, self._uncommitted = monotonic(), 0

    @contextmanager
    def _writing(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.OperationalError as error:
            reason = f"{self._path}: cannot be written: {error}"
            raise StorageError(f"{reason}; what was committed before is intact") from error

    def add_backend(self, opened: Opened, versions: Mapping[str, str | None]) -> None:
        """Take up a backend; the same options and versions are the same backend."""
        assert opened.description is not None
        row = (
            opened.spec.label,
            opened.description.name,
            opened.description.paradigm,
            json.dumps(opened.options, sort_keys=True),
            json.dumps(dict(versions), sort_keys=True),
        )
        columns = "label, name, paradigm, options, versions"
        self._db.execute(f"INSERT OR IGNORE INTO backends ({columns}) VALUES (?, ?, ?, ?, ?)", row)
        query = "SELECT id FROM backends WHERE label = ? AND options = ? AND versions = ?"
        found = self._db.execute(query, (row[0], row[3], row[4])).fetchone()
        self._backend_ids[opened.spec.label] = found[0]

    def add_dataset(self, dataset: Dataset) -> None:
        """Take up the puzzles of a dataset."""
        puzzles, entries = [], []
        for position, entry in enumerate(dataset.entries):
            puzzle = entry.puzzle
            truth = None if entry.truth is None else str(entry.truth)
            puzzles.append((puzzle.id, puzzle.shape.spec, puzzle.line, puzzle.clues))
            entries.append((position, entry.name, truth, dataset.name, puzzle.id))
        with self._writing():
            self._db.executemany("INSERT OR IGNORE INTO puzzles VALUES (?, ?, ?, ?)", puzzles)
            self._db.executemany(
                "INSERT INTO entries (position, name, truth, dataset, puzzle_id) "
                "VALUES (?, ?, ?, ?, ?) ON CONFLICT (dataset, puzzle_id) DO UPDATE SET "
                "position = excluded.position, name = excluded.name, truth = excluded.truth",
                entries,
            )
        query = "SELECT puzzle_id, id FROM entries WHERE dataset = ?"
        for puzzle_id, id_ in self._db.execute(query, (dataset.name,)):
            self._entry_ids[dataset.name, puzzle_id] = id_

    def done(self) -> set[Key]:
        """The keys of the trials that are finished."""
        return set(self._db.execute("SELECT question_id, repetition, entry_id FROM trials"))

    def key(self, trial: Trial) -> Key:
        """What makes a trial the same trial when it is asked for again.

        Content and name of the dataset's puzzle, the question with its limits,
        the backend with its options and the versions it needs, the harness's
        version, the machine and the number of the repetition.
        """
        question_id = self._question_ids.get((trial.backend, trial.question))
        if question_id is None:
            question_id = self._add_question(trial.backend, trial.question)
        entry_id = self._entry_ids[trial.dataset, trial.entry.puzzle.id]
        return question_id, trial.repetition, entry_id

    def _add_question(self, backend: str, question: Question) -> int:
        row = (
            *(self._backend_ids[backend], str(question.task), question.limit),
            *(str(question.start), question.timeout, question.cpu, question.memory),
            platform.node(),
        )
        with self._writing():
            self._db.execute(f"INSERT OR IGNORE INTO questions VALUES (NULL, {_marks(row)})", row)
        query = "SELECT id FROM questions WHERE "
        query += " AND ".join(f"{column} = ?" for column in QUESTION_COLUMNS)
        found: int = self._db.execute(query, row).fetchone()[0]
        self._question_ids[backend, question] = found
        return found

    def unsettled(self, repetition: int) -> set[Key]:
        """The keys of trials that need `repetition` because the earlier ones differ too much.

        Those whose answers were all right, and whose mean wall time has a
        standard error of `SETTLED` of itself or more, or none yet.
        """
        right = ", ".join(f"'{verdict}'" for verdict in Verdict if verdict.answered)
        query = f"""
            SELECT question_id, {repetition}, entry_id FROM trials WHERE repetition < {repetition}
            GROUP BY question_id, entry_id
            HAVING count(*) = {repetition - 1} AND min(verdict IN ({right}))
            AND (count(*) = 1 OR (avg(wall_s * wall_s) - avg(wall_s) * avg(wall_s))
                 / (count(*) - 1) >= {SETTLED**2} * avg(wall_s) * avg(wall_s))"""
        return set(self._db.execute(query))

    def add(self, results: Sequence[Result]) -> None:
        """Add finished trials."""
        rows = [(*self.key(result.trial), *_columns(result)) for result in results]
        with self._writing():
            self._db.executemany(f"INSERT INTO trials VALUES (NULL, {_marks(rows[0])})", rows)
        self._uncommitted += len(rows)
        if self._uncommitted >= _COMMIT_ROWS or monotonic() - self._committed > _COMMIT_EVERY:
            self.flush()

    def add_event(self, event: WorkerEvent) -> None:
        """Add something that happened to a worker."""
        row = (_now(), event.backend, event.kind, event.detail, event.seconds)
        with self._writing():
            self._db.execute("INSERT INTO events VALUES (?, ?, ?, ?, ?)", row)


def _marks(row: Sequence[Any]) -> str:
    return ", ".join("?" * len(row))


def _columns(result: Result) -> tuple[Any, ...]:
    """The columns of a trial from its verdict on."""
    outcome = result.outcome
    return (
        result.verdict,
        result.reason,
        result.count,
        result.exact,
        outcome.line,
        outcome.wall,
        outcome.cpu,
        outcome.build,
        outcome.encode,
        outcome.search,
        outcome.decode,
        outcome.cpu_how,
        None if outcome.memory is None else outcome.memory / MIB,
        outcome.memory_how,
        outcome.switches,
        outcome.forced_switches,
        outcome.core,
        outcome.exit_code,
        outcome.stats,
        outcome.ended_at,
    )


def read_rows(folder: Path) -> tuple[list[str], list[Sequence[Any]]]:
    """The columns and rows of all trials of the run in `folder`, in the order of their ending.

    A run that is going on may be read; what is committed is seen.

    Raises:
        InputError: the folder holds no run, or one of another version.
    """
    path = folder / FILE
    if not path.is_file():
        expected = "a folder that `harness run` has written"
        raise InputError("no run", where=str(folder), expected=expected)
    query = """
        SELECT b.label AS backend, e.dataset, e.name, e.puzzle_id, p.shape, p.puzzle, p.clues,
               e.truth, q.task, q."limit", q.start, t.repetition, t.verdict, t.reason, t.count,
               t.exact, t.solution, t.wall_s, t.cpu_s, t.build_s, t.encode_s, t.search_s,
               t.decode_s, t.cpu_how, t.memory_mib, t.memory_how, t.switches, t.forced_switches,
               t.core, q.host, q.timeout_s, q.cpu_limit_s, q.memory_limit_mib, t.exit_code, t.stats,
               strftime('%Y-%m-%dT%H:%M:%f+00:00', t.ended_at, 'unixepoch') AS ended_at,
               b.paradigm, b.options, b.versions, b.id AS backend_id
        FROM trials t
        JOIN questions q ON q.id = t.question_id
        JOIN backends b ON b.id = q.backend_id
        JOIN entries e ON e.id = t.entry_id
        JOIN puzzles p ON p.id = e.puzzle_id
        ORDER BY t.id"""
    try:
        with closing(open_store(folder)) as db:
            check_version(db, folder)
            cursor = db.execute(query)
            return [column[0] for column in cursor.description], cursor.fetchall()
    except sqlite3.DatabaseError as error:
        raise InputError(f"no store of trials: {error}", where=str(path)) from None


def open_store(folder: Path) -> sqlite3.Connection:
    """A connection to the store in `folder`, as it is.

    Raises:
        InputError: it cannot be opened.
    """
    try:
        return sqlite3.connect(folder / FILE, timeout=30)
    except sqlite3.Error as error:
        raise InputError(f"cannot be opened: {error}", where=str(folder / FILE)) from None


def check_version(db: sqlite3.Connection, folder: Path) -> None:
    """See whether this harness reads the store in `folder`.

    Raises:
        InputError: it is of another version, or no store.
    """
    try:
        version = db.execute("PRAGMA user_version").fetchone()[0]
    except sqlite3.DatabaseError as error:
        raise InputError(f"no store of trials: {error}", where=str(folder / FILE)) from None
    if version != SCHEMA_VERSION:
        raise _wrong_version(folder, version)


def _wrong_version(folder: Path, version: int) -> InputError:
    return InputError(
        f"a run of store version {version}",
        where=str(folder),
        expected=f"version {SCHEMA_VERSION}; the harness that wrote it reads it",
    )


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds")
