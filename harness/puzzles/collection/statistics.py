"""Facts about all puzzles of a dataset."""

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from harness.puzzles.collection.facts import Facts


@dataclass(slots=True)
class Distribution:
    """How often each whole number occurs."""

    numbers: Counter[int] = field(default_factory=Counter)

    def quantile(self, share: float) -> int | None:
        """The least number such that this share of all numbers is not larger (nearest rank).

        Args:
            share: from 0, the least number, to 1, the largest.

        Returns:
            None without numbers.
        """
        total, passed = self.numbers.total(), 0
        for number in sorted(self.numbers):
            passed += self.numbers[number]
            if passed >= share * total:
                return number
        return None


@dataclass(slots=True)
class Statistics:
    """What is known of the puzzles of a dataset. Each number counts puzzles."""

    dataset: str
    searched: bool = True
    """Whether guesses, minimality and automorphisms were searched."""
    puzzles: int = 0
    shapes: Counter[str] = field(default_factory=Counter)
    clues: Distribution = field(default_factory=Distribution)
    counts: int = 0
    """Those with an expected number of solutions."""
    solutions: int = 0
    """Those with an expected solution."""
    pencilmarks: int = 0
    duplicates: int = 0
    """Those that are the same as an earlier one of the datasets described."""
    equivalents: int = 0
    """Those that are equivalent to an earlier one, and not the same."""
    symmetric: int = 0
    """Those whose pattern of clues has a symmetry."""
    minimal: int = 0
    minimal_unknown: int = 0
    guesses: Distribution = field(default_factory=Distribution)
    """Guesses of the puzzles that the search decided."""
    guesses_unknown: int = 0
    automorphic: int = 0
    """9x9 puzzles with more than one automorphism."""

    def add(self, facts: "Facts") -> None:
        """Count a puzzle."""
        puzzle, count, features = facts.puzzle, facts.expected_count, facts.features
        self.puzzles += 1
        self.shapes[puzzle.shape.spec] += 1
        self.clues.numbers[puzzle.clues] += 1
        self.counts += count is not None
        self.solutions += count is not None and count.solution is not None
        self.pencilmarks += puzzle.pencilmarks is not None
        self.duplicates += facts.match is not None and not facts.match.equivalent
        self.equivalents += facts.match is not None and facts.match.equivalent
        self.symmetric += bool(facts.symmetries)
        if features is None:
            return
        self.minimal += facts.minimal is True
        self.minimal_unknown += facts.minimal is None
        if features.guesses is None:
            self.guesses_unknown += 1
        else:
            self.guesses.numbers[features.guesses] += 1
        self.automorphic += (features.automorphisms or 1) > 1
