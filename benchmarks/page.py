"""Cost of every command that reads a large run: time, memory, size of the file.

It is compared with the cost of pandas alone, which reads the same columns. Chromium, if it is
installed, opens the page of the run and clicks its filters; the time of a click is that of its
interaction to the next paint. The runs are synthetic, see `benchmarks.report`; by default
4 x 1,000 x 5 trials, twenty thousand, and 30 x 3,334 x 10, a million; the latter make the record.

    python -m benchmarks.page [BACKENDS INSTANCES REPETITIONS]
"""

import json
import os
import sqlite3
import sys
from collections.abc import Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import closing
from multiprocessing import get_context
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Any, Final

import pandas as pd

from benchmarks.records import put_record
from benchmarks.report import synthetic
from harness.records import SELECT_TRIALS, StoreTable, fields_of
from harness.records.folder import RunFile, Store
from harness.records.folder.store_file import seal

_BATCH = 50_000
_ENDED_AT = 1.7e9
"""Seconds since 1970."""
_ALONE = """import sqlite3, sys, pandas
pandas.read_sql_query(sys.argv[2], sqlite3.connect(sys.argv[1]))"""
"""A program that reads the store at a path with a query."""

_CLICKED: Final = (
    "#backends label:nth-of-type(2) input",
    "#clear-backends",
    "#all-backends",
    "#times label:nth-of-type(2) input",
    "#times label:nth-of-type(1) input",
)
_SEEN_FROM: Final = ("#key-results", "#charts", "#tables")
"""The places of a page from which its filters are clicked."""
_OBSERVE: Final = """new PerformanceObserver((list) => {
  for (const entry of list.getEntries()) if (entry.name === 'click') clicks.push(entry.duration);
}).observe({type: 'event', durationThreshold: 16});"""


def write_store(trials: pd.DataFrame, folder: Path) -> None:
    """Write synthetic trials as the store of a run in `folder`."""
    folder.mkdir()
    Store(folder).close()
    trials = trials.assign(
        options="{}",
        versions="{}",
        cpu_source="rusage",
        limit=trials["limit"].fillna(0),
        cpu_limit_s=0.0,
        memory_limit_mib=0,
        memory_source="",
        ended_at=_ENDED_AT,
        cpu_s=0.8 * trials["wall_s"],
        instance_id=pd.factorize(trials["puzzle_id"])[0] + 1,
        configuration_id=pd.factorize(trials["backend"])[0] + 1,
        id=trials["puzzle_id"],
    )
    trials = trials.assign(position=trials["instance_id"], question_id=trials["configuration_id"])
    puzzles = trials.drop_duplicates("puzzle_id")
    backends = trials.drop_duplicates("backend")
    with closing(sqlite3.connect(folder / RunFile.STORE)) as db, db:
        _insert(db, StoreTable.PUZZLES, puzzles, ["id"])
        _insert(
            db, StoreTable.INSTANCES, puzzles.assign(id=puzzles["instance_id"]), ["id", "position"]
        )
        _insert(
            db, StoreTable.CONFIGURATIONS, backends.assign(id=backends["configuration_id"]), ["id"]
        )
        questions = backends.assign(id=backends["question_id"])
        _insert(db, StoreTable.QUESTIONS, questions, ["id", "configuration_id"])
        for begin in range(0, len(trials), _BATCH):
            part = trials.iloc[begin : begin + _BATCH]
            _insert(db, StoreTable.TRIALS, part, ["question_id", "instance_id"])
    seal(folder / RunFile.STORE)


def _write_stores(sizes: tuple[int, int, int], folders: Sequence[Path]) -> None:
    """Write a synthetic run of these sizes in each of `folders`."""
    for seed, folder in enumerate(folders):
        write_store(synthetic(*sizes, seed=seed), folder)


def _insert(
    db: sqlite3.Connection, table: StoreTable, rows: pd.DataFrame, keys: Sequence[str]
) -> None:
    """Insert the fields of a table and its `keys`, which are columns of `rows`."""
    fields = fields_of(table)
    columns = [*keys, *(field.column for field in fields)]
    values = rows[[*keys, *(field.name for field in fields)]].astype("object")
    marks = ", ".join("?" * len(columns))
    command = f"INSERT INTO {table} ({', '.join(columns)}) VALUES ({marks})"  # noqa: S608
    db.executemany(command, _plain(values.where(values.notna(), None)))


def _plain(values: pd.DataFrame) -> Iterable[tuple[Any, ...]]:
    """Rows of Python values; SQLite would store NumPy integers as bytes."""
    return zip(*(values[name].to_list() for name in values), strict=True)


