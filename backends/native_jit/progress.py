"""What the two kernels and their caller agree on: the places in two small arrays.

A kernel works through a batch of puzzles and comes back whenever a budget of nodes is used
up, so that its caller can look at the clock. All it needs to go on is in arrays: open states
in a stack, and how far it is in *progress*. So a pause costs a microsecond, and a stream of
solutions is a search that pauses whenever its buffer is full.
"""

from typing import Final

# What is asked, int64
PUZZLES: Final = 0
"""How many puzzles the batch has."""
LIMIT: Final = 1
"""Solutions after which a puzzle is left."""
NODE_LIMIT: Final = 2
"""Nodes after which a puzzle is left; -1 for never."""
BUDGET: Final = 3
"""Nodes after which the kernel comes back."""
BUFFER: Final = 4
"""How many solutions the buffer of the stream holds; 0 for no stream."""
ASKED: Final = 5

# How far it is, int64
PUZZLE: Final = 0
"""The puzzle that is worked on."""
OPEN: Final = 1
"""Open states on the stack."""
OWN_NODES: Final = 2
"""Nodes of this puzzle so far; -1 where it has not been begun."""
BUFFERED: Final = 3
"""Solutions in the buffer of the stream."""
NODES: Final = 4
"""States looked at, in all puzzles together, and so the next two."""
GUESSES: Final = 5
"""Nodes at which the rules came to an end and a guess was made."""
ROUNDS: Final = 6
"""How often the rules went over the grid."""
PROGRESS: Final = 7

# Why a kernel comes back
FINISHED: Final = 0
PAUSED: Final = 1
"""The budget is used up."""
BUFFER_FULL: Final = 2
STACK_FULL: Final = 3
