"""A backend that ends in the way that its option names."""

import os
import time
from dataclasses import dataclass

from harness.contract import Answer, Backend, Count, Options, Unsupported, option
from harness.puzzles import Puzzle, Shape


@dataclass(frozen=True)
class EndingOptions(Options):
    end: str = option("unknown", help="how a call ends")


class Endings(Backend[EndingOptions]):
    name = "endings"
    paradigm = "none"

    def __init__(self, shape: Shape, options: EndingOptions) -> None:
        self.end = options.end

    def solve(self, puzzle: Puzzle) -> Answer:
        match self.end:
            case "exits":
                os._exit(3)
            case "raises":
                raise RuntimeError("first line\n<second> \x1b line")
            case "late":
                time.sleep(60)
            case "memory":
                raise MemoryError
            case "unsupported":
                raise Unsupported("not this one")
            case "wrong":
                return Answer.solved((1,) * len(puzzle.givens))
        return Answer.unknown()

    def count(self, puzzle: Puzzle, limit: int) -> Count:
        self.solve(puzzle)
        return Count(1, exact=False)
