"""Facts about puzzles and datasets: features, minimality, statistics."""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from statistics import median
from typing import Final

from harness.puzzles.candidates import Candidates
from harness.puzzles.canonical import canonical_form, has_canonical_form
from harness.puzzles.collection import NODES, Match, Seen
from harness.puzzles.formats.stream import ParsedPuzzle
from harness.puzzles.puzzle import Puzzle
from harness.puzzles.solution_count import SolutionCount
from harness.puzzles.solver import NO_LIMIT, solver_of
from harness.puzzles.symmetry import Symmetry, symmetries_of

# Features: numbers that describe a puzzle, for choosing puzzles and for tables.


_NODES: Final = 1_000_000


@dataclass(frozen=True, slots=True)
class Features:
    """What a puzzle is like."""

    clues: int
    """Givens."""
    candidates: int
    """Candidates of all blank cells: values that no given among the peers of a cell has."""
    symmetries: tuple[Symmetry, ...]
    """Symmetries of the pattern of clues."""
    guesses: int | None
    """Guesses of a search for two solutions with naked and hidden singles, which branches on
    the cell with the fewest candidates; 0 if the rules decide the puzzle. None if the search
    reaches its node limit."""
    automorphisms: int | None
    """Symmetries of the shape that map the puzzle to itself with other values, 1 for almost
    all puzzles; None for shapes without a canonical form."""


def features_of(puzzle: Puzzle, nodes: int = _NODES) -> Features:
    """The features of `puzzle`.

    Args:
        puzzle: a puzzle of any shape.
        nodes: the node limit of the search.
    """
    return Features(
        clues=puzzle.clues,
        candidates=candidates_of(puzzle),
        symmetries=tuple(symmetries_of(puzzle)),
        guesses=guesses_of(puzzle, nodes),
        automorphisms=automorphisms_of(puzzle),
    )


def candidates_of(puzzle: Puzzle) -> int:
    """The number of candidates of all blank cells; see `Features.candidates`."""
    return sum(len(group) for group in Candidates(puzzle).cells)


def guesses_of(puzzle: Puzzle, nodes: int = _NODES) -> int | None:
    """The number of guesses of a search with this limit of `nodes`; see `Features.guesses`."""
    result = solver_of(puzzle.shape).search_puzzle(puzzle, 2, nodes)
    return result.guesses if result.exact or result.number == 2 else None


def automorphisms_of(puzzle: Puzzle) -> int | None:
    """The number of automorphisms; see `Features.automorphisms`."""
    return canonical_form(puzzle).automorphisms if has_canonical_form(puzzle) else None


# Minimality: whether each given, or each pencilmark that is missing, is needed.


def is_minimal(puzzle: Puzzle, nodes: int = NO_LIMIT) -> bool | None:
    """Whether the removal of any given gives `puzzle` more solutions.

    With pencilmarks: whether the return of any candidate that a cell cannot have gives it more
    solutions, a given being a cell with one candidate. A puzzle without a solution is minimal
    if each removal or return gives it one.

    Args:
        puzzle: a puzzle of any shape.
        nodes: the node limit of each search.

    Returns:
        None if the node limit is too low to decide.
    """
    solver = solver_of(puzzle.shape)
    if not solver.searches:
        return None
    start = solver.start(puzzle.allowed)
    undecided = False
    for cell, added in _changes(puzzle):
        start[cell] = added  # the solutions that a change adds
        number = solver.count(start, 1, nodes)
        start[cell] = puzzle.allowed[cell]
        if number == 0:
            return False
        undecided = undecided or number is None
    return None if undecided else True


def searches_for(puzzle: Puzzle) -> int:
    """The number of searches that `is_minimal` needs at most."""
    return sum(1 for _ in _changes(puzzle))


def _changes(puzzle: Puzzle) -> Iterator[tuple[int, int]]:
    """Each cell with the candidates, as bits, that a removal or a return gives it."""
    size = puzzle.shape.size
    every = (1 << size) - 1
    for cell, allowed in enumerate(puzzle.allowed):
        if puzzle.pencilmarks is None:
            if allowed != every:
                yield cell, every ^ allowed
            continue
        for value in range(size):
            if not allowed >> value & 1:
                yield cell, 1 << value


# Facts about each puzzle of a file, found with bounded effort.


@dataclass(frozen=True, slots=True)
class Facts:
    """What is known of a puzzle of a dataset."""

    dataset: str
    number: int
    """Its number in the dataset or file, from 1."""
    name: str
    puzzle: Puzzle
    expected_count: SolutionCount | None
    symmetries: tuple[str, ...]
    """Symmetries of the pattern of clues."""
    features: Features | None
    """None if nothing was searched."""
    minimal: bool | None
    """Whether each clue is needed; None if the node limit is too low, or nothing was searched."""
    match: Match | None
    """An earlier puzzle that is the same or equivalent."""


def facts_of(
    dataset: str,
    puzzles: Iterable[tuple[int, ParsedPuzzle]],
    seen: Seen,
    nodes: int | None = NODES,
    *,
    source: str = "",
) -> Iterator[Facts]:
    """The facts about each puzzle, in their order.

    Args:
        dataset: the name of the dataset or file.
        puzzles: its puzzles with their numbers.
        seen: the puzzles of the datasets before.
        nodes: the node limit of the search for each puzzle, and of all searches for its
            minimality; with pencilmarks, which need a search for each one that is missing, of
            each of these. None to search nothing.
        source: the dataset or file that `dataset` is a part of; by default `dataset`.
    """
    seen.begin(dataset)
    for number, parsed in puzzles:
        puzzle = parsed.puzzle
        features = None if nodes is None else features_of(puzzle, nodes)
        minimal = None
        if nodes is not None:
            parts = searches_for(puzzle) if puzzle.pencilmarks is None else 1
            minimal = is_minimal(puzzle, max(1, nodes // max(1, parts)))
        yield Facts(
            dataset=dataset,
            number=number,
            name=parsed.name,
            puzzle=puzzle,
            expected_count=parsed.expected_count,
            symmetries=tuple(symmetries_of(puzzle) if features is None else features.symmetries),
            features=features,
            minimal=minimal,
            match=seen.match(puzzle, f"{source or dataset}/{number}"),
        )


# Facts about all puzzles of a dataset.


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

    @property
    def median(self) -> float | None:
        """The median; None without numbers."""
        return median(self.numbers.elements()) if self.numbers else None


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
