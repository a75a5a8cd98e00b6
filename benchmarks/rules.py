"""The time of each rule on boards of 25x25, for docs/reasoning.md.

The boards are the instances of phase-25x25 after naked singles, hidden singles and locked
candidates, and an artificial board with two candidates in each cell, so that the bivalue graph
has 625 cells. The table has the longest time of any instance, and the times of the artificial
board for all conclusions of a rule and for the first.
"""

from itertools import islice
from time import process_time
from typing import Final

from benchmarks.records import put_record
from harness.extensions.reasoning.board import Board, Rule
from harness.extensions.reasoning.ladder import LADDER, rung
from harness.extensions.reasoning.solving import propagate
from harness.puzzles import Puzzle, Shape, load_dataset, pattern_grid
from harness.puzzles.search import Prng

SHAPE: Final = Shape.parse("25x25")


def boards() -> list[Board]:
    """The boards of the instances that the three rules neither finish nor refute."""
    boards = []
    for instance in load_dataset("phase-25x25").instances:
        board = Board(instance.puzzle)
        if propagate(board, rung("locked-candidates")) and not board.finished:
            boards.append(board)
    return boards


def pairs() -> Board:
    """A board with two candidates in each cell: the value of a grid and a random one."""
    size, random = SHAPE.size, Prng(1)
    marks = tuple(
        1 << value - 1 | 1 << (value + random.below(size - 1)) % size
        for value in pattern_grid(SHAPE)
    )
    return Board(Puzzle(SHAPE, (0,) * size**2, marks))


def seconds(rule: Rule, board: Board, most: int | None = None) -> float:
    """The CPU time of all conclusions of a rule, or of the first `most`."""
    began = process_time()
    for _ in islice(rule.conclusions(board), most):
        pass
    return process_time() - began


def main() -> None:
    """Measure each rule, and replace the table of the page."""
    of_puzzles, hardest = boards(), pairs()
    rows = [
        f"| rule | {len(of_puzzles)} instances, longest | artificial, all | artificial, first |",
        "|---|---:|---:|---:|",
    ]
    for rule in (rule for rule in LADDER if rule.applies_to(SHAPE)):
        longest = max(seconds(rule, board) for board in of_puzzles)
        every, first = seconds(rule, hardest), seconds(rule, hardest, 1)
        rows.append(f"| {rule.name} | {longest:.3f} s | {every:.3f} s | {first:.3f} s |")
        print(rows[-1], flush=True)
    put_record("rule-times", "\n".join(rows) + "\n")


if __name__ == "__main__":
    main()
