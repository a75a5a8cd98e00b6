"""The process that runs trials: one backend, one trial after another.

Started by the supervisor as ``python -m harness.sweep.worker``, in a session, a
working folder and a temporary folder of its own. What it is told and what it
tells are the messages of `harness.sweep.channel`.
"""

import gc
import os
import resource
import sys
import traceback
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict
from pathlib import Path
from time import perf_counter, process_time
from typing import Any, Final

from harness.contract import registry
from harness.contract.backend import Answer, Backend, Count, Unavailable, Unsupported
from harness.contract.options import Options
from harness.errors import InputError
from harness.puzzles.generate import pattern_puzzle
from harness.puzzles.puzzle import Puzzle
from harness.puzzles.shape import Shape
from harness.sweep.channel import Message, pack, read_messages, write_all
from harness.sweep.heartbeat import WARM_UP, Heartbeat
from harness.sweep.limits import die_with_parent
from harness.sweep.trial import DEFAULT_LIMIT, Ending, Start, Task

_LONGEST_DETAIL: Final = 4000


class Worker:
    """A backend that was asked for by its spec, and the puzzles it is asked about."""

    def __init__(self, send: Callable[[Message], None], heartbeat: Heartbeat) -> None:
        self._send = send
        self._heartbeat = heartbeat
        self._backend: type[Backend]
        self._options: Options
        self._kept: dict[Shape, Backend] = {}
        self._warmed: set[tuple[Shape, Task]] = set()

    def serve(self, messages: Iterator[Message]) -> None:
        """Do what the messages say until there are no more."""
        for message in messages:
            match message["do"]:
                case "open":
                    self._open(message)
                case "batch":
                    self._batch(message)

    def _open(self, message: Message) -> None:
        started = perf_counter()
        try:
            settings = [(name, value) for name, value in message["settings"]]
            self._backend, self._options = registry.load_backend(message["locator"], settings)
            description = registry.describe(self._backend).as_dict()
        except InputError as error:
            self._send({"is": "refused", "why": "input", "reason": str(error)})
        except Unavailable as error:
            self._send(
                {"is": "refused", "why": "unavailable", "reason": error.reason}
                | {"remedy": error.remedy, "description": self._describe(message["locator"])}
            )
        else:
            gc.collect()
            gc.freeze()
            self._send(
                {"is": "ready", "description": description, "options": asdict(self._options)}
                | {"seconds": perf_counter() - started}
            )

    def _describe(self, locator: str) -> Message | None:
        """What a backend that cannot be used says of itself, if its module can be imported."""
        try:
            return registry.describe(registry.load_class(locator)).as_dict()
        except (InputError, Unavailable):
            return None

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
            self._heartbeat.stop()
            outcome = _outcome(answer, task)
            outcome |= {"wall": ended - began, "cpu": cpu, "build": built - began}
        except Unsupported as error:
            outcome = {"ending": Ending.UNSUPPORTED, "detail": str(error)}
        except BaseException as error:  # noqa: BLE001  a backend may raise anything
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

    def _kept_backend(self, shape: Shape) -> Backend:
        if shape not in self._kept:
            self._kept[shape] = self._backend(shape, self._options)
        return self._kept[shape]


def _outcome(answer: Any, task: Task) -> Message:
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
        outcome |= {"claim": str(answer.verdict), "grid": _plain(answer.grid)}
    else:
        outcome |= {
            "number": _plain(answer.number),
            "exact": bool(answer.exact),
            "grid": _plain(answer.witness),
        }
    return outcome


def _numbers(stats: Mapping[Any, Any]) -> Message:
    """The statistics that are numbers, as they should all be."""
    return {str(name): value for name, value in stats.items() if isinstance(value, int | float)}


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


def _cpu_time() -> float:
    """Seconds of CPU of this process and of the children it has waited for."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return process_time() + children.ru_utime + children.ru_stime


def main() -> None:
    """Run as a worker: the file descriptors, the heartbeat's path and the parent are arguments."""
    reading, writing, parent = int(sys.argv[1]), int(sys.argv[2]), int(sys.argv[4])
    die_with_parent(parent)
    for fd in (reading, writing):
        os.set_inheritable(fd, False)  # a solver's child process has no business with them
    worker = Worker(lambda message: write_all(writing, pack(message)), Heartbeat(Path(sys.argv[3])))
    worker.serve(read_messages(reading))


if __name__ == "__main__":
    main()
