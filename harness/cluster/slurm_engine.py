"""The engine of a Slurm cluster: arrays of jobs, made by submitit.

All three work without Slurm's accounting, which `sacct` needs.

The folder of the run has to be on a file system that all nodes see: jobs and results are files
there. A coordinator that goes on takes over the jobs that an earlier one has queued.
"""

import platform
import re
import shutil
from collections import deque
from collections.abc import Mapping, Sequence
from math import ceil
from pathlib import Path
from time import monotonic, sleep
from typing import Any, Final, NamedTuple

import msgspec
from submitit import AutoExecutor
from submitit.core.utils import DelayedSubmission, FailedJobError, FailedSubmissionError

from harness.child import output_of
from harness.cluster.carrying import carry_out
from harness.cluster.engine import (
    Engine,
    Event,
    JobEnded,
    JobLost,
    JobResult,
    JobStarted,
    PlaceExcluded,
    ShardJob,
)
from harness.errors import InputError, RunError
from harness.files import replace_file
from harness.text import last_line

# What a Slurm site allows and what its queue has, from `scontrol`, `sinfo` and `squeue`.


_COMMAND_S: Final = 60.0
"""Seconds to wait for a command of Slurm; a busy controller takes some."""
_LONGEST_OUTPUT: Final = 2**26
"""Bytes that a command of Slurm may print: the queue of a user has some thousand lines."""
_ARRAY: Final = 1_000
"""The longest array if the site does not say; Slurm's own default is one more."""


class QueuedJob(NamedTuple):
    """A job in the queue."""

    state: str
    """In Slurm's words: ``PENDING``, ``RUNNING``."""
    node: str
    """The name of its node; empty if it has none yet."""


def is_here() -> bool:
    """Whether this machine has the commands of Slurm."""
    return shutil.which("sbatch") is not None


def longest_array() -> int:
    """The longest array of jobs that the site allows."""
    found = re.search(
        r"^MaxArraySize\s*=\s*(\d+)", _output("scontrol", "show", "config") or "", re.M
    )
    return max(1, min(_ARRAY, int(found[1]) - 1)) if found else _ARRAY


def number_of_nodes(partition: str | None, excluded: Sequence[str]) -> int:
    """The nodes of a partition, or of the site's default one, that are not excluded.

    1 if Slurm does not answer.
    """
    shown = _output("sinfo", "--noheader", "--Node", "--format=%N %P")
    if shown is None:
        return 1
    rows = [line.split() for line in shown.splitlines()]
    nodes = {
        node
        for node, of in rows
        if (of.rstrip("*") == partition if partition else of.endswith("*")) and node not in excluded
    }
    return len(nodes)


def queue() -> Mapping[str, QueuedJob] | None:
    """The jobs of this user that wait or run, by their ids; None if Slurm does not answer."""
    shown = _output("squeue", "--me", "--noheader", "--array", "--format=%i|%T|%N")
    if shown is None:
        return None
    rows = (line.split("|") for line in shown.splitlines())
    return {job_id: QueuedJob(state, node) for job_id, state, node in rows}


def exclude(job_ids: Sequence[str], nodes: Sequence[str]) -> None:
    """Keep waiting jobs from these nodes; those that have begun stay where they are."""
    for array in dict.fromkeys(job_id.partition("_")[0] for job_id in job_ids):
        _output("scontrol", "update", f"JobId={array}", f"ExcNodeList={','.join(nodes)}")


def cancel(job_ids: Sequence[str]) -> None:
    """Take jobs out of the queue, and end those that run."""
    if job_ids:
        _output("scancel", *job_ids)


def _output(*command: str) -> str | None:
    """What a command prints; None if it fails."""
    try:
        end = output_of(command, most_bytes=_LONGEST_OUTPUT, seconds=_COMMAND_S)
        return None if end.code else end.output.decode()
    except (OSError, UnicodeDecodeError):
        return None


# The engine of a Slurm cluster: arrays of jobs, made by submitit.


_MOST_QUEUED: Final = 1_000
"""Jobs in the queue at most; sites often limit a user to some thousand."""
_POLL_S: Final = 5.0
"""Seconds between two looks at the queue."""
_LOOK_S: Final = 0.2
_RESULT_S: Final = 15.0
"""Seconds after the end of a job in which its result may come into sight over the network."""
_SLACK: Final = 3.0
_SLACK_MIN: Final = 10
"""The time limit of a job: a multiple of the expected time, and minutes besides."""
_UNKNOWN_MIN: Final = 24 * 60
"""Minutes of a job whose time is unknown."""
_QUEUED: Final = "queued.json"
_SCRATCH: Final = "scratch"
_BEGUN: Final = ("RUNNING", "COMPLETING")
_SHOWN_BY: Final = "a partition that sinfo shows"
_HERE: Final = "local"
"""The executor of submitit that runs jobs on this machine without Slurm."""


