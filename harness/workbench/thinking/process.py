"""A process that finds the steps of one trace.

    python -m harness.workbench.thinking.process

It reads a query from standard input, a line of JSON, and writes each step when it is found. It
ends at SIGTERM, and when its input ends, as it does when the server ends.
"""

import os
import signal
import sys
import threading

import msgspec

from harness.engine.system.kernel import confine
from harness.reasoning.ladder import LADDER, rung
from harness.reasoning.rule import Rule
from harness.reasoning.trace.events import Event
from harness.text import number_of
from harness.workbench.thinking.events import Reasoning
from harness.workbench.thinking.messages import (
    MOST_BYTES,
    EndData,
    Ending,
    Line,
    TraceQuery,
)
from harness.workbench.thinking.steps import Steps


class _Full(Exception):
    """Ends the reasoning at a limit, which is the message."""


class _Writer:
    """Writes the steps of events to standard output, up to a limit."""

    def __init__(self, steps: Steps, most: int) -> None:
        self._steps = steps
        self._most = most
        self._bytes = 0

    def take(self, event: Event) -> None:
        """Write the step of an event.

        Raises:
            _Full: the trace has as many steps or bytes as it may have.
        """
        if self._steps.number >= self._most:
            raise _Full(number_of(self._most, "step"))
        if self._bytes > MOST_BYTES:
            raise _Full(number_of(MOST_BYTES, "byte"))
        step = msgspec.Raw(msgspec.json.encode(self._steps.of(event)))
        self._bytes += write(Line(step=step))


def write(line: Line) -> int:
    """Write a line to standard output; returns its bytes."""
    data = msgspec.json.encode(line) + b"\n"
    sys.stdout.buffer.write(data)
    sys.stdout.buffer.flush()
    return len(data)


def rules_up_to(name: str) -> tuple[Rule, ...]:
    """The rules of the ladder up to one; all for an empty name, none for ``none``.

    Raises:
        InputError: there is no such rule.
    """
    if name == "none":
        return ()
    return rung(name) if name else LADDER


def trace(query: TraceQuery) -> None:
    """Write the steps of a trace, its end, and the difficulty of the puzzle."""
    puzzle = query.puzzle()
    writer = _Writer(Steps(puzzle), query.most_steps)
    reasoning = Reasoning(
        puzzle,
        rules_up_to(query.up_to),
        writer.take,
        searches=query.searches,
        order=query.order,
        solutions=query.solutions,
    )
    try:
        end = reasoning.run()
    except _Full as full:
        end = EndData(Ending.LIMIT, f"The trace ends here, at its limit of {full}.")
    write(Line(end=end))
    if end.ending is not Ending.CONTRADICTORY:
        # Its import takes longer than the first step of most puzzles.
        from harness.workbench.thinking.difficulty import difficulty_of

        write(Line(difficulty=difficulty_of(puzzle)))


def main() -> None:
    """Trace the query of standard input."""
    query = msgspec.json.decode(sys.stdin.buffer.readline(), type=TraceQuery)
    confine(query.cores)

    def watch() -> None:
        while os.read(0, 2**12):
            pass
        os.kill(os.getpid(), signal.SIGKILL)

    threading.Thread(target=watch, daemon=True).start()
    try:
        trace(query)
    except BrokenPipeError:
        os._exit(0)  # the server is gone, so the buffer cannot be written either


if __name__ == "__main__":
    main()
