"""What a Slurm site allows and what its queue has, from `scontrol`, `sinfo` and `squeue`.

All three work without Slurm's accounting, which `sacct` needs.
"""

import re
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

_COMMAND_S: Final = 60.0
"""Seconds to wait for a command of Slurm; a busy controller takes some."""
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
        ended = subprocess.run(
            command, capture_output=True, text=True, check=True, timeout=_COMMAND_S
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return ended.stdout
