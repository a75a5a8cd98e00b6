"""What a backend can do, as flags, and in words for the user."""

from enum import Flag, auto
from typing import Final


class Capability(Flag):
    """Capabilities that a backend's class declares."""

    SOLVES = auto()
    """`solve` returns solutions; without it the backend only counts."""
    COUNTS_NATIVELY = auto()
    """`count` is the backend's own, not the default built on `solve`."""
    HEEDS_LIMIT = auto()
    """`count` stops at its limit."""
    BATCHES_NATIVELY = auto()
    """`solve_many` or `count_many` is the backend's own, not a loop."""
    COMPLETE = auto()
    """The backend decides every puzzle, given enough time."""
    TAKES_PENCILMARKS = auto()
    """The backend heeds `Puzzle.pencilmarks`."""
    TAKES_PAIRS = auto()
    """The backend heeds `Shape.pairs`."""
    NAMED_ONLY = auto()
    """`harness check` and ``*`` leave the backend out unless a spec names it."""
    PROVES = auto()
    """`prove` writes proofs, at least with some options."""


_PRESENT: Final = {  # every backend counts
    Capability.SOLVES: "solve",
    Capability.COUNTS_NATIVELY: "native count",
    Capability.BATCHES_NATIVELY: "native batch",
    Capability.PROVES: "prove",
}
_TAKEN: Final = {
    Capability.TAKES_PENCILMARKS: "pencilmarks",
    Capability.TAKES_PAIRS: "pairs",
}
_ABSENT: Final = {
    Capability.HEEDS_LIMIT: "ignores the count limit",
    Capability.COMPLETE: "may give up",
}
_NAMED_ONLY: Final = "compared only if named"


def capabilities_in_words(capabilities: Capability) -> list[str]:
    """`capabilities` as short phrases: ``["count", "solve", "native count"]``."""
    phrases = [phrase for flag, phrase in _PRESENT.items() if flag in capabilities]
    taken = puzzles_in_words(capabilities)
    return ["count", *phrases, *taken, *limitations_in_words(capabilities)]


def puzzles_in_words(capabilities: Capability) -> list[str]:
    """What puzzles may have besides givens and houses: ``["pencilmarks", "pairs"]``."""
    return [phrase for flag, phrase in _TAKEN.items() if flag in capabilities]


def limitations_in_words(capabilities: Capability) -> list[str]:
    """The limitations that matter in a comparison: ``["may give up"]``."""
    absent = [phrase for flag, phrase in _ABSENT.items() if flag not in capabilities]
    return [*absent, *([_NAMED_ONLY] if Capability.NAMED_ONLY in capabilities else [])]
