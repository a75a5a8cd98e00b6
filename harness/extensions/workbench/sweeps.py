"""The sweeps that this workbench runs, one after the other, as a page sets them up.

The folder of a run has everything that the run needs: its sweep, and the puzzles that were pasted
or uploaded. The same command, ``harness run results/NAME/sweep.toml --out results/NAME``, starts
it and continues it, here and in a terminal. A sweep is a process of its own.
"""

import asyncio
import os
import re
import shutil
import signal
from asyncio.subprocess import Process
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Sequence
from contextlib import ExitStack
from itertools import chain, count
from pathlib import Path
from time import time
from typing import Annotated, Any, Final, Literal

import msgspec
from msgspec import Meta, Struct

from harness.base.errors import (
    InputError,
    OptionError,
    PuzzleError,
    invalid,
    not_among,
    one_of,
    unwritable,
)
from harness.base.text import encodable, printable
from harness.extensions.workbench import boards
from harness.extensions.workbench.boards import PuzzleData
from harness.extensions.workbench.cores import Cores, confine_process
from harness.extensions.workbench.messages import Hub, labels_in
from harness.extensions.workbench.processes import end_process, start_process
from harness.extensions.workbench.register import PageWork, Register
from harness.puzzles.datasets import address_of, listings
from harness.records.folder import (
    RunFile,
    Store,
    glancing,
    is_held,
    read_settings,
    refuse_special_file,
)
from harness.runs import Sweep, add_sweep, read_sweeps

# A sweep as a page sets it up, and its files.


MOST_CONFIGURATIONS: Final = 200
"""Maximum number of configurations of a sweep."""
MOST_TEXT: Final = 16 * 2**20
"""Maximum number of characters of puzzles that are pasted or uploaded."""
TEXT: Final = "puzzles.txt"
"""The file of puzzles that were pasted or uploaded."""
BOARD: Final = "board.jsonl"
"""The file of the puzzle of the board."""
Name = Annotated[str, Meta(max_length=500)]


class NewSweep(Struct, forbid_unknown_fields=True, kw_only=True):
    """A sweep that a page sets up."""

    name: Annotated[str, Meta(max_length=100)] = ""
    """The name of its folder; empty for a name that follows from its options."""
    datasets: Annotated[list[Name], Meta(max_length=200)] = []
    """Datasets of the catalogue, each optionally with a selection: ``named/1-5``."""
    text: Annotated[str, Meta(max_length=MOST_TEXT)] = ""
    """Puzzles of any format."""
    puzzle: PuzzleData | None = None
    """The puzzle of the board."""
    backends: Annotated[list[Name], Meta(max_length=200)] = []
    options: dict[str, Any] = {}
    """Further options of `Sweep` by name."""


def sweep_in(new: NewSweep, folder: Path, *, allows_files: bool) -> Sweep:
    """The sweep, with its files in this folder.

    Raises:
        InputError: an option, a dataset or a backend is malformed or not allowed.
    """
    for name in new.options:
        if name in ("datasets", "backends"):
            raise OptionError(f"the option {name} has a field of its own")
    catalogue = [listing.name for listing in listings()]
    for name in new.datasets:
        if (source := address_of(name).source) not in catalogue:
            fault = f"unknown dataset {source!r:.60}"
            raise not_among(PuzzleError, fault, source, catalogue, expected=one_of(catalogue[:30]))
    datasets = [*new.datasets]
    if new.text.strip():
        datasets.append(str(folder / TEXT))
    if new.puzzle is not None:
        datasets.append(str(folder / BOARD))
    if not datasets:
        raise InputError("no puzzles", expected="a dataset, pasted puzzles or the board")
    if not new.backends:
        raise InputError("no backends", expected="at least one")
    backends = labels_in(new.backends, MOST_CONFIGURATIONS, allows_files=allows_files)
    options = {name: value for name, value in new.options.items() if value not in (None, "")}
    return Sweep.from_options({**options, "datasets": datasets, "backends": backends})


