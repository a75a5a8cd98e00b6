"""Carrying out jobs in real processes: what they need, what stops them, what they leave."""

import os
import signal
import socket
import sqlite3
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from pathlib import Path

import pytest
from msgspec import structs

from harness.engine.system import kernel, processes
from harness.engine.system.kernel import reserved_cores, usable_cores
from harness.extensions.cluster.carrying import carry_out, forget
from harness.extensions.cluster.engine import JobEnd, ShardJob
from harness.extensions.cluster.packing import Packer
from harness.extensions.cluster.shards import ShardPlan
from tests.extensions.cluster.checks import processes_in, slow_backend, wait_for
from tests.extensions.cluster.conftest import MakePlan


@pytest.fixture
def slow_job(make_plan: MakePlan, tmp_path: Path) -> ShardJob:
    """A job of twelve trials of 0.3 seconds each, on a backend in a file."""
    backend = tmp_path / "slow.py"
    backend.write_text(slow_backend(0.3))
    job = Packer(make_plan(1, backends=[str(backend)])).job(1)
    backend.unlink()
    return job


def finished_trials(scratch: Path, job: ShardJob) -> int:
    store = scratch / job.run / f"{job.number:04d}" / "run" / "trials.sqlite"
    with suppress(sqlite3.Error), closing(sqlite3.connect(f"file:{store}?mode=ro", uri=True)) as db:
        return int(db.execute("SELECT count(*) FROM trials").fetchone()[0])
    return 0  # there is no store yet


def test_a_job_is_the_same_after_transport(plan: ShardPlan) -> None:
    job = Packer(plan).job(2)
    assert ShardJob.decoded(job.encoded()) == job
    assert len(job.encoded()) < 10_000


@pytest.mark.long
def test_a_job_goes_on_where_an_earlier_one_was_stopped(slow_job: ShardJob, tmp_path: Path) -> None:
    scratch = tmp_path / "scratch"
    first = carry_out(slow_job, scratch, is_over=lambda: finished_trials(scratch, slow_job) > 2)
    assert first.end is JobEnd.STOPPED
    before = finished_trials(scratch, slow_job)
    assert 2 < before < 12
    second = carry_out(slow_job, scratch)
    assert second.end is JobEnd.COMPLETE, second.reason
    assert b'"attempt"' in second.files["shard.json"]
    assert finished_trials(scratch, slow_job) == 12
    forget(slow_job.run, scratch)
    assert not list(scratch.iterdir())


@pytest.mark.long
def test_the_process_of_a_shard_ends_with_its_parent(slow_job: ShardJob, tmp_path: Path) -> None:
    (tmp_path / "job").write_bytes(slow_job.encoded())
    code = (
        "import sys; from pathlib import Path\n"
        "from harness.extensions.cluster.carrying import carry_out\n"
        "from harness.extensions.cluster.engine import ShardJob\n"
        "carry_out(ShardJob.decoded(Path('job').read_bytes()), Path('scratch'))\n"
    )
    parent = subprocess.Popen([sys.executable, "-c", code], cwd=tmp_path)
    wait_for(lambda: finished_trials(tmp_path / "scratch", slow_job) >= 2, 30)
    below = processes.descendants(parent.pid)
    assert below
    os.kill(parent.pid, signal.SIGKILL)
    parent.wait()
    wait_for(lambda: not any(processes.is_alive(pid) for pid in below), 15)
    again = carry_out(slow_job, tmp_path / "scratch")
    assert again.end is JobEnd.COMPLETE


@pytest.mark.long
def test_a_killed_shard_is_a_failure_and_goes_on(slow_job: ShardJob, tmp_path: Path) -> None:
    with ThreadPoolExecutor() as threads:
        future = threads.submit(carry_out, slow_job, tmp_path)
        wait_for(lambda: finished_trials(tmp_path, slow_job), 30)
        os.kill(min(processes_in(tmp_path / slow_job.run)), signal.SIGKILL)
    assert future.result().end is JobEnd.FAILED
    assert future.result().reason.startswith("the process of the shard was killed by SIGKILL")
    assert carry_out(slow_job, tmp_path).end is JobEnd.COMPLETE


@pytest.mark.long
def test_two_jobs_of_one_shard_take_turns(plan: ShardPlan, tmp_path: Path) -> None:
    job = Packer(plan).job(1)
    with ThreadPoolExecutor() as threads:
        first, second = threads.map(carry_out, [job, job], [tmp_path, tmp_path])
    assert first.end is second.end is JobEnd.COMPLETE
    assert first.files["shard.json"] == second.files["shard.json"]


def test_other_software_is_refused(plan: ShardPlan, tmp_path: Path) -> None:
    job = Packer(plan).job(1)
    text = job.files[job.shard_file].replace(b"sudoku-harness = ", b"other-package = ")
    result = carry_out(structs.replace(job, files=job.files | {job.shard_file: text}), tmp_path)
    assert result.end is JobEnd.REFUSED
    assert "other-package missing here" in result.reason
    assert result.files == {}


def test_a_broken_process_is_a_failure_with_its_output(plan: ShardPlan, tmp_path: Path) -> None:
    job = Packer(plan).job(1)
    (tmp_path / "file").touch()
    without_file = structs.replace(job, shard_file="missing.toml")
    broken = (carry_out(without_file, tmp_path), carry_out(job, tmp_path / "file"))
    assert {result.end for result in broken} == {JobEnd.FAILED}
    assert "missing.toml" in broken[0].reason
    assert "Not a directory" in broken[1].reason


@pytest.mark.skipif(sys.platform != "linux", reason="cores are reserved on Linux only")
def test_no_core_is_reserved_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    prefix = f"\0test-{os.getpid()}/{{}}"  # other tests reserve cores at the same time
    monkeypatch.setattr(kernel, "_NAME", prefix)
    every = usable_cores()
    jobs = []
    for core in every:
        name = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        name.bind(prefix.format(core))
        jobs.append(name)
    notices: list[str] = []

    def free(notice: str) -> None:
        notices.append(notice)
        jobs.pop(0).close()

    with reserved_cores(1, free) as cores:
        assert list(cores) == [every[0]]
    assert notices == ["other shards use the cores of this machine; waiting for 1 free core"]
    for name in jobs:
        name.close()
    with reserved_cores(len(every) + 1) as cores:
        assert list(cores) == []
    with reserved_cores(len(every)) as cores:
        assert sorted(cores) == every
