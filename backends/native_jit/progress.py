"""The interface between the kernels and their caller: indices into two small arrays.

A kernel works through a batch of puzzles and returns whenever it has used up a budget of
nodes, so that its caller can check the time limit. Arrays hold its entire state: the
open states in a stack, the rest in *progress*. A pause costs a microsecond, and a stream
of solutions is a search that pauses whenever its buffer is full.
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
BUFFER: Final = 4
"""Size of the stream buffer in solutions; 0 for no stream."""
REQUEST: Final = 5
"""Length of the request."""

# The progress, int64
PUZZLE: Final = 0
"""The current puzzle."""
OPEN: Final = 1
"""Number of open states on the stack."""
OWN_NODES: Final = 2
"""Nodes of the current puzzle so far; -1 before its start."""
BUFFERED: Final = 3
"""Solutions in the stream buffer."""
NODES: Final = 4
"""States visited, summed over all puzzles, like the next two."""
GUESSES: Final = 5
"""Nodes that needed a guess."""
ROUNDS: Final = 6
"""Passes of the rules over the grid."""
STREAK: Final = 7
"""Guesses of the current puzzle if none has failed yet, otherwise -1. Only `vectors` uses it."""
PROGRESS: Final = 8
"""Length of the progress."""

# The notes of `recall`, int64
SERIAL: Final = 0
"""A number of the current puzzle that no puzzle before had."""
WAITING: Final = 1
"""States that wait for the number of solutions below them."""

# The reason why a kernel returns
FINISHED: Final = 0
PAUSED: Final = 1
"""The budget of nodes is used up."""
BUFFER_FULL: Final = 2
STACK_FULL: Final = 3