def write_files(new: NewSweep, folder: Path, *, allows_files: bool) -> Sweep:
    """Write the sweep and its puzzles into a folder; returns the sweep.

    Raises:
        InputError: an option is malformed, or the folder cannot be written to.
    """
    sweep = sweep_in(new, folder, allows_files=allows_files)
    files = _puzzles(new)
    for name in (*files, RunFile.SETTINGS):
        refuse_special_file(folder / name)
    try:
        for name, text in files.items():
            (folder / name).write_text(encodable(text), encoding="utf-8")
    except OSError as error:
        raise unwritable(folder, error) from None
    add_sweep(sweep, folder / RunFile.SETTINGS)
    return sweep


def elsewhere(toml: str, folder: Path) -> str:
    """The text of a sweep file in `folder`, with absolute paths, so that it fits any folder."""
    return re.sub(
        r'"(\.\./[^"\\]*)"', lambda match: f'"{os.path.normpath(folder / match[1])}"', toml
    )


def _puzzles(new: NewSweep) -> dict[str, str]:
    """The files of puzzles by name.

    Raises:
        PuzzleError: the puzzle of the board is malformed.
    """
    files = {TEXT: new.text} if new.text.strip() else {}
    if new.puzzle is not None:
        name = printable(encodable(new.puzzle.name))[:100] or "board"
        files[BOARD] = boards.write(msgspec.structs.replace(new.puzzle, name=name), "jsonl")
    return files


def check_name(name: str) -> None:
    """Check the name of a new run; empty stands for a name that follows from the options.

    Raises:
        InputError: the name is malformed.
    """
    if name and not re.fullmatch("[A-Za-z0-9][A-Za-z0-9_+.-]{0,79}", name):
        raise invalid("name", name, "a letter or digit, then up to 79 letters, digits, or _ + . -")


def check_results(results: Path) -> None:
    """Check that there is a folder of results, or that it can be made.

    Raises:
        InputError: something else has its name.
    """
    if results.exists() and not results.is_dir():
        raise InputError("is not a folder", where=str(results), expected="a folder for runs")


def make_run(
    new: NewSweep, results: Path, names: Collection[str], *, allows_files: bool
) -> tuple[str, Sweep]:
    """Make the folder of a run that has not begun; returns its name and the sweep.

    Args:
        new: the sweep.
        results: the folder of runs.
        names: the names of runs that wait or run. Their folders have files but perhaps no trial.
        allows_files: whether a backend may be a file.

    Raises:
        InputError: an option is malformed, or there is a run of this name with trials, or one
            that waits or runs.
    """
    check_name(new.name)
    sweep = sweep_in(new, results, allows_files=allows_files)  # before anything is written
    name = new.name or _free_name(sweep, results, names)
    if name in names:
        raise InputError(f"the sweep {name} already waits or runs", expected="another name")
    _puzzles(new)
    check_results(results)
    folder = results / name
    is_made = not folder.exists()
    if not _is_free(folder):
        raise InputError(f"{name} exists in the folder of results", expected="another name")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        refuse_special_file(folder / RunFile.SETTINGS)
        (folder / RunFile.SETTINGS).unlink(missing_ok=True)  # of an attempt without a trial
    except OSError as error:
        raise unwritable(folder, error) from None
    with ExitStack() as on_failure:
        if is_made:
            on_failure.callback(shutil.rmtree, folder, ignore_errors=True)
        # The run starts in a folder with files only if the folder has a store.
        Store(folder).close()
        sweep = write_files(new, folder, allows_files=allows_files)
        on_failure.pop_all()
    return name, sweep