class _Task:
    """What a node runs; Slurm may stop it and put it into the queue again."""

    def __init__(self, job: bytes, scratch: Path) -> None:
        self._job, self._scratch = job, scratch

    def __call__(self) -> bytes:
        return carry_out(ShardJob.decoded(self._job), self._scratch).encoded()

    def checkpoint(self) -> Any:
        """The task itself: its shard goes on where its folder is."""
        return DelayedSubmission(self)


class SlurmEngine(Engine):
    """Carries out jobs on the nodes of a Slurm cluster.

    Args:
        folder: a folder that all nodes see; it keeps jobs, results and logs.
        cores: cores of each job.
        partition: the partition; None for that of the site.
        kind: the executor of submitit; ``local`` runs jobs on this machine without Slurm.

    Raises:
        InputError: there is no Slurm here.
        RunError: the folder has a file with another content.
    """

    def __init__(
        self, folder: Path, cores: int, partition: str | None = None, kind: str = "slurm"
    ) -> None:
        if kind != _HERE and not is_here():
            raise InputError("sbatch is missing", where="--on slurm", expected="a node with Slurm")
        self._folder, self._cores, self._partition, self._kind = folder, cores, partition, kind
        folder.mkdir(parents=True, exist_ok=True)
        self._most_queued = _MOST_QUEUED
        self._longest_array = 1 if kind == _HERE else longest_array()
        self._nodes = 1 if kind == _HERE else number_of_nodes(partition, ())
        if not self._nodes:
            where = f"--on slurm{(partition and f':{partition}') or ''}"
            raise InputError("no node has this partition", where=where, expected=_SHOWN_BY)
        self._new: list[ShardJob] = []
        self._events: deque[Event] = deque()
        self._excluded: list[str] = []
        self._queued: dict[str, Any] = {}
        self._begun: dict[str, str] = {}
        self._gone: dict[str, float] = {}
        self._taken: dict[int, Any] = {}
        self._polled_at = float("-inf")
        for key, job_id in self._read_queued().items():
            self._queued[key] = self._executor(()).job_class(folder, job_id)
        self._adopted = {key: _number(key) for key in self._queued}

    def adopted(self) -> Mapping[str, int]:
        """The numbers of the shards that an earlier coordinator has queued, by key."""
        return self._adopted

    def room(self) -> int:
        """Jobs that the queue still takes."""
        return max(0, self._most_queued - len(self._queued) - len(self._new))

    def places(self) -> int:
        """The nodes of the partition that are not excluded."""
        return self._nodes

    def submit(self, job: ShardJob) -> None:
        """Keep a job for the next array, and remove what merged shards have left."""
        for number in job.merged:
            if number in self._taken:
                _remove_files(self._taken.pop(number))
        self._new.append(job)

    def exclude(self, place: str, reason: str) -> None:
        """Give this node no jobs; those that have begun there stay."""
        self._excluded.append(place)
        self._events.append(PlaceExcluded(place, reason))
        if self._kind == _HERE:
            self._nodes = 0
            return
        job_ids = [job.job_id for job in self._queued.values()]
        self._nodes = number_of_nodes(self._partition, self._excluded)
        if self._nodes:
            exclude(job_ids, self._excluded)
        else:
            cancel(job_ids)

    def events(self, timeout_s: float) -> Sequence[Event]:
        """What has happened since the last call."""
        self._queue_new()
        deadline = monotonic() + timeout_s
        while True:
            self._poll()
            if self._events or monotonic() > deadline:
                found = list(self._events)
                self._events.clear()
                return found
            sleep(_LOOK_S)

    def forget(self) -> None:
        """Remove the jobs, results and logs of all shards."""
        shutil.rmtree(self._folder, ignore_errors=True)

    def close(self) -> None:
        """Leave the queue as it is: another coordinator takes its jobs over."""

    def _queue_new(self) -> None:
        """Submit what fits into the queue, in arrays that the site accepts."""
        while self._new and self._nodes:
            free = self._most_queued - len(self._queued)
            array = self._new[: min(free, self._longest_array)]
            if not array:
                return
            tasks = [_Task(job.encoded(), self._folder / _SCRATCH) for job in array]
            try:
                queued = self._executor(array).map_array(_call, tasks)
            except (OSError, FailedJobError, FailedSubmissionError) as error:
                self._accept_limit(len(array), last_line(str(error)))
                continue
            del self._new[: len(array)]
            self._queued |= {job.key: of for job, of in zip(array, queued, strict=True)}
            self._write_queued()

    def _accept_limit(self, length: int, reason: str) -> None:
        """Submit shorter arrays, or fewer jobs, after the site has refused one of this length.

        Raises:
            InputError: it refuses every job.
        """
        if length > 1:
            self._longest_array = length // 2
        elif self._queued:
            self._most_queued = len(self._queued)
        else:
            raise InputError(
                f"Slurm takes no job: {reason}",
                where="--on slurm",
                expected="a partition and limits that allow this job",
            )

    def _executor(self, array: Sequence[ShardJob]) -> Any:
        executor = AutoExecutor(folder=self._folder, cluster=self._kind)
        known = [job.expected_s for job in array if job.expected_s is not None]
        minutes = ceil(_SLACK * max(known) / 60) + _SLACK_MIN if known else _UNKNOWN_MIN
        executor.update_parameters(timeout_min=minutes, cpus_per_task=self._cores)
        if self._kind != _HERE:
            options: dict[str, Any] = {"requeue": True, "hint": "nomultithread"}
            if self._excluded:
                options["exclude"] = ",".join(self._excluded)
            executor.update_parameters(
                slurm_array_parallelism=_MOST_QUEUED,
                slurm_job_name="sudoku-harness",
                slurm_srun_args=[f"--cpus-per-task={self._cores}"],
                slurm_additional_parameters=options,
            )
            if self._partition:
                executor.update_parameters(slurm_partition=self._partition)
        return executor

    def _poll(self) -> None:
        """Compare the jobs with the queue, now and then."""
        if not self._queued or monotonic() < self._polled_at + _POLL_S:
            return
        self._write_queued()  # without the jobs that the coordinator has taken
        self._polled_at = monotonic()
        queue = self._queue()
        if queue is None:
            return
        for key, job in list(self._queued.items()):
            known = queue.get(job.job_id)
            if known is None:
                self._end(key, job)
            elif known.state in _BEGUN and key not in self._begun:
                self._begun[key] = known.node
                self._events.append(JobStarted(key, known.node))

    def _queue(self) -> Mapping[str, QueuedJob] | None:
        if self._kind != _HERE:
            return queue()
        jobs = [job for job in self._queued.values() if job.state == "RUNNING"]
        return {job.job_id: QueuedJob(job.state, platform.node()) for job in jobs}

    def _end(self, key: str, job: Any) -> None:
        """Take the result of a job that the queue no longer has."""
        if not job.paths.result_pickle.exists():
            if monotonic() < self._gone.setdefault(key, monotonic()) + _RESULT_S:
                return
            self._lose(key, job, "ended without its trials")
            return
        error = job.exception()
        if error is not None:
            self._lose(key, job, f"failed: {last_line(str(error))}")
            return
        del self._queued[key]
        result = JobResult.decoded(job.result())
        self._taken[result.number] = job
        self._events.append(JobEnded(key, self._begun.get(key, result.host), result))

    def _lose(self, key: str, job: Any, how: str) -> None:
        del self._queued[key]
        log = last_line(job.stderr() or "")
        self._events.append(JobLost(key, f"job {job.job_id} {how}{log and f': {log}'}"))
        _remove_files(job)

    def _read_queued(self) -> dict[str, str]:
        path = self._folder / _QUEUED
        if not path.exists():
            return {}
        try:
            return msgspec.json.decode(path.read_bytes(), type=dict[str, str])
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise RunError(f"not a list of queued jobs: {error}", where=str(path)) from None

    def _write_queued(self) -> None:
        content = {key: job.job_id for key, job in self._queued.items()}
        replace_file(self._folder / _QUEUED, msgspec.json.encode(content))


def _call(task: _Task) -> bytes:
    return task()


def _number(key: str) -> int:
    """The number of the shard in the key of a job."""
    return int(key.split("-")[1])


def _remove_files(job: Any) -> None:
    """Remove the task, the result and the logs of a job."""
    paths = job.paths
    for path in (paths.submitted_pickle, paths.result_pickle, paths.stdout, paths.stderr):
        path.unlink(missing_ok=True)
