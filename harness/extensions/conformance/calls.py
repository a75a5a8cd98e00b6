"""Calls to the examined backend: watched for side effects, timed and checked.

A backend may start threads and processes in `__init__` and keep them. A pool of
`concurrent.futures` that is created there starts its threads in the first calls: a worker
that waits for work is not a leftover; a worker that still runs after the call is.
"""

import multiprocessing
import os
import shutil
import sys
import tempfile
import threading
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from random import seed
from time import monotonic, perf_counter, sleep
from typing import Any, Final

from harness.contract import Backend, Options, Unavailable, Unsupported
from harness.extensions.conformance.answers import (
    faults_of_answer,
    faults_of_phases,
    gave_up,
)
from harness.extensions.conformance.clauses import TINY, Case, Clause, Fault
from harness.puzzles import Puzzle, Shape

# Threads and processes that a call leaves behind.


_LOOK_EVERY_S: Final = 0.01
_TASKS: Final = "/proc/self/task"
_POOL_LOOP: Final = ("_worker", "concurrent.futures.thread")
"""The function of a thread of a pool, with its module, that waits for work."""


class Leftovers:
    """The threads and processes that calls leave behind, apart from those that ran before."""

    def __init__(self) -> None:
        self._before = set(_threads())
        self._known: set[int] = set()
        self._kept: set[int] = set()
        """Threads that a backend has started in `__init__`."""
        self._workers: set[int] = set()
        self._grace_s = 0.2
        """Seconds for threads and processes to end, or to finish their work, after a call."""

    def begin(self) -> None:
        """Note the threads and processes before a call."""
        self._known = {*_threads(), *_processes()}

    def keep(self) -> None:
        """Accept what the creation of a backend has started."""
        self._kept.update(set(_threads()) - self._before)

    def end(self) -> list[str]:
        """What the call has left, in a few words each: threads, processes and busy threads."""
        deadline = monotonic() + self._grace_s
        while (leftovers := self._look()) and monotonic() < deadline:
            sleep(_LOOK_EVERY_S)
        if leftovers:
            self._grace_s = 0.0  # the next calls will leave it too
        return leftovers

    def _look(self) -> list[str]:
        leftovers = []
        if self._kept:
            sleep(_LOOK_EVERY_S / 10)  # lets threads run that wait for this one
        for ident, thread in _threads().items():
            if ident in self._before or ident == threading.get_ident():
                continue
            functions = _functions(ident)
            if _POOL_LOOP in functions:
                if functions[0] != _POOL_LOOP:
                    leftovers.append(f"the thread {thread.name} busy")
                self._workers.add(ident)
            elif ident in self._kept or _serves_process_pool(functions):
                if _runs(thread):
                    leftovers.append(f"the thread {thread.name} busy")
            elif ident not in self._known:
                leftovers.append(f"the thread {thread.name}")
        self._workers &= set(_threads())
        # More than any pool needs, and fewer than accumulate if every call starts a pool.
        if len(self._workers) > 64:
            leftovers.append(f"{len(self._workers)} threads of pools")
        before = set(self._known)
        if any(_serves_process_pool(_functions(ident)) for ident in _threads()):
            # The processes of a pool start with the first work.
            before.update(-(child.pid or 0) for child in multiprocessing.active_children())
        for pid in sorted(_processes() - before):
            command = "(ended, not waited for)"
            with suppress(OSError):
                command = Path(f"/proc/{-pid}/comm").read_text().strip()
            leftovers.append(f"the process {command}")
        return leftovers


def _threads() -> dict[int, threading.Thread]:
    return {thread.ident or 0: thread for thread in threading.enumerate()}


def _processes() -> set[int]:
    """The ids of the child processes, on Linux; negative, to differ from those of threads."""
    ids: set[int] = set()
    try:  # whether there is a child process: much quicker than examining every thread
        every_kind = 0x40000000  # __WALL of waitid(2)
        os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT | every_kind)
    except ChildProcessError:
        return ids
    except (AttributeError, OSError):
        pass  # the system has no such query
    with suppress(OSError):
        for task in os.listdir(_TASKS):  # noqa: PTH208  in each of many calls
            with suppress(OSError), open(f"{_TASKS}/{task}/children", "rb", 0) as file:  # noqa: PTH123
                ids.update(-int(child) for child in file.read().split())
    return ids


