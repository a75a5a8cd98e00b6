"""The traces of the pages: at most one per page, each found by a process of its own."""

import asyncio
from typing import Final

import msgspec
from anyio import to_thread
from msgspec import Raw, Struct
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from harness.base.errors import InputError, PuzzleError
from harness.extensions.reasoning.board import Board
from harness.extensions.reasoning.drawing import layers
from harness.extensions.reasoning.graphs import BilocationGraph
from harness.extensions.reasoning.ladder import ladder_of, slug
from harness.extensions.reasoning.step import ReasoningStep
from harness.extensions.workbench.boards import shape_of
from harness.extensions.workbench.cores import Measured, free_cores
from harness.extensions.workbench.messages import Hub, body_of, reply
from harness.extensions.workbench.processes import Answering
from harness.extensions.workbench.register import PageWork, Register
from harness.extensions.workbench.trace_steps import (
    DifficultyData,
    EndData,
    NewTrace,
    TraceEnding,
    TracePart,
    TraceQuery,
    rules_up_to,
)
from harness.puzzles import Puzzle

# The drawing of a step and of the bilocation graph on a board.


class NewDrawing(Struct, forbid_unknown_fields=True):
    """What is to be drawn on a board in the middle of reasoning."""

    shape: str
    values: tuple[int, ...]
    """The values placed, 0 for none."""
    candidates: tuple[int, ...]
    """The candidates of each cell as bits."""
    step: ReasoningStep | None = None
    """The step that starts from the board."""
    has_graph: bool = False
    """Whether the bilocation graph is drawn too."""

    def board(self) -> Board:
        """The board, with exactly these values and candidates.

        Raises:
            PuzzleError: the board is malformed.
        """
        shape = shape_of(self.shape)
        board = Board(Puzzle(shape, (0,) * shape.size**2))
        Puzzle(shape, self.values)  # checks number and range
        every = (1 << shape.size) - 1
        if len(self.candidates) != len(self.values):
            fault = f"candidates of {len(self.candidates)} cells"
            raise PuzzleError(fault, expected=f"{len(self.values)}")
        if any(not 0 <= bits <= every for bits in self.candidates):
            fault = "candidates beyond the values of the shape"
            raise PuzzleError(fault, expected=f"up to {every}")
        board.values[:] = self.values
        board.candidates[:] = self.candidates
        board.blanks = self.values.count(0)
        return board


def drawing(new: NewDrawing) -> dict[str, str | int]:
    """Draw a step and the bilocation graph on a board.

    ``under`` and ``over`` are what is below and above the values of the board, as SVG; ``links``
    is the number of links of the graph, 0 if it is not drawn.

    Raises:
        PuzzleError: the board is malformed, or the step does not fit it.
    """
    board = new.board()
    graph = BilocationGraph(board) if new.has_graph else None
    try:
        under, over = layers(board, new.step, graph)
    except KeyError as error:
        raise PuzzleError(f"a step with {error}", expected=f"a step of {board.shape}") from None
    return {"under": under, "over": over, "links": graph.edges if graph else 0}


# The traces of the pages: at most one per page, each found by a process of its own.


_MOST_KEPT: Final = 6
"""Maximum number of ended traces whose steps a page can get again."""
_LOOK_S: Final = 1.0
"""Seconds between two looks for the page of a trace."""


class TraceState(Struct, kw_only=True):
    """A part of a trace."""

    trace: str
    first: int = 0
    """The number of steps before these."""
    steps: list[Raw] = []
    """Steps: `harness.extensions.reasoning.step.ReasoningStep` as JSON."""
    number: int = 0
    """The number of steps so far."""
    end: EndData | None = None
    """How the trace ended; None while it goes on."""
    difficulty: DifficultyData | None = None
    """None until it is known."""
    is_running: bool = True
    """Whether further steps, or the difficulty, may come."""


class _Trace(PageWork):
    """The steps of a trace as they come."""

    def __init__(self, page: str) -> None:
        super().__init__(page=page)
        self.whole = TraceState(trace=self.name)
        self.sent = 0
        """The number of steps that were sent to the page."""
        self.sent_at = 0.0
        self.timer: asyncio.TimerHandle | None = None

    def stop(self, ending: TraceEnding, words: str) -> None:
        """Note why the trace ended, if it did not end before."""
        if self.whole.end is None:
            self.whole.end = EndData(ending, words)

    def state(self, first: int) -> TraceState:
        """The steps that begin with `first`, at most 2,000 in an answer or a message."""
        steps = self.whole.steps[first : first + 2_000]
        return msgspec.structs.replace(self.whole, first=first, steps=steps)


