"""Carrying out a sweep: from what was asked to a folder with every trial."""

import fcntl
import sys
from collections.abc import Iterator, Sequence, Set
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Final

from harness.contract import registry
from harness.contract.capabilities import Capability
from harness.contract.spec import BackendSpec, parse_specs
from harness.engine.supervisor import Supervisor
from harness.engine.system.info import load_average, system_info
from harness.errors import InputError, StorageError
from harness.experiment.plan import batches, number_of_trials
from harness.experiment.sweep import Sweep
from harness.experiment.sweep_file import write_sweep
from harness.puzzles.catalogue import Dataset, load_datasets
from harness.puzzles.shape import Shape
from harness.records.configuration import Configuration
from harness.records.environment import FILE as ENVIRONMENT
from harness.records.environment import (
    ConfigurationVersions,
    InvocationLog,
    harness_version,
)
from harness.records.judge import judge
from harness.records.store import FILE, Key, Store
from harness.records.trial import Batch, Trial, TrialRecord

_OWN_FILES: Final = (FILE, f"{FILE}-wal", f"{FILE}-shm", "sweep.toml", ENVIRONMENT)


class Observer:
    """Told what a run does; the base does nothing with it."""

    def preparing(self, what: str) -> None:
        """A backend does this before it is ready, and it takes seconds."""

    def left_out(self, backend: str, reason: str) -> None:
        """A backend is not available, and the run goes on without it."""

    def planned(self, trials: int, done: int) -> None:
        """The plan is made: so many trials, of which so many were done before."""

    def began(self, batch: Batch) -> None:
        """A worker was given these trials."""

    def finished(self, results: Sequence[TrialRecord]) -> None:
        """Trials ended and are stored."""

    def extended(self, trials: int) -> None:
        """So many trials differ too much and are repeated once more."""


@dataclass(frozen=True, slots=True)
class Finished:
    """What a run has come to."""

    folder: Path
    trials: int
    """Of the sweep, in all."""
    done_before: int
    repeats: dict[str, int]
    """Puzzles left out of each dataset because an earlier one of it is the same."""


@dataclass(frozen=True, slots=True)
class Gathered:
    """The results of a sweep that was not stored."""

    backends: tuple[str, ...]
    unavailable: dict[str, str]
    """Backends that were left out, with the reason."""
    results: tuple[TrialRecord, ...]


EVERY_BACKEND: Final = "*"
"""The spec that stands for every installed backend that is available here."""


def expand_specs(texts: Sequence[str]) -> list[BackendSpec]:
    """The backends that these specs name, grids expanded, each once.

    Raises:
        InputError: a spec is malformed, or there is no such backend.
    """
    specs: dict[str, BackendSpec] = {}
    for text in texts:
        if text == EVERY_BACKEND:
            specs |= {name: BackendSpec(name) for name in registry.names()}
            continue
        for spec in parse_specs(text):
            resolved = BackendSpec(registry.resolve(spec.locator), spec.settings)
            specs.setdefault(resolved.label, resolved)
    return list(specs.values())


def carry_out(
    sweep: Sweep,
    folder: Path,
    *,
    jobs: int = 1,
    fresh: bool = False,
    skip_unavailable: bool = False,
    observer: Observer | None = None,
) -> Finished:
    """Run every trial of `sweep` that is not yet in `folder`.

    With `skip_unavailable` it goes on without backends that cannot be used here, tells the
    observer and notes it in the run's record; some backend must be left.

    Raises:
        InputError: a dataset or a backend cannot be used, or the folder holds
            something else; nothing has been run then.
        StorageError: what was run cannot be written; what was written is intact.
    """
    observer = observer or Observer()
    datasets = _datasets(sweep)
    specs = expand_specs(sweep.backends)
    with Supervisor(specs, jobs=_checked(jobs), notice=observer.preparing) as supervisor:
        asked = supervisor.open()
        opened = _able(asked, observer) if skip_unavailable else asked
        require_available(opened)
        left_out = {str(b.spec): b.unavailable for b in asked if b not in opened}
        with _folder_for_us(folder, fresh), _store(folder) as store:
            write_sweep(sweep, folder / "sweep.toml")
            said = {str(backend.spec): _said(backend) for backend in opened}
            record = InvocationLog(folder, sys.argv, system_info(), datasets, said, left_out)
            try:
                finished = _run(sweep, folder, store, supervisor, opened, datasets, observer)
            except BaseException:
                with suppress(StorageError):  # what went wrong first is what is told
                    record.end(load_average())
                raise
            record.end(load_average())
            return finished


def gather(
    sweep: Sweep,
    *,
    jobs: int = 1,
    skip_unavailable: bool = False,
    observer: Observer | None = None,
) -> Gathered:
    """Run every trial of `sweep` and keep the results in memory.

    Backends that `EVERY_BACKEND` stands for are left out where they are not
    available; one that was named must be, unless `skip_unavailable` is asked for.

    Raises:
        InputError: a dataset or a named backend cannot be used.
    """
    observer = observer or Observer()
    datasets = _datasets(sweep)
    specs = expand_specs(sweep.backends)
    with Supervisor(specs, jobs=_checked(jobs), notice=observer.preparing) as supervisor:
        opened = supervisor.open()
        if EVERY_BACKEND in sweep.backends:
            opened = [backend for backend in opened if _is_compared(backend, sweep)]
            able = [backend.spec for backend in opened if not backend.unavailable]
        else:
            usable = _able(opened, observer) if skip_unavailable else opened
            require_available(usable)
            able = [backend.spec for backend in usable]
        observer.planned(number_of_trials(sweep, able, datasets), 0)
        planned = _announced(batches(sweep, able, datasets), observer)
        results: list[TrialRecord] = []
        for ended in supervisor.run(planned):
            judged = judge(ended)
            results += judged
            observer.finished(judged)
    unavailable = {str(b.spec): b.unavailable for b in opened if b.unavailable}
    return Gathered(tuple(map(str, able)), unavailable, tuple(results))


