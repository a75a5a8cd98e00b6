"""A coordinator with a simulated cluster of 100,000 shards: docs/many-machines.md.

    python -m benchmarks.many_machines [--shards N] [--workers N] [--seed N]

The plan, the coordinator and the merging are real. The cluster is simulated: what a worker sends
back is the store of a real shard with another puzzle in it. A share of the attempts is lost, and
the cluster repeats them; others are sent twice, damaged or stopped. At the end every trial has to
be in the run exactly once. The table replaces that of the page; the time of the coordinator
excludes that of the simulated workers.
"""

import argparse
import resource
import sqlite3
import tempfile
from collections.abc import Generator, Mapping
from contextlib import closing
from hashlib import sha256
from pathlib import Path
from random import Random
from time import perf_counter
from typing import Final
from uuid import UUID

import msgspec

from benchmarks.records import put_record
from harness.extensions.cluster.carrying import carry_out
from harness.extensions.cluster.coordinator import Coordinator
from harness.extensions.cluster.engine import Engine, Files, JobEnd, JobResult, NextJob, ShardJob
from harness.extensions.cluster.packing import Packer
from harness.extensions.cluster.shards import ShardPlan
from harness.extensions.generate.grids import random_grid
from harness.puzzles import Puzzle, Scramble, Shape
from harness.puzzles.search import Prng
from harness.records.folder import Collection, RunFile
from harness.records.folder.shard import Attempt
from harness.runs import Sweep

BACKENDS: Final = ("native", "dlx")
REPEAT: Final = 5
LOST: Final = 0.05
TWICE: Final = 0.02
STOPPED: Final = 0.01
DAMAGED: Final = 0.002


class SimulatedCluster(Engine):
    """Workers that send back the template with the puzzle of the shard."""

    def __init__(self, plan: ShardPlan, template: Files, workers: int, seed: int) -> None:
        self._plan, self._template, self._workers = plan, template, workers
        super().__init__()
        self._random = Random(seed)  # noqa: S311  a simulation
        self.seconds = 0.0
        """Seconds that the workers have taken to make results."""
        self.jobs = self.bytes_out = self.bytes_in = 0
        self.lost = self.twice = 0

    def results(self, next_job: NextJob) -> Generator[JobResult]:
        """The results of jobs in random order; each worker has up to two jobs at a time."""
        random, jobs = self._random, list[ShardJob]()
        while True:
            while len(jobs) < 2 * self._workers and (job := next_job()):
                self.bytes_out += len(job.encoded())
                jobs.append(job)
            if not jobs:
                return
            place = random.randrange(len(jobs))
            jobs[place], jobs[-1] = jobs[-1], jobs[place]
            self.jobs += 1
            if random.random() < LOST:
                self.lost += 1
                continue
            began = perf_counter()
            result = self._result(jobs.pop())
            self.bytes_in += len(result.encoded())
            self.seconds += perf_counter() - began
            yield result
            if random.random() < TWICE:
                self.twice += 1
                yield result

    def forget(self) -> None:
        """Do nothing: the cluster keeps nothing."""

    def _result(self, job: ShardJob) -> JobResult:
        host = f"node{self._random.randrange(self._workers):04d}"
        if self._random.random() < STOPPED:
            return JobResult(number=job.number, host=host, end=JobEnd.STOPPED)
        files = self._files(job.number)
        if self._random.random() < DAMAGED:
            files[RunFile.STORE] = files[RunFile.STORE][:1000]
        return JobResult(number=job.number, host=host, end=JobEnd.COMPLETE, files=files)

    def _files(self, number: int) -> Files:
        (numbered,) = self._plan.instances(number)
        with closing(sqlite3.connect(":memory:")) as db:
            stored = self._template[RunFile.STORE]
            db.deserialize(stored[:18] + b"\1\1" + stored[20:])  # without a write-ahead log
            with db:
                db.execute("PRAGMA defer_foreign_keys = ON")
                name, puzzle = numbered.instance.name, numbered.instance.puzzle
                db.execute("UPDATE puzzles SET id = ?, puzzle = ?", (puzzle.id, puzzle.line))
                db.execute("UPDATE instances SET puzzle_id = ?, name = ?", (puzzle.id, name))
            store = db.serialize()
        attempt = Attempt(
            shard=self._plan.shard(number), attempt=UUID(int=self._random.getrandbits(128)).hex[:12]
        )
        files = dict(self._template)
        files[RunFile.CHECKSUM] = f"{sha256(store).hexdigest()}  {RunFile.STORE}\n".encode()
        return files | {RunFile.STORE: store, RunFile.SHARD: msgspec.json.encode(attempt)}


def puzzles(number: int) -> list[str]:
    """Different puzzles of 9x9, by scrambles of one grid without some values."""
    shape = Shape.parse("9x9")
    grid = random_grid(shape, Prng("many machines"))
    lines = []
    for seed in range(number):
        random = Prng("many machines", seed)
        givens = list(Scramble.random(shape, random).grid(grid))
        for cell in random.sample(40, 81):
            givens[cell] = 0
        lines.append(Puzzle(shape, tuple(givens)).line)
    return lines


def simulated(shards: int, workers: int, seed: int, folder: Path) -> Mapping[str, float]:
    """Simulate a plan; returns measurements by name."""
    file = folder / "puzzles.txt"
    file.write_text("".join(f"{line}\n" for line in puzzles(shards)))
    began = perf_counter()
    sweep = Sweep((str(file),), BACKENDS, repeat=REPEAT)
    plan = ShardPlan(sweep, folder, shards)
    planned_s = perf_counter() - began
    template = carry_out(Packer(plan).job(1), folder / "scratch")
    assert template.end is JobEnd.COMPLETE, template.reason
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    run = folder / "run"
    run.mkdir()
    engine = SimulatedCluster(plan, template.files, workers, seed)
    began = perf_counter()
    with closing(Collection(run, plan.name)) as collection:
        status = Coordinator(plan, collection, engine).run()
    total_s = perf_counter() - began
    assert status.is_complete
    with closing(sqlite3.connect(run / RunFile.STORE)) as db:
        query = "SELECT count(*), count(DISTINCT instance_id) FROM trials"
        trials, instances = db.execute(query).fetchone()
    assert (trials, instances) == (shards * len(BACKENDS) * REPEAT, shards)
    after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return {
        "shards": shards,
        "trials": trials,
        "attempts": engine.jobs,
        "lost": engine.lost,
        "twice": engine.twice,
        "plan, s": planned_s,
        "coordinator, s": total_s - engine.seconds,
        "simulated workers, s": engine.seconds,
        "sent, MB": engine.bytes_out / 1e6,
        "received, MB": engine.bytes_in / 1e6,
        "store, MB": (run / RunFile.STORE).stat().st_size / 1e6,
        "memory at the start, MB": before / 1e3,
        "memory at the end, MB": after / 1e3,
    }


def main() -> None:
    """Simulate, print the table, and replace the table of the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--shards", type=int, default=100_000)
    parser.add_argument("--workers", type=int, default=1_000)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        seconds = simulated(arguments.shards, arguments.workers, arguments.seed, Path(folder))
    rows = ["| figure | value |", "|---|---:|"]
    rows += [f"| {name} | {value:,.0f} |" for name, value in seconds.items()]
    print("\n".join(rows))
    if arguments.shards == 100_000:
        put_record("many-machines", "\n".join(rows) + "\n")


if __name__ == "__main__":
    main()
