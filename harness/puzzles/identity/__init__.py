"""When two puzzles are the same: scrambles, canonical form, minimality, features.

symmetry    symmetries of the pattern of clues
scramble    relabelling, permutations and transposition that keep the shape
lines       the symmetries of shapes with more than rows, columns and boxes
canonical   the canonical form of 9x9 puzzles, and their automorphisms
minimal     whether each given is needed
features    numbers that describe a puzzle
"""

from typing import TYPE_CHECKING

from harness.lazy import lazily

if TYPE_CHECKING:
    from harness.puzzles.identity.canonical import CanonicalForm, canonical_form
    from harness.puzzles.identity.features import Features, features_of
    from harness.puzzles.identity.minimal import is_minimal
    from harness.puzzles.identity.scramble import Scramble
    from harness.puzzles.identity.symmetry import Symmetry, orbits, symmetries_of

__all__ = [
    "CanonicalForm",
    "Features",
    "Scramble",
    "Symmetry",
    "canonical_form",
    "features_of",
    "is_minimal",
    "orbits",
    "symmetries_of",
]

if not TYPE_CHECKING:
    __getattr__, __dir__ = lazily(
        __name__,
        {
            "harness.puzzles.identity.canonical": ("CanonicalForm", "canonical_form"),
            "harness.puzzles.identity.features": ("Features", "features_of"),
            "harness.puzzles.identity.minimal": ("is_minimal",),
            "harness.puzzles.identity.scramble": ("Scramble",),
            "harness.puzzles.identity.symmetry": ("Symmetry", "orbits", "symmetries_of"),
        },
    )