def main(backends: int, instances: int, repetitions: int) -> list[dict[str, Any]]:
    """Print the cost of each command on runs of this size, and its ratio to that of pandas alone.

    pandas alone reads the columns of all trials of one run from its store.
    """
    rows: list[dict[str, Any]] = []

    def note(command: str, cost: dict[str, float]) -> None:
        rows.append({"command": command} | cost)
        print(json.dumps(rows[-1]), flush=True)

    with TemporaryDirectory() as name:
        before, after = Path(name) / "before", Path(name) / "after"
        page = before / "report.html"
        # In another process: a command begins with the peak memory of the process that starts it.
        with ProcessPoolExecutor(1, get_context("spawn")) as other:
            sizes = (backends, instances, repetitions)
            other.submit(_write_stores, sizes, (before, after)).result()
        alone = _cost([sys.executable, "-c", _ALONE, str(before / RunFile.STORE), SELECT_TRIALS])
        note("pandas alone", alone)
        for arguments, file in (
            (("report", str(before)), None),
            (("report", str(before), "--format", "html"), page),
            (("compare", str(before), str(after)), None),
            (("compare", str(before), str(after), "--format", "html"), after / "comparison.html"),
            (("export", str(before), "--out", f"{name}/trials.csv"), Path(name) / "trials.csv"),
            (("export", str(before), "--out", f"{name}/t.parquet"), Path(name) / "t.parquet"),
        ):
            cost = _cost([sys.executable, "-m", "harness", *arguments])
            cost["ratio"] = round(cost["cpu_seconds"] / alone["cpu_seconds"], 1)
            if file:
                cost["file_mb"] = round(file.stat().st_size / 1e6, 2)
            note(" ".join(Path(word).name for word in arguments), cost)
        clicks = _clicks(page)
    if clicks:
        print(
            json.dumps({"clicks": len(clicks), "median_ms": median(clicks), "most_ms": max(clicks)})
        )
        note("a click on a filter of the page", {"seconds": round(median(clicks) / 1e3, 3)})
    return rows


def _clicks(page: Path) -> list[float]:
    """Milliseconds from each of several clicks on filters to the next paint; none without Chromium.

    Each click waits until the charts that the previous click changed are drawn. The browser rounds
    to 8 ms and reports no click below 16 ms; such a click counts as 16 ms.
    """
    try:
        from playwright.sync_api import sync_playwright

        from tests.conftest import ARGUMENTS, CHROMIUM
    except ImportError:
        return []
    if CHROMIUM is None:
        return []
    times: list[float] = []
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        tab = browser.new_page(viewport={"width": 1280, "height": 900})
        tab.goto(page.as_uri())
        tab.wait_for_function("document.body.dataset.charts === 'drawn'", timeout=60_000)
        tab.evaluate(f"globalThis.clicks = []; {_OBSERVE}")
        for place in _SEEN_FROM:
            tab.evaluate("place => document.querySelector(place).scrollIntoView()", place)
            for control in _CLICKED:
                tab.wait_for_timeout(300)
                tab.wait_for_function("document.body.dataset.charts === 'drawn'", timeout=60_000)
                tab.evaluate("clicks.length = 0")
                tab.click(control)
                tab.wait_for_timeout(300)
                times.append(tab.evaluate("clicks.at(-1) ?? 16"))
        browser.close()
    return times


def _cost(command: list[str]) -> dict[str, float]:
    """Time and peak memory of a command, whose output is discarded."""
    quiet = [(os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0)]
    began = perf_counter()
    process = os.posix_spawn(sys.executable, command, os.environ, file_actions=quiet)
    _, status, usage = os.wait4(process, 0)
    seconds = perf_counter() - began
    code = os.waitstatus_to_exitcode(status)
    # A comparison that finds a regression exits with code 1.
    if code != 0 and (code, "compare" in command) != (1, True):
        raise SystemExit(f"{' '.join(command)}: exit code {code}")
    return {
        "seconds": round(seconds, 1),
        "cpu_seconds": round(usage.ru_utime + usage.ru_stime, 1),
        "memory_gib": round(usage.ru_maxrss / 2**20, 2),
    }


def record(rows: list[dict[str, Any]]) -> None:
    """Replace the record of the documentation by these costs."""
    lines = [
        "| command | CPU time, s | times pandas alone | memory, GiB | file, MB |",
        "|---|---:|---:|---:|---:|",
    ]
    for row in rows:
        if "cpu_seconds" not in row:
            lines.append(f"| {row['command']} | {row['seconds']} until it is shown | | | |")
            continue
        lines.append(
            f"| {row['command']} | {row['cpu_seconds']} | {row.get('ratio', 1)} "
            f"| {row['memory_gib']} | {row.get('file_mb', '')} |"
        )
    put_record("million-trials", "\n".join(lines))


if __name__ == "__main__":
    if sys.argv[1:]:
        main(*map(int, sys.argv[1:]))
    else:
        main(4, 1_000, 5)
        record(main(30, 3_334, 10))
