"""`harness solve` and `harness count`: puzzles on one backend or side by side."""

from collections.abc import Sequence
from itertools import islice
from typing import Annotated, Any, Final

import typer

from harness.base.errors import BackendUnavailableError
from harness.base.text import last_line
from harness.cli import lazy
from harness.cli.options import (
    JsonOption,
    ShapeOption,
    SymbolsOption,
    flags_in_errors,
    shape_of,
    sharing,
    sweep_option,
)
from harness.cli.puzzle_argument import PuzzleArgument, PuzzleSource, headed
from harness.cli.terminal import notice, show, theme_of, waiting, wrapped
from harness.puzzles import NO_SOLUTION, Instance, values_of_line
from harness.puzzles.formats import grid_text
from harness.records import Question, Start, Task, Verdict
from harness.report import Style, backend_name, duration, shown_backend
from harness.runs import SINGLE_LIMIT, SINGLE_TIMEOUT_S, Sweep, question_of

DEFAULT_BACKEND: Final = "native"
COMPILED_BACKEND: Final = "native-jit"
LARGE_COUNT: Final = 100_000
"""The maximum from which `harness count` uses the compiled backend by default. That backend starts
half a second later than the plain one, which needs 8 seconds for this many solutions."""

_SEVERAL: Final = "One or more, each after its own --backend."


def _ask(
    task: Task,
    puzzle: PuzzleArgument,
    max_solutions: int = SINGLE_LIMIT,
    backend: Annotated[
        list[str] | None, sweep_option("backends", default=DEFAULT_BACKEND, several=_SEVERAL)
    ] = None,
    shape: ShapeOption = None,
    symbols: SymbolsOption = None,
    start: Annotated[Start, sweep_option("starts")] = Start.COLD,
    timeout: Annotated[float, sweep_option("timeout", default=SINGLE_TIMEOUT_S)] = SINGLE_TIMEOUT_S,
    cpu: Annotated[float, sweep_option("cpu")] = Sweep.cpu,
    memory: Annotated[int, sweep_option("memory")] = Sweep.memory,
    *,
    strict: Annotated[
        bool, typer.Option("--strict", help="Refuse a text that is not read as it stands.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Ask backends about puzzles, and show what they answer."""
    with flags_in_errors():
        question = question_of(
            task, max_solutions=max_solutions, start=start, timeout=timeout, cpu=cpu, memory=memory
        )
    source = PuzzleSource.parse(puzzle)
    instances = source.read(shape_of(shape), symbols, strict=strict)
    with lazy.Session(notice=notice) as session:
        documents, is_finding = [], False
        for instance in instances if as_json else headed(instances):
            replies = _replies(session, instance, question, backend)
            if as_json:
                document = lazy.SolveDocument.of_question(instance, question, results=replies)
                documents.append(document)
            else:
                _show(instance, question.task, replies)
            if question.memory_limit_mib and any(r.record.claim == NO_SOLUTION for r in replies):
                notice(
                    "a solver that hides lack of memory gives the same answer: try without --memory"
                )
            contradictions = _contradictions(replies)
            for line in contradictions:
                typer.echo(line, err=True)
            is_finding |= bool(contradictions) or not all(r.verdict.answered for r in replies)
    if as_json:
        source.show_json(documents)
    if is_finding:
        raise typer.Exit(1)


@sharing(_ask, "task", "max_solutions")
def solve(puzzle: PuzzleArgument, **options: Any) -> None:
    """Solve one puzzle, or find that it has no solution.

    Exit code 1: a wrong answer, a disagreement or no answer.
    """
    _ask(Task.SOLVE, puzzle, **options)


@sharing(_ask, "task")
def count(
    puzzle: PuzzleArgument,
    max_solutions: Annotated[
        int,
        sweep_option(
            "max_solutions",
            default=SINGLE_LIMIT,
            text="Number of solutions at which count stops. run and check have the default "
            f"{Sweep.max_solutions}, which tests whether a solution is unique; one puzzle is "
            "counted further.",
        ),
    ] = SINGLE_LIMIT,
    backend: Annotated[
        list[str] | None,
        sweep_option(
            "backends",
            default=f"{DEFAULT_BACKEND}, and {COMPILED_BACKEND} from --max-solutions {LARGE_COUNT}",
            several=_SEVERAL,
        ),
    ] = None,
    **options: Any,
) -> None:
    """Count the solutions of one puzzle, up to --max-solutions.

    Exit code 1: a wrong answer, a disagreement or no answer.
    """
    _ask(Task.COUNT, puzzle, max_solutions, backend, **options)


def _replies(
    session: "lazy.Session", instance: Instance, question: Question, backends: list[str] | None
) -> "list[lazy.Reply]":
    """The replies of the chosen backends, or of the default one."""
    is_large = question.task is Task.COUNT and question.limit >= LARGE_COUNT
    specs = backends or [COMPILED_BACKEND if is_large else DEFAULT_BACKEND]
    names = ", ".join(shown_backend(name) for name in specs)
    try:
        with waiting(f"{names} on {instance.name}", question.timeout_s):
            return session.ask(instance.puzzle, specs, question, instance.expected_count)
    except BackendUnavailableError:
        if backends:
            raise
        return session.ask(instance.puzzle, DEFAULT_BACKEND, question, instance.expected_count)


def _show(instance: Instance, task: Task, replies: "Sequence[lazy.Reply]") -> None:
    theme = theme_of()
    givens = instance.puzzle.givens

    def style_of(cell: int, symbol: str) -> str:
        return theme.styled(symbol, Style.GIVEN if givens[cell] else Style.FOUND)

    solution = next((r.solution for r in replies if r.solution and r.verdict.answered), None)
    if task is Task.SOLVE and solution:
        show(grid_text(values_of_line(solution), instance.puzzle.shape, style_of) + "\n")
    width = max(len(backend_name(reply.backend)) for reply in replies)
    for reply in replies:
        name = backend_name(reply.backend).ljust(width)
        reason = f"  {last_line(reply.reason)}" if reply.reason else ""
        style = Style.GOOD if reply.verdict.answered else Style.PLAIN
        if reply.verdict in (Verdict.WRONG, Verdict.CRASHED):
            style = Style.BAD
        finding = theme.styled(reply.finding, style)
        show(f"{name}  {finding}  {duration(reply.wall_s)}{reason}")
    if any(reply.record.claim == NO_SOLUTION for reply in replies):
        for line in islice(lazy.check(instance.puzzle).findings(), 1):
            show(theme.styled(wrapped(line, 0), Style.BAD))


def _contradictions(replies: "Sequence[lazy.Reply]") -> list[str]:
    """Lines on contradictions between the answers."""
    if len(replies) < 2 and all(reply.verdict.answered for reply in replies):
        return []
    agreement = lazy.agreement(lazy.frame_of([reply.record for reply in replies]))
    lines = lazy.agreement_tables.agreement_lines(agreement, None)
    return list(lines) if agreement.disagreements else []
