"""Schedulers and coordinators on this machine."""

import os
import subprocess
import sys
from collections.abc import Generator, Sequence
from contextlib import contextmanager

import pytest

from harness.engine.system.kernel import usable_cores
from harness.engine.system.machine import cluster_processes


@contextmanager
def running(words: Sequence[str], cores: Sequence[int]) -> Generator[int]:
    """A process with these words in its command line, on these cores."""
    code = "import sys; print('ready', flush=True); sys.stdin.read()"
    command = [sys.executable, "-c", code, *words]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.readline()
        os.sched_setaffinity(process.pid, cores)
        yield process.pid


@pytest.mark.parametrize(
    ("words", "kind"),
    [
        (["/opt/bin/dask", "scheduler", "--port", "1"], "dask scheduler"),
        (["/opt/bin/dask-scheduler"], "dask scheduler"),
        (["-m", "distributed.cli.dask_scheduler"], "dask scheduler"),
        (["/opt/bin/harness", "run", "a.toml", "--on", "slurm"], "harness run --on"),
        (["-m", "harness", "run", "a.toml", "--on=slurm"], "harness run --on"),
        (["dask", "worker", "scheduler"], ""),
        (["harness", "run", "a.toml"], ""),
        (["harness", "report", "--on"], ""),
    ],
)
def test_what_is_a_process_of_a_cluster(words: Sequence[str], kind: str) -> None:
    with running(words, usable_cores()) as pid:
        found = cluster_processes(usable_cores()) or []
    assert [name for name in found if f"process {pid})" in name] == (
        [f"{kind} (process {pid})"] if kind else []
    )


def test_a_process_on_other_cores_is_no_problem() -> None:
    first, *others = usable_cores()
    if not others:
        pytest.skip("one core")
    with running(["dask", "scheduler"], [first]) as pid:
        assert any(str(pid) in name for name in cluster_processes([first]) or [])
        assert not any(str(pid) in name for name in cluster_processes(others) or [])
