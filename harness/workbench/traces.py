"""The traces of the pages: at most one per page, each found by a process of its own."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Annotated, Final
from uuid import uuid4

import msgspec
from anyio import to_thread
from msgspec import Meta, Raw, Struct
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from harness.errors import InputError, PuzzleError
from harness.puzzles.puzzle import Puzzle
from harness.reasoning.board import Board
from harness.reasoning.graphs import BilocationGraph
from harness.reasoning.ladder import LADDER, slug
from harness.reasoning.search import Order
from harness.workbench.boards import PuzzleData, shape_of
from harness.workbench.bodies import body_of, reply
from harness.workbench.child import Child
from harness.workbench.cores import Measured, free_cores
from harness.workbench.hub import Hub
from harness.workbench.trace_messages import (
    MOST_STEPS,
    DifficultyData,
    EndData,
    Ending,
    Line,
    TraceQuery,
)
from harness.workbench.trace_process import rules_up_to

# The bilocation graph of a board, for a drawing.


class BoardData(Struct, forbid_unknown_fields=True):
    """A board in the middle of reasoning."""

    shape: str
    values: tuple[int, ...]
    """The values placed, 0 for none."""
    candidates: tuple[int, ...]
    """The candidates of each cell as bits."""

    def board(self) -> Board:
        """The board, with exactly these values and candidates.

        Raises:
            PuzzleError: it is malformed.
        """
        shape = shape_of(self.shape)
        board = Board(Puzzle(shape, (0,) * shape.size**2))
        Puzzle(shape, self.values)  # checks number and range
        every = (1 << shape.size) - 1
        if len(self.candidates) != len(self.values):
            raise PuzzleError(
                f"candidates of {len(self.candidates)} cells", expected=f"{len(self.values)}"
            )
        if any(not 0 <= of <= every for of in self.candidates):
            raise PuzzleError(
                "candidates beyond the values of the shape", expected=f"up to {every}"
            )
        board.values[:] = self.values
        board.candidates[:] = self.candidates
        board.blanks = self.values.count(0)
        return board


def bilocation_links(data: BoardData) -> list[tuple[int, int, int]]:
    """The edges of the bilocation graph: two cells, and the value as the label.

    Raises:
        PuzzleError: the board is malformed.
    """
    graph = BilocationGraph(data.board())
    return [
        (link.source, link.target, link.value)
        for link in graph.every_link
        if link.source < link.target
    ]


# The traces of the pages: at most one per page, each found by a process of its own.


TOPIC: Final = "reasoning"
MOST_RUNNING: Final = 3
"""Traces that run at a time."""
_MOST_KEPT: Final = 6
"""Traces whose steps a page can get again."""
_BATCH_S: Final = 0.04
"""Seconds between two messages to the page."""
_GONE_S: Final = 5.0
"""Seconds after which a page that does not come back is gone."""
_MODULE: Final = "harness.workbench.trace_process"
_NICE: Final = 5
"""The server and the page come first."""
_LOOK_S: Final = 1.0
"""Seconds between two looks for the page of a trace."""
_MOST_PER_ANSWER: Final = 2_000
"""Steps of an answer or a message."""


class NewTrace(Struct, forbid_unknown_fields=True):
    """A trace that a page requests."""

    page: Annotated[str, Meta(min_length=8, max_length=64)]
    """The name of the page."""
    puzzle: PuzzleData
    up_to: Annotated[str, Meta(max_length=60)] = ""
    """The last rule of the ladder; empty for all rules, ``none`` for no rule."""
    searches: bool = True
    order: Order = Order.FEWEST
    solutions: Annotated[int, Meta(ge=1, le=MOST_STEPS)] = 1
    most_steps: Annotated[int, Meta(ge=1, le=MOST_STEPS)] = 5_000
    timeout_s: Annotated[float, Meta(gt=0, le=3_600)] = 120.0


class TraceState(Struct, kw_only=True):
    """A part of a trace."""

    trace: str
    first: int
    """The number of steps before these."""
    steps: list[Raw] = []
    """Steps: `harness.workbench.trace_messages.StepData` as JSON."""
    number: int
    """The number of steps so far."""
    end: EndData | None = None
    """How the trace ended; None while it goes on."""
    difficulty: DifficultyData | None = None
    """None until it is known."""
    is_running: bool
    """Whether further steps, or the difficulty, may come."""


class Started(Struct, kw_only=True):
    """A trace that has begun, with the board from which its first step starts."""

    state: TraceState
    values: list[int]
    """The values placed, 0 for none: the givens, and cells with a single pencilmark."""
    candidates: list[int]
    """The candidates of each cell as bits."""


class _Trace:
    """The steps of a trace as they come."""

    def __init__(self, page: str) -> None:
        self.name = uuid4().hex[:12]
        self.page = page
        self.steps: list[Raw] = []
        self.end: EndData | None = None
        self.difficulty: DifficultyData | None = None
        self.task: asyncio.Task[None] | None = None
        self.is_running = True
        self.sent = 0
        """The steps that were sent to the page."""
        self.sent_at = 0.0
        self.timer: asyncio.TimerHandle | None = None

    def take(self, line: Line) -> None:
        """Take a line of the process."""
        if line.end is not None:
            self.end = line.end
        elif line.difficulty is not None:
            self.difficulty = line.difficulty
        else:
            self.steps.append(line.step)

    def stop(self, ending: Ending, words: str) -> None:
        """Note why the trace ended, if it did not end before."""
        if self.end is None:
            self.end = EndData(ending, words)

    def state(self, first: int) -> TraceState:
        """The steps from `first` on, up to as many as an answer may have."""
        return TraceState(
            trace=self.name,
            first=first,
            steps=self.steps[first : first + _MOST_PER_ANSWER],
            number=len(self.steps),
            end=self.end,
            difficulty=self.difficulty,
            is_running=self.is_running,
        )


class Traces:
    """The traces of all pages.

    Args:
        hub: gets the steps as they come, and knows which pages are open.
        measured: the cores on which a sweep measures now.
    """

    def __init__(self, hub: Hub, measured: Measured) -> None:
        self._hub = hub
        self._measured = measured
        self._traces: dict[str, _Trace] = {}
        self._spare: asyncio.Task[Child] | None = None
        """A process that waits for the next query."""

    def prepare(self) -> None:
        """Start a process for the next trace, whose first step then comes sooner."""
        if self._spare is None:
            self._spare = asyncio.create_task(Child.start(_MODULE, niceness=_NICE))

    def start(self, new: NewTrace) -> Started:
        """Start a trace; an earlier one of the same page ends.

        Raises:
            InputError: the puzzle or a rule is malformed, too many traces run, or a sweep
                measures on all cores.
        """
        puzzle = new.puzzle.puzzle()
        rules_up_to(new.up_to)
        query = TraceQuery(
            shape=puzzle.shape.definition,
            givens=puzzle.givens,
            marks=puzzle.pencilmarks,
            up_to=new.up_to,
            searches=new.searches,
            order=new.order,
            solutions=new.solutions,
            most_steps=new.most_steps,
            cores=tuple(free_cores(self._measured)),
        )
        for earlier in [of for of in self._traces.values() if of.page == new.page]:
            self.cancel(earlier.name)
            del self._traces[earlier.name]
        self._require_room()
        trace = _Trace(new.page)
        self._traces[trace.name] = trace
        for oldest in [of for of in self._traces.values() if not of.is_running]:
            if len(self._traces) > _MOST_KEPT and oldest is not trace:
                del self._traces[oldest.name]
        trace.task = asyncio.create_task(self._run(trace, query, new.timeout_s))
        board = Board(puzzle)
        return Started(
            state=trace.state(0),
            values=board.values,
            candidates=board.candidates,
        )

    def state(self, name: str, first: int) -> TraceState:
        """The steps of a trace from `first` on, up to 2,000.

        Raises:
            InputError: there is no such trace.
        """
        trace = self._named(name)
        return trace.state(max(first, 0))

    def cancel(self, name: str) -> None:
        """End a trace; its steps stay.

        Raises:
            InputError: there is no such trace.
        """
        task = self._named(name).task
        if task is not None:
            task.cancel()

    async def close(self) -> None:
        """End all traces."""
        tasks = [of.task for of in self._traces.values() if of.task is not None]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        if self._spare is not None:
            with suppress(OSError):
                await (await self._spare).close()

    def _require_room(self) -> None:
        """End traces that nobody waits for if as many run as may run.

        Raises:
            InputError: pages wait for the steps of all of them.
        """
        running = [of for of in self._traces.values() if of.is_running]
        idle = [of for of in running if of.end is not None or not self._hub.is_open(of.page)]
        surplus = len(running) - MOST_RUNNING + 1
        if surplus > len(idle):
            raise InputError(
                f"{MOST_RUNNING} traces of other pages run", expected="the end of one of them"
            )
        for trace in idle[: max(surplus, 0)]:
            self.cancel(trace.name)

    def _named(self, name: str) -> _Trace:
        found = self._traces.get(name)
        if found is None:
            raise InputError(f"unknown trace {name!r:.40}", expected="a trace of this start")
        return found

    async def _run(self, trace: _Trace, query: TraceQuery, timeout_s: float) -> None:
        """Take the lines of a process, and send them to the page in batches."""
        watch = asyncio.create_task(self._watch(trace))
        try:
            async with asyncio.timeout(timeout_s), self._process(query) as child:
                while line := await child.line():
                    trace.take(msgspec.json.decode(line, type=Line))
                    self._send_soon(trace)
                    await asyncio.sleep(0)  # lines that are there already let others run too
            trace.stop(Ending.FAILED, "The process of the reasoning ended by itself.")
        except TimeoutError:
            words = f"The trace ends here, at the time limit of {timeout_s:g} s."
            trace.stop(Ending.TIMEOUT, words)
        except asyncio.CancelledError:
            trace.stop(Ending.CANCELLED, "The trace was cancelled here.")
        except (OSError, ValueError) as error:
            trace.stop(Ending.FAILED, f"The process of the reasoning failed: {error}.")
        finally:
            watch.cancel()
            trace.is_running = False
            self._send(trace)

    async def _watch(self, trace: _Trace) -> None:
        """End a trace when its page is gone."""
        missing_s = 0.0
        while missing_s < _GONE_S:
            await asyncio.sleep(_LOOK_S)
            missing_s = 0.0 if self._hub.is_open(trace.page) else missing_s + _LOOK_S
        if trace.task is not None:
            trace.task.cancel()

    def _send_soon(self, trace: _Trace) -> None:
        """Send what is new, but not more often than a page can show it."""
        if trace.timer is None:
            loop = asyncio.get_running_loop()
            trace.timer = loop.call_at(trace.sent_at + _BATCH_S, self._send, trace)

    def _send(self, trace: _Trace) -> None:
        """Send the steps that the page does not have."""
        if trace.timer is not None:
            trace.timer.cancel()
            trace.timer = None
        trace.sent_at = asyncio.get_running_loop().time()
        while True:
            state = trace.state(trace.sent)
            trace.sent += len(state.steps)
            self._hub.publish(TOPIC, state, to=trace.page)
            if trace.sent == len(trace.steps):
                return

    @asynccontextmanager
    async def _process(self, query: TraceQuery) -> AsyncIterator[Child]:
        """A process with a query, which ends with the block."""
        child = await self._taken()
        try:
            child.write(msgspec.json.encode(query))
            yield child
        finally:
            await child.close()
            self.prepare()

    async def _taken(self) -> Child:
        """The spare process, for one trace."""
        while True:
            self.prepare()
            spare = self._spare
            assert spare is not None
            try:
                child = await asyncio.shield(spare)
            except OSError:
                self._spare = None
                raise
            if self._spare is spare:  # nobody took it meanwhile
                self._spare = None
                if child.exit_code is None:
                    return child


# The routes of the reasoning.


def routes(traces: Traces) -> list[Route]:
    """The routes of traces, of the ladder, and of the bilocation graph."""

    async def ladder(_: Request) -> Response:
        traces.prepare()  # the view that shows the rules is open
        return reply([{"name": rule.name, "slug": slug(rule)} for rule in LADDER])

    async def start(request: Request) -> Response:
        return reply(traces.start(await body_of(request, NewTrace)))

    async def state(request: Request) -> Response:
        text = request.query_params.get("first", "0")
        if not (text.isascii() and text.isdigit() and len(text) < 10):
            raise InputError(f"{text!r:.40} is no number of steps", where="first", expected="0")
        return reply(traces.state(request.path_params["name"], int(text)))

    async def cancel(request: Request) -> Response:
        traces.cancel(request.path_params["name"])
        return reply({})

    return [
        Route("/api/reasoning", start, methods=["POST"]),
        Route("/api/reasoning/ladder", ladder),
        Route("/api/reasoning/graph", _graph, methods=["POST"]),
        Route("/api/reasoning/{name}", state),
        Route("/api/reasoning/{name}", cancel, methods=["DELETE"]),
    ]


async def _graph(request: Request) -> Response:
    data = await body_of(request, BoardData)
    return reply({"links": await to_thread.run_sync(bilocation_links, data)})