def _functions(ident: int) -> list[tuple[str, object]]:
    """The functions that a thread executes, each with its module, innermost first."""
    functions = []
    frame = sys._current_frames().get(ident)
    while frame is not None:
        functions.append((frame.f_code.co_name, frame.f_globals.get("__name__")))
        frame = frame.f_back
    return functions


def _serves_process_pool(functions: list[tuple[str, object]]) -> bool:
    """Whether a thread with these functions belongs to a pool of processes.

    One thread of such a pool waits for results, and one sends work.
    """
    loops = {("run", "concurrent.futures.process"), ("_feed", "multiprocessing.queues")}
    return not loops.isdisjoint(functions)


def _runs(thread: threading.Thread) -> bool:
    """Whether a thread is executing, on Linux; False if it sleeps or waits."""
    with suppress(OSError):
        status = Path(_TASKS, str(thread.native_id), "stat").read_text()
        return status.rpartition(")")[2].split()[0] == "R"
    return False


# Side effects of a call: output, changes to the process, and leftovers.


class SideEffectWatch:
    """Watches calls for side effects, in a temporary folder.

    Use it as a context manager around all calls, and `call` around each call. During a
    call the temporary folder is the working folder and holds temporary files; afterwards
    the previous folders are restored.

    Args:
        begin: called before each call.
    """

    def __init__(self, begin: Callable[[], None] = lambda: None) -> None:
        self._begin = begin
        self._leftovers = Leftovers()
        self.faults: list[Fault] = []
        """The faults of the last call."""

    def __enter__(self) -> "SideEffectWatch":
        self._folder = Path(tempfile.mkdtemp(prefix="conformance-"))
        return self

    def __exit__(self, *error: object) -> None:
        shutil.rmtree(self._folder, ignore_errors=True)

    @contextmanager
    def call(self, *, creates: bool = False) -> Iterator[None]:
        """Watch one call and set `faults`.

        Args:
            creates: whether the call creates a backend, which may start threads and processes.
        """
        self.faults = []
        folder, temporary = os.getcwd(), tempfile.tempdir  # noqa: PTH109  in each of many calls
        temporary_folder = os.environ.get("TMPDIR")
        os.chdir(self._folder)
        tempfile.tempdir = os.environ["TMPDIR"] = str(self._folder)
        files, environment = set(os.listdir(self._folder)), _environment()  # noqa: PTH208
        self._leftovers.begin()
        try:
            with _captured_streams(self.faults):
                self._begin()
                yield
        finally:
            self._inspect(files, environment, creates=creates)
            os.chdir(folder)
            tempfile.tempdir = temporary
            if temporary_folder is None:
                os.environ.pop("TMPDIR", None)
            else:
                os.environ["TMPDIR"] = temporary_folder

    def _inspect(self, files: set[str], environment: Mapping[Any, Any], *, creates: bool) -> None:
        def note(finding: str) -> None:
            self.faults.append(Fault(Clause.TRACES, finding))

        with suppress(FileNotFoundError):
            if not Path.cwd().samefile(self._folder):
                note(f"changes the working folder to {Path.cwd()}")
        if _environment() != environment:
            for name in _restore(environment):
                note(f"changes the environment variable {name}")
        for name in sorted(set(os.listdir(self._folder)) - files):  # noqa: PTH208
            note(f"leaves the file {name}")
            path = self._folder / name
            with suppress(OSError):
                if path.is_dir() and not path.is_symlink():
                    shutil.rmtree(path)
                else:
                    path.unlink()
        if creates:
            self._leftovers.keep()
            return
        for leftover in self._leftovers.end():
            note(f"leaves {leftover}")


def _environment() -> dict[Any, Any]:
    """The environment as `os.environ` stores it: decoding it takes longer than many calls."""
    return dict(os.environ._data)  # type: ignore[attr-defined]


def _restore(environment: Mapping[Any, Any]) -> list[str]:
    """Restore the environment, and return the names of the variables that had changed."""
    current: dict[Any, Any] = os.environ._data  # type: ignore[attr-defined]
    every = {*current, *environment}
    changes = [name for name in every if current.get(name) != environment.get(name)]
    names = [os.environ.decodekey(name) for name in changes]
    for name, text in zip(changes, names, strict=True):
        if name in environment:
            os.environ[text] = os.environ.decodevalue(environment[name])
        else:
            del os.environ[text]
    return sorted(names)


