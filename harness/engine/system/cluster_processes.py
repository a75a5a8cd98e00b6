"""Processes of clusters on this machine that measure nothing: schedulers and coordinators."""

import os
from collections.abc import Collection, Sequence
from itertools import pairwise
from pathlib import Path, PurePath
from typing import Final

_SCHEDULERS: Final = ("dask-scheduler", "dask_scheduler", "distributed.cli.dask_scheduler")
_PROC: Final = Path("/proc")


def cluster_processes(cores: Collection[int]) -> list[str] | None:
    """The schedulers of Dask and the coordinators that may run on some of these cores.

    Returns:
        Their names, as in ``dask scheduler (process 812)``; None if the system does not show
        processes.
    """
    if not _PROC.is_dir() or not hasattr(os, "sched_getaffinity"):
        return None
    found = []
    for entry in _PROC.iterdir():
        if not entry.name.isdigit():
            continue
        try:
            words = (entry / "cmdline").read_bytes().decode(errors="replace").split("\0")
            if (kind := _kind(words)) and os.sched_getaffinity(int(entry.name)) & {*cores}:
                found.append(f"{kind} (process {entry.name})")
        except OSError:
            continue  # it has ended, or belongs to another user
    return sorted(found)


def _kind(words: Sequence[str]) -> str:
    """What a command line starts; empty if it is neither."""
    names = [PurePath(word).name for word in words]
    if not {*names}.isdisjoint(_SCHEDULERS) or ("dask", "scheduler") in pairwise(names):
        return "dask scheduler"
    is_engine = any(word == "--on" or word.startswith("--on=") for word in words)
    return "harness run --on" if is_engine and {"harness", "run"} <= {*names} else ""
