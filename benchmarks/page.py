"""What the page of a large run costs, and of two: time, memory and size, from store to file.

The run is synthetic, see `benchmarks.report`; by default 5 x 20,000 x 10 trials, a
million, and 4 x 1,000 x 5, twenty thousand.

    python -m benchmarks.page [BACKENDS PUZZLES REPETITIONS]
"""

import json
import os
import sqlite3
import sys
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter

import pandas as pd

from benchmarks.report import synthetic
from harness.records.store import FILE, Store

_BATCH = 50_000


def store_of(trials: pd.DataFrame, folder: Path) -> None:
    """Write synthetic trials as the store of a run in `folder`."""
    folder.mkdir()
    Store(folder).close()
    with closing(sqlite3.connect(folder / FILE)) as db, db:
        puzzles = trials.drop_duplicates("puzzle_id")
        rows = puzzles[["puzzle_id", "shape", "puzzle", "clues", "dataset", "name"]]
        results = {}
        for number, (id_, shape, line, clues, dataset, name) in enumerate(rows.to_numpy(), 1):
            results[id_] = number
            db.execute("INSERT INTO puzzles VALUES (?, ?, ?, ?)", (id_, shape, line, clues))
            instance = (number, dataset, number, name, id_)
            db.execute("INSERT INTO entries VALUES (?, ?, ?, ?, ?, NULL)", instance)
        backends = {name: n for n, name in enumerate(trials["backend"].unique(), 1)}
        for name, number in backends.items():
            backend = (number, name, name, "made up", "{}", "{}")
            db.execute("INSERT INTO backends VALUES (?, ?, ?, ?, ?, ?)", backend)
            limit = float(trials["timeout_s"].iloc[0])
            asked = (number, number, "solve", 0, "cold", limit, 0.0, 0, "here")
            db.execute("INSERT INTO questions VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", asked)
        told = trials.assign(question=trials["backend"].map(backends).astype("int64"))
        told = told.assign(instance=trials["puzzle_id"].map(results).astype("int64"))
        columns = ["question", "repetition", "entry", "verdict", "reason", "solution", "wall_s"]
        into = "question_id, repetition, entry_id, verdict, reason, solution, wall_s, cpu_s, "
        into += "search_s, cpu_source, memory_source, stats, ended_at"
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
    """Print what the page of a run of this size costs, and that of two such runs compared."""
    with TemporaryDirectory() as name:
        folder, again = Path(name) / "run", Path(name) / "again"
        store_of(synthetic(backends, puzzles, repetitions), folder)
        store_of(synthetic(backends, puzzles, repetitions, seed=1), again)
        for words, page in (
            (("report", str(folder)), folder / "report.html"),
            (("compare", str(folder), str(again)), again / "comparison.html"),
        ):
            found = {"command": words[0], "trials": backends * puzzles * repetitions}
            print(
                json.dumps(found | _cost(words) | {"page_mb": round(page.stat().st_size / 1e6, 2)})
            )


def _cost(words: Sequence[str]) -> dict[str, float]:
    """What a command of the harness that makes a page costs, in a process of its own."""
    command = [sys.executable, "-m", "harness", *words, "--format", "html"]
    began = perf_counter()
    process = os.posix_spawn(sys.executable, command, os.environ)
    _, status, usage = os.wait4(process, 0)
    seconds = perf_counter() - began
    # A comparison that finds a regression ends with 1.
    if os.waitstatus_to_exitcode(status) not in (0, 1):
        raise SystemExit(f"it ended with {os.waitstatus_to_exitcode(status)}")
    return {
        "seconds": round(seconds, 1),
        "cpu_seconds": round(usage.ru_utime + usage.ru_stime, 1),
        "memory_gib": round(usage.ru_maxrss / 2**20, 2),
    }


if __name__ == "__main__":
    if sys.argv[1:]:
        main(*map(int, sys.argv[1:]))
    else:
        main(4, 1_000, 5)
        main(5, 20_000, 10)
