"""The trace of a search: its views and its document.

The search runs in the process of the command, because its events are objects of the harness;
the time limit takes effect at the next event.
"""

import signal
from collections.abc import Iterable, Iterator
from typing import Final

from harness.base.errors import BackendUnavailableError, OptionError
from harness.base.text import number_of
from harness.cli.terminal import show, theme_of, waiting, wrapped
from harness.contract import Unavailable, Unsupported, parse_specs, registry
from harness.extensions.reasoning.cli.trace_request import (
    DEFAULT_BACKEND,
    MOST_EVENTS,
    MOST_LINES,
    TraceRequest,
    TraceView,
)
from harness.extensions.reasoning.ladder import ladder_of, slug
from harness.extensions.reasoning.search import Direction, Traceable, Tracing
from harness.extensions.reasoning.solving import contradictions_in
from harness.extensions.reasoning.step import ReasoningStep, Steps
from harness.extensions.reasoning.trace import (
    BRANCH_NAMES,
    Assigned,
    DeadEnd,
    Eliminated,
    Event,
    Node,
    NodeOutcome,
    Tracker,
    TrackerRow,
    branch_name,
    nodes,
    words_of,
)
from harness.extensions.reasoning.tree import tree_lines, tree_of
from harness.puzzles import Grid, Instance, Shape, line_of
from harness.puzzles.formats import grid_text
from harness.records import Question, Task
from harness.report import QuestionDocument, Style

# The document of a trace.


class Traced(QuestionDocument):
    """The trace of a search; for a range of puzzles a list of such objects."""

    backend: str
    """Backend with its options."""
    verdict: str
    """`solved`, `unsatisfiable`, `counted`, `unknown`, `timeout` or `interrupted`."""
    solution: str | None
    """First solution as a line."""
    count: int
    """Number of solutions found."""
    exact: bool
    """Whether `count` is the number of all solutions."""
    nodes: int
    """Boards visited."""
    guesses: int
    """Boards at which the search branched."""
    dead_ends: int
    """Boards without a solution."""
    conclusions: dict[str, int]
    """Number of conclusions of each rule."""
    steps: list[ReasoningStep]
    """The steps of the search, in their order."""
    left_out: int
    """Number of further steps, beyond `--limit`."""


# Views of a trace as lines.


def _in_words(events: Iterable[Event], shape: Shape) -> Iterator[tuple[Event, str]]:
    """Each event with its lines; the first name of a branch is explained below it."""
    names_branches = False
    for event in events:
        words = words_of(event, shape)
        if isinstance(event, Assigned | Eliminated | DeadEnd) and event.rule is not None:
            words += f" ({event.rule.name})"
        text = wrapped(words, 4, first=0)
        is_named = isinstance(event, Assigned) and event.rule is None and event.options > 1
        if is_named and not names_branches:
            names_branches = True
            text += f"\n{wrapped(BRANCH_NAMES, 4, first=4)}"
        yield event, text


def _tracker_lines(events: Iterable[Event]) -> Iterator[str]:
    tracker, head = Tracker(), f"{'CTR':>8} {'options':>8} {'cell':>6} {'value':>6}"

    def line(row: TrackerRow) -> str:
        return f"{row.counter:8} {row.options:8} {row.cell:6} {row.value:6}"

    yield "TRACKHIST: the whole history; 9999 is a dead end, 0 a cell put back"
    yield head
    yield from map(line, tracker.history(events))
    yield "\nTRACKER: the assignments at the end"
    yield head
    yield from map(line, tracker.current)
    yield "\nPAV: the values tried in each cell"
    for cell, values in sorted(tracker.tried.items()):
        yield wrapped(f"{cell:>8} {' '.join(map(str, values))}", 9, first=0)


def _branch_line(node: Node, shape: Shape) -> str:
    outcome = str(node.outcome)
    if node.outcome is NodeOutcome.BRANCHES and node.cell is not None:
        outcome = f"{number_of(node.options, 'option')} at {shape.cell_name(node.cell)}"
    path = " ".join(f"{shape.cell_name(cell)}={shape.symbol(value)}" for cell, value in node.path)
    text = f"{branch_name(node.branch)}: {outcome}{f' ({path})' if path else ''}"
    return wrapped(text, 4, first=0)


