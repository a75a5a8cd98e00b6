"""Fuzzing: a stream of random puzzles on which backends are compared."""

from typing import Final

DEFAULT_TIMEOUT_S: Final = 3.0
"""Seconds of wall time for each trial; a slow answer is worth less than many quick ones."""
