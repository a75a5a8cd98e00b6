"""The coordinator: hands out the shards of a plan, and merges the result of each shard once."""

from collections import Counter, deque
from collections.abc import Callable, Set
from contextlib import ExitStack, closing
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic
from typing import Final

import msgspec

from harness.base.errors import InputError, RunError
from harness.base.text import number_of
from harness.extensions.cluster.engine import Engine, JobEnd, JobResult, ShardJob
from harness.extensions.cluster.packing import Packer
from harness.extensions.cluster.shards import ShardPlan, StoredPlan
from harness.records.folder import Collection, RunFile, read_run_file, write_run_file
from harness.runs import Observer, Sweep, add_sweep, locked_run_folder

_MOST_FAILURES: Final = 3
"""Attempts at a shard that may fail before it is given up."""


@dataclass
class ClusterStatus:
    """The progress of the shards."""

    shards: int
    """Shards of the plan."""
    trials: int = 0
    """Trials of the plan."""
    trials_before: int = 0
    """Trials that earlier commands merged."""
    trials_done: int = 0
    """Merged trials, including those of earlier commands."""
    done: int = 0
    """Merged shards, including those of earlier commands."""
    handed_out: int = 0
    """Shards that the engine has."""
    failed: dict[int, str] = field(default_factory=dict)
    """The shards that are given up: the reason of the last attempt, by number."""
    machines: Counter[str] = field(default_factory=Counter)
    """How many shards of each machine this command has merged."""
    refused: dict[str, str] = field(default_factory=dict)
    """Places that get no shards: the reason, by name."""
    remaining_s: float | None = None
    """Expected seconds until the end; None if unknown."""

    @staticmethod
    def of_plan(plan: ShardPlan, shards: Set[int]) -> "ClusterStatus":
        """The status of a plan, with the numbers of its merged shards."""
        trials = sum(map(plan.trials_of, shards))
        return ClusterStatus(plan.number, plan.trials, trials, trials, done=len(shards))

    @property
    def waiting(self) -> int:
        """Shards that are neither handed out nor at an end."""
        return self.shards - self.done - self.handed_out - len(self.failed)

    @property
    def is_complete(self) -> bool:
        """Whether every shard is merged."""
        return self.done == self.shards


class CoordinatorObserver:
    """Receives the progress of the shards; override the methods of interest."""

    def changed(self, status: ClusterStatus) -> None:
        """A shard has been handed out or has ended."""

    def failed(self, number: int, reason: str) -> None:
        """An attempt at a shard failed; it is handed out again."""

    def refused(self, place: str, reason: str) -> None:
        """A place cannot carry out shards."""


class Coordinator:
    """Carries out a plan on an engine.

    Args:
        plan: the shards.
        collection: the run into which they are merged; it knows which are merged already.
        engine: carries them out.
        observer: receives the progress.
    """

    def __init__(
        self,
        plan: ShardPlan,
        collection: Collection,
        engine: Engine,
        observer: CoordinatorObserver | None = None,
    ) -> None:
        self._plan = plan
        self._packer = Packer(plan)
        self._collection = collection
        self._engine = engine
        self._observer = observer or CoordinatorObserver()
        complete = collection.merged
        self.status = ClusterStatus.of_plan(plan, complete)
        """The progress of the shards."""
        self._handed_out = set(engine.adopted - complete)
        numbers = complete | self._handed_out
        self._waiting = deque(n for n in range(1, plan.number + 1) if n not in numbers)
        self._failures: Counter[int] = Counter()
        self._began_s, self._done_before = monotonic(), len(complete)

    def run(self) -> ClusterStatus:
        """Hand out all shards and merge them.

        A KeyboardInterrupt passes through; merged shards stay, and another coordinator can
        continue.

        Raises:
            InputError: no machine can carry out the shards.
            StorageError: the run cannot be written.
        """
        self._show()
        with closing(self._engine.results(self._next_job)) as results:
            for result in results:
                self._take(result)
                self._show()
        self._show()
        if self._waiting:
            reasons = "; ".join(f"{place}: {why}" for place, why in self.status.refused.items())
            raise InputError(f"no machine can carry out the shards: {reasons}")
        if self.status.is_complete:
            self._engine.forget()
        return self.status

    def _next_job(self) -> ShardJob | None:
        """Hand out the next shard, if one is waiting."""
        if not self._waiting:
            return None
        number = self._waiting.popleft()
        self._handed_out.add(number)
        self._show()
        return self._packer.job(number)

    def _show(self) -> None:
        """Report the status, and places that refuse shards, to the observer."""
        status = self.status
        for place in self._engine.refused.keys() - status.refused.keys():
            reason = status.refused[place] = self._engine.refused[place]
            self._observer.refused(place, reason)
        status.handed_out = len(self._handed_out)
        self._observer.changed(status)

    def _take(self, result: JobResult) -> None:
        """Merge the result of a job; otherwise queue its shard again, or give it up."""
        number, reason = result.number, f"{result.host}: {result.reason}".removeprefix(": ")
        if number not in self._handed_out:  # an engine may report a job twice
            return
        self._handed_out.remove(number)
        if result.end in (JobEnd.REFUSED, JobEnd.STOPPED):
            self._waiting.appendleft(number)
            return
        if result.end is JobEnd.COMPLETE:
            try:
                self._merge(result)
            except RunError as error:  # the result is damaged
                reason = f"{result.host}: {error}"
            else:
                return
        self._failures[number] += 1
        if self._failures[number] >= _MOST_FAILURES:
            self.status.failed[number] = reason
        else:
            self._waiting.append(number)
            self._observer.failed(number, reason)

    def _merge(self, result: JobResult) -> None:
        status = self.status
        self._collection.add_files(result.files)
        status.done += 1
        status.trials_done += self._plan.trials_of(result.number)
        status.machines[result.host] += 1
        for_each_s = (monotonic() - self._began_s) / (status.done - self._done_before)
        status.remaining_s = for_each_s * (status.shards - status.done)