# A trace: the search, its views and its document.


class Trace:
    """The trace of one puzzle, on one backend."""

    def __init__(self, instance: Instance, question: Question, spec: str) -> None:
        """Prepare the search of the backend `spec`.

        Raises:
            InputError: the backend does not exist, cannot be used here or cannot be traced.
        """
        self.instance: Final = instance
        self.question: Final = question
        self.spec: Final = spec
        self._limit: Final = question.limit if question.task is Task.COUNT else 1
        self._solver: Final = _traceable(spec, instance.puzzle.shape)
        self.tracing: Final = Tracing(self._solver, instance.puzzle, self._limit)
        self._goes_back: Final = self._solver.strategy.direction is Direction.DEPTH_FIRST
        self.interrupted = False
        """Whether Ctrl-C ended the search."""

    @property
    def verdict(self) -> str:
        """The outcome of the search."""
        tracing = self.tracing
        if tracing.number and (self.question.task is Task.SOLVE or self.answered):
            return "solved" if self.question.task is Task.SOLVE else "counted"
        if tracing.complete:
            return "unsatisfiable" if self.question.task is Task.SOLVE else "counted"
        if self.interrupted:
            return "interrupted"
        return "timeout" if tracing.stopped else "unknown"

    @property
    def answered(self) -> bool:
        """Whether the search answers the question."""
        return self.tracing.complete or self.tracing.number == self._limit

    def events(self) -> Iterator[Event]:
        """The events, up to the time limit of the question."""
        timeout_s = self.question.timeout_s
        self.tracing.stop_after(timeout_s)
        before = signal.signal(signal.SIGINT, self._interrupt)
        try:
            with waiting(f"the search of {self.instance.name}", timeout_s):
                yield from self.tracing
        finally:
            signal.signal(signal.SIGINT, before)

    def _interrupt(self, *_: object) -> None:
        """End the search at its next event; a second call interrupts the command."""
        if self.interrupted:
            raise KeyboardInterrupt
        self.interrupted = True
        self.tracing.stop()

    def show(self, request: TraceRequest) -> None:
        """Print the trace, then the outcome of the search.

        Raises:
            OptionError: the view needs a depth-first search.
        """
        if not self._goes_back and (request.steps or request.view is TraceView.TRACKER):
            raise OptionError(
                "a breadth-first search has no history of one board",
                where="--steps" if request.steps else f"--view {request.view}",
                expected="search=depth-first, or another view",
            )
        shape = self.instance.puzzle.shape
        if request.steps:
            self._show_steps(request)
        elif request.view is TraceView.TREE:
            rows = request.most(MOST_LINES) or 10_000
            root = tree_of(nodes(self.events()))
            for line in tree_lines(root, shape, rows, unicode=theme_of().unicode):
                show(line)
        elif request.view is TraceView.TRACKER:
            _show_lines(_tracker_lines(self.events()), request.most(MOST_LINES))
        elif request.view is TraceView.BRANCHES:
            lines = (_branch_line(node, shape) for node in nodes(self.events()))
            _show_lines(lines, request.most(MOST_LINES))
        else:
            _show_lines(
                (text for _, text in _in_words(self.events(), shape)), request.most(MOST_LINES)
            )
        self._show_outcome()

    def document(self, request: TraceRequest) -> Traced:
        """The events and the outcome as a document."""
        maker = Steps(self.instance.puzzle, goes_back=self._goes_back)
        steps: list[ReasoningStep] = []
        left_out, most = 0, request.most(MOST_EVENTS)
        for event in self.events():
            if most is None or len(steps) < most:
                steps.append(maker.step(event))
            else:
                left_out += 1
        search = self.tracing.search
        return Traced.of_question(
            self.instance,
            self.question,
            backend=self.spec,
            verdict=self.verdict,
            solution=None if self.tracing.solution is None else line_of(self.tracing.solution),
            count=self.tracing.number,
            exact=self.tracing.complete,
            nodes=search.nodes,
            guesses=search.guesses,
            dead_ends=search.dead_ends,
            conclusions=dict(search.conclusions),
            steps=steps,
            left_out=left_out,
        )

    def _show_steps(self, request: TraceRequest) -> None:
        steps, most = Steps(self.instance.puzzle, goes_back=True), request.most(MOST_LINES)
        for event, text in _in_words(self.events(), self.instance.puzzle.shape):
            steps.step(event)
            if most is not None and steps.number > most:
                continue
            show(text)
            if isinstance(event, Assigned):
                show(f"\n{self._board(tuple(steps.board.values), event.cell)}\n")
        _show_left_out(steps.number, most, "step")

    def _board(self, values: Grid, cell: int) -> str:
        theme, givens = theme_of(), self.instance.puzzle.givens

        def style_of(at: int, symbol: str) -> str:
            if at == cell:
                return theme.styled(symbol, Style.GOOD)
            return theme.styled(symbol, Style.GIVEN if givens[at] else Style.FOUND)

        return grid_text(values, self.instance.puzzle.shape, style_of)

    def _show_outcome(self) -> None:
        tracing = self.tracing
        if tracing.solution is not None:
            show(f"\n{self._board(tracing.solution, -1)}")
        if tracing.complete and not tracing.number:
            for finding in contradictions_in(self.instance.puzzle):
                show(theme_of().styled(wrapped(finding, 0), Style.BAD))
        outcome = self.verdict
        if self.question.task is Task.COUNT and (self.answered or tracing.number):
            more = "" if tracing.complete else " or more"
            prefix = "" if self.answered else f"{self.verdict}, "
            outcome = f"{prefix}{number_of(tracing.number, 'solution')}{more}"
        search = tracing.search
        if search.gave_up:
            outcome += f" (more than {self._solver.strategy.most_boards:,} boards wait)"
        numbers = [
            number_of(search.nodes, "node"),
            f"{search.guesses:,} guess{'' if search.guesses == 1 else 'es'}",
            number_of(search.dead_ends, "dead end"),
            *(f"{name} {number:,}" for name, number in search.conclusions.items() if number),
        ]
        show("\n" + wrapped(f"{self.spec}  {outcome}: {', '.join(numbers)}", 4, first=0))
        strongest = ladder_of(self.instance.puzzle.shape)[-1]
        if search.guesses and strongest not in self._solver.strategy.rules:
            option = f"--backend '{DEFAULT_BACKEND}[rules=up-to-{slug(strongest)}]'"
            show(wrapped(f"stronger rules may need fewer guesses: {option}", 4, first=0))


