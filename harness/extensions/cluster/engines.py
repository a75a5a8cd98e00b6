"""The engines by the text that selects them, and the engine of this machine."""

import re
from collections.abc import Callable
from math import ceil
from pathlib import Path
from typing import Final

from harness.base.errors import InputError, OptionError
from harness.engine.system import confine, usable_cores
from harness.extensions.cluster.carrying import carry_out, forget
from harness.extensions.cluster.engine import Engine, JobResult, ShardJob, ThreadedEngine
from harness.extensions.cluster.shards import ShardPlan

# The engine of this machine: some shards at a time, each on cores of its own.


class LocalEngine(ThreadedEngine):
    """Carries out shards on this machine.

    The thread that makes the engine runs on the cores that the shards do not need, and on all
    cores again once it closes the engine.

    Args:
        run: the name of the run.
        cores: the number of trials of a shard that run at the same time.
        workers: the number of shards that run at the same time; by default as many as leave a
            core for the coordinator, at least one.
    """

    def __init__(self, run: str, cores: int, workers: int | None = None) -> None:
        self._run = run
        self._usable = usable_cores()
        number = workers or max(1, (len(self._usable) - 1) // cores)
        spare = max(0, len(self._usable) - number * cores)
        self._measured = self._usable[spare:] if spare else []
        super().__init__([f"worker {worker}" for worker in range(1, number + 1)])
        confine(self._usable[:spare])

    def carry_out(self, _: str, job: ShardJob) -> JobResult:
        """Carry out a job in a process of its own."""
        confine(self._measured)
        return carry_out(job, is_over=self.is_over)

    def close(self) -> None:
        """Let this thread run on all cores again."""
        confine(self._usable)

    def forget(self) -> None:
        """Remove the folders of all shards."""
        forget(self._run)


# The engines by the text that selects them.


_TEXT: Final = re.compile(
    r"(?P<local>local)(:(?P<workers>[1-9][0-9]{0,2}))?"
    r"|dask://(?P<address>\S+:(?P<port>[0-9]{1,5}))"
    r"|slurm(:(?P<partition>[A-Za-z0-9_.-]{1,64}))?"
)


def require_engine(text: str) -> re.Match[str]:
    """Require that a text selects an engine; returns its parts.

    Raises:
        OptionError: the text selects no engine.
    """
    match = _TEXT.fullmatch(text)
    if match is None:
        raise OptionError(
            f"unknown engine {text!r:.60}",
            where="--on",
            expected="local, local:N with N from 1, dask://HOST:PORT, slurm or slurm:PARTITION",
        )
    if (port := match["port"]) and not 0 < int(port) <= 65_535:
        raise OptionError(f"port {port}", where=f"--on {text}", expected="a port up to 65,535")
    return match


def engine_of(
    text: str, plan: ShardPlan, folder: Path, notice: Callable[[str], None] = lambda _: None
) -> Engine:
    """The engine that a text selects.

    Args:
        text: ``local``, ``local:3``, ``dask://HOST:PORT`` or ``slurm:PARTITION``.
        plan: what the engine is to carry out.
        folder: the folder of the run.
        notice: called with a line about the cluster.

    Raises:
        OptionError: the text selects no engine.
        InputError: the engine cannot be reached, or its library is missing.
    """
    match = require_engine(text)
    cores = plan.sweep.jobs
    if match["local"]:
        return LocalEngine(plan.run, cores, int(match["workers"]) if match["workers"] else None)
    try:
        if match["address"]:
            from harness.extensions.cluster.dask_engine import DaskEngine

            return DaskEngine(f"tcp://{match['address']}", plan.run, notice)
        from harness.extensions.cluster.slurm_engine import SlurmEngine
    except ImportError as error:
        raise InputError(
            f"the package {error.name} is not installed",
            where=f"--on {text}",
            expected="pip install 'sudoku-harness[cluster]'",
        ) from None
    # A job gets the time limits of all its trials and ten minutes, at most a day.
    longest_min = plan.trials_of(1) * plan.sweep.timeout / cores / 60
    minutes = min(ceil(longest_min) + 10, 24 * 60)
    return SlurmEngine(folder / "slurm", cores, minutes, match["partition"])
