"""Examines a backend in a process of its own, which may hang, crash or exhaust memory."""

import socket
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, fields
from itertools import count
from typing import Any, Final

from harness.base.child import signals_held
from harness.base.text import last_line
from harness.contract import Backend, BackendSpec, Options
from harness.engine import Conversation, outcome_of
from harness.engine.wire import (
    Connection,
    CurrentTrial,
    Done,
    EndReason,
    Message,
    MonitorReport,
    Preparing,
    Refused,
)
from harness.extensions.conformance.calls import GRACE, LateBlanks
from harness.extensions.conformance.clauses import Breach, Case, Clause
from harness.extensions.conformance.examination import (
    LAST_PART,
    Examination,
    Finding,
    title_with_hash_seed,
)
from harness.puzzles import Puzzle, Shape
from harness.records import Ending, Question, Start, Task

# Questions and findings as plain data, for pipes and JSON.


Data = dict[str, Any]


def data_of_case(case: Case) -> Data:
    """The question as plain data."""
    return {
        "title": case.title,
        "shape": case.puzzle.shape.definition,
        "puzzle": case.puzzle.line,
        "task": "solve" if case.limit is None else "count",
        "limit": case.limit,
        "time_limit": case.time_limit,
        "solutions": case.solutions,
        "solutions_are_lower_bound": case.at_least,
    }


def case_from(data: Data) -> Case:
    """The question from the data of `data_of_case`."""
    puzzle = Puzzle.of_line(data["puzzle"], Shape.parse(data["shape"]))
    return Case(
        data["title"],
        puzzle,
        data["solutions"],
        data["limit"],
        time_limit=data["time_limit"],
        at_least=data["solutions_are_lower_bound"],
    )


def data_of_finding(finding: Finding) -> Data:
    """The finding as plain data."""
    data = {field.name: getattr(finding, field.name) for field in fields(finding)}
    breaches = [
        {
            "clause": breach.clause.id,
            "requirement": breach.clause.value,
            "what": breach.message,
            "part": breach.part,
            "question": data_of_case(breach.case) if breach.case else None,
        }
        for breach in finding.breaches
    ]
    return data | {"breaches": breaches}


def finding_from(data: Data) -> Finding:
    """The finding from the data of `data_of_finding`."""
    breaches = []
    for breach in data["breaches"]:
        clause, question = Clause[breach["clause"].upper()], breach["question"]
        case = case_from(question) if question else None
        breaches.append(Breach(clause, breach["what"], breach["part"], case))
    return Finding(**(data | {"breaches": tuple(breaches)}))


# Messages between the examiner and the process of the examined backend.


@dataclass(frozen=True, slots=True)
class ExaminationOptions:
    """What is examined, under which limits."""

    shapes: Sequence[str] | None = None
    """Names of the shapes to test; None for the default ones."""
    only: str = ""
    """Text in the titles of the parts to examine."""
    thorough: bool = False
    """Whether all questions are put, however long they take, and more of them."""
    timeout_s: float = 10.0
    """Wall time limit of each question, in seconds."""
    memory_limit_mib: int = 4096
    """Memory limit of the process: enough for every known solver on the shapes of the examination,
    and less than the memory of an ordinary machine."""


class ExaminationRequest(Message):
    """What to examine."""

    options: ExaminationOptions
    hash_seed: int
    """The seed of string hashes in this process; 0 in the process that examines all parts."""
    skip: int
    """Number of parts that earlier processes have examined."""
    late: dict[str, list[int]]
    """The questions that were not answered in time, as `LateBlanks` has them."""


class PartToExamine(Message):
    """What the examiner needs to know about a part before its finding."""

    title: str
    shape: str = ""
    case: dict[str, Any] | None = None
    """The question, if the part has a single one."""
    is_demanding: bool = False
    """Whether a question may take longer than its time limit."""


class PartsReady(Message):
    """The backend is loaded, and these parts are to be examined."""

    parts: list[PartToExamine]


class PartExamined(Message):
    """The finding of one part."""

    finding: dict[str, Any]


ExamineeMessage = Preparing | Refused | PartsReady | PartExamined | Done


# Examines a backend in a process of its own, which may hang, crash or exhaust memory.


_HASH_SEEDS: Final = range(1, 41)
"""Seeds of string hashes with which a part is repeated in a thorough examination. Each costs an
import."""
_MOST_DEATHS: Final = 5
"""Processes of the backend that may die before the other parts are skipped. Each costs an
import, and a backend that has crashed five times needs no further evidence."""


def examine_isolated(
    spec: BackendSpec,
    options: ExaminationOptions,
    notice: Callable[[str], None] = lambda _: None,
) -> Iterator[Finding]:
    """Examine the backend `spec`; yield the finding of each part as it ends.

    A part that kills the process is a finding as well; another process examines the
    parts after it.

    Raises:
        InputError: the backend does not exist or does not accept its options, or a shape
            does not exist.
        Unavailable: the backend is unavailable.
    """
    for shape in options.shapes or ():
        Shape.parse(shape)
    examiner = _Examiner(spec, options, notice)
    # With 12 seeds, a fault that one seed in four shows stays hidden in one of 30 examinations.
    seeds = _HASH_SEEDS if options.thorough else _HASH_SEEDS[:12]
    for hash_seed in (0, *(seed for seed in seeds if options.only in title_with_hash_seed(seed))):
        yield from examiner.findings(hash_seed)


