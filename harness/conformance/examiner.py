"""Examines a backend in a process of its own, which may hang, crash or eat memory."""

import os
import shutil
import socket
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import msgspec

from harness.conformance.clauses import Breach, Clause
from harness.conformance.examination import GRACE, SMALL, Finding
from harness.conformance.messages import (
    ExaminationRequest,
    ExamineeMessage,
    Found,
    PartsReady,
)
from harness.conformance.questions import SHAPES, shape_named
from harness.conformance.serialization import case_from, finding_from
from harness.contract.backend import Unavailable
from harness.contract.spec import BackendSpec
from harness.engine.limits import MIB, SINGLE_THREADED, Limits
from harness.engine.monitor import EndReason, MonitorReport
from harness.engine.supervisor import START_UP_LIMIT
from harness.engine.termination import outcome_of
from harness.engine.wire.channel import ChannelBroken, Frames, pack, read_messages
from harness.engine.wire.messages import Done, Preparing, Refused
from harness.errors import InputError
from harness.records.outcome import Ending
from harness.records.question import Question, Start, Task

MEMORY: Final = 4096
"""MiB that a backend may take unless something else is said."""
_DEATHS: Final = 5
"""How often a backend may take its process down before the rest is not examined."""


@dataclass(frozen=True, slots=True)
class Terms:
    """Under which terms a backend is examined."""

    shapes: Sequence[str] = SHAPES
    only: str = ""
    """Parts are gone through whose title has this text."""
    timeout: float = 10.0
    """Seconds a question."""
    memory: int = MEMORY
    """MiB."""


def examine_apart(
    spec: BackendSpec, terms: Terms, notice: Callable[[str], None] = lambda _: None
) -> Iterator[Finding]:
    """What each part of the examination of `spec` shows, as it is gone through.

    A part that the backend does not survive is a finding as well; the next ones are
    gone through by another process.

    Raises:
        InputError: the backend does not exist or does not take its options, or there
            is no such shape.
        Unavailable: it cannot be used here.
    """
    for shape in terms.shapes:
        shape_named(shape)
    done, deaths, slow = 0, 0, Counter[str]()
    while True:
        with _Examinee(spec, terms, done, slow) as examinee:
            for finding in examinee.findings(notice):
                done += 1
                yield finding
            if examinee.is_done:
                return
            report = examinee.report()
        part, shape, question = examinee.part(done)
        case = case_from(question) if question else None
        deaths += 1
        done += 1
        if report.reason is EndReason.WALL_TIME and shape and shape_named(shape).size > SMALL:
            slow[shape] += 1
            deaths -= 1
            yield Finding(part, shape, passed_over=f"not answered within {terms.timeout:g} s")
            continue
        clause, what = _cause(report, terms, examinee.broken)
        yield Finding(part, shape, (Breach(clause, what, part, case),))
        if not examinee.is_open:
            return
        if deaths == _DEATHS:
            why = f"it took {_DEATHS} processes down"
            yield from (Finding(p, s, passed_over=why) for p, s, _ in examinee.parts[done:])
            return


def _cause(report: MonitorReport, terms: Terms, broken: str) -> tuple[Clause, str]:
    """Which clause a process broke that had to be ended, or ended."""
    if broken:
        return Clause.QUIET, f"writes where it has no business: {broken}"
    question = Question(Task.SOLVE, 0, Start.WARM, terms.timeout, memory_limit_mib=terms.memory)
    outcome = outcome_of(report, question)
    what = outcome.detail.splitlines()[0]
    last = report.output.splitlines()[-1:]
    match outcome.ending:
        case Ending.TIME_LIMIT:
            return Clause.TIME, f"not answered within {terms.timeout:g} s, and {what}"
        case Ending.MEMORY_LIMIT:
            return Clause.LIFE, f"takes more than {terms.memory} MiB: {what}"
    return Clause.LIFE, ": ".join([what, *last])


class _Examinee:
    """One process, from its start to its end."""

    def __init__(self, spec: BackendSpec, terms: Terms, skip: int, slow: Counter[str]) -> None:
        self._terms = terms
        self.parts: list[tuple[str, str, Any]] = []
        self.is_open = self.is_done = False
        self.broken = ""
        """What it wrote into the pipe that is no message."""
        self._folder = tempfile.mkdtemp(prefix="harness-")
        self._control, its_control = socket.socketpair()
        self._reading, its_writing = os.pipe()
        self._limit(START_UP_LIMIT)
        request = ExaminationRequest(
            locator=spec.locator,
            settings=spec.settings,
            shapes=list(terms.shapes),
            only=terms.only,
            timeout_s=terms.timeout,
            memory_mib=terms.memory,
            skip=skip,
            slow=slow,
            folder=self._folder,
            control=its_control.fileno(),
            findings=its_writing,
        )
        path = [str(Path(entry).resolve()) for entry in sys.path]
        with its_control:
            self._process = subprocess.Popen(
                [
                    sys.executable,
                    "-P",
                    "-m",
                    "harness.conformance.examinee",
                    msgspec.json.encode(request).decode(),
                ],
                cwd=self._folder,
                env=os.environ
                | SINGLE_THREADED
                | {"TMPDIR": self._folder, "PYTHONHASHSEED": "0"}
                | {"PYTHONPATH": os.pathsep.join(path)},
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                pass_fds=(its_control.fileno(), its_writing),
                start_new_session=True,
            )
        os.close(its_writing)

    def __enter__(self) -> "_Examinee":
        return self

    def __exit__(self, *error: object) -> None:
        self._control.close()  # the monitor ends what is left
        os.close(self._reading)
        self._process.wait()
        shutil.rmtree(self._folder, ignore_errors=True)

    def _limit(self, wall: float) -> None:
        limits = Limits(wall_s=wall, memory_bytes=self._terms.memory * MIB)
        self._control.sendall(pack(limits))

    def findings(self, notice: Callable[[str], None]) -> Iterator[Finding]:
        """What it finds, until it is done or gone."""
        try:
            for message in read_messages(self._reading, ExamineeMessage):
                if finding := self._hear(message, notice):
                    yield finding
                if self.is_done:
                    return
        except ChannelBroken as error:
            self.broken = str(error)

    def _hear(self, message: ExamineeMessage, notice: Callable[[str], None]) -> Finding | None:
        match message:
            case Preparing():
                notice(message.what)
            case Refused(kind="input"):
                raise InputError(message.reason)
            case Refused():
                raise Unavailable(message.reason, message.remedy)
            case PartsReady():
                self.parts = [*message.parts]
                self.is_open = True
                # A call that keeps its own time has the grace; one that hangs is ended after it.
                self._limit(self._terms.timeout + 2 * GRACE)
            case Found():
                return finding_from(message.finding)
            case Done():
                self.is_done = True
        return None

    def part(self, number: int) -> tuple[str, str, Any]:
        """The part with this number: its title, its shape and its question."""
        if number < len(self.parts):
            return self.parts[number]
        return ("the import", "", None) if not self.is_open else ("its end", "", None)

    def report(self) -> MonitorReport:
        """The monitor's last word on a worker that is gone."""
        self._control.shutdown(socket.SHUT_WR)
        frames: Frames[MonitorReport] = Frames(MonitorReport)
        while data := self._control.recv(1 << 16):
            for report in frames.feed(data):
                return report
        return MonitorReport(
            EndReason.REQUESTED, self._process.wait(), None, None, 0.0, None, None, None, ""
        )