def _is_compared(backend: Configuration, sweep: Sweep) -> bool:
    """Whether it is among those that `EVERY_BACKEND` stands for: not if it may just give up."""
    named = {
        spec.label
        for text in sweep.backends
        if text != EVERY_BACKEND
        for spec in expand_specs([text])
    }
    described = backend.description
    return backend.spec.label in named or not (
        described and Capability.COMPLETE not in described.capabilities
    )


def _able(asked: Sequence[Configuration], observer: Observer) -> list[Configuration]:
    """Those that can be used here; the others are told to the observer.

    Raises:
        InputError: there is none.
    """
    for backend in asked:
        if backend.unavailable:
            remedy = f" ({backend.remedy})" if backend.remedy else ""
            observer.left_out(str(backend.spec), f"{backend.unavailable}{remedy}")
    able = [backend for backend in asked if not backend.unavailable]
    if asked and not able:
        raise InputError(
            f"none of {len(asked)} backends is available",
            expected="one that `harness backends` shows as available",
        )
    return able


def require_available(opened: Sequence[Configuration]) -> None:
    """Stop where a backend cannot be used here.

    Raises:
        InputError: with the reason and what to do about it.
    """
    for backend in opened:
        if backend.unavailable:
            raise InputError(
                f"backend {backend.spec} is not available: {backend.unavailable}",
                expected=backend.remedy or "a backend that `harness backends` shows as available",
            )


def _run(
    sweep: Sweep,
    folder: Path,
    store: Store,
    supervisor: Supervisor,
    opened: Sequence[Configuration],
    datasets: Sequence[Dataset],
    observer: Observer,
) -> Finished:
    for dataset in datasets:
        store.add_dataset(dataset)
    for backend in opened:
        assert backend.description is not None
        store.add_configuration(backend, _said(backend).versions)
    store.flush()
    specs = [backend.spec for backend in opened]
    done = store.done()
    trials = number_of_trials(sweep, specs, datasets)
    before = _done_of_plan(sweep, specs, datasets, store, done)
    observer.planned(trials, before)

    def take_in(planned: Iterator[Batch]) -> None:
        for ended in supervisor.run(_announced(planned, observer), idle=store.flush):
            results = judge(ended)
            store.add(results)
            while supervisor.events:
                store.add_event(supervisor.events.popleft())
            observer.finished(results)

    is_done = (lambda trial: store.key(trial) in done) if done else None
    take_in(batches(sweep, specs, datasets, is_done))
    for repetition in range(sweep.repeat + 1, sweep.until_stable + 1):
        settled = partial(_is_settled, store, store.unsettled(repetition) - done)
        only = range(repetition, repetition + 1)
        once_more = partial(batches, sweep, specs, datasets, settled, only)
        observer.extended(sum(len(batch.trials) for batch in once_more()))
        take_in(once_more())
    return Finished(folder, trials, before, {d.name: d.repeats for d in datasets if d.repeats})


def _is_settled(store: Store, unsettled: Set[Key], trial: Trial) -> bool:
    return store.key(trial) not in unsettled


def _announced(planned: Iterator[Batch], observer: Observer) -> Iterator[Batch]:
    for batch in planned:
        observer.began(batch)
        yield batch


def _datasets(sweep: Sweep) -> list[Dataset]:
    return load_datasets(sweep.datasets, Shape.parse(sweep.shape) if sweep.shape else None)


def _checked(jobs: int) -> int:
    if jobs < 1:
        raise InputError(f"{jobs} jobs", expected="at least 1")
    return jobs


def _done_of_plan(
    sweep: Sweep,
    specs: Sequence[BackendSpec],
    datasets: Sequence[Dataset],
    store: Store,
    done: set[Key],
) -> int:
    """How many trials of this sweep are done; the folder may hold others besides."""
    if not done:
        return 0
    left = sum(
        len(batch.trials)
        for batch in batches(sweep, specs, datasets, lambda trial: store.key(trial) in done)
    )
    return number_of_trials(sweep, specs, datasets) - left


@contextmanager
def _store(folder: Path) -> Iterator[Store]:
    store = Store(folder)
    try:
        yield store
    finally:
        store.close()


@contextmanager
def _folder_for_us(folder: Path, fresh: bool) -> Iterator[None]:
    """The folder made, locked against a second run, and emptied of an old run if asked."""
    if folder.exists() and not folder.is_dir():
        raise InputError("a file", where=str(folder), expected="a folder for the run")
    others = [p.name for p in folder.iterdir()] if folder.is_dir() else []
    if others and FILE not in others and set(others) - {".lock"}:
        raise InputError(
            "a folder with other things in it",
            where=str(folder),
            expected="a new or an empty folder, or one of an earlier run",
        )
    try:
        folder.mkdir(parents=True, exist_ok=True)
        lock = (folder / ".lock").open("w")
    except OSError as error:
        raise InputError(f"cannot be made: {error.strerror}", where=str(folder)) from None
    with lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise InputError("another run is at work in this folder", where=str(folder)) from None
        if fresh:
            for name in _OWN_FILES:
                (folder / name).unlink(missing_ok=True)
        yield


def _said(backend: Configuration) -> ConfigurationVersions:
    """The options and versions that make a backend the same backend."""
    assert backend.description is not None
    versions = {"sudoku-harness": harness_version(), **backend.description.distributions}
    return ConfigurationVersions(backend.options, versions)