def require_continuable(folder: Path, *, allows_files: bool) -> Sequence[Sweep]:
    """The sweeps of a run that can be continued here.

    Raises:
        InputError: the run cannot be continued here.
    """
    if is_held(folder):
        raise InputError("the run is still in progress", expected="its end")
    if (folder / RunFile.SHARD).exists():
        raise InputError("the run belongs to a shard", expected="harness run SHARD_FILE.toml")
    settings = read_settings(folder)
    if not settings:
        raise InputError("the run does not record its sweep", expected="harness run in a terminal")
    catalogue = {listing.name for listing in listings()}
    for sweep in settings:
        labels_in(_texts(sweep.get("backends")), MOST_CONFIGURATIONS, allows_files=allows_files)
        for dataset in _texts(sweep.get("datasets")):
            own = dataset in (TEXT, BOARD)
            if own:
                refuse_special_file(folder / dataset)
            if not (own or allows_files or re.split("[/:]", dataset)[0] in catalogue):
                raise InputError(
                    f"the run reads the file {dataset!r:.80}",
                    expected="harness run in a terminal, or harness workbench --allow-files",
                )
    return read_sweeps(folder / RunFile.SETTINGS, {})


def _texts(value: object) -> list[str]:
    values = value if isinstance(value, list) else [value]
    return [text for text in values if isinstance(text, str)]


def _free_name(sweep: Sweep, results: Path, names: Collection[str]) -> str:
    """The name of the sweep, with a number if a run already has it."""
    name = sweep.folder_name
    candidates = chain([name], (f"{name}-{number}" for number in count(2)))
    return next(name for name in candidates if name not in names and _is_free(results / name))


def _is_free(folder: Path) -> bool:
    """Whether a new run can have this folder: it is missing, empty, or its run has no trial."""
    if folder.is_symlink():
        return False
    if not folder.exists():
        return True
    if not folder.is_dir() or is_held(folder):
        return False
    if not (folder / RunFile.STORE).exists():
        return all(file.name.startswith(RunFile.NEW_STORE) for file in folder.iterdir())
    try:
        with glancing(folder) as db:
            return db.execute("SELECT 1 FROM trials LIMIT 1").fetchone() is None
    except InputError:
        return False


# The sweeps that this workbench runs, one after the other.


_MOST_WAITING: Final = 100
"""Maximum number of sweeps that wait in the queue."""
_MOST_KEPT: Final = 50
"""Maximum number of sweeps that have ended and whose output can be read."""
_MOST_LINES: Final = 200
"""Maximum number of lines of its output that are kept of a sweep."""


class SweepJob(Struct):
    """A sweep of this workbench."""

    run: str
    """The name of its run."""
    state: Literal["waiting", "running", "stopping", "ended"] = "waiting"
    cores: list[int] = []
    """The cores on which it measures."""
    code: int | None = None
    """Its exit code; negative for a signal; None if it has not ended, or has never begun."""
    output: list[str] = []
    """The last lines of its output."""
    began_at: float | None = None
    """In seconds since 1970."""
    ended_at: float | None = None


class _Sweep(PageWork):
    def __init__(self, job: SweepJob) -> None:
        super().__init__(job.run)
        self.job = job


