"""The process that runs trials: one backend, one trial after another.

Forked by its keeper from a process that has imported the backend; in a session,
a working folder and a temporary folder of its own, on a core of its own. What
it is told and what it tells are the messages of `harness.sweep.channel`.
"""

import gc
import os
import random
import resource
import sys
import tempfile
import traceback
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter, process_time
from typing import Any, Final

from harness.contract.backend import Answer, Backend, Count, Unsupported
from harness.contract.options import Options
from harness.errors import InputError
from harness.puzzles.generate import pattern_puzzle
from harness.puzzles.puzzle import Puzzle, line_of_values
from harness.puzzles.shape import Shape
from harness.sweep.channel import Message, pack, read_messages, write_all
from harness.sweep.heartbeat import WARM_UP, Heartbeat
from harness.sweep.limits import die_with_parent, limit_address_space, pin
from harness.sweep.trial import DEFAULT_LIMIT, Ending, Start, Task

_LONGEST_DETAIL: Final = 4000
_WORTH_A_PEAK: Final = 0.005
_CLEAR_REFS: Final = Path("/proc/self/clear_refs")
_MAXRSS_UNIT: Final = 1 if sys.platform == "darwin" else 1024


@dataclass(frozen=True, slots=True)
class Place:
    """Where a worker works: its ends of the pipes, its core, its address space."""

    reading: int
    writing: int
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

    def send(message: Message) -> None:
        write_all(place.writing, pack(message))

    Worker(backend, options, send, heartbeat, place.core).serve(read_messages(place.reading))


def _settle(folder: Path) -> None:
    """Make `folder` the working folder, the temporary folder and the place of all output."""
    os.chdir(folder)
    os.environ["TMPDIR"] = str(folder)
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
        heartbeat: Heartbeat,
        core: int | None,
    ) -> None:
        self._core = core
        self._backend = backend
        self._options = options
        self._send = send
        self._heartbeat = heartbeat
        self._kept: dict[Shape, Backend] = {}
        self._warmed: set[tuple[Shape, Task]] = set()
        self._pid = os.getpid()
        self._last_took = 0.0

    def serve(self, messages: Iterator[Message]) -> None:
        """Do what the messages say until there are no more."""
        for message in messages:
            self._batch(message)

    def _batch(self, message: Message) -> None:
        task, start = Task(message["task"]), Start(message["start"])
        shape = Shape.parse(message["shape"])
        if message["warm_up"] and (shape, task) not in self._warmed:
            self._warm_up(shape, task, message["timeout"])
        for serial, givens in message["puzzles"]:
            puzzle = Puzzle(shape, tuple(givens))
            row = self._trial(serial, puzzle, task, message["limit"], start, message["timeout"])
            self._send({"is": "row", "serial": serial, "outcome": row})
        self._send({"is": "done"})

    def _warm_up(self, shape: Shape, task: Task, timeout: float) -> None:
        """The first call of a kind is slow: make it on a puzzle that is not measured."""
        self._warmed.add((shape, task))
        try:
            puzzle = pattern_puzzle(shape, blank_every=4)
        except InputError:
            return
        row = self._trial(WARM_UP, puzzle, task, DEFAULT_LIMIT, Start.COLD, timeout)
        self._send(
            {"is": "warm", "shape": shape.spec, "task": task, "seconds": row["wall"]}
            | {"ending": row["ending"], "detail": row["detail"]}
        )

    def _trial(
        self, serial: int, puzzle: Puzzle, task: Task, limit: int, start: Start, timeout: float
    ) -> Message:
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
            before = resource.getrusage(resource.RUSAGE_SELF)
            cpu, began = _cpu_time(), perf_counter()
            if backend is None:
                backend = self._backend(puzzle.shape, self._options)
            built = perf_counter()
            backend.time_limit = timeout
            if task is Task.SOLVE:
                answer: Any = backend.solve(puzzle)
            else:
                answer = backend.count(puzzle, limit)
            ended, cpu = perf_counter(), _cpu_time() - cpu
            self._end_if_forked()
            self._heartbeat.stop()
            outcome = _outcome(answer, task, puzzle.shape)
            outcome |= {"wall": ended - began, "cpu": cpu, "build": built - began}
            outcome |= self._kernel_figures(before, own_peak)
            self._last_took = ended - began
        except Unsupported as error:
            outcome = {"ending": Ending.UNSUPPORTED, "detail": str(error)}
        except BaseException as error:  # noqa: BLE001  a backend may raise anything
            self._end_if_forked()
            outcome = {
                "ending": Ending.RAISED,
                "claim": type(error).__name__,
                "detail": _traceback(error),
                "wall": perf_counter() - began,
            }
        finally:
            self._heartbeat.stop()
            gc.enable()
        return {"detail": "", "wall": None} | outcome

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

    def _kernel_figures(self, before: resource.struct_rusage, own_peak: bool) -> Message:
        """What the kernel counted of the worker meanwhile."""
        after = resource.getrusage(resource.RUSAGE_SELF)
        memory, how = after.ru_maxrss * _MAXRSS_UNIT, "bound"
        if own_peak:
            memory, how = _vm_peak(), "peak"
        if self._heartbeat.memory_seen > memory:
            memory, how = self._heartbeat.memory_seen, "sampled"
        return {
            "switches": after.ru_nvcsw - before.ru_nvcsw,
            "forced_switches": after.ru_nivcsw - before.ru_nivcsw,
            "memory": memory,
            "memory_how": how,
            "cpu_how": "rusage",
            "core": self._core,
        }

    def _kept_backend(self, shape: Shape) -> Backend:
        if shape not in self._kept:
            self._kept[shape] = self._backend(shape, self._options)
        return self._kept[shape]


def _outcome(answer: Any, task: Task, shape: Shape) -> Message:
    """An answer as a message; what is none is said to be broken."""
    expected = Answer if task is Task.SOLVE else Count
    if not isinstance(answer, expected):
        return {
            "ending": Ending.BROKEN,
            "detail": f"{task} returned {_short(answer)}, not an {expected.__name__}",
        }
    outcome: Message = {
        "ending": Ending.ANSWERED,
        "stats": _numbers(answer.stats),
        "encode": float(answer.phases.encode),
        "search": float(answer.phases.search),
        "decode": float(answer.phases.decode),
    }
    if isinstance(answer, Answer):
        outcome |= {"claim": str(answer.verdict)} | _told(answer.grid, shape)
    else:
        outcome |= {
            "number": _plain(answer.number),
            "exact": bool(answer.exact),
        } | _told(answer.witness, shape)
    return outcome


def _numbers(stats: Mapping[Any, Any]) -> Message:
    """The statistics that are numbers, as they should all be."""
    return {str(name): value for name, value in stats.items() if isinstance(value, int | float)}


def _told(grid: Any, shape: Shape) -> Message:
    """A grid as a line, which is short and quick to send, or as whatever else it is."""
    line = line_of_values(grid, shape)
    return {"line": line} if line else {"grid": _plain(grid)}


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


def _cpu_time() -> float:
    """Seconds of CPU of this process and of the children it has waited for."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return process_time() + children.ru_utime + children.ru_stime
