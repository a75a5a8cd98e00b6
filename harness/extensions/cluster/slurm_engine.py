"""The engine of a Slurm cluster: arrays of jobs, made by submitit.

It works without Slurm's accounting, which submitit itself needs for the states of jobs.

The folder of the run must be on a file system that all nodes can access: jobs and results are
files there. A later coordinator takes over the jobs that an earlier one has queued.
"""

import os
import shutil
from collections.abc import Generator
from pathlib import Path
from time import monotonic, sleep
from typing import Any, Final

import msgspec
from submitit import SlurmExecutor, SlurmJob
from submitit.core.utils import FailedJobError, FailedSubmissionError
from submitit.helpers import Checkpointable

from harness.base.child import output_of
from harness.base.errors import InputError, RunError
from harness.base.files import replace_file
from harness.base.text import last_line
from harness.extensions.cluster.carrying import carry_out
from harness.extensions.cluster.engine import Engine, JobEnd, JobResult, NextJob, ShardJob

_MOST_QUEUED: Final = 1_000
"""Maximum number of jobs in the queue; sites often limit a user to a few thousand."""
_POLL_S: Final = 5.0
"""Seconds between two checks of the queue."""
_RESULT_S: Final = 15.0
"""Seconds after the end of a job until its result counts as missing: network file systems lag."""


class _Task(Checkpointable):  # type: ignore[misc]  # submitit has no types for it
    """What a node runs; submitit queues it again at its time limit."""

    def __init__(self, job: ShardJob, scratch: Path) -> None:
        self._job, self._scratch = job, scratch

    def __call__(self) -> tuple[str, JobResult]:
        """Carry out the job; return the name of the node, and the result."""
        return os.environ["SLURMD_NODENAME"], carry_out(self._job, self._scratch)


class SlurmEngine(Engine):
    """Carries out jobs on the nodes of a Slurm cluster.

    Args:
        folder: a folder that all nodes can access; it keeps jobs, results and logs.
        cores: the number of cores of each job.
        minutes: the time limit of a job; a job that exceeds it is queued again and continues.
        partition: the partition; None for the default of the site.

    Raises:
        InputError: there is no Slurm here.
        RunError: the list of queued jobs in the folder is damaged.
    """

    def __init__(
        self, folder: Path, cores: int, minutes: int, partition: str | None = None
    ) -> None:
        super().__init__()
        self._folder, self._cores = folder, cores
        self._queue_file = folder / "queued.json"
        self._minutes, self._partition = minutes, partition
        if shutil.which("sbatch") is None:
            raise InputError("sbatch is missing", where="--on slurm", expected="a node with Slurm")
        folder.mkdir(parents=True, exist_ok=True)
        self._longest_array = _MOST_QUEUED
        job_ids = self._read_queue()
        self._queued = {number: SlurmJob(folder, job_id) for number, job_id in job_ids.items()}
        """The jobs of submitit, by the number of their shard."""
        self._gone: dict[str, float] = {}
        """When each job was first missing from the queue, by its id."""
        self.adopted = job_ids.keys()

    def results(self, next_job: NextJob) -> Generator[JobResult]:
        """Queue all jobs that the site accepts, and check the queue every few seconds."""
        waiting: list[ShardJob] = []
        while True:
            while len(self._queued) + len(waiting) < _MOST_QUEUED and (job := next_job()):
                waiting.append(job)
            self._queue(waiting)
            if not self._queued:
                return
            sleep(_POLL_S)
            for number, job in self._ended_jobs():
                result = self._result(number, job)
                self._queued.pop(number)
                yield result
            self._write_queue()  # without the jobs that the coordinator has taken

    def forget(self) -> None:
        """Remove the jobs, results and logs of all shards."""
        shutil.rmtree(self._folder, ignore_errors=True)

    def _queue(self, waiting: list[ShardJob]) -> None:
        """Move jobs into the queue, in arrays that the site accepts, until it accepts no more.

        Raises:
            InputError: Slurm refuses every job.
        """
        where = f"--on slurm:{self._partition}" if self._partition else "--on slurm"
        while waiting:
            array = waiting[: self._longest_array]
            tasks = [_Task(job, self._folder / "scratch") for job in array]
            try:
                jobs = self._executor().submit_array(tasks)
            except (OSError, FailedJobError, FailedSubmissionError) as error:
                if len(array) > 1:
                    self._longest_array = len(array) // 2
                    continue
                if self._queued:
                    return
                raise InputError(
                    f"Slurm accepts no job: {last_line(str(error))}",
                    where=where,
                    expected="a partition and limits that allow this job",
                ) from None
            del waiting[: len(array)]
            self._queued |= zip((job.number for job in array), jobs, strict=True)
            self._write_queue()

    def _executor(self) -> SlurmExecutor:
        executor = SlurmExecutor(folder=self._folder)
        executor.update_parameters(
            time=self._minutes,
            cpus_per_task=self._cores,
            array_parallelism=_MOST_QUEUED,
            job_name="sudoku-harness",
            srun_args=[f"--cpus-per-task={self._cores}"],
            partition=self._partition,
            exclude=",".join(self.refused) or None,
            additional_parameters={"requeue": True, "hint": "nomultithread"},
        )
        return executor

    def _ended_jobs(self) -> list[tuple[int, Any]]:
        """The jobs that have left the queue for good, with the numbers of their shards."""
        command = ("squeue", "--me", "--noheader", "--array", "--format=%i")
        try:
            # A busy controller takes a few seconds; the queue of a user has some thousand lines.
            end = output_of(command, most_bytes=2**26, seconds=60)
        except OSError:
            return []
        if end.code:  # Slurm does not answer
            return []
        present = set(end.output.decode().split())
        jobs = []
        for number, job in self._queued.items():
            if job.job_id in present:
                continue
            gone_s = monotonic() - self._gone.setdefault(job.job_id, monotonic())
            if job.paths.result_pickle.exists() or gone_s > _RESULT_S:
                jobs.append((number, job))
        return jobs

    def _result(self, number: int, job: Any) -> JobResult:
        """The result of a job that has ended."""
        if not job.paths.result_pickle.exists():
            reason = "ended without a result"
        elif (error := job.exception()) is not None:
            reason = f"failed: {last_line(str(error))}"
        else:
            result: JobResult
            node, result = job.result()
            self.note(node, result)
            return result
        log = last_line(job.stderr() or "")
        reason = f"job {job.job_id} {reason}{log and f': {log}'}"
        return JobResult(number=number, host="", end=JobEnd.FAILED, reason=reason)

    def _read_queue(self) -> dict[int, str]:
        """The ids of the jobs that an earlier coordinator has queued, by shard."""
        file = self._queue_file
        if not file.exists():
            return {}
        try:
            return msgspec.json.decode(file.read_bytes(), type=dict[int, str])
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise RunError(f"not a list of queued jobs: {error}", where=str(file)) from None

    def _write_queue(self) -> None:
        content = {number: job.job_id for number, job in self._queued.items()}
        replace_file(self._queue_file, msgspec.json.encode(content))
