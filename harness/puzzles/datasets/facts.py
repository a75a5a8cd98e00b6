"""Facts about puzzles and datasets: features, minimality, statistics."""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from statistics import median
from typing import Any, ClassVar

from harness.puzzles.datasets.canonical import canonical_form, has_canonical_form
from harness.puzzles.datasets.collection import NODES, Seen
from harness.puzzles.formats import ParsedPuzzle
from harness.puzzles.puzzle import Puzzle
from harness.puzzles.search import NO_LIMIT, Candidates, solver_of
from harness.puzzles.symmetry import Symmetry, symmetries_of

# Features: numbers that describe a puzzle, for choosing puzzles and for tables.


@dataclass(frozen=True, slots=True)
class Features:
    """The features of a puzzle."""

    clues: int
    """Number of givens."""
    candidates: int
    """Number of candidates of all blank cells: values that no given peer of a cell has."""
    symmetries: tuple[Symmetry, ...]
    """Symmetries of the pattern of clues."""
    guesses: int | None
    """Guesses of a search for two solutions with naked and hidden singles, which branches on
    the cell with the fewest candidates; 0 if the rules decide the puzzle. None if the search
    reaches its node limit."""
    automorphisms: int | None
    """Symmetries of the shape that map the puzzle to itself with other values, 1 for almost
    all puzzles; None for shapes without a canonical form."""


def features_of(puzzle: Puzzle, nodes: int = NODES) -> Features:
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


def guesses_of(puzzle: Puzzle, nodes: int = NODES) -> int | None:
    """The number of guesses of a search with this limit of `nodes`; see `Features.guesses`."""
    result = solver_of(puzzle.shape).search_puzzle(puzzle, 2, nodes)
    return result.guesses if result.exact or result.number == 2 else None


def automorphisms_of(puzzle: Puzzle) -> int | None:
    """The number of automorphisms; see `Features.automorphisms`."""
    return canonical_form(puzzle).automorphisms if has_canonical_form(puzzle) else None


# Minimality: whether each given, or each pencilmark that is missing, is needed.


def is_minimal(puzzle: Puzzle, nodes: int = NO_LIMIT) -> bool | None:
    """Whether removing any given gives `puzzle` more solutions.

    With pencilmarks: whether returning any candidate that a cell lacks gives it more solutions, a
    given being a cell with one candidate. A puzzle without a solution is minimal if each removal
    or return gives it a solution.

    Args:
        puzzle: a puzzle of any shape.
        nodes: the node limit of each search.

    Returns:
        None if the node limit is too low to decide, or the shape is too large for the search.
    """
    solver = solver_of(puzzle.shape)
    if not solver.searches:
        return None
    start = solver.start(puzzle.allowed)
    is_open = False
    for cell, bits in _changes(puzzle):
        start[cell] = bits  # the solutions that a change adds
        number = solver.count(start, 1, nodes)
        start[cell] = puzzle.allowed[cell]
        if number == 0:
            return False
        is_open = is_open or number is None
    return None if is_open else True


def _changes(puzzle: Puzzle) -> Iterator[tuple[int, int]]:
    """Each cell with the candidates, as bits, that a removal or a return adds to it."""
    size = puzzle.shape.size
    every = (1 << size) - 1
    for cell, bits in enumerate(puzzle.allowed):
        if puzzle.pencilmarks is None:
            if bits != every:
                yield cell, every ^ bits
            continue
        for value in range(size):
            if not bits >> value & 1:
                yield cell, 1 << value


# Facts about each puzzle of a file, found with bounded effort.


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """What is known about a puzzle of a dataset."""

    dataset: str
    """The dataset or file."""
    number: int
    """Number in the dataset or file, from 1."""
    name: str
    """Name in the file; otherwise its number."""
    shape: str
    """Name of the shape."""
    puzzle: str
    """Givens as a line, `.` for a blank."""
    clues: int
    """Number of givens."""
    candidates: int | None = None
    """Candidates of all blank cells."""
    pencilmarks: bool
    """Whether pencilmarks restrict its candidates."""
    expected: str | None
    """Expected number of solutions, in words."""
    solution: str | None
    """Expected solution as a line."""
    minimal: bool | None = None
    """Whether each clue is needed; None if unknown."""
    symmetries: tuple[str, ...]
    """Symmetries of the pattern of clues."""
    guesses: int | None = None
    """Guesses of a search for two solutions."""
    automorphisms: int | None = None
    """Automorphisms of a 9x9."""
    same_as: str | None
    """The first puzzle that is the same."""
    equivalent_to: str | None
    """The first equivalent puzzle, if none is the same."""