# A sweep on an engine: its plan, its folder, and the coordinator.


def run_on(
    sweep: Sweep,
    folder: Path,
    engine: Callable[[ShardPlan], Engine],
    *,
    shards: int | None = None,
    observer: Observer | None = None,
    coordinator_observer: CoordinatorObserver | None = None,
) -> ClusterStatus:
    """Carry out `sweep` on an engine, and merge its shards into the run in `folder`.

    An interrupted run continues with the missing shards.

    Args:
        sweep: what to run.
        folder: the folder of the run.
        engine: makes the engine for a plan.
        shards: the number of shards; by default that of the plan in the folder, or of `ShardPlan`.
        observer: receives notices while the plan is made.
        coordinator_observer: receives the progress of the shards.

    Raises:
        InputError: a dataset, a backend, the folder or the engine cannot be used.
        StorageError: trials cannot be written; earlier trials are intact.
    """
    with ExitStack() as stack:
        if (folder / RunFile.STORE).exists() and not (folder / RunFile.PLAN).exists():
            raise RunError(
                "has a run of one machine",
                where=str(folder),
                expected="another folder for a run on several machines",
            )
        stack.enter_context(locked_run_folder(folder, fresh=False))
        plan = _plan(sweep, folder, shards, observer)
        if (folder / RunFile.PLAN).exists():
            with closing(Collection(folder, plan.name)) as collection:
                status = ClusterStatus.of_plan(plan, collection.merged)
            if status.is_complete:
                return status
        open_engine = stack.enter_context(closing(engine(plan)))
        # If the engine fails, the folder gets no plan, so that another plan can be made.
        stored_plan = StoredPlan(plan=plan.name, run=plan.run, shards=plan.number)
        write_run_file(folder / RunFile.PLAN, msgspec.json.encode(stored_plan) + b"\n")
        collection = stack.enter_context(closing(Collection(folder, plan.name, plan.specs)))
        add_sweep(sweep, folder / RunFile.SETTINGS)
        return Coordinator(plan, collection, open_engine, coordinator_observer).run()


def _plan(sweep: Sweep, folder: Path, shards: int | None, observer: Observer | None) -> ShardPlan:
    """The plan in the folder, or a new one.

    Raises:
        InputError: the plan in the folder has another number of shards, or the sweep, a dataset
            or the software has changed.
    """
    data = read_run_file(folder / RunFile.PLAN)
    if data is None:
        return ShardPlan(sweep, folder, shards, observer=observer)
    try:
        stored_plan = msgspec.json.decode(data, type=StoredPlan)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise RunError(f"not a plan of shards: {error}", where=str(folder / RunFile.PLAN)) from None
    if shards not in (None, stored_plan.shards):
        raise RunError(
            f"has a plan of {number_of(stored_plan.shards, 'shard')}",
            where=str(folder),
            expected="this number of shards, or another folder",
        )
    plan = ShardPlan(sweep, folder, stored_plan.shards, run=stored_plan.run, observer=observer)
    if plan.name != stored_plan.plan:
        raise InputError(
            "options, puzzles or software have changed since its shards were made",
            where=str(folder),
            expected="the same ones as then, or another folder",
        )
    return plan
