"""The trials of a run as they end, by configuration.

Each look reads what was added since the look before, so that following a run of a million trials
costs as little as following a short one.
"""

import sqlite3
from collections import deque
from pathlib import Path
from time import monotonic
from typing import Final

from msgspec import Struct

from harness.records import planned
from harness.records.store_file import FILE as STORE
from harness.records.store_file import glancing
from harness.records.verdict import Verdict
from harness.text import last_line, printable
from harness.workbench.runs.facts import planned_trials

MOST_FAILURES: Final = 100
"""Failures that are shown, the last ones; as many wrong answers are shown beside them."""
_WINDOW_S: Final = 60.0
"""The speed of a run is that of these last seconds."""
_LEAST_WINDOW_S: Final = 2.0
_LONGEST: Final = 160


class ConfigurationProgress(Struct):
    """The trials of a configuration."""

    label: str
    planned: int | None = None
    done: int = 0
    verdicts: dict[str, int] = {}
    wall_s: float = 0.0
    """The sum of the wall times of its trials."""


class FailedTrial(Struct):
    """A trial without a right answer."""

    number: int
    configuration: str
    task: str
    dataset: str
    puzzle: str
    verdict: str
    reason: str


class RunProgress(Struct):
    """What is known of a run that goes on."""

    name: str
    done: int
    planned: int | None
    left_s: float | None
    """Expected seconds until its end; None if they cannot be known yet."""
    configurations: list[ConfigurationProgress]
    wrong: list[FailedTrial]
    failures: list[FailedTrial]
    """Other trials without an answer, the last ones."""


class Follower:
    """Reads the trials of one run as they end."""

    def __init__(self, name: str, folder: Path) -> None:
        self._name, self._folder = name, folder
        self._begin(None)

    def _begin(self, inode: int | None) -> None:
        self._inode = inode
        self._last = 0
        self._configurations: dict[int, ConfigurationProgress] = {}
        self._done = 0
        self._planned: int | None = None
        self._wrong: deque[FailedTrial] = deque(maxlen=MOST_FAILURES)
        self._failures: deque[FailedTrial] = deque(maxlen=MOST_FAILURES)
        self._speeds: deque[tuple[float, int]] = deque()

    def look(self) -> RunProgress:
        """What is known now.

        Raises:
            RunError: the folder holds no run, or a damaged one.
        """
        with glancing(self._folder) as db:
            inode = (self._folder / STORE).lstat().st_ino
            if inode != self._inode:  # a fresh start has another file
                self._begin(inode)
            self._read_plan(db)
            self._read_trials(db)
        now = monotonic()
        self._speeds.append((now, self._done))
        while len(self._speeds) > 2 and now - self._speeds[1][0] > _WINDOW_S:
            self._speeds.popleft()
        return RunProgress(
            name=self._name,
            done=self._done,
            planned=self._planned,
            left_s=self._left(),
            configurations=[*self._configurations.values()],
            wrong=[*self._wrong],
            failures=[*self._failures],
        )

    def _read_plan(self, db: sqlite3.Connection) -> None:
        for id_, label in db.execute("SELECT id, backend FROM configurations ORDER BY id"):
            if id_ not in self._configurations:
                self._configurations[id_] = ConfigurationProgress(printable(str(label))[:_LONGEST])
        self._planned = planned_trials(db)
        if self._planned is None or not planned.exists(db):
            return
        query = (
            "SELECT q.configuration_id, sum(p.repetitions) FROM planned p "
            "JOIN questions q ON q.id = p.question_id GROUP BY 1"
        )
        for id_, number in db.execute(query):
            if id_ in self._configurations:
                self._configurations[id_].planned = int(number)

    def _read_trials(self, db: sqlite3.Connection) -> None:
        (newest,) = db.execute("SELECT coalesce(max(id), 0) FROM trials").fetchone()
        query = """
            SELECT q.configuration_id, t.answer_verdict, count(*), total(t.wall_s) FROM trials t
            JOIN questions q ON q.id = t.question_id
            WHERE t.id > ? AND t.id <= ? GROUP BY 1, 2"""
        before, failed = self._last, 0
        for configuration, verdict, number, wall_s in db.execute(query, (before, newest)):
            self._done += number
            name = printable(str(verdict))[:_LONGEST]
            failed += name not in _ANSWERED
            found = self._configurations.get(configuration)
            if found is not None:
                found.done += number
                found.verdicts[name] = found.verdicts.get(name, 0) + number
                found.wall_s += wall_s
        self._last = newest
        if failed:
            self._wrong += _failed(db, before, newest, is_wrong=True)
            self._failures += _failed(db, before, newest, is_wrong=False)

    def _left(self) -> float | None:
        if self._planned is None:
            return None
        left = self._planned - self._done
        (began, first), (now, last) = self._speeds[0], self._speeds[-1]
        if left <= 0:
            return 0.0
        if now - began < _LEAST_WINDOW_S or last == first:
            return None
        return left * (now - began) / (last - first)


_ANSWERED: Final = frozenset(str(verdict) for verdict in Verdict if verdict.answered)


def _failed(db: sqlite3.Connection, after: int, until: int, *, is_wrong: bool) -> list[FailedTrial]:
    """The last wrong answers, or other failures, among trials with ids in a range."""
    verdicts = [str(of) for of in Verdict if not of.answered and (of is Verdict.WRONG) == is_wrong]
    marks = ", ".join("?" * len(verdicts))
    query = f"""
        SELECT t.id, c.backend, q.task, i.dataset, i.name, t.answer_verdict, t.answer_reason
        FROM trials t
        JOIN questions q ON q.id = t.question_id
        JOIN configurations c ON c.id = q.configuration_id
        JOIN instances i ON i.id = t.instance_id
        WHERE t.id > ? AND t.id <= ? AND t.answer_verdict IN ({marks})
        ORDER BY t.id DESC LIMIT ?"""  # noqa: S608  marks only
    rows = db.execute(query, (after, until, *verdicts, MOST_FAILURES)).fetchall()
    return [
        FailedTrial(
            number=int(row[0]),
            configuration=_shown(row[1]),
            task=_shown(row[2]),
            dataset=_shown(row[3]),
            puzzle=_shown(row[4]),
            verdict=_shown(row[5]),
            reason=last_line(str(row[6] or "")),
        )
        for row in reversed(rows)
    ]


def _shown(value: object) -> str:
    return printable(str(value))[:_LONGEST]