@contextmanager
def _captured_streams(faults: list[Fault]) -> Iterator[None]:
    """Capture standard output and error during a call, and add what is wrong to `faults`."""

    def note(finding: str) -> None:
        faults.append(Fault(Clause.QUIET, finding))

    _flush()
    with tempfile.TemporaryFile() as caught:
        names = {1: "standard output", 2: "standard error"}
        copies = {fd: os.dup(fd) for fd in names}
        for fd in names:
            os.dup2(caught.fileno(), fd)
        streams = sys.stdout, sys.stderr
        ours = {
            name: os.fdopen(os.dup(caught.fileno()), "w", errors="replace")
            for name in names.values()
        }
        sys.stdout, sys.stderr = ours.values()
        try:
            yield
        finally:
            for name, stream in ours.items():
                if stream.closed:
                    note(f"closes {name}")
                with suppress(ValueError, OSError):
                    stream.close()
            if [sys.stdout, sys.stderr] != [*ours.values()]:
                note("replaces sys.stdout or sys.stderr")
            _flush()
            sys.stdout, sys.stderr = streams
            for fd, name in names.items():
                is_ours = False
                with suppress(OSError):
                    is_ours = os.path.sameopenfile(fd, caught.fileno())
                if not is_ours:
                    note(f"closes {name}")
                os.dup2(copies[fd], fd)
                os.close(copies[fd])
            caught.seek(0)
            if text := caught.read().decode(errors="replace").strip():
                note(f"prints {text.splitlines()[0][:60]!r}")


def _flush() -> None:
    for stream in (sys.stdout, sys.stderr, sys.__stdout__, sys.__stderr__):
        with suppress(AttributeError, ValueError, OSError):
            stream.flush()  # type: ignore[union-attr]


# Calls to the examined backend: watched, timed and checked.


TIMEOUT: Final = 10.0
"""Default time limit of a question in seconds."""
GRACE: Final = 1.0
"""Seconds by which an answer may exceed its time limit."""
LateBlanks = defaultdict[str, list[int]]
"""For each shape the numbers of blank cells of the questions that were not answered in time."""


class TooSlow(Exception):
    """The time limit of a demanding question has passed."""


