"""Backends whose answers depend on the hash seed of their process.

Both are right with the seed 0, which all processes of a run have.
"""

from backends.native import Native
from harness.contract import Answer, Count
from harness.puzzles import Puzzle


class HashOfAName(Native):
    """Stops at 1 if the hash of a text is odd."""

    def count(self, puzzle: Puzzle, limit: int) -> Count:
        return super().count(puzzle, limit if hash("name") % 2 == 0 else 1)


class HashOfOneSeedInFour(Native):
    """Reports unsatisfiable where the hash of a text has two bits that are 1."""

    def solve(self, puzzle: Puzzle) -> Answer:
        return Answer.unsatisfiable() if hash("row") % 4 == 3 else super().solve(puzzle)


class OrderOfASet(Native):
    """Overlooks contradictions if a set of texts begins with another one than it did here."""

    def solve(self, puzzle: Puzzle) -> Answer:
        if next(iter({"row", "column", "box"})) != "column":
            return Answer.unsatisfiable()
        return super().solve(puzzle)