class Traces:
    """The traces of all pages.

    Args:
        hub: gets the steps as they come, and knows which pages are open.
        measured_cores: returns the cores on which a sweep measures now.
    """

    def __init__(self, hub: Hub, measured_cores: Measured) -> None:
        self._hub = hub
        self._measured = measured_cores
        self._register = Register[_Trace]("trace", _MOST_KEPT)
        self._spare = self._process()
        """The process of the next trace."""

    @staticmethod
    def _process() -> Answering:
        function = "harness.extensions.workbench.trace_steps:trace"
        failure = "The process of the reasoning ended unexpectedly."
        return Answering(function, failure, niceness=5)

    def start(self, new: NewTrace) -> _Trace:
        """Start a trace; an earlier one of the same page ends.

        Raises:
            InputError: the puzzle or a rule is malformed, or a sweep measures on all cores.
        """
        new.puzzle.puzzle()
        rules_up_to(new.up_to)
        query = TraceQuery(new, tuple(free_cores(self._measured)))
        for earlier in self._register:
            if earlier.page == new.page:
                self._register.drop(earlier)
        trace = _Trace(new.page)
        self._register.add(trace, self._run(trace, query))
        return trace

    async def close(self) -> None:
        """End all traces."""
        await self._register.close()
        await self._spare.close()

    async def _run(self, trace: _Trace, query: TraceQuery) -> None:
        """Take the parts of a trace, and send them to the page in batches."""
        process, self._spare = self._spare, self._process()
        watch = asyncio.create_task(self._watch(trace))
        timeout_s = query.new.timeout_s
        try:
            async with asyncio.timeout(timeout_s):
                async for data in process.parts(query):
                    part = msgspec.json.decode(data, type=TracePart)
                    if part.step:
                        trace.whole.steps.append(part.step)
                        trace.whole.number += 1
                    trace.whole.end = part.end or trace.whole.end
                    trace.whole.difficulty = part.difficulty or trace.whole.difficulty
                    self._send_soon(trace)
                    await asyncio.sleep(0)  # parts that have already arrived let others run too
        except TimeoutError:
            words = f"The trace ends here, at the time limit of {timeout_s:g} s."
            trace.stop(TraceEnding.TIMEOUT, words)
        except asyncio.CancelledError:
            trace.stop(TraceEnding.CANCELLED, "The trace was cancelled here.")
        except InputError as error:
            trace.stop(TraceEnding.FAILED, str(error))
        finally:
            watch.cancel()
            trace.whole.is_running = False
            self._send(trace)
            await process.close()
            self._spare.prepare()

    async def _watch(self, trace: _Trace) -> None:
        """End a trace when its page has been gone for five seconds."""
        missing_s = 0.0
        while missing_s < 5.0:
            await asyncio.sleep(_LOOK_S)
            missing_s = 0.0 if self._hub.is_open(trace.page) else missing_s + _LOOK_S
        trace.cancel()

    def _send_soon(self, trace: _Trace) -> None:
        """Send what is new, at most every 40 ms: a page can show no more."""
        if trace.timer is None:
            loop = asyncio.get_running_loop()
            trace.timer = loop.call_at(trace.sent_at + 0.04, self._send, trace)

    def _send(self, trace: _Trace) -> None:
        """Send the steps that the page does not have."""
        if trace.timer is not None:
            trace.timer.cancel()
            trace.timer = None
        trace.sent_at = asyncio.get_running_loop().time()
        while True:
            state = trace.state(trace.sent)
            trace.sent += len(state.steps)
            self._hub.publish("reasoning", state, to=trace.page)
            if trace.sent == trace.whole.number:
                return

    def routes(self) -> list[Route]:
        """The routes of traces, of the ladder, and of drawings."""

        async def ladder(request: Request) -> Response:
            self._spare.prepare()  # the view that shows the rules is open
            rules = ladder_of(shape_of(request.query_params.get("shape", "9x9")))
            return reply([{"name": rule.name, "slug": slug(rule)} for rule in rules])

        async def start(request: Request) -> Response:
            new = await body_of(request, NewTrace)
            trace = self.start(new)
            # The first step starts from a board on which cells with a single pencilmark are placed.
            board = Board(new.puzzle.puzzle())
            data = {"values": board.values, "candidates": board.candidates}
            return reply({"state": trace.state(0), **data})

        async def state(request: Request) -> Response:
            text = request.query_params.get("first", "0")
            if not (text.isascii() and text.isdigit() and len(text) < 10):
                raise InputError(
                    f"{text!r:.40} is not a number of steps", where="first", expected="0"
                )
            return reply(self._register.named(request.path_params["name"]).state(int(text)))

        return [
            Route("/api/reasoning", start, methods=["POST"]),
            Route("/api/reasoning/ladder", ladder),
            Route("/api/reasoning/drawing", _drawing, methods=["POST"]),
            Route("/api/reasoning/{name}", state),
            self._register.cancel_route("/api/reasoning"),
        ]


async def _drawing(request: Request) -> Response:
    return reply(await to_thread.run_sync(drawing, await body_of(request, NewDrawing)))
