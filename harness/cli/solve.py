"""`harness solve` and `harness count`: one puzzle on one backend or side by side."""

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Final

import typer

from harness.cli.options import (
    JsonOption,
    ShapeOption,
    flags_in_errors,
    notice,
    shape_of,
    sweep_option,
)
from harness.cli.puzzle_argument import PuzzleArgument, read_puzzle
from harness.errors import BackendUnavailableError
from harness.experiment.single import SINGLE_LIMIT, SINGLE_TIMEOUT_S, question_of
from harness.experiment.sweep import Sweep
from harness.puzzles.catalogue import Instance
from harness.records.question import Question, Start, Task

if TYPE_CHECKING:
    from harness.report.reply import Reply

DEFAULT_BACKEND: Final = "native"
COMPILED_BACKEND: Final = "native-jit"
LARGE_COUNT: Final = 100_000
"""The limit from which `harness count` uses the compiled backend by default. Its start takes
half a second more than that of the plain one, which needs 8 seconds for this many solutions."""

BackendOption = Annotated[list[str] | None, sweep_option("backends", DEFAULT_BACKEND)]
CountBackendOption = Annotated[
    list[str] | None,
    sweep_option("backends", f"{DEFAULT_BACKEND}; {COMPILED_BACKEND} from --limit {LARGE_COUNT}"),
]
StartOption = Annotated[Start, sweep_option("starts")]
LimitOption = Annotated[int, sweep_option("limit")]
TimeoutOption = Annotated[float, sweep_option("timeout")]
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
    as_json: JsonOption = False,
) -> None:
    """Solve one puzzle, or prove that it has no solution."""
    question = _question(Task.SOLVE, SINGLE_LIMIT, start, timeout, cpu, memory)
    _ask(puzzle, question, backend, shape, as_json)


def count(
    puzzle: PuzzleArgument,
    limit: LimitOption = SINGLE_LIMIT,
    backend: CountBackendOption = None,
    shape: ShapeOption = None,
    start: StartOption = Start.COLD,
    timeout: TimeoutOption = SINGLE_TIMEOUT_S,
    cpu: CpuOption = Sweep.cpu,
    memory: MemoryOption = Sweep.memory,
    as_json: JsonOption = False,
) -> None:
    """Count the solutions of one puzzle, up to a limit."""
    question = _question(Task.COUNT, limit, start, timeout, cpu, memory)
    _ask(puzzle, question, backend, shape, as_json)


def _ask(
    text: str,
    question: Question,
    backends: list[str] | None,
    shape: str | None,
    as_json: bool,
) -> None:
    from harness.api import Session

    instance = read_puzzle(text, shape_of(shape))
    with Session(notice=notice) as session:
        try:
            replies = session.ask(
                instance.puzzle,
                backends or _default(question),
                question,
                instance.expected_count,
            )
        except BackendUnavailableError:
            if backends:
                raise
            replies = session.ask(
                instance.puzzle, DEFAULT_BACKEND, question, instance.expected_count
            )
    if as_json:
        typer.echo(_json(instance, question, replies))
    else:
        _show(instance, question.task, replies)
    contradictions = _contradictions(replies)
    for line in contradictions:
        typer.echo(line, err=True)
    if contradictions or not all(reply.verdict.answered for reply in replies):
        raise typer.Exit(1)


def _default(question: Question) -> str:
    is_large = question.task is Task.COUNT and question.limit >= LARGE_COUNT
    return COMPILED_BACKEND if is_large else DEFAULT_BACKEND


def _question(
    task: Task, limit: int, start: Start, timeout: float, cpu: float, memory: int
) -> Question:
    with flags_in_errors():
        return question_of(task, limit=limit, start=start, timeout=timeout, cpu=cpu, memory=memory)


def _json(instance: Instance, question: Question, replies: "Sequence[Reply]") -> str:
    answer = {
        "puzzle": instance.puzzle.line,
        "puzzle_id": instance.puzzle.id,
        "shape": instance.puzzle.shape.spec,
        "task": str(question.task),
        "limit": question.limit if question.task is Task.COUNT else None,
        "results": [reply.as_dict() for reply in replies],
    }
    return json.dumps(answer, indent=2)


def _show(instance: Instance, task: Task, replies: "Sequence[Reply]") -> None:
    from harness.puzzles.formats import boxed
    from harness.puzzles.puzzle import values_of_line
    from harness.report.formatting import backend_name, duration

    solution = next((r.solution for r in replies if r.solution and r.verdict.answered), None)
    if task is Task.SOLVE and solution:
        typer.echo(boxed(values_of_line(solution), instance.puzzle.shape) + "\n")
    width = max(len(backend_name(reply.backend)) for reply in replies)
    for reply in replies:
        name = backend_name(reply.backend).ljust(width)
        reason = f"  {reply.reason.splitlines()[-1]}" if reply.reason else ""
        typer.echo(f"{name}  {reply.finding}  {duration(reply.wall_s)}{reason}")


def _contradictions(replies: "Sequence[Reply]") -> list[str]:
    """Lines that describe where the answers contradict each other."""
    if len(replies) < 2 and all(reply.verdict.answered for reply in replies):
        return []
    from harness.analysis.agreement import agreement
    from harness.records.frame import frame_of
    from harness.report.tables import agreement_lines

    found = agreement(frame_of([reply.record for reply in replies]))
    return list(agreement_lines(found, None)) if found.disagreements else []
