"""The process that answers calls of one function of the harness, for the server.

    python -m harness.extensions.workbench.answering MODULE:FUNCTION

It reads queries from standard input, a line of JSON each, and calls the function with each query
and with `put`, which writes a part of the answer to standard output at once. A last line ends the
answer. The process ends at SIGTERM, or when its input ends, as it does with the server.
"""

import atexit
import os
import queue
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import cache
from pkgutil import resolve_name
from typing import Any, get_type_hints

import msgspec
from msgspec import Raw, Struct

from harness.base.errors import HarnessError
from harness.base.interruption import signals_as_interrupts

Put = Callable[[Any], None]
"""Writes a part of an answer."""


class AnswerLine(Struct, omit_defaults=True):
    """A line of an answer: a part, or its end."""

    part: Raw = Raw()
    error: str = ""
    """Why the answer ends here."""


@cache
def at_end() -> ExitStack:
    """Context managers that are closed when this process ends, including by SIGTERM."""
    stack = ExitStack()
    atexit.register(stack.close)
    stack.enter_context(signals_as_interrupts())
    return stack


def main() -> None:
    """Answer the calls on standard input."""
    function = resolve_name(sys.argv[1])
    (kind, *_) = get_type_hints(function).values()
    queries: queue.SimpleQueue[Any] = queue.SimpleQueue()

    def read() -> None:
        for line in _lines():
            queries.put(msgspec.json.decode(line, type=kind))
        os.kill(os.getpid(), signal.SIGTERM)  # even during a call

    threading.Thread(target=read, daemon=True).start()
    try:
        while True:
            _answer(function, queries.get())
    except KeyboardInterrupt:
        return
    except BrokenPipeError:  # the server is gone, so the buffer cannot be written either
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _answer(function: Callable[[Any, Put], None], query: Any) -> None:
    def put(part: Any) -> None:
        _write(AnswerLine(part=Raw(msgspec.json.encode(part))))

    try:
        function(query, put)
    except HarnessError as error:
        _write(AnswerLine(error=str(error)))
    else:
        _write(AnswerLine())


def _write(line: AnswerLine) -> None:
    sys.stdout.buffer.write(msgspec.json.encode(line) + b"\n")
    sys.stdout.buffer.flush()


def _lines() -> Iterator[bytes]:
    """The lines of standard input, past its buffer, whose lock a thread would hold at the end."""
    rest = b""
    while data := os.read(0, 2**16):
        *lines, rest = (rest + data).split(b"\n")
        yield from lines


if __name__ == "__main__":
    main()