def _traceable(spec: str, shape: Shape) -> Traceable:
    """The backend for this shape.

    Raises:
        InputError: it does not exist, cannot be used here or cannot be traced.
    """
    specs = parse_specs(spec)
    if len(specs) != 1 or specs[0].version:
        fault = f"{len(specs)} backends" if len(specs) != 1 else f"{spec} has an environment"
        raise OptionError(fault, where="--backend", expected="one backend, no grid and no version")
    try:
        kind = registry.load_class(registry.resolve(specs[0].locator))
        if not hasattr(kind, "search_of"):
            raise BackendUnavailableError(
                f"backend {kind.name} records no trace",
                where="--backend",
                expected=f"a backend that searches by rules, such as {DEFAULT_BACKEND}",
            )
        kind, options = registry.load_backend(specs[0].locator, specs[0].settings)
        solver = kind(shape, options)
    except (Unavailable, Unsupported) as error:
        raise BackendUnavailableError(str(error), where=spec) from None
    assert isinstance(solver, Traceable)
    return solver


def _show_lines(lines: Iterable[str], most: int | None) -> None:
    number = 0
    for number, line in enumerate(lines, 1):
        if most is None or number <= most:
            show(line)
    _show_left_out(number, most, "line")


def _show_left_out(number: int, most: int | None, thing: str) -> None:
    if most is not None and number > most:
        show(f"cut off: {number - most:,} of {number_of(number, thing)}; --limit 0 for all")
