"""The time that an engine takes besides the trials: docs/many-machines.md.

    python -m benchmarks.engine_overhead [--shards N] [--seconds N]

A backend that sleeps 50 ms a trial makes shards of a known duration. They run by hand, one after
the other, and on a Dask worker on loopback. The rest of the time is that of the harness and
the engine.
"""

import argparse
import subprocess
import sys
import tempfile
from contextlib import closing
from pathlib import Path
from time import perf_counter, sleep

from benchmarks.records import put_record
from harness.analysis import load
from tests.extensions.cluster.checks import slow_backend
from tests.extensions.cluster.dask_cluster import DaskCluster

TRIAL_S = 0.05


def harness(folder: Path, *words: str) -> float:
    """Run a command; returns its wall time in seconds."""
    began = perf_counter()
    command = [sys.executable, "-m", "harness", *words]
    subprocess.run(command, cwd=folder, check=True, capture_output=True)
    return perf_counter() - began


def trials_s(folder: Path) -> float:
    """The wall time of all trials of a run, in seconds."""
    return float(load(folder).trials["wall_s"].sum())


def on_dask(folder: Path, sweep: list[str], shards: int) -> float:
    """Run the shards on a new Dask worker; returns the wall time of the command in seconds."""
    cluster = DaskCluster(folder)
    with closing(cluster):
        cluster.start_worker()
        sleep(5)
        engine = f"dask://127.0.0.1:{cluster.port}"
        words = ["--on", engine, "--shards", str(shards), "--out", "dask"]
        return harness(folder, "cluster", "run", *sweep, *words)


def main() -> None:
    """Measure, print the table, and replace that of the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--shards", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=60.0)
    arguments = parser.parse_args()
    shards = arguments.shards
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "slow.py").write_text(slow_backend(TRIAL_S))
        repeat = round(arguments.seconds / TRIAL_S * shards / 30)
        sweep = ["--dataset", "named", "--backend", "slow.py", "--repeat", str(repeat)]
        harness(folder, "cluster", "plan", *sweep, "--shards", str(shards), "--out", "shards")
        by_hand_s = sum(
            harness(folder, "run", str(file), "--out", f"by-hand/{file.stem}")
            for file in sorted((folder / "shards").glob("*.toml"))
        )
        by_hand_trials_s = sum(trials_s(run) for run in (folder / "by-hand").iterdir())
        dask_s = on_dask(folder, sweep, shards)
        dask_trials_s = trials_s(folder / "dask")
    rows = ["| way | trials, s | all, s | besides the trials |", "|---|---:|---:|---:|"]
    for way, trials, whole in (
        ("harness run for each shard", by_hand_trials_s, by_hand_s),
        ("harness cluster run --on dask://…", dask_trials_s, dask_s),
    ):
        rows.append(f"| `{way}` | {trials:.1f} | {whole:.1f} | {(whole - trials) / trials:.1%} |")
    print("\n".join(rows))
    if (shards, arguments.seconds) == (3, 60.0):
        put_record("engine-overhead", "\n".join(rows) + "\n")


if __name__ == "__main__":
    main()
