"""Overhead of the harness per trial, measured with a backend that does nothing.

The overhead is the wall time of a run without start-up divided by the number of
trials, with isolation, limits, verification and storage. It is also measured on one core, in
turns with a bare loop: one process without isolation and limits that does the same for its
trials, see `bare_s`. The benchmark also measures the replacement of a worker that exits,
compared with a fork of the process that makes workers, and the same task in benchopt if it is
installed.

    python -m benchmarks.overhead [TRIALS]
"""

import gc
import json
import os
import random
import resource
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from time import monotonic, perf_counter, process_time, time

from benchmarks.goals import GOALS
from benchmarks.workloads import a_backend, a_dataset, puzzles, seconds_of
from harness.contract.registry import load_class
from harness.puzzles import Puzzle, Shape, line_of
from harness.records import TRIAL_COLUMNS, are_solutions
from harness.records.folder import RunFile
from harness.records.folder.store_file import open_for_writing, seal
from harness.runs import Sweep

PUZZLES = 2000
EXITS = 100
PAIRS = 7
"""Pairs of a guarded run and a bare loop."""
TURN = 64
"""Trials whose grids are checked and whose rows are added together, as in a guarded run."""
VERDICT, GRID = 4, 8
"""The places of two columns in a row of a trial."""

BENCHOPT = {
    "objective.py": """
from benchopt import BaseObjective

class Objective(BaseObjective):
    name = "grid"
    def set_data(self, puzzle, grid): self.puzzle, self.grid = puzzle, grid
    def get_objective(self): return dict(puzzle=self.puzzle)
    def evaluate_result(self, grid): return dict(value=float(grid != self.grid))
    def get_one_result(self): return dict(grid=self.grid)
""",
    "datasets/puzzles.py": """
from benchopt import BaseDataset

class Dataset(BaseDataset):
    name = "puzzles"
    parameters = {"number": list(range(TRIALS))}
    def get_data(self): return dict(puzzle=self.number, grid=tuple(range(81)))
""",
    "solvers/noop.py": """
from benchopt import BaseSolver

class Solver(BaseSolver):
    name = "noop"
    sampling_strategy = "run_once"
    def set_objective(self, puzzle): pass
    def run(self, _): pass
    def get_result(self): return dict(grid=tuple(range(81)))
""",
}


def overhead(trials: int) -> None:
    """Print the time per trial and the peak memory of a small and a large run."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        dataset, backend = a_dataset(folder, puzzles(PUZZLES)), a_backend(folder)
        repeats = max(1, trials // PUZZLES)
        for repeat in sorted({min(10_000 // PUZZLES, repeats), repeats}):
            number = repeat * PUZZLES
            sweep = Sweep((dataset,), (backend,), repeat=repeat)
            seconds = seconds_of(sweep, folder / f"run{number}")
            peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
            each = seconds / number * 1e6
            print(f"{number:,} trials: {each:.1f} us per trial, peak memory {peak:.1f} MiB")
        print(f"  {GOALS['trial'].judged(each)}")


FORKS = """
import gc, os, signal, sys, time
from harness.contract.registry import load_class
from harness.engine import server

load_class(sys.argv[1])
gc.collect()
gc.freeze()
began = time.perf_counter()
for _ in range(int(sys.argv[2])):
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        os.write(writing, b"x")
        signal.pause()
    os.read(reading, 1)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    os.close(reading)
    os.close(writing)
