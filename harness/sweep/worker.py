"""The process that runs trials: one backend, one trial after another.

Forked by its keeper from a process that has imported the backend; in a session,
a working folder and a temporary folder of its own, on a core of its own. What
it is told are the messages of `harness.sweep.channel`, and so is what it tells but
for ordinary rows, which go into the journal.
"""

import gc
import json
import os
import random
import resource
import sys
import tempfile
import traceback
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter, process_time, time
from typing import Any, Final

from harness.contract.backend import Answer, Backend, Count, Unsupported
from harness.contract.options import Options
from harness.errors import InputError
from harness.puzzles.generate import pattern_puzzle
from harness.puzzles.puzzle import Puzzle, line_of_values, values_of_line
from harness.puzzles.shape import Shape
from harness.sweep.channel import Message, pack, read_messages, write_all
from harness.sweep.heartbeat import WARM_UP, Heartbeat
from harness.sweep.journal import Journal
from harness.sweep.limits import die_with_parent, limit_address_space, pin
from harness.sweep.trial import DEFAULT_LIMIT, Ending, Outcome, Start, Task

_LONGEST_DETAIL: Final = 4000
_WORTH_A_PEAK: Final = 0.005
_CLEAR_REFS: Final = Path("/proc/self/clear_refs")
_MAXRSS_UNIT: Final = 1 if sys.platform == "darwin" else 1024


@dataclass(frozen=True, slots=True)
class Place:
    """Where a worker works: its ends of the pipes, its journal, its core, its address space."""

    reading: int
    writing: int
    memory: int
    """The descriptor of the journal's memory."""
    core: int | None
    address_space: int | None
    """Bytes beyond what the worker starts with; None where it is not limited."""


def work(
    backend: type[Backend], options: Options, place: Place, heartbeat: Heartbeat, folder: Path
) -> None:
    """Be the worker: settle in `folder` and run the trials that come until there are no more."""
    parent = os.getppid()
    os.setsid()
    die_with_parent(parent)
    _settle(folder)
    pin(place.core)
    if place.address_space is not None:
        limit_address_space(place.address_space)
    random.seed(0)
    journal = Journal(place.memory)
    os.close(place.memory)

    def send(message: Message) -> None:
        write_all(place.writing, pack(message))

    worker = Worker(backend, options, send, journal, heartbeat, place.core)
    worker.serve(read_messages(place.reading))


