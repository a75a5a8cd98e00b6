"""Runs on two Dask workers in full: what survives when anything is killed.

All processes are real: a scheduler, two workers and `harness cluster run`, which are killed with
SIGKILL at random moments.
"""

import subprocess
import sys
from pathlib import Path
from random import Random
from time import sleep

import pytest

from tests.extensions.cluster.checks import (
    require_each_trial_once,
    require_no_process_in,
    slow_backend,
)
from tests.extensions.cluster.dask_cluster import DaskCluster, kill

pytestmark = pytest.mark.long
pytest.importorskip("distributed", reason="distributed is not installed")


@pytest.mark.parametrize("seed", range(20))
def test_nothing_is_lost_or_twice_whatever_is_killed(tmp_path: Path, seed: int) -> None:
    random = Random(seed)
    (tmp_path / "slow.py").write_text(slow_backend())
    (tmp_path / "cluster").mkdir()
    cluster = DaskCluster(tmp_path / "cluster")
    sweep = 'datasets = "named"\nbackends = ["native", "slow.py"]\nrepeat = 2\n'
    (tmp_path / "sweep.toml").write_text(sweep)
    words = [sys.executable, "-m", "harness", "cluster", "run", "sweep.toml"]
    words += ["--shards", "10", "--on", f"dask://127.0.0.1:{cluster.port}", "--out", "run"]

    def start() -> "subprocess.Popen[str]":
        pipe = subprocess.PIPE
        return subprocess.Popen(
            words, cwd=tmp_path, stdout=pipe, stderr=pipe, text=True, start_new_session=True
        )

    try:
        cluster.start_worker()
        cluster.start_worker()
        coordinator = start()
        victims = ["worker", "scheduler", "coordinator"]
        random.shuffle(victims)
        sleep(3 + 2 * random.random())
        for victim in victims:
            if coordinator.poll() is not None:
                break
            match victim:
                case "worker":
                    cluster.kill_worker()
                    cluster.start_worker()
                case "scheduler":
                    kill(cluster.scheduler)
                    sleep(random.random())
                    cluster.scheduler = cluster.start_scheduler()
                    while cluster.workers:  # they end with their scheduler
                        cluster.kill_worker()
                    cluster.start_worker()
                    cluster.start_worker()
                case _:
                    coordinator.kill()
                    coordinator.communicate()
                    coordinator = start()
            sleep(1 + 3 * random.random())
        _, errors = coordinator.communicate(timeout=240)
        assert coordinator.returncode == 0, errors
        require_each_trial_once(tmp_path / "run", 30 * 2 * 2)
    finally:
        coordinator.kill()
        cluster.close()
    require_no_process_in(tmp_path)
