"""A process that puts questions to one configuration.

    python -m harness.workbench.asker

It reads questions from standard input, a line of JSON each, and writes an answer for each to
standard output. Its workers stay, so that the next answer takes as long as its search. It ends
when its input ends or at SIGTERM, and its workers end with it.
"""

import os
import queue
import signal
import sys
import threading
from collections.abc import Iterator
from typing import Final

import msgspec

from harness.engine.system.kernel import confine
from harness.errors import HarnessError
from harness.puzzles.puzzle import Puzzle
from harness.puzzles.shape import Shape
from harness.records.question import Task
from harness.report.filling import reply_data
from harness.runs.run import signals_as_interrupts
from harness.runs.selection import question_of
from harness.session import Session
from harness.workbench.bodies import sentence
from harness.workbench.questions import Query, Result

_CHUNK: Final = 2**16


def answer(session: Session, query: Query) -> Result:
    """Put a question to its backend."""
    try:
        task = Task(query.task)
        question = question_of(
            task, limit=query.limit, timeout=query.timeout_s, memory=query.memory
        )
        puzzle = Puzzle.of_line(query.puzzle, Shape.parse(query.shape))
        (found,) = session.ask(puzzle, [query.spec], question)
        return Result(answer=reply_data(found))
    except HarnessError as error:
        return Result(error=sentence(error))


def main() -> None:
    """Answer the questions of standard input."""
    questions: queue.SimpleQueue[Query] = queue.SimpleQueue()

    def read() -> None:
        for line in _lines():
            questions.put(msgspec.json.decode(line, type=Query))
        os.kill(os.getpid(), signal.SIGTERM)

    try:
        with signals_as_interrupts(), Session() as session:
            threading.Thread(target=read, daemon=True).start()
            confined = False
            while True:
                query = questions.get()
                if query.core is not None and not confined:
                    confine([query.core])
                    confined = True
                found = answer(session, query)
                sys.stdout.buffer.write(msgspec.json.encode(found) + b"\n")
                sys.stdout.buffer.flush()
    except (KeyboardInterrupt, BrokenPipeError):
        return


def _lines() -> Iterator[bytes]:
    """The lines of standard input, without its buffer, which a thread would hold at the end."""
    left = b""
    while data := os.read(0, _CHUNK):
        *lines, left = (left + data).split(b"\n")
        yield from lines


if __name__ == "__main__":
    main()