def _settle(folder: Path) -> None:
    """Make `folder` the working, the home and the temporary folder and the place of all output."""
    os.chdir(folder)
    os.environ["HOME"] = os.environ["TMPDIR"] = str(folder)
    tempfile.tempdir = None
    output = os.open("output", os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    nothing = os.open(os.devnull, os.O_RDONLY)
    for source, target in ((nothing, 0), (output, 1), (output, 2)):
        os.dup2(source, target)
    os.close(output)
    os.close(nothing)


class Worker:
    """A backend with its options, and the puzzles it is asked about."""

    def __init__(
        self,
        backend: type[Backend],
        options: Options,
        send: Callable[[Message], None],
        journal: Journal,
        heartbeat: Heartbeat,
        core: int | None,
    ) -> None:
        self._core = core
        self._backend = backend
        self._options = options
        self._send = send
        self._journal = journal
        self._heartbeat = heartbeat
        self._kept: dict[Shape, Backend] = {}
        self._warmed: set[tuple[Shape, Task]] = set()
        self._pid = os.getpid()
        self._last_took = 0.0
        self._counters = resource.getrusage(resource.RUSAGE_SELF)
        self._children_cpu = 0.0

    def serve(self, messages: Iterator[Message]) -> None:
        """Do what the messages say until there are no more."""
        for message in messages:
            self._batch(message)

    def _batch(self, message: Message) -> None:
        task, start = Task(message["task"]), Start(message["start"])
        shape = Shape.parse(message["shape"])
        if message["warm_up"] and (shape, task) not in self._warmed:
            self._warm_up(shape, task, message["timeout"])
        self._look_at_counters()
        for serial, line in message["puzzles"]:
            puzzle = Puzzle(shape, values_of_line(line))
            outcome = self._trial(serial, puzzle, task, message["limit"], start, message["timeout"])
            if not self._journal.note(serial, outcome):
                self._send({"is": "row", "serial": serial, "outcome": outcome._asdict()})
                self._look_at_counters()
        self._send({"is": "done"})

    def _look_at_counters(self) -> None:
        """Begin anew with what the kernel counts: what came before belongs to no trial."""
        self._counters = resource.getrusage(resource.RUSAGE_SELF)
        self._children_cpu = _children_cpu()

    def _warm_up(self, shape: Shape, task: Task, timeout: float) -> None:
        """The first call of a kind is slow: make it on a puzzle that is not measured."""
        self._warmed.add((shape, task))
        try:
            puzzle = pattern_puzzle(shape, blank_every=4)
        except InputError:
            return
        outcome = self._trial(WARM_UP, puzzle, task, DEFAULT_LIMIT, Start.COLD, timeout)
        self._send(
            {"is": "warm", "shape": shape.spec, "task": task, "seconds": outcome.wall}
            | {"ending": outcome.ending, "detail": outcome.detail}
        )

    def _trial(
        self, serial: int, puzzle: Puzzle, task: Task, limit: int, start: Start, timeout: float
    ) -> Outcome:
        """Run one trial; whatever the backend raises becomes a part of the outcome."""
        backend = None
        began = perf_counter()
        try:
            self._heartbeat.start(serial)
            if start is Start.WARM:
                backend = self._kept_backend(puzzle.shape)
                self._heartbeat.start(serial)
            gc.disable()
            own_peak = self._forget_peak()
            cpu, began = process_time(), perf_counter()
            if backend is None:
                backend = self._backend(puzzle.shape, self._options)
            built = perf_counter()
            backend.time_limit = timeout
            if task is Task.SOLVE:
                answer: Any = backend.solve(puzzle)
            else:
                answer = backend.count(puzzle, limit)
            ended, cpu = perf_counter(), process_time() - cpu
            self._end_if_forked()
            self._heartbeat.stop()
            self._last_took = ended - began
            outcome = self._outcome(answer, task, puzzle.shape, built - began, cpu, own_peak)
        except Unsupported as error:
            outcome = Outcome(Ending.UNSUPPORTED, detail=str(error), ended_at=time())
        except BaseException as error:  # noqa: BLE001  a backend may raise anything
            self._end_if_forked()
            outcome = Outcome(
                Ending.RAISED,
                claim=type(error).__name__,
                detail=_traceback(error),
                wall=perf_counter() - began,
                ended_at=time(),
            )
        finally:
            self._heartbeat.stop()
            gc.enable()
        return outcome

    def _end_if_forked(self) -> None:
        """End this process if the backend has forked it and let it come back here."""
        if os.getpid() != self._pid:
            os._exit(0)

    def _forget_peak(self) -> bool:
        """Have the kernel begin anew with the worker's peak of memory, if that is worth its time.

        It takes 50 us: next to nothing beside a trial of milliseconds, but more
        than a very short trial itself. After those, the peak since the worker's
        start stands in, as a bound.
        """
        if self._last_took < _WORTH_A_PEAK or not _CLEAR_REFS.exists():
            return False
        _CLEAR_REFS.write_text("5")
        return True

    def _outcome(
        self, answer: Any, task: Task, shape: Shape, build: float, cpu: float, own_peak: bool
    ) -> Outcome:
        """An answer as an outcome, with what was measured; what is none is said to be broken."""
        expected = Answer if task is Task.SOLVE else Count
        if not isinstance(answer, expected):
            broken = f"{task} returned {_short(answer)}, not an {expected.__name__}"
            return Outcome(Ending.BROKEN, detail=broken, ended_at=time())
        before, children_before = self._counters, self._children_cpu
        self._look_at_counters()
        memory, memory_how = self._counters.ru_maxrss * _MAXRSS_UNIT, "bound"
        if own_peak:
            memory, memory_how = _vm_peak(), "peak"
        if self._heartbeat.memory_seen > memory:
            memory, memory_how = self._heartbeat.memory_seen, "sampled"
        claim = number = exact = None
        if isinstance(answer, Answer):
            claim, grid = str(answer.verdict), answer.grid
        else:
            number, exact, grid = _plain(answer.number), bool(answer.exact), answer.witness
        line = line_of_values(grid, shape)
        return Outcome(
            Ending.ANSWERED,
            claim=claim,
            number=number,
            exact=exact,
            line=line,
            grid=None if line else _plain(grid),
            wall=self._last_took,
            cpu=cpu + self._children_cpu - children_before,
            build=build,
            encode=float(answer.phases.encode),
            search=float(answer.phases.search),
            decode=float(answer.phases.decode),
            switches=self._counters.ru_nvcsw - before.ru_nvcsw,
            forced_switches=self._counters.ru_nivcsw - before.ru_nivcsw,
            memory=memory,
            memory_how=memory_how,
            cpu_how="rusage",
            core=self._core,
            stats=_numbers(answer.stats),
            ended_at=time(),
        )

    def _kept_backend(self, shape: Shape) -> Backend:
        if shape not in self._kept:
            self._kept[shape] = self._backend(shape, self._options)
        return self._kept[shape]


def _numbers(stats: Mapping[Any, Any]) -> str:
    """The statistics that are numbers, as they should all be, as JSON."""
    if not stats:
        return "{}"
    numbers = {str(name): value for name, value in stats.items() if isinstance(value, int | float)}
    return json.dumps(numbers)


def _plain(value: Any) -> Any:
    """A grid or number that JSON carries as it is; what it does not carry, as its text."""
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return value if value is None or type(value) is int else _short(value)


def _short(value: Any) -> str:
    try:
        return repr(value)[:200]
    except Exception:  # noqa: BLE001  a hostile repr
        return f"<{type(value).__name__} without a repr>"


def _traceback(error: BaseException) -> str:
    return "".join(traceback.format_exception(error))[-_LONGEST_DETAIL:]


def _vm_peak() -> int:
    """The most bytes in memory since the kernel last began anew."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) * 1024
    return 0


def _children_cpu() -> float:
    """Seconds of CPU of the children that this process has waited for."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return children.ru_utime + children.ru_stime
