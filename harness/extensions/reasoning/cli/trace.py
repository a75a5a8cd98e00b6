"""`harness trace`: how a backend searches, step by step."""

from typing import Annotated

import typer

from harness.cli.completers import backend_names
from harness.cli.options import (
    SWEEP_OPTIONS,
    JsonOption,
    ShapeOption,
    declared_option,
    flags_in_errors,
    shape_of,
    sweep_option,
    value_option,
    with_group,
)
from harness.cli.puzzle_argument import PuzzleArgument, PuzzleSource, headed
from harness.extensions.reasoning.cli.trace_request import DEFAULT_BACKEND, TraceRequest
from harness.records import Task
from harness.runs import SINGLE_LIMIT, SINGLE_TIMEOUT_S, question_of


@with_group(request=TraceRequest)
def trace(
    puzzle: PuzzleArgument,
    *,
    request: TraceRequest,
    max_solutions: Annotated[
        int | None,
        declared_option(
            SWEEP_OPTIONS["max_solutions"],
            "Count the solutions, up to this number. By default the search ends at the first one.",
        ),
    ] = None,
    backend: Annotated[
        str,
        value_option(
            "--backend", "SPEC", "Backend that searches by rules.", completer=backend_names
        ),
    ] = DEFAULT_BACKEND,
    shape: ShapeOption = None,
    timeout: Annotated[
        float,
        sweep_option(
            "timeout",
            default=SINGLE_TIMEOUT_S,
            text="Wall time limit of the search of a puzzle in seconds.",
        ),
    ] = SINGLE_TIMEOUT_S,
    as_json: JsonOption = False,
) -> None:
    """Show how a backend searches for the solutions of a puzzle, step by step.

    trace shows a whole search, hint only the next step, and solve and count only the answer.

    Ctrl-C ends the search; its results so far are shown. Exit code 1: the search ended
    without an answer.
    """
    from harness.extensions.reasoning.cli.trace_views import Trace  # the search is large

    request.check(as_json=as_json)
    with flags_in_errors():
        question = question_of(
            Task.SOLVE if max_solutions is None else Task.COUNT,
            max_solutions=max_solutions or SINGLE_LIMIT,
            timeout=timeout,
        )
    source = PuzzleSource.parse(puzzle)
    instances = source.read(shape_of(shape))
    documents, is_failure, is_interrupted = [], False, False
    for instance in instances if as_json else headed(instances):
        search = Trace(instance, question, backend)
        if as_json:
            documents.append(search.document(request))
        else:
            search.show(request)
        is_failure |= not search.answered
        if is_interrupted := search.interrupted:
            break
    if as_json:
        source.show_json(documents)
    if is_interrupted:
        raise typer.Exit(130)
    if is_failure:
        raise typer.Exit(1)
