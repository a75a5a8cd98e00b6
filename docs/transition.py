"""Write datasets/transition.toml: random puzzles of many clue densities.

    python docs/transition.py datasets/transition.toml

Cells, in random order, get a random value that none of their peers has. So no house has
a value twice, but the puzzle need not have a solution: few have one with many givens,
and most with few givens. Puzzles are hardest where the share of puzzles with a solution
falls (Lewis, "Metaheuristics can solve sudoku puzzles", 2007; for Latin squares Gomes and
Selman, "Problem structure in the presence of perturbations", 1997).
"""

import sys
from pathlib import Path
from random import Random

import harness
from harness.puzzles import Puzzle, Shape
from harness.puzzles.generate import random_puzzle

CLUES = range(14, 29, 2)
EACH = 8
MOST = 1000
HEAD = f"""\
# Random puzzles of many clue densities, {EACH} of each.
#
# Made by docs/transition.py with a fixed seed: cells in random order, each with a
# random value that none of its peers has. The number of solutions was counted by
# native; ">={MOST}" is a lower bound, where the count stopped.
"""


def main(path: Path) -> None:
    """Write the puzzles and their numbers of solutions to the file at `path`."""
    random = Random(9)  # noqa: S311  not for cryptography
    parts = [HEAD]
    for clues in CLUES:
        for number in range(1, EACH + 1):
            puzzle = random_puzzle(Shape.parse("9x9"), clues, random)
            parts.append(f'[[puzzle]]\nid = "random_{clues}_{number}"\n{record(puzzle)}')
    path.write_text("\n".join(parts), encoding="utf-8")


def record(puzzle: Puzzle) -> str:
    """The record of a puzzle: its givens, its number of solutions, and a unique solution."""
    found = harness.count(puzzle, "native", limit=MOST)
    number = str(found.count) if found.exact else f'">={found.count}"'
    lines = [f'puzzle = "{puzzle.line}"', f"solutions = {number}"]
    if found.exact and found.count == 1:
        lines.append(f'solution = "{found.solution}"')
    return "\n".join([*lines, 'source = "docs/transition.py"\n'])


if __name__ == "__main__":
    main(Path(sys.argv[1]))
