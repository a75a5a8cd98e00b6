"""Generated grids and puzzles of any shape, the same for a seed on every machine.

grids        random complete grids
constraints  random constraints that are true for a grid
clues        puzzles by number of clues, symmetry and number of solutions
kinds        other puzzles: hard, unsolvable, with constraints or pencilmarks, of random models
options      what to generate, checked
request      generation, puzzle by puzzle, and the text of a file
"""

from harness.base.plugins import lazily

__getattr__, __dir__ = lazily(__name__, __file__)
