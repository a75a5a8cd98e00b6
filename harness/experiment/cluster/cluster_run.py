"""A sweep on an engine: its plan, its folder, and the coordinator."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path

import msgspec

from harness.errors import RunError
from harness.experiment.cluster.coordinator import Coordinator, CoordinatorObserver, Status
from harness.experiment.cluster.engine import Engine
from harness.experiment.expected_times import ExpectedTimes
from harness.experiment.observer import Observer
from harness.experiment.run_folder import locked_run_folder
from harness.experiment.sharding.plan import (
    ShardPlan,
    ShardSizes,
    StoredPlan,
    restored_plan,
    shard_plan,
)
from harness.experiment.sweep import Sweep
from harness.experiment.sweep_file import add_sweep
from harness.records import run_files
from harness.records.collecting import Collection
from harness.records.settings import FILE as SWEEP
from harness.records.shard import PLAN
from harness.records.store_file import FILE as STORE
from harness.text import number_of


def run_on(
    sweep: Sweep,
    folder: Path,
    engine: Callable[[ShardPlan], Engine],
    *,
    sizes: ShardSizes | None = None,
    times: ExpectedTimes | None = None,
    observer: Observer | None = None,
    coordinator_observer: CoordinatorObserver | None = None,
    repeats_slow: bool = False,
) -> Status:
    """Carry out `sweep` on an engine, and merge its shards into the run in `folder`.

    A run that was interrupted goes on with the shards that are missing.

    Args:
        sweep: what to run.
        folder: the folder of the run.
        engine: makes the engine for a plan.
        sizes: how the sweep is divided, unless the folder has its plan.
        times: times of earlier trials, for the expected times.
        observer: receives notices while the plan is made.
        coordinator_observer: receives the progress of the shards.
        repeats_slow: as `Coordinator` has it.

    Raises:
        InputError: a dataset, a backend, the folder or the engine cannot be used.
        StorageError: results cannot be written; earlier results are intact.
    """
    with ExitStack() as stack:
        stack.enter_context(_locked(folder))
        plan = _plan(sweep, folder, sizes or ShardSizes(), times, observer)
        if (folder / PLAN).exists():
            with closing(Collection(folder, plan.name)) as collection:
                status = Status.of(plan, collection.merged)
            if status.is_complete:
                return status
        used = stack.enter_context(engine(plan))
        # Without an engine the folder gets no plan, so that another one can be made.
        run_files.write(folder / PLAN, msgspec.json.encode(plan.to_stored()) + b"\n")
        collection = stack.enter_context(closing(Collection(folder, plan.name, plan.specs)))
        add_sweep(sweep, folder / SWEEP)
        return Coordinator(
            plan, collection, used, coordinator_observer, repeats_slow=repeats_slow
        ).run()


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    if (folder / STORE).exists() and not (folder / PLAN).exists():
        raise RunError(
            "has a run of one machine",
            where=str(folder),
            expected="another folder for a run on several machines",
        )
    with locked_run_folder(folder, fresh=False):
        yield


def _plan(
    sweep: Sweep,
    folder: Path,
    sizes: ShardSizes,
    times: ExpectedTimes | None,
    observer: Observer | None,
) -> ShardPlan:
    """The plan in the folder, or a new one."""
    data = run_files.read(folder / PLAN)
    if data is None:
        return shard_plan(sweep, folder, sizes, times=times, observer=observer)
    try:
        stored = msgspec.json.decode(data, type=StoredPlan)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise RunError(f"not a plan of shards: {error}", where=str(folder / PLAN)) from None
    if sizes.number not in (None, len(stored.shards)):
        shards = number_of(len(stored.shards), "shard")
        raise RunError(
            f"has a plan of {shards}",
            where=str(folder),
            expected="this number of shards, or another folder",
        )
    return restored_plan(stored, sweep, folder, observer)
