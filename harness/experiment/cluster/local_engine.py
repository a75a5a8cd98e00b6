"""The engine of this machine: some shards at a time, each on cores of its own."""

from harness.engine.system.kernel import confine, usable_cores
from harness.experiment.cluster.carrying import carry_out, forget
from harness.experiment.cluster.engine import ThreadedEngine
from harness.experiment.cluster.job import Carried, ShardJob


class LocalEngine(ThreadedEngine):
    """Carries out shards on this machine.

    Cores that the shards do not need are for the thread that makes the engine; it runs on all
    again when it closes the engine.

    Args:
        run: the name of the run.
        cores: trials of a shard that run at the same time.
        workers: shards at a time; by default as many as leave a core for the coordinator.
    """

    def __init__(self, run: str, cores: int, workers: int | None = None) -> None:
        self._run = run
        self._usable = usable_cores()
        number = workers or max(1, (len(self._usable) - 1) // cores)
        spare = max(0, len(self._usable) - number * cores)
        self._measured = self._usable[spare:] if spare else []
        super().__init__([f"worker {worker}" for worker in range(1, number + 1)])
        confine(self._usable[:spare])

    def carry_out(self, _: str, job: ShardJob) -> Carried:
        """Carry out a job in a process of its own."""
        confine(self._measured)
        return carry_out(job, is_over=self.is_over)

    def close(self) -> None:
        """Stop the shards, and wait for their ends."""
        super().close()
        confine(self._usable)

    def forget(self) -> None:
        """Remove the folders of all shards."""
        forget(self._run)
