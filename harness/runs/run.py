"""Runs of a sweep: stored in a folder, or kept in memory."""

import fcntl
import os
import sys
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path
from typing import IO, TYPE_CHECKING, Final

import msgspec
from msgspec import structs

from harness.base.errors import InputError, OptionError, RunError, StorageError
from harness.base.files import NO_FOLLOW, is_unfinished
from harness.base.interruption import Interrupted
from harness.base.plugins import harness_version
from harness.contract import environments
from harness.engine import Supervisor
from harness.engine.system import ActivityMeter, load_average, reserved_cores, system_info
from harness.records import Batch, Configuration, TrialRecord, WorkerEvent
from harness.records.folder import (
    ConfigurationVersions,
    InvocationEnd,
    InvocationLog,
    RunFile,
    Shard,
    Store,
    SystemCheck,
    SystemInfo,
    begin_attempt,
    refuse_special_file,
)
from harness.runs.execution import Observer, Sink, execute
from harness.runs.plan import SweepPlan, TrialFilter, datasets_of
from harness.runs.selection import expand_specs, select_configurations
from harness.runs.sweep import Sweep
from harness.runs.sweep_files import add_sweep

if TYPE_CHECKING:
    from harness.puzzles.datasets import Dataset

# The folder of a run: created, locked against a second run, emptied on request.


_ATTEMPTS: Final = 5
_OWN_FILES: Final = (
    *(*RunFile.OF_STORE, RunFile.SETTINGS, RunFile.ENVIRONMENT, RunFile.SHARD, RunFile.PLAN),
)
"""The files that a fresh start removes; the folder may have a report beside them."""


@contextmanager
def locked_run_folder(folder: Path, *, fresh: bool) -> Iterator[None]:
    """Create `folder` if necessary and lock it; with `fresh` remove the files of an old run.

    Raises:
        InputError: `folder` is a file or cannot be created.
        RunError: it contains files but no run, or another run is writing to it.
    """
    try:
        if folder.exists() and not folder.is_dir():
            raise InputError("not a folder", where=str(folder), expected="a folder for the run")
        names = {path.name for path in folder.iterdir()} if folder.is_dir() else set()
    except OSError as error:
        raise InputError(f"cannot be used: {error.strerror}", where=str(folder)) from None
    unborn = {name for name in names if name.startswith(RunFile.NEW_STORE) or is_unfinished(name)}
    if names - unborn - {RunFile.LOCK, RunFile.SHARD, RunFile.PLAN} and RunFile.STORE not in names:
        raise RunError(
            "contains other files",
            where=str(folder),
            expected="a new or empty folder, or the folder of a run",
        )
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name in (RunFile.LOCK, *_OWN_FILES):
            refuse_special_file(folder / name)
        flags = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | NO_FOLLOW
        lock = os.open(folder / RunFile.LOCK, flags, 0o666)
    except OSError as error:
        raise InputError(f"cannot be created: {error.strerror}", where=str(folder)) from None
    with os.fdopen(lock, "w") as file:
        _lock(file, folder)
        for name in filter(is_unfinished, names):
            (folder / name).unlink(missing_ok=True)
        if fresh:
            for name in _OWN_FILES:
                (folder / name).unlink(missing_ok=True)
        yield


def _lock(lock: IO[str], folder: Path) -> None:
    """Lock the file, in several attempts: a report that checks the lock holds it for a moment."""
    for attempt in range(_ATTEMPTS):
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if attempt + 1 < _ATTEMPTS:
                time.sleep(0.05)
        else:
            return
    raise RunError(
        "another run is writing to this folder",
        where=str(folder),
        expected="the end of that run, or another folder",
    )


# Runs of a sweep: stored in a folder, or kept in memory.


@dataclass(frozen=True, slots=True)
class FinishedRun:
    """A run whose trials are all stored."""

    folder: Path
    trials: int
    """Number of planned trials of the sweep."""
    done_before: int
    """Number of planned trials that earlier invocations had finished."""
    repeats: dict[str, int]
    """For each dataset with duplicates, the number of instances left out."""
    excluded: dict[str, int]
    """For each dataset that the condition or the sample reduced, the number of puzzles left out."""


