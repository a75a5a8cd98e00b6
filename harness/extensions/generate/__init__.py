"""Generated grids and puzzles of any shape, the same for a seed on every machine.

grids        random complete grids
constraints  random constraints that are true for a grid
clues        puzzles by number of clues, symmetry and number of solutions
kinds        hard, unsolvable, with constraints or pencilmarks, and from random models
options      what to generate, checked
request      generation, puzzle by puzzle, and its file
"""

from harness.base.plugins import lazily

__getattr__, __dir__ = lazily(__name__, __file__)
