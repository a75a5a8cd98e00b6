"""`harness solve` and `harness count`: one puzzle, side by side on the backends."""

import json
from collections.abc import Sequence
from dataclasses import asdict
from typing import Annotated

import typer

from harness.cli.options import BackendOption, JsonOption, ShapeOption, notice, shape_of
from harness.cli.puzzle_argument import read_puzzle
from harness.puzzles.catalogue import Instance
from harness.puzzles.formats import boxed, parse_puzzle
from harness.puzzles.puzzle import Puzzle
from harness.records.question import Question, Start, Task
from harness.records.trial import TrialRecord
from harness.report.formatting import backend_name, duration

DEFAULT_BACKEND = "native"

PuzzleArgument = Annotated[
    str, typer.Argument(metavar="PUZZLE", help="A line, a file, - or DATASET/NAME.")
]
StartOption = Annotated[Start, typer.Option("--start", help="What is timed.")]
TimeoutOption = Annotated[
    float, typer.Option("--timeout", metavar="SECONDS", help="Seconds for each backend.")
]
CpuOption = Annotated[
    float, typer.Option("--cpu", metavar="SECONDS", help="Seconds of CPU time; 0: no limit.")
]
MemoryOption = Annotated[
    int, typer.Option("--memory", metavar="MIB", help="Memory beyond the start; 0: no limit.")
]


def solve(
    puzzle: PuzzleArgument,
    backend: BackendOption = None,
    shape: ShapeOption = None,
    start: StartOption = Start.COLD,
    timeout: TimeoutOption = 300.0,
    cpu: CpuOption = 0.0,
    memory: MemoryOption = 0,
    as_json: JsonOption = False,
) -> None:
    """Solve one puzzle, or prove that it has no solution."""
    question = _question(Task.SOLVE, 0, start, timeout, cpu, memory)
    _ask(puzzle, question, backend, shape, as_json)


def count(
    puzzle: PuzzleArgument,
    limit: Annotated[int, typer.Option("--limit", metavar="N", help="Stop at N.")] = 1000,
    backend: BackendOption = None,
    shape: ShapeOption = None,
    start: StartOption = Start.COLD,
    timeout: TimeoutOption = 300.0,
    cpu: CpuOption = 0.0,
    memory: MemoryOption = 0,
    as_json: JsonOption = False,
) -> None:
    """Count the solutions of one puzzle, up to a limit."""
    question = _question(Task.COUNT, limit, start, timeout, cpu, memory)
    _ask(puzzle, question, backend, shape, as_json)


def _question(
    task: Task, limit: int, start: Start, timeout: float, cpu: float, memory: int
) -> Question:
    from harness.api import question_of

    return question_of(task, limit, start, timeout, cpu, memory)


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
        results = session.ask(
            instance.puzzle, backends or [DEFAULT_BACKEND], question, instance.expected_count
        )
    if as_json:
        typer.echo(_json(instance, question, results))
    else:
        _show(instance.puzzle, question.task, results)
    contradictions = _contradictions(results)
    for line in contradictions:
        typer.echo(line, err=True)
    if contradictions or not all(result.verdict.answered for result in results):
        raise typer.Exit(1)


def _json(instance: Instance, question: Question, results: Sequence[TrialRecord]) -> str:
    from harness.api import Reply

    answer = {
        "puzzle": instance.puzzle.line,
        "puzzle_id": instance.puzzle.id,
        "shape": instance.puzzle.shape.spec,
        "task": str(question.task),
        "limit": question.limit if question.task is Task.COUNT else None,
        "results": [asdict(Reply.of(result)) for result in results],
    }
    return json.dumps(answer, indent=2)


def _show(puzzle: Puzzle, task: Task, results: Sequence[TrialRecord]) -> None:
    solution = next((r.solution for r in results if r.solution and r.verdict.answered), None)
    if task is Task.SOLVE and solution:
        typer.echo(boxed(parse_puzzle(solution, puzzle.shape).givens, puzzle.shape) + "\n")
    width = max(len(backend_name(result.trial.backend)) for result in results)
    for result in results:
        name = backend_name(result.trial.backend).ljust(width)
        reason = f"  {result.reason.splitlines()[-1]}" if result.reason else ""
        typer.echo(f"{name}  {_told(task, result)}  {duration(result.outcome.wall_s)}{reason}")


def _told(task: Task, result: TrialRecord) -> str:
    if task is Task.COUNT and result.verdict.answered:
        number = f"{result.count} solution{'' if result.count == 1 else 's'}"
        return number if result.exact else f"{number} or more, stopped at the limit"
    return str(result.verdict)


def _contradictions(results: Sequence[TrialRecord]) -> list[str]:
    """What the backends' answers to this one question say against each other."""
    if len(results) < 2 and all(result.verdict.answered for result in results):
        return []
    from harness.analysis.agreement import agreement
    from harness.records.frame import frame_of
    from harness.report.tables import agreement_lines

    found = agreement(frame_of(results))
    return list(agreement_lines(found, None)) if found.disagreements else []
