"""Examines a backend in a process of its own, which may hang, crash or exhaust memory."""

import socket
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, fields
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
    return data | {"breaches": [_data_of_breach(breach) for breach in finding.breaches]}


def finding_from(data: Data) -> Finding:
    """The finding from the data of `data_of_finding`."""
    breaches = tuple(_breach_from(breach) for breach in data["breaches"])
    return Finding(**(data | {"breaches": breaches}))


def _data_of_breach(breach: Breach) -> Data:
    return {
        "clause": breach.clause.id,
        "requirement": breach.clause.value,
        "what": breach.message,
        "part": breach.part,
        "question": data_of_case(breach.case) if breach.case else None,
    }


def _breach_from(data: Data) -> Breach:
    question = data["question"]
    case = case_from(question) if question else None
    return Breach(Clause[data["clause"].upper()], data["what"], data["part"], case)


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


_IMPORT: Final = "the import"
"""The title of the finding if the process ends during the import of the backend."""
_HASH_SEEDS: Final = range(1, 41)
"""Seeds of string hashes with which a part is repeated in a thorough examination. Each costs an
import."""
_USUAL_HASH_SEEDS: Final = 12
"""The number of seeds otherwise: a fault that one seed in four shows stays hidden in one of 30
examinations."""
_MOST_DEATHS: Final = 5
"""Processes of the backend that may die before the other parts are skipped. Each costs an
import, and a backend that has crashed five times needs no further evidence."""

_AGE_S: Final = 5.0
"""The minimum age in seconds of a process that repeats questions: some faults come with time."""
_MOST_STANDSTILLS: Final = 3
"""How many times parts are examined again because all processes stood still."""


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
    tally = _Tally()
    for hash_seed in (0, *_hash_seeds(options)):
        yield from _examine_with(hash_seed, spec, options, tally, notice)
        if tally.is_over:
            return


def _hash_seeds(options: ExaminationOptions) -> Sequence[int]:
    """The seeds with which a part is repeated."""
    seeds = _HASH_SEEDS if options.thorough else _HASH_SEEDS[:_USUAL_HASH_SEEDS]
    return [seed for seed in seeds if options.only in title_with_hash_seed(seed)]


@dataclass
class _Tally:
    """What has happened to the processes of an examination."""

    deaths: int = 0
    standstills: int = 0
    late: LateBlanks = field(default_factory=lambda: LateBlanks(list))
    is_over: bool = False
    """Whether no further process is started."""


def _examine_with(
    hash_seed: int,
    spec: BackendSpec,
    options: ExaminationOptions,
    tally: "_Tally",
    notice: Callable[[str], None],
) -> Iterator[Finding]:
    """The findings with one seed of string hashes."""
    done = 0
    while True:
        with ExitStack() as stack:
            with signals_held():
                new_examinee = _Examinee(spec, options, hash_seed, done, tally.late, notice)
                examinee = stack.enter_context(new_examinee)
            for finding in examinee.findings():
                done += 1
                yield finding
            if examinee.is_done:
                return
            report = examinee.conversation.end()
        if report.reason is EndReason.STANDSTILL and tally.standstills < _MOST_STANDSTILLS:
            tally.standstills += 1
            continue
        part = examinee.part(done)
        title, shape = part.title, part.shape
        case = case_from(part.case) if part.case else None
        tally.deaths += 1
        done += 1
        if report.reason is EndReason.WALL_TIME and part.is_demanding:
            tally.late[shape].append(case.blanks if case else sys.maxsize)
            tally.deaths -= 1
            passed_over = f"not answered within {options.timeout_s:g} s"
            late = options.timeout_s + 2 * GRACE
            yield Finding(title, shape, passed_over=passed_over, seconds=late, is_late=True)
            continue
        clause, message = _breach_of(report, options, examinee.conversation.channel_error)
        yield Finding(title, shape, (Breach(clause, message, title, case),))
        tally.is_over = not examinee.is_loaded or tally.deaths == _MOST_DEATHS
        if tally.is_over:
            passed_over = f"{_MOST_DEATHS} earlier processes died"
            for part in examinee.parts[done:]:
                yield Finding(part.title, part.shape, passed_over=passed_over)
            return


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


class _Examinee:
    """One process of the backend, from its start to its end."""

    def __init__(
        self,
        spec: BackendSpec,
        options: ExaminationOptions,
        hash_seed: int,
        skip: int,
        late: LateBlanks,
        notice: Callable[[str], None],
    ) -> None:
        self._timeout_s = options.timeout_s
        self.parts: list[PartToExamine] = []
        self.is_loaded = self.is_done = False
        self.conversation = Conversation[ExamineeMessage](
            examine_parts,
            spec,
            ExamineeMessage,
            memory_limit_mib=options.memory_limit_mib,
            hash_seed=hash_seed,
            notice=notice,
        )
        self.conversation.send(
            ExaminationRequest(options=options, hash_seed=hash_seed, skip=skip, late=late)
        )

    def __enter__(self) -> "_Examinee":
        return self

    def __exit__(self, *error: object) -> None:
        self.conversation.close()

    def findings(self) -> Iterator[Finding]:
        """The findings of this process, until all parts are done or the process ends."""
        for message in self.conversation.messages():
            match message:
                case PartsReady():
                    self.parts = [*message.parts]
                    self.is_loaded = True
                    # A late answer within the grace period is a finding; after that period the
                    # monitor kills the process.
                    self.conversation.limit(self._timeout_s + 2 * GRACE)
                case PartExamined():
                    yield finding_from(message.finding)
                case Done():
                    self.is_done = True
                    return

    def part(self, number: int) -> PartToExamine:
        """The part with this number, or what stands for the import or the end."""
        if number < len(self.parts):
            return self.parts[number]
        return PartToExamine("its end" if self.is_loaded else _IMPORT)


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
        connection.send(
            PartsReady(
                [
                    PartToExamine(
                        part.title,
                        part.shape,
                        data_of_case(part.case) if part.case else None,
                        part.is_demanding,
                    )
                    for part in parts
                ]
            )
        )
        for part in parts[request.skip :]:
            if part.title == LAST_PART:
                time.sleep(max(0.0, _AGE_S - (time.perf_counter() - began)))
            current_trial.start(next(calls))
            finding = examination.examine(part)
            current_trial.stop()
            connection.send(PartExamined(data_of_finding(finding)))
    connection.send(Done())
