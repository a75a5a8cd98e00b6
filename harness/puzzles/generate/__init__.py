"""Generated grids and puzzles of any shape, the same for a seed on every machine.

pattern       grids and puzzles without search: the pattern grid, random givens
grids         random complete grids
nine          steps of the Markov chain of 9x9 grids
dig           removal of clues from a grid, up to a rule that stops it
swap          swaps of clues, in search of puzzles with fewer
clues         puzzles by number of clues, symmetry and number of solutions
unsolvable    puzzles without a solution that only search refutes
models        random holes (model A) and random values (model B)
hard          a search for puzzles that cost many guesses
pencilmarks   puzzles with restricted candidates in place of givens (sukaku)
options       what to generate, checked
request       generation, puzzle by puzzle
text          generated puzzles as a file
"""

from typing import TYPE_CHECKING

from harness.plugins import lazily

if TYPE_CHECKING:
    from harness.puzzles.generate.grids import (
        pattern_grid,
        pattern_puzzle,
        random_grid,
        random_puzzle,
    )
    from harness.puzzles.generate.options import Clues, GenerationRequest, Model
    from harness.puzzles.generate.request import Generated, generate

__all__ = [
    "Clues",
    "Generated",
    "GenerationRequest",
    "Model",
    "generate",
    "pattern_grid",
    "pattern_puzzle",
    "random_grid",
    "random_puzzle",
]

if not TYPE_CHECKING:
    # Workers need the pattern grid only.
    __getattr__, __dir__ = lazily(
        __name__,
        {
            "harness.puzzles.generate.options": ("Clues", "Model", "GenerationRequest"),
            "harness.puzzles.generate.grids": (
                "pattern_grid",
                "pattern_puzzle",
                "random_grid",
                "random_puzzle",
            ),
            "harness.puzzles.generate.request": ("Generated", "generate"),
        },
    )
