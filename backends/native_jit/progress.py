"""The interface between the kernels and their caller: indices into two small arrays.

A kernel works through a batch of puzzles and returns whenever it has used up a budget of
nodes, so that its caller can check the time limit. Arrays hold its entire state: the
open states in a stack, the rest in *progress*. A pause costs a microsecond.
"""

from typing import Final

# The request, int64
PUZZLES: Final = 0
"""Number of puzzles in the batch."""
LIMIT: Final = 1
"""Solutions per puzzle."""
NODE_LIMIT: Final = 2
"""Nodes per puzzle; -1 for no limit."""
BUDGET: Final = 3
"""Nodes per call of the kernel."""

# The progress, int64
PUZZLE: Final = 0
"""The current puzzle."""
OPEN: Final = 1
"""Number of open states on the stack."""
OWN_NODES: Final = 2
"""Nodes of the current puzzle so far; -1 before its start."""
NODES: Final = 3
"""States visited, summed over all puzzles, like the next two."""
GUESSES: Final = 4
"""Nodes that needed a guess."""
ROUNDS: Final = 5
"""Passes of the rules over the grid."""
STREAK: Final = 6
"""Guesses of the current puzzle if none has failed yet, otherwise -1. Only `vectors` uses it."""
PROGRESS: Final = 7
"""Length of the progress."""

# The notes of `recall`, int64
SERIAL: Final = 0
"""A number of the current puzzle that no earlier puzzle had."""
WAITING: Final = 1
"""States that wait for the number of solutions below them."""

# The reason why a kernel returns
FINISHED: Final = 0
PAUSED: Final = 1
"""The budget of nodes is used up."""
STACK_FULL: Final = 2
