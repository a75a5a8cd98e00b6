"""What a call of a program costs, over a bare loop that starts it by `posix_spawn`.

The program reads its input and prints a stored answer. Both loops start it with the same input, in
turns, and read its output.

    python -m benchmarks.programs [CALLS]
"""

import os
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Final

from benchmarks.goals import GOALS
from harness.contract import registry
from harness.puzzles import Puzzle, Shape, line_of, pattern_grid

CALLS: Final = 200
TURNS: Final = 9
GOAL: Final = "call of a program over posix_spawn"


def bare(program: str, answer: str, data: bytes) -> None:
    """Start the program, write its input, read its output and wait for its end."""
    (out, child_out), (child_in, into) = os.pipe(), os.pipe()
    actions = [(os.POSIX_SPAWN_DUP2, child_in, 0), (os.POSIX_SPAWN_DUP2, child_out, 1)]
    pid = os.posix_spawn(program, [program, "-", answer], os.environ, file_actions=actions)
    os.close(child_in)
    os.close(child_out)
    os.write(into, data)
    os.close(into)
    while os.read(out, 2**16):
        pass
    os.close(out)
    os.waitpid(pid, 0)


def seconds(call: Callable[[], object], calls: int) -> float:
    """The mean wall time of a call, in seconds."""
    began = perf_counter()
    for _ in range(calls):
        call()
    return (perf_counter() - began) / calls


def main() -> None:
    """Print the cost of a call."""
    calls = int(sys.argv[1]) if len(sys.argv) > 1 else CALLS
    shape = Shape.parse("9x9")
    puzzle = Puzzle(shape, (0, *pattern_grid(shape)[1:]))
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        answer = Path(folder) / "stored.txt"
        answer.write_text(line_of(pattern_grid(shape)) + "\n")
        cat, data = "/bin/cat", f"{puzzle.line}\n".encode()
        backend, options = registry.load_backend(f"cat={cat} - {answer} < {{line}}")
        solver = backend(shape, options)
        pairs = [
            (
                seconds(lambda: bare(cat, str(answer), data), calls),
                seconds(lambda: solver.solve(puzzle), calls),
            )
            for _ in range(TURNS)
        ]
        ratio = median(ours / alone for alone, ours in pairs)
        alone, ours = (median(times) * 1e3 for times in zip(*pairs, strict=True))
        times = f"{ours:.2f} ms and {alone:.2f} ms"
        print(f"{GOAL}: {ratio:.2f} ({times}); {GOALS[GOAL].judged(ratio)}")


if __name__ == "__main__":
    main()
