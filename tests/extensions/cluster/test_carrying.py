"""Carrying out jobs in real processes: what they need, what stops them, what they leave."""

import os
import signal
import socket
import subprocess
import sys
import threading
from pathlib import Path
from time import monotonic, sleep

import pytest
from msgspec import structs

from harness.engine.system import kernel, processes
from harness.engine.system.kernel import reserved_cores, usable_cores
from harness.extensions.cluster.carrying import carry_out, forget
from harness.extensions.cluster.engine import JobEnd, ShardJob
from harness.extensions.cluster.packing import Packer
from harness.extensions.cluster.shards import ShardPlan
from tests.extensions.cluster.checks import processes_in, slow_backend
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
    if not store.exists():
        return 0
    import sqlite3

    with sqlite3.connect(f"file:{store}?mode=ro", uri=True) as db:
        try:
            return int(db.execute("SELECT count(*) FROM trials").fetchone()[0])
        except sqlite3.Error:
            return 0


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
    deadline = monotonic() + 30
    while finished_trials(tmp_path / "scratch", slow_job) < 2:
        assert monotonic() < deadline
        sleep(0.05)
    below = processes.descendants(parent.pid)
    assert below
    os.kill(parent.pid, signal.SIGKILL)
    parent.wait()
    deadline = monotonic() + 15
    while any(processes.is_alive(pid) for pid in below):
        assert monotonic() < deadline, "processes are left"
        sleep(0.05)
    again = carry_out(slow_job, tmp_path / "scratch")
    assert again.end is JobEnd.COMPLETE


@pytest.mark.long
def test_a_shard_that_is_killed_is_a_failure_and_goes_on(
    slow_job: ShardJob, tmp_path: Path
) -> None:
    ends = []
    thread = threading.Thread(target=lambda: ends.append(carry_out(slow_job, tmp_path)))
    thread.start()
    deadline = monotonic() + 30
    while not finished_trials(tmp_path, slow_job):
        assert monotonic() < deadline
        sleep(0.05)
    os.kill(min(processes_in(tmp_path / slow_job.run)), signal.SIGKILL)
    thread.join()
    assert ends[0].end is JobEnd.FAILED
    assert ends[0].reason.startswith("the process of the shard was killed by SIGKILL")
    assert carry_out(slow_job, tmp_path).end is JobEnd.COMPLETE


@pytest.mark.long
def test_two_jobs_of_one_shard_take_turns(plan: ShardPlan, tmp_path: Path) -> None:
    job = Packer(plan).job(1)
    ends = []
    threads = [
        threading.Thread(target=lambda: ends.append(carry_out(job, tmp_path))) for _ in range(2)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [result.end for result in ends] == [JobEnd.COMPLETE, JobEnd.COMPLETE]
    assert len({result.files["shard.json"] for result in ends}) == 1


def test_other_software_is_refused(plan: ShardPlan, tmp_path: Path) -> None:
    job = Packer(plan).job(1)
    text = job.files[job.shard_file].replace(b"sudoku-harness = ", b"other-package = ")
    job_with_change = structs.replace(job, files={**job.files, job.shard_file: text})
    result = carry_out(job_with_change, tmp_path)
    assert result.end is JobEnd.REFUSED
    assert "other-package missing here" in result.reason
    assert result.files == {}


def test_a_process_that_breaks_is_a_failure_with_its_final_output(
    plan: ShardPlan, tmp_path: Path
) -> None:
    job = Packer(plan).job(1)
    result = carry_out(structs.replace(job, shard_file="missing.toml"), tmp_path)
    assert result.end is JobEnd.FAILED
    assert "missing.toml" in result.reason
    (tmp_path / "file").write_text("")
    result = carry_out(job, tmp_path / "file")
    assert result.end is JobEnd.FAILED
    assert "Not a directory" in result.reason


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