def facts_of(
    dataset: str,
    puzzles: Iterable[tuple[int, ParsedPuzzle]],
    earlier: Seen,
    nodes: int | None = NODES,
    *,
    source: str = "",
) -> Iterator[Facts]:
    """The facts about each puzzle, in their order.

    Args:
        dataset: the name of the dataset or file.
        puzzles: its puzzles with their numbers.
        earlier: the puzzles of the datasets before; these are added.
        nodes: the node limit of the search for each puzzle, and of all searches for its
            minimality; with pencilmarks, of each of these searches, one for each candidate that
            a cell lacks. None to search nothing.
        source: the dataset or file that `dataset` is a part of; by default `dataset`.
    """
    earlier.begin(dataset)
    for number, parsed in puzzles:
        puzzle = parsed.puzzle
        searched: dict[str, Any] = {}
        if nodes is not None:
            searches = puzzle.clues if puzzle.pencilmarks is None else 1
            searched["minimal"] = is_minimal(puzzle, max(1, nodes // max(1, searches)))
            searched |= {"candidates": candidates_of(puzzle), "guesses": guesses_of(puzzle, nodes)}
            searched["automorphisms"] = automorphisms_of(puzzle)
        expected = parsed.expected_count
        match = earlier.match(puzzle, f"{source or dataset}/{number}")
        yield Facts(
            dataset=dataset,
            number=number,
            name=parsed.name,
            shape=puzzle.shape.spec,
            puzzle=puzzle.line,
            clues=puzzle.clues,
            pencilmarks=puzzle.pencilmarks is not None,
            expected=expected.text if expected else None,
            solution=expected.solution if expected else None,
            symmetries=tuple(symmetries_of(puzzle)),
            same_as=match.earlier if match and not match.equivalent else None,
            equivalent_to=match.earlier if match and match.equivalent else None,
            **searched,
        )


# Facts about all puzzles of a dataset.


class Distribution(Counter[int]):
    """How often each whole number occurs."""

    def quantile(self, share: float) -> int | None:
        """The smallest number such that this share of all numbers is not larger (nearest rank).

        Args:
            share: from 0, the smallest number, to 1, the largest.

        Returns:
            None without numbers.
        """
        total, so_far = self.total(), 0
        for number in sorted(self):
            so_far += self[number]
            if so_far >= share * total:
                return number
        return None

    @property
    def median(self) -> float | None:
        """The median; None without numbers."""
        return median(self.elements()) if self else None


@dataclass(slots=True)
class Statistics:
    """What is known about the puzzles of a dataset.

    Numbers of puzzles, except for clues and guesses. With `--quick`, what needs a search is None.
    """

    json_keys: ClassVar = (
        *("dataset", "puzzles", "shapes", "clues_min", "clues_median", "clues_max", "clues"),
        *("expected_counts", "solutions", "pencilmarks", "duplicates", "equivalents", "symmetric"),
        *("minimal", "minimal_unknown", "without_guess", "guesses_median", "guesses_p90"),
        *("guesses_max", "guesses_unknown", "automorphic"),
    )

    dataset: str
    """The dataset or file."""
    with_search: bool = True
    """Whether guesses, minimality and automorphisms were searched."""
    puzzles: int = 0
    """All puzzles."""
    shapes: Counter[str] = field(default_factory=Counter)
    """Puzzles of each shape."""
    clue_numbers: Distribution = field(default_factory=Distribution)
    """Clues of the puzzles."""
    expected_counts: int = 0
    """Puzzles with an expected number of solutions."""
    solutions: int = 0
    """Puzzles with an expected solution."""
    pencilmarks: int = 0
    """Puzzles with pencilmarks."""
    duplicates: int = 0
    """Puzzles that are the same as an earlier one of these datasets."""
    equivalents: int | None = None
    """Puzzles that are equivalent to an earlier one, but not the same."""
    symmetric: int = 0
    """Puzzles whose pattern of clues has a symmetry."""
    minimal: int | None = None
    """Puzzles in which each clue is needed."""
    minimal_unknown: int | None = None
    """Puzzles whose minimality needs more nodes."""
    guesses: Distribution = field(default_factory=Distribution)
    """Guesses of the puzzles that the search decided."""
    guesses_unknown: int | None = None
    """Puzzles whose guesses need more nodes."""
    automorphic: int | None = None
    """9x9 puzzles with more than one automorphism."""

    def __post_init__(self) -> None:
        if self.with_search:
            self.equivalents = self.minimal = self.minimal_unknown = 0
            self.guesses_unknown = self.automorphic = 0

    @property
    def clues(self) -> dict[int, int]:
        """Puzzles with each number of clues."""
        return dict(sorted(self.clue_numbers.items()))

    @property
    def clues_min(self) -> int | None:
        """Smallest number of clues."""
        return self.clue_numbers.quantile(0)

    @property
    def clues_median(self) -> float | None:
        """Median number of clues."""
        return self.clue_numbers.median

    @property
    def clues_max(self) -> int | None:
        """Largest number of clues."""
        return self.clue_numbers.quantile(1)

    @property
    def without_guess(self) -> int | None:
        """Puzzles that naked and hidden singles decide."""
        return self.guesses[0] if self.with_search else None

    @property
    def guesses_median(self) -> float | None:
        """Median number of guesses."""
        return self.guesses.median

    @property
    def guesses_p90(self) -> int | None:
        """Number of guesses that 90 % of the puzzles do not exceed."""
        return self.guesses.quantile(0.9)

    @property
    def guesses_max(self) -> int | None:
        """Largest number of guesses."""
        return self.guesses.quantile(1)

    def add(self, facts: Facts) -> None:
        """Count a puzzle."""
        self.puzzles += 1
        self.shapes[facts.shape] += 1
        self.clue_numbers[facts.clues] += 1
        self.expected_counts += facts.expected is not None
        self.solutions += facts.solution is not None
        self.pencilmarks += facts.pencilmarks
        self.duplicates += facts.same_as is not None
        self.symmetric += bool(facts.symmetries)
        if facts.candidates is None:
            return
        self.equivalents = (self.equivalents or 0) + (facts.equivalent_to is not None)
        self.minimal = (self.minimal or 0) + (facts.minimal is True)
        self.minimal_unknown = (self.minimal_unknown or 0) + (facts.minimal is None)
        if facts.guesses is None:
            self.guesses_unknown = (self.guesses_unknown or 0) + 1
        else:
            self.guesses[facts.guesses] += 1
        self.automorphic = (self.automorphic or 0) + ((facts.automorphisms or 1) > 1)
