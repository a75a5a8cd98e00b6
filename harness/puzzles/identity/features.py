"""Features: numbers that describe a puzzle, for choosing puzzles and for tables."""

from dataclasses import dataclass
from typing import Final

from harness.puzzles.candidates import Candidates
from harness.puzzles.identity.canonical import canonical_form, has_canonical_form
from harness.puzzles.identity.symmetry import Symmetry, symmetries_of
from harness.puzzles.puzzle import Puzzle
from harness.puzzles.search.solver import solver_of

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
    found = solver_of(puzzle.shape).of(puzzle, 2, nodes)
    return found.guesses if found.exact or found.number == 2 else None


def automorphisms_of(puzzle: Puzzle) -> int | None:
    """The number of automorphisms; see `Features.automorphisms`."""
    return canonical_form(puzzle).automorphisms if has_canonical_form(puzzle) else None