@dataclass(frozen=True, slots=True)
class CollectedTrials:
    """The trials of a sweep that was not stored."""

    backends: tuple[str, ...]
    unavailable: dict[str, str]
    """Backends that were left out from the start, with the reason."""
    failed: dict[str, str]
    """Backends that were left out because their workers do not start, with the reason."""
    records: tuple[TrialRecord, ...]
    planned: int
    """Number of planned trials; more than there are `records` if the run was interrupted or a
    backend failed."""
    interruption: KeyboardInterrupt | None = None
    """What ended the sweep before its last trial; None if nothing did."""

    @property
    def complete(self) -> bool:
        """Whether every planned trial has ended."""
        return not self.interrupted and not self.failed

    @property
    def interrupted(self) -> bool:
        """Whether the sweep ended before its last trial."""
        return self.interruption is not None


CHANGED: Final = (
    "has changed since earlier trials in this folder; tables number its versions, and --fresh "
    "discards earlier trials"
)
"""A warning about a backend whose options or versions have changed."""


def run_sweep(
    sweep: Sweep,
    folder: Path,
    *,
    fresh: bool = False,
    skip_unavailable: bool = False,
    shard: Shard | None = None,
    oversubscribe: bool = False,
    observer: Observer | None = None,
) -> FinishedRun:
    """Run the trials of `sweep` that are not yet in `folder`, and store them there.

    Args:
        sweep: the sweep to run.
        folder: the folder of the run: new, empty, or of an earlier run.
        fresh: remove earlier trials first.
        skip_unavailable: leave out unavailable backends, report them to the observer and
            record them with the run. At least one backend must be left.
        shard: the shard that the run carries out; None for a whole sweep.
        oversubscribe: allow more trials at a time than cores; wall times then include waiting.
        observer: receives the progress.

    Raises:
        InputError: a dataset, a backend or the folder cannot be used, or they differ from
            those of the shard, or there are fewer cores than trials at a time; nothing has run.
        StorageError: trials cannot be written; earlier trials are intact.
    """
    observer = observer or Observer()
    system = system_info()
    if shard is None and not oversubscribe:
        _require_cores(sweep.jobs, system)
    datasets = datasets_of(sweep)
    with ExitStack() as outer:
        earlier_processes = 0 if fresh else Store.last_process(folder)
        cores: Sequence[int] = ()
        if shard is not None:
            cores = outer.enter_context(reserved_cores(sweep.jobs, observer.preparing))
        supervisor, configurations, left_out = outer.enter_context(
            ready_supervisor(
                *(sweep, observer),
                skip_unavailable=skip_unavailable,
                cores=cores,
                hash_seed=earlier_processes,
            )
        )
        identities = {c.label: identity(c) for c in configurations}
        if shard is not None:
            options = msgspec.json.decode(msgspec.json.encode(sweep))
            shard.require_equal(options, identities, datasets)
        with locked_run_folder(folder, fresh=fresh), ExitStack() as stack:
            begin_attempt(folder, shard)
            store = stack.enter_context(closing(Store(folder)))
            add_sweep(sweep, folder / RunFile.SETTINGS)
            pairs = [(c.label, environments.find(c.spec)) for c in configurations]
            record = InvocationLog(
                *(folder, sys.argv, system, datasets, identities, left_out),
                environments={label: {"Python": e.python} | e.packages for label, e in pairs if e},
                jobs=sweep.jobs,
            )
            with _recorded_end(record, store, supervisor, configurations):
                sink = _StoreSink(store, datasets, configurations)
                sink.plan_sweep(sweep)
                for configuration in configurations:
                    if store.has_other_versions(configuration.label):
                        observer.warned(configuration.label, CHANGED)
                plan = SweepPlan(sweep, configurations, datasets)
                done_before = _run_rest(supervisor, plan, sink, observer)
    repeats = {dataset.name: dataset.repeats for dataset in datasets if dataset.repeats}
    exclusions = {dataset.name: dataset.excluded for dataset in datasets if dataset.excluded}
    return FinishedRun(folder, plan.trials, done_before, repeats, exclusions)