class Sweeps:
    """The queue of sweeps.

    Args:
        hub: gets what changes.
        results: the folder of runs.
        cores: the cores of the machine.
        before: called with the cores of a sweep before the sweep begins.
        on_change: called when a sweep begins or ends.
    """

    def __init__(
        self,
        hub: Hub,
        results: Path,
        cores: Cores,
        *,
        before: Callable[[Sequence[int]], Awaitable[None]],
        on_change: Callable[[], None],
    ) -> None:
        self._hub, self._results, self._cores = hub, results, cores
        self._before, self._changed = before, on_change
        self._register = Register[_Sweep]("sweep", _MOST_KEPT)
        self._turn = asyncio.Lock()
        self._process: Process | None = None
        self.running: SweepJob | None = None

    @property
    def jobs(self) -> list[SweepJob]:
        """The sweeps: those that ended, the running one, those that wait."""
        jobs = [sweep.job for sweep in self._register]
        return sorted(jobs, key=lambda job: (job.state != "ended", job is not self.running))

    @property
    def pid(self) -> int | None:
        """The process of the running sweep."""
        return self._process.pid if self._process else None

    @property
    def queued(self) -> set[str]:
        """The names of the runs whose sweeps wait or run."""
        return {job.run for job in self.jobs if job.state != "ended"}

    def require_room(self) -> None:
        """Require that the queue has room.

        Raises:
            InputError: the queue is full.
        """
        if sum(job.state == "waiting" for job in self.jobs) >= _MOST_WAITING:
            raise InputError(f"{_MOST_WAITING} sweeps wait", expected="the end of one")

    def add(self, run: str, jobs: int) -> SweepJob:
        """Put the sweep of a run into the queue.

        Args:
            run: the name of the run, whose folder has the sweep.
            jobs: the number of trials that it runs at the same time.

        Raises:
            InputError: the sweep already waits or runs, or the queue is full.
        """
        self.require_room()
        if run in self.queued:
            raise InputError(f"the sweep {run} already waits or runs", expected="its end")
        job = SweepJob(run, cores=self._cores.of_sweep(jobs))
        self._publish(job)
        self._register.add(_Sweep(job), self._run(job))
        return job

    def stop(self, run: str) -> SweepJob:
        """Stop a sweep; its finished trials are kept.

        Raises:
            InputError: no sweep of this run waits or runs here.
        """
        if run not in self.queued:
            raise InputError(
                "no sweep of this run waits or runs in this workbench",
                expected="a sweep of this workbench; stop others where they were started",
            )
        sweep = self._register.named(run)
        sweep.job.state = "stopping" if sweep.job is self.running else "ended"
        sweep.cancel()
        self._publish(sweep.job)
        return sweep.job

    async def close(self) -> None:
        """Stop the running sweep, and drop those that wait."""
        await self._register.close()

    async def _run(self, job: SweepJob) -> None:
        """Run a sweep when its turn comes; cancelling the task stops the sweep as Ctrl-C does."""
        async with self._turn:
            self.running = job
            self._changed()
            try:
                await self._before(job.cores)
                await self._command(job)
            except OSError as error:
                job.output.append(f"the process cannot be started: {error.strerror}")
            finally:
                self._process = self.running = None
                job.state, job.ended_at = "ended", time()
                self._changed()
                self._publish(job)

    async def _command(self, job: SweepJob) -> None:
        folder = self._results / job.run
        words = ("run", str(folder / RunFile.SETTINGS), "--out", str(folder))
        process = self._process = await start_process(
            "harness", *words, dies_by=signal.SIGINT, errors=asyncio.subprocess.STDOUT
        )
        confine_process(process.pid, self._cores.all)  # even those that the server keeps off
        job.state, job.began_at = "running", time()
        self._publish(job)
        reading = asyncio.create_task(self._read(job, process))
        try:
            await asyncio.shield(reading)
        except asyncio.CancelledError:
            await end_process(process, signal.SIGINT, signal.SIGTERM, each_s=10.0)
            await reading

    async def _read(self, job: SweepJob, process: Process) -> None:
        """Read what the process of a sweep writes, up to its end."""
        assert process.stdout is not None
        async for line in _lines(process.stdout):
            job.output.append(line)
            del job.output[:-_MOST_LINES]
            self._publish(job)
        job.code = await process.wait()

    def _publish(self, job: SweepJob) -> None:
        self._hub.publish("sweep", job)


async def _lines(stream: asyncio.StreamReader) -> AsyncIterator[str]:
    """The lines of a process, printable and shortened, even if a line has no end."""
    rest = b""
    while (part := await stream.read(2**14)) or rest:
        *lines, rest = (rest[-(2**14) :] + (part or b"\n")).split(b"\n")  # the last may have no end
        for line in lines:
            yield printable(line.decode(errors="replace").rstrip())[:500]
