"""`harness solve` and `harness count`: one puzzle, side by side on the backends."""

import json
from collections.abc import Sequence
from dataclasses import asdict
from typing import Annotated

import typer

from harness.cli.puzzle_argument import read_puzzle
from harness.cli.words import BackendOption, JsonOption, ShapeOption, shape_of
from harness.puzzles.catalog import Entry
from harness.puzzles.formats import boxed
from harness.puzzles.puzzle import Puzzle
from harness.report.figures import backend_name, duration
from harness.sweep.trial import Result, Start, Task

DEFAULT_BACKEND = "native"

PuzzleArgument = Annotated[
    str, typer.Argument(metavar="PUZZLE", help="A line, a file, - or DATASET/NAME.")
]
StartOption = Annotated[Start, typer.Option("--start", help="What is timed.")]
TimeoutOption = Annotated[
    float, typer.Option("--timeout", metavar="SECONDS", help="Seconds for each backend.")
]


def solve(
    puzzle: PuzzleArgument,
    backend: BackendOption = None,
    shape: ShapeOption = None,
    start: StartOption = Start.COLD,
    timeout: TimeoutOption = 300.0,
    as_json: JsonOption = False,
) -> None:
    """Solve one puzzle, or prove that it has no solution."""
    _ask(puzzle, Task.SOLVE, 0, backend, shape, start, timeout, as_json)


def count(
    puzzle: PuzzleArgument,
    limit: Annotated[int, typer.Option("--limit", metavar="N", help="Stop at N.")] = 1000,
    backend: BackendOption = None,
    shape: ShapeOption = None,
    start: StartOption = Start.COLD,
    timeout: TimeoutOption = 300.0,
    as_json: JsonOption = False,
) -> None:
    """Count the solutions of one puzzle, up to a limit."""
    _ask(puzzle, Task.COUNT, limit, backend, shape, start, timeout, as_json)


def _ask(
    text: str,
    task: Task,
    limit: int,
    backends: list[str] | None,
    shape: str | None,
    start: Start,
    timeout: float,
    as_json: bool,
) -> None:
    from harness.api import Session, question_of

    entry = read_puzzle(text, shape_of(shape))
    question = question_of(task, limit, start, timeout)
    with Session() as session:
        results = session.ask(entry.puzzle, backends or [DEFAULT_BACKEND], question, entry.truth)
    if as_json:
        typer.echo(_json(entry, task, limit, results))
    else:
        _show(entry.puzzle, task, results)
    contradictions = _contradictions(results)
    for line in contradictions:
        typer.echo(line, err=True)
    if contradictions or not all(result.verdict.answered for result in results):
        raise typer.Exit(1)


def _json(entry: Entry, task: Task, limit: int, results: Sequence[Result]) -> str:
    from harness.api import Reply

    answer = {
        "puzzle": entry.puzzle.line,
        "puzzle_id": entry.puzzle.id,
        "shape": entry.puzzle.shape.spec,
        "task": str(task),
        "limit": limit if task is Task.COUNT else None,
        "results": [asdict(Reply.of(result)) for result in results],
    }
    return json.dumps(answer, indent=2)


def _show(puzzle: Puzzle, task: Task, results: Sequence[Result]) -> None:
    solution = next((r.solution for r in results if r.solution and r.verdict.answered), None)
    if task is Task.SOLVE and solution:
        typer.echo(boxed(Puzzle.parse(solution, puzzle.shape).givens, puzzle.shape) + "\n")
    width = max(len(backend_name(result.trial.backend)) for result in results)
    for result in results:
        name = backend_name(result.trial.backend).ljust(width)
        reason = f"  {result.reason.splitlines()[-1]}" if result.reason else ""
        typer.echo(f"{name}  {_told(task, result)}  {duration(result.outcome.wall)}{reason}")


def _told(task: Task, result: Result) -> str:
    if task is Task.COUNT and result.verdict.answered:
        number = f"{result.count} solution{'' if result.count == 1 else 's'}"
        return number if result.exact else f"{number} or more, stopped at the limit"
    return str(result.verdict)


def _contradictions(results: Sequence[Result]) -> list[str]:
    """What the backends' answers to this one question say against each other."""
    if len(results) < 2 and all(result.verdict.answered for result in results):
        return []
    from harness.analysis.agreement import agreement
    from harness.analysis.trials import frame_of
    from harness.report.tables import agreement_lines

    found = agreement(frame_of(results))
    return list(agreement_lines(found, None)) if found.disagreements else []