def _run_rest(
    supervisor: Supervisor, plan: SweepPlan, sink: "_StoreSink", observer: Observer
) -> int:
    """Run the trials that the store lacks, then repeat unstable results.

    Returns:
        The number of planned trials that earlier invocations have finished.

    Raises:
        StorageError: the store cannot be written; what it has is intact.
    """
    trials, skip = plan.trials_of_each, sink.is_done
    remaining = _size_of_each(plan.batches(skip)) if skip else trials
    # The store may have trials of other plans as well.
    done = {label: number - remaining.get(label, 0) for label, number in trials.items()}
    observer.planned(trials, done)
    execute(supervisor, plan.batches(skip), sink, observer, plan.pace)
    for repetition in range(plan.sweep.repeat + 1, plan.sweep.until_stable + 1):
        only = range(repetition, repetition + 1)
        further = [*plan.batches(sink.not_needed(repetition), only)]
        sink.plan(further)
        observer.planned(_size_of_each(further), {})
        execute(supervisor, further, sink, observer, plan.pace)
    return sum(done.values())


def _size_of_each(batches: Iterable[Batch]) -> Mapping[str, int]:
    """Number of trials of each configuration, by label."""
    return Counter(trial.backend for batch in batches for trial in batch.trials)


@contextmanager
def _recorded_end(
    record: InvocationLog,
    store: Store,
    supervisor: Supervisor,
    configurations: Sequence[Configuration],
) -> Iterator[None]:
    """Store all trials and record how the invocation ends, even after an error."""
    meter = ActivityMeter()

    def end(kind: InvocationEnd = InvocationEnd.FINISHED, reason: str = "") -> None:
        activity = structs.replace(meter.activity(), calibration_s=supervisor.speed.seconds)
        failures = _failures(supervisor, configurations)
        record.end(load_average(), activity, failures, kind, reason)

    try:
        yield
    except BaseException as error:
        with suppress(StorageError):  # the first error is the one to report
            store.flush()
        with suppress(StorageError):
            end(*_end(error))
        raise
    store.flush()
    end()


def _require_cores(jobs: int, system: SystemInfo) -> None:
    """Check that there is a core for each of `jobs` trials at a time.

    Raises:
        OptionError: there are fewer cores.
    """
    for check in SystemCheck.of_machine(system, jobs=jobs):
        if check.subject == SystemCheck.JOBS and check.passed is False:
            expected = f"{check.remedy}, or --oversubscribe"
            raise OptionError(check.found, where="jobs", expected=expected)


def collect(
    sweep: Sweep, *, skip_unavailable: bool = False, observer: Observer | None = None
) -> CollectedTrials:
    """Run the trials of `sweep` and return their records.

    After a KeyboardInterrupt between the start and the end of the trials, return the
    records of those that have ended.

    Backends that `EVERY_BACKEND` selects are left out if they are unavailable; a named
    backend must be available unless `skip_unavailable` is set.

    Raises:
        InputError: a dataset or a named backend cannot be used.
    """
    observer = observer or Observer()
    datasets = datasets_of(sweep)
    with ready_supervisor(sweep, observer, skip_unavailable=skip_unavailable) as ready:
        supervisor, configurations, unavailable = ready
        sink, interruption = Sink(), None
        plan = SweepPlan(sweep, configurations, datasets)
        observer.planned(plan.trials_of_each, {})
        try:
            execute(supervisor, plan.batches(), sink, observer, plan.pace)
        except KeyboardInterrupt as error:
            interruption = error
        failures = _failures(supervisor, configurations)
    names = tuple(c.label for c in configurations if c.label not in failures)
    records = tuple(sink.records)
    return CollectedTrials(names, unavailable, failures, records, plan.trials, interruption)