print((time.perf_counter() - began) / int(sys.argv[2]))
"""
"""A program with the memory of a server: it forks a child, waits for its first byte, kills and
reaps it. It prints the seconds that this takes."""


def ratio(trials: int) -> None:
    """Print the CPU time of guarded trials over that of bare ones, in pairs on one core.

    The time of guarded trials is that of harness, server, monitor and worker. It is the difference
    between runs with all repetitions and with one, so start-up does not count.
    """
    with tempfile.TemporaryDirectory() as name, on_one_core():
        folder = Path(name)
        made = puzzles(PUZZLES)
        lines = [puzzle.line for puzzle in made]
        dataset, backend = a_dataset(folder, made), a_backend(folder)
        repeat = max(1, trials // PUZZLES)
        number = repeat * PUZZLES
        pairs = []
        for at in range(PAIRS):
            run = folder / f"guarded{at}"
            began = cpu_s()
            seconds_of(Sweep((dataset,), (backend,)), folder / f"few{at}")
            few, began = cpu_s() - began, cpu_s()
            seconds_of(Sweep((dataset,), (backend,), repeat=repeat), run)
            guarded = (cpu_s() - began - few) / (number - PUZZLES)
            pairs.append((guarded * 1e6, bare_s(backend, lines, repeat, run) / number * 1e6))
        ratios = sorted(guarded / bare for guarded, bare in pairs)
        print(
            f"CPU time on one core, {PAIRS} pairs of {number:,} trials: "
            f"{median(g for g, _ in pairs):.1f} us guarded, {median(b for _, b in pairs):.1f} us "
            f"bare, ratio {median(ratios):.2f} ({ratios[0]:.2f} to {ratios[-1]:.2f})"
        )
        print(f"  {GOALS['trial over bare loop'].judged(median(ratios))}")


def cpu_s() -> float:
    """CPU time of this process and of all its descendants that have ended."""
    both = map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(usage.ru_utime + usage.ru_stime for usage in both)


@contextmanager
def on_one_core() -> Iterator[None]:
    """Keep this process, and all that it starts, on its last core."""
    cores = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {max(cores)})
    try:
        yield
    finally:
        os.sched_setaffinity(0, cores)


def bare_s(backend: str, lines: list[str], repeat: int, run: Path) -> float:
    """CPU time of trials of `backend` in this process: parse, call, check, store.

    The trials are those of the guarded run in a copy of its store without them, each repetition in
    random order. Each is parsed from its line and called with garbage collection off, and its wall
    time, CPU time and use of resources are measured where the store has columns for them. The
    grids of 64 trials at a time pass the check of the harness, and their rows are added to the same
    table with the same intervals of commits. At the end the store is closed and sealed.
    """
    copy = run.with_name(f"{run.name}-bare")
    shutil.copytree(run, copy)
    db = open_for_writing(copy)
    ids = dict(
        db.execute("SELECT p.puzzle, i.id FROM instances i JOIN puzzles p ON p.id = puzzle_id")
    )
    db.execute("DELETE FROM trials")
    db.commit()
    marks = ", ".join("?" * len(TRIAL_COLUMNS))
    insert = f"INSERT INTO trials ({', '.join(TRIAL_COLUMNS)}) VALUES ({marks})"  # noqa: S608
    shape = Shape.parse("9x9")
    made = load_class(backend)
    options = made.options_type()
    random.seed(0)
    order = [
        (line, repetition)
        for repetition in range(1, repeat + 1)
        for line in random.sample(lines, len(lines))
    ]
    began = process_time()
    committed, uncommitted = monotonic(), 0
    for at in range(0, len(order), TURN):
        rows: list[list[object]] = []
        for line, repetition in order[at : at + TURN]:
            puzzle = Puzzle.of_line(line, shape)
            gc.disable()
            before = resource.getrusage(resource.RUSAGE_SELF)
            cpu, started = process_time(), perf_counter()
            answer = made(shape, options).solve(puzzle)  # a cold start, as in the guarded run
            wall_s, cpu_s = perf_counter() - started, process_time() - cpu
            gc.enable()
            after = resource.getrusage(resource.RUSAGE_SELF)
            row = [1, ids[line], repetition, "", "", "", None, None, line_of(answer.grid or ())]
            row += [wall_s, cpu_s, None, None, None, None, "rusage", after.ru_maxrss * 1024]
            row += ["bound", after.ru_nvcsw - before.ru_nvcsw, after.ru_nivcsw - before.ru_nivcsw]
            row += [after.ru_minflt - before.ru_minflt, after.ru_majflt - before.ru_majflt]
            rows.append([*row, None, None, json.dumps(answer.stats), time()])
        grids = [str(row[GRID]) for row in rows]
        right = are_solutions(shape, [line for line, _ in order[at : at + TURN]], grids)
        for row, is_right in zip(rows, right, strict=True):
            row[VERDICT] = "solved" if is_right else "wrong"
        db.executemany(insert, rows)
        uncommitted += len(rows)
        if uncommitted >= 1000 or monotonic() - committed > 0.5:
            db.commit()
            committed, uncommitted = monotonic(), 0
    db.commit()
    db.close()
    seal(copy / RunFile.STORE)
    return process_time() - began


def replacements() -> None:
    """Print the time per trial if every trial ends its worker, and its ratio to a plain fork."""
    with tempfile.TemporaryDirectory() as name, on_one_core():
        folder = Path(name)
        dataset, backend = a_dataset(folder, puzzles(EXITS)), a_backend(folder, "os._exit(1)")
        times = []
        for at in range(PAIRS):
            seconds = seconds_of(Sweep((dataset,), (backend,)), folder / f"run{at}")
            command = [sys.executable, "-c", FORKS, backend, str(EXITS)]
            forked = subprocess.run(command, check=True, capture_output=True, text=True)
            times.append((seconds / EXITS * 1e3, float(forked.stdout) * 1e3))
    whole, plain = min(pair[0] for pair in times), min(pair[1] for pair in times)
    print(
        f"replacement of a worker: {whole:.1f} ms; kill and fork of the process that forks "
        f"workers: {plain:.2f} ms; ratio {median(a / b for a, b in times):.1f}"
    )
    print(f"  {GOALS['replacement of a worker'].judged(whole)}")


def benchopt() -> None:
    """Print the time per trial of benchopt: the difference of runs with 120 and 20 trials."""
    command = Path(sys.executable).with_name("benchopt")
    program = str(command) if command.exists() else shutil.which("benchopt")
    if not program:
        print("benchopt: not installed")
        return
    few, many = (_seconds_of_benchopt(program, trials) for trials in (20, 120))
    print(f"benchopt: {(many - few) / 100 * 1e6:.0f} us per trial")


def _seconds_of_benchopt(command: str, trials: int) -> float:
    with tempfile.TemporaryDirectory() as name:
        for file, text in BENCHOPT.items():
            path = Path(name) / file
            path.parent.mkdir(exist_ok=True)
            path.write_text(text.replace("TRIALS", str(trials)))
        began = perf_counter()
        arguments = [command, "run", name, "--no-plot", "-r", "1"]
        subprocess.run(arguments, check=True, capture_output=True)
        return perf_counter() - began


if __name__ == "__main__":
    overhead(int(sys.argv[1]) if len(sys.argv) > 1 else 100_000)
    ratio(100_000)
    replacements()
    benchopt()
