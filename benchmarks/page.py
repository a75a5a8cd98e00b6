"""What the page of a large run costs: time, memory and size, from the store to the file.

The run is synthetic, see `benchmarks.report`; by default 5 x 20,000 x 10 trials, a
million, and 4 x 1,000 x 5, twenty thousand.

    python -m benchmarks.page [BACKENDS PUZZLES REPETITIONS]
"""

import json
import os
import sqlite3
import sys
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter

import pandas as pd

from benchmarks.report import synthetic
from harness.sweep.store import FILE, Store

_BATCH = 50_000


def store_of(trials: pd.DataFrame, folder: Path) -> None:
    """Write synthetic trials as the store of a run in `folder`."""
    Store(folder).close()
    with closing(sqlite3.connect(folder / FILE)) as db, db:
        puzzles = trials.drop_duplicates("puzzle_id")
        rows = puzzles[["puzzle_id", "shape", "puzzle", "clues", "dataset", "name"]]
        entries = {}
        for number, (id_, shape, line, clues, dataset, name) in enumerate(rows.to_numpy(), 1):
            entries[id_] = number
            db.execute("INSERT INTO puzzles VALUES (?, ?, ?, ?)", (id_, shape, line, clues))
            entry = (number, dataset, number, name, id_)
            db.execute("INSERT INTO entries VALUES (?, ?, ?, ?, ?, NULL)", entry)
        backends = {name: n for n, name in enumerate(trials["backend"].unique(), 1)}
        for name, number in backends.items():
            backend = (number, name, name, "made up", "{}", "{}")
            db.execute("INSERT INTO backends VALUES (?, ?, ?, ?, ?, ?)", backend)
            limit = float(trials["timeout_s"].iloc[0])
            asked = (number, number, "solve", 0, "cold", limit, 0.0, 0, "here")
            db.execute("INSERT INTO questions VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", asked)
        told = trials.assign(question=trials["backend"].map(backends).astype("int64"))
        told = told.assign(entry=trials["puzzle_id"].map(entries).astype("int64"))
        columns = ["question", "repetition", "entry", "verdict", "reason", "solution", "wall_s"]
        into = "question_id, repetition, entry_id, verdict, reason, solution, wall_s, cpu_s, "
        into += "search_s, cpu_how, memory_how, stats, ended_at"
        command = f"INSERT INTO trials ({into}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"  # noqa: S608
        for begin in range(0, len(told), _BATCH):
            part = told.iloc[begin : begin + _BATCH]
            values = part[columns].astype("object").where(part[columns].notna(), None)
            db.executemany(
                command,
                [
                    (*row, row[-1], row[-1] * 0.8, "rusage", "", stats, 1.7e9)
                    for row, stats in zip(
                        values.itertuples(index=False, name=None), part["stats"], strict=True
                    )
                ],
            )


def main(backends: int, puzzles: int, repetitions: int) -> None:
    """Print what the page of a run of this size costs."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        store_of(synthetic(backends, puzzles, repetitions), folder)
        began = perf_counter()
        seconds, memory = _reported(folder)
        size = (folder / "report.html").stat().st_size
        found = {
            "trials": backends * puzzles * repetitions,
            "seconds": round(perf_counter() - began, 1),
            "cpu_seconds": round(seconds, 1),
            "memory_gib": round(memory, 2),
            "page_mb": round(size / 1e6, 2),
        }
        print(json.dumps(found))


def _reported(folder: Path) -> tuple[float, float]:
    """CPU seconds and GiB at most of `harness report` in a process of its own."""
    words = [sys.executable, "-m", "harness", "report", str(folder), "--format", "html"]
    process = os.posix_spawn(sys.executable, words, os.environ)
    _, status, usage = os.wait4(process, 0)
    if status:
        raise SystemExit(f"the report ended with {os.waitstatus_to_exitcode(status)}")
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 2**20


if __name__ == "__main__":
    if sys.argv[1:]:
        main(*map(int, sys.argv[1:]))
    else:
        main(4, 1_000, 5)
        main(5, 20_000, 10)