@contextmanager
def ready_supervisor(
    sweep: Sweep,
    observer: Observer,
    *,
    skip_unavailable: bool,
    cores: Sequence[int] = (),
    hash_seed: int = 0,
) -> Iterator[tuple[Supervisor, list[Configuration], dict[str, str]]]:
    """A supervisor whose backends are loaded, the configurations to use, and those left out.

    Each that is left out has its reason; see `select_configurations` for `skip_unavailable`.

    Raises:
        InputError: a backend does not exist or must be available.
    """
    labels: dict[str, str] = {}
    specs = expand_specs(sweep.backends)
    with Supervisor(
        specs,
        jobs=sweep.jobs,
        notice=observer.preparing,
        warn=lambda spec, warning: observer.warned(labels.get(spec, spec), warning),
        cores=cores,
        hash_seed=hash_seed,
    ) as supervisor:
        configurations, left_out = select_configurations(
            supervisor.open(), sweep.backends, observer, skip_unavailable=skip_unavailable
        )
        labels |= {c.spec.label: c.label for c in configurations}
        yield supervisor, configurations, left_out


def _failures(supervisor: Supervisor, configurations: Sequence[Configuration]) -> dict[str, str]:
    """The configurations whose workers did not start, by their labels, with the reason."""
    reasons = supervisor.unavailable
    return {c.label: reasons[c.spec.label] for c in configurations if c.spec.label in reasons}


class _StoreSink(Sink):
    """Adds records to the store of a run."""

    def __init__(
        self, store: Store, datasets: "Sequence[Dataset]", configurations: Sequence[Configuration]
    ) -> None:
        for dataset in datasets:
            store.add_dataset(dataset)
        for configuration in configurations:
            store.add_configuration(configuration, identity(configuration).versions)
        store.flush()
        self._store, self._datasets = store, datasets
        self._done = store.done()
        self._labels = {c.spec.label: c.label for c in configurations}

    def add(self, records: Sequence[TrialRecord]) -> None:
        self._store.add(records)

    def flush(self) -> None:
        self._store.flush()

    def add_event(self, event: WorkerEvent) -> None:
        """Add an event, under the label of its configuration."""
        label = self._labels.get(event.backend, event.backend)
        self._store.add_event(replace(event, backend=label))

    def plan_sweep(self, sweep: Sweep) -> None:
        """Record the trials of the sweep as planned."""
        for label, question, dataset in product(
            self._labels.values(), sweep.questions(), self._datasets
        ):
            self._store.plan(label, question, dataset, sweep.repeat)
        self._store.flush()

    def plan(self, batches: Sequence[Batch]) -> None:
        """Record further repetitions as planned."""
        self._store.plan_trials(trial for batch in batches for trial in batch.trials)
        self._store.flush()

    @property
    def is_done(self) -> TrialFilter | None:
        """A filter for trials of earlier invocations; None if the store had no trials."""
        return (lambda trial: self._store.key(trial) in self._done) if self._done else None

    def not_needed(self, repetition: int) -> TrialFilter:
        """A filter for trials of `repetition` that are not needed.

        A trial is needed if its result has all earlier repetitions, all answered, and is
        unstable, and if the store does not have it.
        """
        needed_keys = self._store.keys_to_repeat(repetition) - self._done
        return lambda trial: self._store.key(trial) not in needed_keys


def _end(error: BaseException) -> tuple[InvocationEnd, str]:
    """How an invocation that raised `error` ended, and why."""
    if isinstance(error, Interrupted):
        return InvocationEnd.INTERRUPTED, error.signal
    if isinstance(error, KeyboardInterrupt):
        return InvocationEnd.INTERRUPTED, "Ctrl-C"
    return InvocationEnd.STOPPED, f"{type(error).__name__}: {error}".removesuffix(": ")


def identity(configuration: Configuration) -> ConfigurationVersions:
    """The options and versions that identify a configuration."""
    assert configuration.description is not None
    versions: dict[str, str | None] = {"sudoku-harness": harness_version()}
    versions |= configuration.description.distributions | configuration.description.code
    if configuration.spec.version and (environment := environments.find(configuration.spec)):
        versions["Python"] = environment.python
    return ConfigurationVersions(configuration.options, versions)
