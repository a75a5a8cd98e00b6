"""`harness trace`: how a backend searches, step by step."""

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Final

import typer

from harness.base.errors import OptionError
from harness.cli.completers import backend_names
from harness.cli.folders import require_drawing_file
from harness.cli.options import (
    SWEEP_OPTIONS,
    WRITTEN,
    JsonOption,
    ShapeOption,
    choice_option,
    declared_option,
    flags_in_errors,
    shape_of,
    show_json,
    sweep_option,
    value_option,
    whole_number,
    with_group,
)
from harness.cli.puzzle_argument import PuzzleArgument, headed, is_several, read_puzzles
from harness.records.question import Task
from harness.runs.sweep import SINGLE_LIMIT, SINGLE_TIMEOUT_S, question_of

DEFAULT_BACKEND: Final = "reasoning"
_LINES: Final = 200
_EVENTS: Final = 10_000


class TraceView(StrEnum):
    """What a trace shows."""

    WORDS = "words"
    """Each event in words."""
    TRACKER = "tracker"
    """TRACKHIST, TRACKER and PAV."""
    BRANCHES = "branches"
    """Each node with its name, outcome and path."""
    TREE = "tree"
    """A drawing of the search tree."""


@dataclass(frozen=True)
class TraceRequest:
    """What the command shows of a search."""

    view: Annotated[
        TraceView, choice_option(TraceView, "--view", "What is shown of the search.")
    ] = TraceView.WORDS
    steps: Annotated[
        bool,
        typer.Option(
            "--steps",
            help="Show each step with its board. A terminal waits for Enter after each.",
        ),
    ] = False
    limit: Annotated[
        int | None,
        value_option(
            "--limit",
            "N",
            "Maximum number of lines, or of events with --json; 0 for all. "
            f"[default: {_LINES} lines, {_EVENTS:,} events]",
            whole_number("--limit", 0),
        ),
    ] = None
    svg: Annotated[
        Path | None,
        value_option("--svg", "FILE", "Draw the search tree of --view tree as SVG."),
        WRITTEN,
    ] = None

    def check(self, *, as_json: bool) -> None:
        """Check that one thing is requested.

        Raises:
            OptionError: several are.
        """
        view = "" if self.view is TraceView.WORDS else f"--view {self.view}"
        given = [*filter(None, ["--steps" * self.steps, view, "--json" * as_json])]
        if len(given) > 1:
            raise OptionError(f"cannot be combined with {given[0]}", where=given[1])
        if self.svg is not None and given != [f"--view {TraceView.TREE}"]:
            raise OptionError("draws the tree of a search", where="--svg", expected="--view tree")

    @property
    def lines(self) -> int | None:
        """The most lines; None for all."""
        return _LINES if self.limit is None else self.limit or None

    @property
    def events(self) -> int | None:
        """The most events of a document; None for all."""
        return _EVENTS if self.limit is None else self.limit or None


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

    trace shows a whole search, hint only the next step, and solve and count the answer.

    Ctrl-C ends the search, and what it found so far is shown. Exit code 1: the search ended
    without an answer.
    """
    request.check(as_json=as_json)
    with flags_in_errors():
        question = question_of(
            Task.SOLVE if max_solutions is None else Task.COUNT,
            max_solutions=max_solutions or SINGLE_LIMIT,
            timeout=timeout,
        )
    instances = read_puzzles(puzzle, shape_of(shape))
    if request.svg is not None:
        if len(instances) > 1:
            raise OptionError(f"{len(instances)} puzzles", where="--svg", expected="one puzzle")
        require_drawing_file(request.svg)
    from harness.extensions.reasoning.cli.trace_views import Trace

    documents, failed, interrupted = [], False, False
    for instance in instances if as_json else headed(instances):
        search = Trace(instance, question, backend)
        if as_json:
            documents.append(search.document(request))
        else:
            search.show(request)
        failed |= not search.answered
        if interrupted := search.interrupted:
            break
    if as_json:
        show_json(documents if is_several(puzzle) else documents[0])
    if interrupted:
        raise typer.Exit(130)
    if failed:
        raise typer.Exit(1)
