"""`harness solve` and `harness count`: puzzles on one backend or side by side."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Final

import typer

from harness.cli.certify import (
    Certified,
    CertifyOption,
    CertifyRequest,
    ProverOption,
    certifying_of,
)
from harness.cli.options import JsonOption, shape_of
from harness.cli.puzzle_argument import PuzzleArgument, is_several, read_puzzles
from harness.cli.sweep_options import ShapeOption, flags_in_errors, sweep_option
from harness.cli.terminal import notice, show, theme_of
from harness.cli.trace_options import (
    StepsOption,
    SvgOption,
    TraceLimitOption,
    TraceOption,
    TraceRequest,
)
from harness.errors import BackendUnavailableError
from harness.puzzles.catalogue import Instance
from harness.records.question import Question, Start, Task, Verdict
from harness.report.formatting import Style
from harness.runs.selection import SINGLE_LIMIT, SINGLE_TIMEOUT_S, question_of
from harness.runs.sweep import Sweep

if TYPE_CHECKING:
    from harness.report.documents import SolveDocument
    from harness.report.reply import Reply
    from harness.session import Session

DEFAULT_BACKEND: Final = "native"
COMPILED_BACKEND: Final = "native-jit"
LARGE_COUNT: Final = 100_000
"""The limit from which `harness count` uses the compiled backend by default. Its start takes
half a second more than that of the plain one, which needs 8 seconds for this many solutions."""

BackendOption = Annotated[
    list[str] | None,
    sweep_option(
        "backends", default=DEFAULT_BACKEND, several="One or more, each after its own --backend."
    ),
]
CountBackendOption = Annotated[
    list[str] | None,
    sweep_option(
        "backends",
        default=f"{DEFAULT_BACKEND}, and {COMPILED_BACKEND} from --limit {LARGE_COUNT}",
        several="One or more, each after its own --backend.",
    ),
]
StartOption = Annotated[Start, sweep_option("starts")]
LimitOption = Annotated[
    int,
    sweep_option(
        "limit",
        default=SINGLE_LIMIT,
        text="Number of solutions at which count stops. run and check have the default "
        f"{Sweep.limit}, which tests whether a solution is unique; one puzzle is counted further.",
    ),
]
TimeoutOption = Annotated[float, sweep_option("timeout", default=SINGLE_TIMEOUT_S)]
CpuOption = Annotated[float, sweep_option("cpu")]
MemoryOption = Annotated[int, sweep_option("memory")]


def solve(
    puzzle: PuzzleArgument,
    backend: BackendOption = None,
    shape: ShapeOption = None,
    start: StartOption = Start.COLD,
    timeout: TimeoutOption = SINGLE_TIMEOUT_S,
    cpu: CpuOption = Sweep.cpu,
    memory: MemoryOption = Sweep.memory,
    trace: TraceOption = None,
    steps: StepsOption = False,
    trace_limit: TraceLimitOption = None,
    svg: SvgOption = None,
    certify: CertifyOption = None,
    prover: ProverOption = None,
    as_json: JsonOption = False,
) -> None:
    """Solve one puzzle, or prove that it has no solution.

    Exit code 1: a wrong answer, a disagreement or no answer; with --certify also a refuted answer,
    or nothing proven.
    """
    question = _question(Task.SOLVE, SINGLE_LIMIT, start, timeout, cpu, memory)
    request = TraceRequest(trace, steps, trace_limit, svg)
    _run(puzzle, question, backend, shape, request, CertifyRequest(certify, prover), as_json)


def count(
    puzzle: PuzzleArgument,
    limit: LimitOption = SINGLE_LIMIT,
    backend: CountBackendOption = None,
    shape: ShapeOption = None,
    start: StartOption = Start.COLD,
    timeout: TimeoutOption = SINGLE_TIMEOUT_S,
    cpu: CpuOption = Sweep.cpu,
    memory: MemoryOption = Sweep.memory,
    trace: TraceOption = None,
    steps: StepsOption = False,
    trace_limit: TraceLimitOption = None,
    svg: SvgOption = None,
    certify: CertifyOption = None,
    prover: ProverOption = None,
    as_json: JsonOption = False,
) -> None:
    """Count the solutions of one puzzle, up to a limit.

    Exit code 1: a wrong answer, a disagreement or no answer; with --certify also a refuted answer,
    or nothing proven.
    """
    question = _question(Task.COUNT, limit, start, timeout, cpu, memory)
    request = TraceRequest(trace, steps, trace_limit, svg)
    _run(puzzle, question, backend, shape, request, CertifyRequest(certify, prover), as_json)


def _run(
    text: str,
    question: Question,
    backends: list[str] | None,
    shape: str | None,
    request: TraceRequest,
    certify: CertifyRequest,
    as_json: bool,
) -> None:
    request.check(as_json=as_json)
    certify.check(has_trace=bool(request))
    instances = read_puzzles(text, shape_of(shape))
    if request:
        from harness.cli.tracing import show_traces

        show_traces(
            instances, question, backends, request, as_list=is_several(text), as_json=as_json
        )
        return
    from harness.session import Session

    documents: list[SolveDocument] = []
    failed = False
    with Session(notice=notice) as session, certifying_of(certify, question) as certifying:
        for number, instance in enumerate(instances):
            replies = _replies(session, instance, question, backends)
            certified = certifying.add(session, question, replies) if certifying else None
            if as_json:
                documents.append(_solved(instance, question, replies, certified))
            else:
                if len(instances) > 1:
                    show(f"{chr(10) * bool(number)}{instance.name}\n")
                _show(instance, question.task, replies)
                if certified:
                    certified.show()
            contradictions = _contradictions(replies)
            for line in contradictions:
                typer.echo(line, err=True)
            failed |= bool(contradictions) or not all(reply.verdict.answered for reply in replies)
            failed |= certified is not None and certified.is_finding
        if certifying:
            certifying.write(shows=not as_json)
    if as_json:
        from harness.report.documents import json

        show(json(documents if is_several(text) else documents[0]), end="")
    if failed:
        raise typer.Exit(1)


def _replies(
    session: "Session", instance: Instance, question: Question, backends: list[str] | None
) -> "list[Reply]":
    """The replies of the chosen backends, or of the default one."""
    chosen = backends or _default(question)
    try:
        return session.ask(instance.puzzle, chosen, question, instance.expected_count)
    except BackendUnavailableError:
        if backends:
            raise
        return session.ask(instance.puzzle, DEFAULT_BACKEND, question, instance.expected_count)


def _default(question: Question) -> str:
    is_large = question.task is Task.COUNT and question.limit >= LARGE_COUNT
    return COMPILED_BACKEND if is_large else DEFAULT_BACKEND


def _question(
    task: Task, limit: int, start: Start, timeout: float, cpu: float, memory: int
) -> Question:
    with flags_in_errors():
        return question_of(task, limit=limit, start=start, timeout=timeout, cpu=cpu, memory=memory)


def _solved(
    instance: Instance,
    question: Question,
    replies: "Sequence[Reply]",
    certified: "Certified | None",
) -> "SolveDocument":
    from harness.report.documents import SolveDocument
    from harness.report.filling import reply_data

    return SolveDocument(
        name=instance.name,
        puzzle=instance.puzzle.line,
        puzzle_id=instance.puzzle.id,
        shape=instance.puzzle.shape.definition,
        task=str(question.task),
        limit=question.limit if question.task is Task.COUNT else None,
        results=[reply_data(reply) for reply in replies],
        certification=certified.data() if certified else None,
    )


def _show(instance: Instance, task: Task, replies: "Sequence[Reply]") -> None:
    from harness.puzzles.formats import boxed
    from harness.puzzles.puzzle import values_of_line
    from harness.report.formatting import backend_name, duration
    from harness.text import printable

    theme = theme_of()
    givens = instance.puzzle.givens

    def styled(cell: int, symbol: str) -> str:
        return theme.styled(symbol, Style.GIVEN if givens[cell] else Style.FOUND)

    solution = next((r.solution for r in replies if r.solution and r.verdict.answered), None)
    if task is Task.SOLVE and solution:
        show(boxed(values_of_line(solution), instance.puzzle.shape, styled) + "\n")
    width = max(len(backend_name(reply.backend)) for reply in replies)
    for reply in replies:
        name = backend_name(reply.backend).ljust(width)
        reason = f"  {printable(reply.reason.splitlines()[-1])}" if reply.reason else ""
        finding = theme.styled(reply.finding, _style(reply.verdict))
        show(f"{name}  {finding}  {duration(reply.wall_s)}{reason}")


def _style(verdict: Verdict) -> Style:
    if verdict in (Verdict.WRONG, Verdict.CRASHED):
        return Style.BAD
    return Style.GOOD if verdict.answered else Style.PLAIN


def _contradictions(replies: "Sequence[Reply]") -> list[str]:
    """Lines that describe where the answers contradict each other."""
    if len(replies) < 2 and all(reply.verdict.answered for reply in replies):
        return []
    from harness.analysis.agreement import agreement
    from harness.records.frame import frame_of
    from harness.report.tables import agreement_lines

    found = agreement(frame_of([reply.record for reply in replies]))
    return list(agreement_lines(found, None)) if found.disagreements else []