class Calls:
    """The calls to one backend with its options, all within its `watch`, a context manager.

    Args:
        backend: the class of the backend.
        options: its options; the defaults if None.
        timeout: seconds per question.
        late: the questions that earlier processes left unanswered; updated.
        begin: called before each call to the backend.
    """

    def __init__(
        self,
        backend: type[Backend[Any]],
        options: Options | None,
        *,
        timeout: float,
        late: LateBlanks,
        begin: Callable[[], None],
    ) -> None:
        self.backend = backend
        self._chosen = options
        self.timeout = timeout
        self.watch = SideEffectWatch(begin)
        self.made: dict[str, Backend[Any]] = {}
        """The backend of each shape."""
        self._loaded: list[Options] = []
        self._late_blanks = late
        self.gave_up = 0
        """The number of questions answered with unknown, without a breach."""

    @property
    def options(self) -> Options:
        """The options of the examination."""
        return self.backend.options_type() if self._chosen is None else self._chosen

    def make(self, shape: Shape, options: Options | None = None) -> Backend[Any]:
        """A new backend, with its solver loaded; with other `options` if given."""
        options = self.options if options is None else options
        if options not in self._loaded:
            self.backend.load(options)
            self._loaded.append(options)
        try:
            return self.backend(shape, options)
        except MemoryError:
            self.made.clear()  # alone it may have enough
            return self.backend(shape, options)

    def backend_for(self, shape: Shape) -> Backend[Any]:
        """The backend for all questions about this shape."""
        if shape.definition not in self.made:
            with self.watch.call(creates=True):
                self.made[shape.definition] = self.make(shape)
        return self.made[shape.definition]

    def faults_of(self, case: Case) -> Iterator[Fault]:
        """Put a question to the backend of its shape; after a wrong answer, also to a new backend.

        Raises:
            Unsupported: the backend does not handle the shape or the task.
            TooSlow: the question is demanding, and the answer came too late.
        """
        shape = case.puzzle.shape
        self.check_supported(case)
        first = shape.definition not in self.made
        backend = self.backend_for(shape)
        if first:
            yield from self.watch.faults
        faults = list(self.put(backend, case))
        wrong = (Clause.SOLUTION, Clause.PROOF, Clause.COUNT, Clause.EXACT)
        if any(fault.clause in wrong for fault in faults):
            with self.watch.call(creates=True):
                fresh = self.make(shape)
            if not [f for f in self.put(fresh, case) if f.clause in wrong]:
                faults = [
                    Fault(Clause.MEMORY, f"{f.message}; a new backend answers correctly")
                    for f in faults
                ]
        yield from faults

    def check_patience(self, shape: Shape, blanks: int = 0) -> None:
        """Check that a question about a shape, with this number of blank cells, may be put.

        Raises:
            TooSlow: too many questions with as many blank cells or fewer were not answered.
        """
        late = self._late_blanks_of(shape)
        # A slow search answers questions with fewer blank cells, which show its faults.
        if len(late) >= 8 or (len(late) >= 4 and blanks >= min(late)):
            raise TooSlow(f"{len(late)} questions of this shape were not answered in time")

    def check_supported(self, case: Case) -> None:
        """Check that the declared limitations of the backend allow a question.

        Raises:
            Unsupported: the backend ignores its limit, and the puzzle has too many solutions.
        """
        endless = case.at_least or case.solutions > 10_000
        is_large = case.puzzle.shape.size > TINY  # of the grids of size 4, at most 576 exist
        if case.limit and endless and is_large and not self.backend.heeds_limit:
            raise Unsupported("count ignores its limit, and the puzzle has too many solutions")

    def put(self, backend: Backend[Any], case: Case) -> Iterator[Fault]:
        """Put a question to a `backend`, and check the answer and the side effects."""
        # Each call gets a new puzzle object, as programs make new ones and drop the old ones.
        expected = case.puzzle
        puzzle = Puzzle(expected.shape, expected.givens, expected.pencilmarks)
        seed(f"{case.title} {expected.givens}")  # makes a random search repeatable
        backend.time_limit = case.time_limit or self.timeout
        answer: Any = None
        exception: BaseException | None = None
        began = perf_counter()
        with self.watch.call():
            try:
                answer = case.put_to(backend, puzzle)
            except KeyboardInterrupt:
                raise
            except BaseException as error:  # noqa: BLE001  a backend may raise anything
                exception = error
            wall_s = perf_counter() - began
        backend.time_limit = None
        yield from self.watch.faults
        if (puzzle.givens, puzzle.pencilmarks) != (expected.givens, expected.pencilmarks):
            yield Fault(Clause.PUZZLE, "modifies the puzzle")
        if isinstance(exception, Unsupported | Unavailable):
            raise exception
        if exception is not None:
            yield Fault(Clause.LIFE, what_raised(exception))
            return
        if case.limit is None and not self.backend.solves:
            yield Fault(Clause.NAMES, "solves is False, and solve answers; expected Unsupported")
            return
        ran_out = backend.complete and gave_up(answer, case) and wall_s > self.timeout / 2
        if (ran_out or wall_s > self.timeout + GRACE) and not case.time_limit:
            late = f"not answered within {self.timeout:g} s"
            if case.is_demanding:
                self._late_blanks_of(case.puzzle.shape).append(case.blanks)
                raise TooSlow(late)
            when = f"{'unknown' if ran_out else 'an answer'} after {wall_s:.1f} s"
            yield Fault(Clause.TIME, f"{late}: {when}")
            return
        may_give_up = bool(case.time_limit) or not backend.complete
        faults = list(faults_of_answer(answer, case, may_give_up=may_give_up))
        faults += faults_of_phases(answer, wall_s)
        yield from faults
        self.gave_up += not faults and gave_up(answer, case) and not case.time_limit

    def _late_blanks_of(self, shape: Shape) -> list[int]:
        """The blank cells of the unanswered questions about a shape with any constraints."""
        return self._late_blanks[shape.plain or shape.definition]


def what_raised(error: BaseException) -> str:
    """What is wrong with a call that raised `error`."""
    return f"raises {type(error).__name__}: {error}".rstrip(": ")
