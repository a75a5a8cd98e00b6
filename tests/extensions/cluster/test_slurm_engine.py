"""The engine of Slurm, on a cluster of one node."""

import json
import subprocess
import sys
import threading
from collections.abc import Callable, Generator
from pathlib import Path

import pytest

from harness.base.errors import InputError
from harness.extensions.cluster.coordinator import ClusterStatus, CoordinatorObserver, run_on
from harness.extensions.cluster.engine import Engine
from harness.extensions.cluster.shards import ShardPlan
from harness.runs.sweep import Sweep
from tests.extensions.cluster import slurm_node
from tests.extensions.cluster.checks import (
    require_each_trial_once,
    require_no_process_in,
    slow_backend,
    wait_for,
)
from tests.extensions.cluster.slurm_node import SlurmNode

pytest.importorskip("submitit", reason="submitit is not installed")
SWEEP = {"datasets": ["named"], "backends": ["native", "cnf"]}


@pytest.fixture(scope="module")
def a_node(tmp_path_factory: pytest.TempPathFactory) -> Generator[SlurmNode]:
    if missing := slurm_node.missing():
        pytest.skip(f"{missing[0]} of Slurm is not installed")
    slurm = SlurmNode(tmp_path_factory.mktemp("slurm"))
    yield slurm
    slurm.close()


@pytest.fixture
def node(
    a_node: SlurmNode, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Generator[SlurmNode]:
    """Slurm on this machine, without a job; no process of a shard is left after the test."""
    from harness.extensions.cluster import slurm_engine

    monkeypatch.setenv("SLURM_CONF", str(a_node.file))
    monkeypatch.setattr(slurm_engine, "_POLL_S", 0.5)
    monkeypatch.setattr(slurm_engine, "_RESULT_S", 2.0)
    a_node.wait_for_jobs()  # those of the test before may still be completing
    yield a_node
    require_no_process_in(tmp_path)


@pytest.fixture
def slow_sweep(tmp_path: Path) -> Sweep:
    """A sweep of 60 trials with at least 50 ms each."""
    backend = tmp_path / "slow.py"
    backend.write_text(slow_backend())
    return Sweep.from_options(SWEEP | {"backends": [str(backend)], "repeat": 2})


def engine_in(folder: Path, partition: str | None = None) -> Callable[[ShardPlan], Engine]:
    from harness.extensions.cluster.slurm_engine import SlurmEngine

    return lambda plan: SlurmEngine(folder / "slurm", 1, 10, partition)


def test_an_error_names_what_is_missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from harness.extensions.cluster.slurm_engine import SlurmEngine

    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(InputError, match="sbatch is missing"):
        SlurmEngine(tmp_path / "slurm", 1, 10)
    (tmp_path / "sbatch").touch(0o755)
    (tmp_path / "queued.json").write_text("[1]")
    with pytest.raises(InputError, match=r"queued\.json"):
        SlurmEngine(tmp_path, 1, 10)


@pytest.mark.long
def test_the_shards_of_a_sweep_on_a_node(node: SlurmNode, tmp_path: Path) -> None:
    sweep, folder = Sweep.from_options(SWEEP | {"backends": ["native"]}), tmp_path / "run"
    arrays: set[str] = set()

    class Looks(CoordinatorObserver):
        def changed(self, status: ClusterStatus) -> None:
            if (queue := folder / "slurm" / "queued.json").exists():
                ids: dict[str, str] = json.loads(queue.read_text())
                arrays.update(job_id.partition("_")[0] for job_id in ids.values())

    status = run_on(sweep, folder, engine_in(folder), shards=4, coordinator_observer=Looks())
    assert status.is_complete
    assert list(status.machines.values()) == [4]
    require_each_trial_once(folder, 30)
    assert not (folder / "slurm").exists()
    assert len(arrays) > 1  # arrays of 3 at most


@pytest.mark.long
@pytest.mark.parametrize(
    "command", ["scancel", "scancel --signal=KILL", "scontrol requeue", "scancel --signal=USR2"]
)
def test_a_job_that_is_stopped_loses_nothing(
    node: SlurmNode, tmp_path: Path, slow_sweep: Sweep, command: str
) -> None:
    folder = tmp_path / "run"
    stops: list[str] = []

    def stop() -> None:
        """Stop a job that has finished trials."""
        wait_for(lambda: [*folder.glob("slurm/scratch/*/*/run/trials.sqlite")])
        stops.append(node.running()[0])
        node.output(*command.split(), stops[0])

    stopper = threading.Thread(target=stop)
    stopper.start()
    status = run_on(slow_sweep, folder, engine_in(folder), shards=2)
    stopper.join()
    if command.endswith(("requeue", "USR2")):  # as at the time limit of a job
        newest = node.output("sbatch", "--parsable", "--output=/dev/null", "--wrap=true")
        assert int(newest) <= int(stops[0].partition("_")[0]) + 2, "the job was queued again"
    assert status.is_complete
    require_each_trial_once(folder, 30 * 2)


@pytest.mark.long
def test_jobs_outlive_their_coordinator(node: SlurmNode, tmp_path: Path, slow_sweep: Sweep) -> None:
    sweep = tmp_path / "sweep.toml"
    sweep.write_text('datasets = "named"\nbackends = "slow.py"\nrepeat = 2\n')
    command = [sys.executable, "-m", "harness", "cluster", "run", str(sweep)]
    command += ["--on", "slurm", "--shards", "4"]
    first = subprocess.Popen([*command, "--out", "run"], cwd=tmp_path)
    wait_for(node.running)
    first.kill()
    first.wait()
    job = int(node.output("squeue", "--noheader", "--format=%A").split()[0])
    second = subprocess.run(
        [*command, "--out", "run"], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert second.returncode == 0, second.stderr
    require_each_trial_once(tmp_path / "run", 30 * 2)
    newest = node.output("sbatch", "--parsable", "--output=/dev/null", "--wrap=true")
    assert int(newest) <= job + 4  # the four shards were queued once


@pytest.mark.long
def test_a_partition_that_does_not_exist_is_named(node: SlurmNode, tmp_path: Path) -> None:
    folder = tmp_path / "run"
    with pytest.raises(InputError, match="slurm:nowhere"):
        run_on(Sweep.from_options(SWEEP), folder, engine_in(folder, partition="nowhere"))
