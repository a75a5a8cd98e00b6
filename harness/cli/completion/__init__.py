"""Completion of the command line in bash, zsh and fish.

`scripts` prints the script for a shell. The script calls ``harness __complete`` for each
completion; `line` splits and quotes what the shell has, `candidates` finds the words that
fit, `values` the values of options and arguments.
"""

from typing import Final

COMPLETE: Final = "__complete"
"""The hidden command that the scripts call."""