class _Examiner:
    """Examines a backend in one process after another, and counts what happens to them."""

    def __init__(
        self, spec: BackendSpec, options: ExaminationOptions, notice: Callable[[str], None]
    ) -> None:
        self._spec = spec
        self._options = options
        self._notice = notice
        self._deaths = self._standstills = 0
        self._late = LateBlanks(list)
        self._is_over = False
        """Whether no further process is started."""

    def findings(self, hash_seed: int) -> Iterator[Finding]:
        """The findings with one seed of string hashes."""
        options, done = self._options, 0
        while not self._is_over:
            parts: list[PartToExamine] | None = None
            with ExitStack() as stack:
                with signals_held():
                    conversation = stack.enter_context(self._conversation(hash_seed, done))
                for message in conversation.messages():
                    match message:
                        case PartsReady():
                            parts = message.parts
                            # A late answer within the grace period is a finding; after that
                            # period the monitor kills the process.
                            conversation.limit(options.timeout_s + 2 * GRACE)
                        case PartExamined():
                            done += 1
                            yield finding_from(message.finding)
                        case Done():
                            return
                report = conversation.end()
            if report.reason is EndReason.STANDSTILL and self._standstills < 3:
                self._standstills += 1  # all processes stood still: examine the part again
                continue
            is_loaded, parts = parts is not None, parts or []
            part = PartToExamine("its end" if is_loaded else "the import")
            if done < len(parts):
                part = parts[done]
            case = case_from(part.case) if part.case else None
            done += 1
            if report.reason is EndReason.WALL_TIME and part.is_demanding:
                self._late[part.shape].append(case.blanks if case else sys.maxsize)
                reason = f"not answered within {options.timeout_s:g} s"
                late_s = options.timeout_s + 2 * GRACE
                yield Finding(part.title, part.shape, (), reason, seconds=late_s, is_late=True)
                continue
            clause, how = _breach_of(report, options, conversation.channel_error)
            yield Finding(part.title, part.shape, (Breach(clause, how, part.title, case),))
            self._deaths += 1
            self._is_over = not is_loaded or self._deaths == _MOST_DEATHS
            if self._is_over:
                reason = f"{_MOST_DEATHS} earlier processes died"
                for part in parts[done:]:
                    yield Finding(part.title, part.shape, passed_over=reason)

    def _conversation(self, hash_seed: int, done: int) -> Conversation[ExamineeMessage]:
        """A new process of the backend, which examines the parts after those that are done."""
        conversation = Conversation[ExamineeMessage](
            examine_parts,
            self._spec,
            ExamineeMessage,
            memory_limit_mib=self._options.memory_limit_mib,
            hash_seed=hash_seed,
            notice=self._notice,
        )
        conversation.send(ExaminationRequest(self._options, hash_seed, done, self._late))
        return conversation


def _breach_of(
    report: MonitorReport, options: ExaminationOptions, channel_error: str
) -> tuple[Clause, str]:
    """The clause that a backend broke when its process ended, and how."""
    if channel_error:
        return Clause.QUIET, channel_error
    question = Question(
        Task.SOLVE, 0, Start.WARM, options.timeout_s, memory_limit_mib=options.memory_limit_mib
    )
    outcome = outcome_of(report, question)
    detail = last_line(outcome.detail)
    match outcome.ending:
        case Ending.TIME_LIMIT:
            return Clause.TIME, f"not answered within {options.timeout_s:g} s, and {detail}"
        case Ending.MEMORY_LIMIT:
            return Clause.LIFE, f"takes more than {options.memory_limit_mib} MiB: {detail}"
    return Clause.LIFE, detail


# The worker.


def examine_parts(
    kind: type[Backend[Any]], options: Options, channel: socket.socket, current_trial: CurrentTrial
) -> None:
    """Examine the parts that the harness requests."""
    connection: Connection[ExaminationRequest] = Connection(channel, ExaminationRequest)
    request = next(connection.receive_all())
    request_options = request.options
    began = time.perf_counter()
    calls = count()  # the monitor limits each call
    examination = Examination(
        kind,
        options,
        request_options.shapes,
        timeout=request_options.timeout_s,
        thorough=request_options.thorough,
        hash_seed=request.hash_seed,
        late=LateBlanks(list, request.late),
        begin=lambda: current_trial.start(next(calls)),
    )
    with examination:
        parts = [part for part in examination.parts() if request_options.only in part.title]
        descriptions = []
        for part in parts:
            case = data_of_case(part.case) if part.case else None
            descriptions.append(PartToExamine(part.title, part.shape, case, part.is_demanding))
        connection.send(PartsReady(descriptions))
        for part in parts[request.skip :]:
            if part.title == LAST_PART:  # some faults come with time: after five seconds
                time.sleep(max(0.0, 5.0 - (time.perf_counter() - began)))
            current_trial.start(next(calls))
            finding = examination.examine(part)
            current_trial.stop()
            connection.send(PartExamined(data_of_finding(finding)))
    connection.send(Done())
