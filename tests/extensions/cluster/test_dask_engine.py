"""The engine of a Dask cluster: a scheduler and workers on loopback, in processes of their own."""

import re
import socket
import subprocess
import sys
import sysconfig
from collections.abc import Callable, Generator
from contextlib import closing
from importlib.util import find_spec
from pathlib import Path
from random import Random
from time import sleep

import pytest

from harness.base.errors import InputError
from harness.extensions.cluster.coordinator import ClusterStatus, CoordinatorObserver, run_on
from harness.extensions.cluster.engine import Engine
from harness.extensions.cluster.shards import ShardPlan
from harness.runs.sweep import Sweep
from tests.extensions.cluster.checks import (
    require_each_trial_once,
    require_no_process_in,
    slow_backend,
)
from tests.extensions.cluster.dask_cluster import DaskCluster, kill

pytestmark = pytest.mark.skipif(
    find_spec("distributed") is None, reason="distributed is not installed"
)
ENGINE = "harness.extensions.cluster.dask_engine"
NAMED = Sweep(("named",), ("native", "cpsat"))


@pytest.fixture
def cluster(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Generator[DaskCluster]:
    """A scheduler with two workers; no process of a shard is left after the test."""
    folder = tmp_path / "cluster"
    folder.mkdir()
    dask = DaskCluster(folder)
    try:
        dask.start_worker()
        dask.start_worker()
        yield dask
    finally:
        dask.close()
    require_no_process_in(folder)


def engine_at(cluster: DaskCluster) -> Callable[[ShardPlan], Engine]:
    from harness.extensions.cluster.dask_engine import DaskEngine

    return lambda plan: DaskEngine(cluster.address, plan.run)


@pytest.mark.long
def test_the_shards_of_a_sweep_on_two_workers(cluster: DaskCluster, tmp_path: Path) -> None:
    sweep = Sweep(("seeds",), ("native",), repeat=2)
    status = run_on(sweep, tmp_path / "run", engine_at(cluster), shards=3)
    assert status.is_complete
    require_each_trial_once(tmp_path / "run", 6 * 2)
    assert not list((tmp_path / "cluster").glob("sudoku-harness-*/*"))


def test_without_a_scheduler_the_error_names_the_address(monkeypatch: pytest.MonkeyPatch) -> None:
    from harness.extensions.cluster.dask_engine import DaskEngine

    monkeypatch.setattr(f"{ENGINE}._CONNECT_S", 0.5)
    with closing(socket.socket()) as other_socket:
        other_socket.bind(("127.0.0.1", 0))
        other_socket.listen()
        address = f"tcp://127.0.0.1:{other_socket.getsockname()[1]}"
        with pytest.raises(InputError, match=f"{address}: no scheduler answers"):
            DaskEngine(address, "0" * 12)


@pytest.mark.long
def test_a_worker_is_no_scheduler(cluster: DaskCluster, monkeypatch: pytest.MonkeyPatch) -> None:
    from distributed import Client

    from harness.extensions.cluster.dask_engine import DaskEngine

    with Client(cluster.address) as client:
        client.wait_for_workers(1, timeout=30)
        worker = next(iter(client.scheduler_info()["workers"]))
    monkeypatch.setattr(f"{ENGINE}._CONNECT_S", 1.0)
    with pytest.raises(InputError, match="the server is not a scheduler"):
        DaskEngine(worker, "0" * 12)


@pytest.mark.long
def test_a_scheduler_that_stays_away_ends_the_run_and_another_one_goes_on(
    cluster: DaskCluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(f"{ENGINE}._RECONNECT_S", 2.0)
    sweep, folder = Sweep(("seeds",), ("native",)), tmp_path / "run"

    class Kills(CoordinatorObserver):
        def changed(self, status: ClusterStatus) -> None:
            if status.done == 1:
                kill(cluster.scheduler)

    with pytest.raises(InputError, match=f"{cluster.address}: the scheduler has ended"):
        run_on(sweep, folder, engine_at(cluster), shards=6, coordinator_observer=Kills())
    cluster.scheduler = cluster.start_scheduler()
    cluster.start_worker()
    assert run_on(sweep, folder, engine_at(cluster)).is_complete
    require_each_trial_once(folder, 6)


class Refusals(CoordinatorObserver):
    """The places that get no shards, with the reasons."""

    def __init__(self) -> None:
        self.reasons: list[str] = []

    def refused(self, place: str, reason: str) -> None:
        self.reasons.append(reason)


def with_other_ortools(folder: Path) -> list[str]:
    """Options of Python that let a worker find another version of ortools."""
    info = folder / "ortools-1.2.3.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: ortools\nVersion: 1.2.3\n")
    return []


def without_the_package(folder: Path) -> list[str]:
    """Options of Python that let a worker find everything but the harness."""
    folder.mkdir()
    for entry in Path(sysconfig.get_path("purelib")).iterdir():
        if not re.search(r"sudoku|editable|\.pth$", entry.name):
            (folder / entry.name).symlink_to(entry)
    return ["-S"]


@pytest.mark.long
@pytest.mark.parametrize(
    ("prepare", "reason"),
    [
        (with_other_ortools, "ortools 1.2.3 here, 9"),
        (without_the_package, "has no package sudoku-harness; pip install sudoku-harness"),
    ],
)
def test_a_worker_with_other_software_is_refused_with_a_line(
    cluster: DaskCluster, tmp_path: Path, prepare: Callable[[Path], list[str]], reason: str
) -> None:
    path = tmp_path / "path"
    options = prepare(path)
    cluster.start_worker(*options, path=str(path))
    observer = Refusals()
    status = run_on(
        NAMED, tmp_path / "run", engine_at(cluster), shards=9, coordinator_observer=observer
    )
    assert status.is_complete
    (line,) = observer.reasons
    assert reason in line
    assert "\n" not in line
    require_each_trial_once(tmp_path / "run", 30 * 2)


@pytest.mark.long
def test_a_refused_worker_does_not_end_the_run_while_the_good_one_is_away(
    cluster: DaskCluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(f"{ENGINE}._PATIENCE_S", 1.0)
    cluster.kill_worker()
    with_other_ortools(tmp_path / "path")
    cluster.start_worker(path=str(tmp_path / "path"))

    class GoesAway(Refusals):
        is_away = False

        def changed(self, status: ClusterStatus) -> None:
            if status.done >= 2 and self.reasons and not self.is_away:
                self.is_away = True
                cluster.kill_worker()  # the good one, which is older
                sleep(4)
                cluster.start_worker()

    observer = GoesAway()
    status = run_on(
        NAMED, tmp_path / "run", engine_at(cluster), shards=8, coordinator_observer=observer
    )
    assert observer.is_away
    assert status.is_complete
    require_each_trial_once(tmp_path / "run", 30 * 2)


# Runs on two Dask workers in full: what survives when anything is killed.


@pytest.mark.long
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
