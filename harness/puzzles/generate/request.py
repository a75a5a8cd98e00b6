"""Generation, puzzle by puzzle."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from harness.errors import PuzzleError
from harness.puzzles.expected_count import ExpectedCount
from harness.puzzles.generate.clues import Wanted, puzzle_of
from harness.puzzles.generate.hard import hard_puzzle
from harness.puzzles.generate.models import holes_puzzle, qcp_puzzle
from harness.puzzles.generate.options import Model, Request
from harness.puzzles.generate.pencilmarks import pencilmark_puzzle
from harness.puzzles.generate.unsolvable import unsolvable_puzzle
from harness.puzzles.puzzle import Puzzle, line_of
from harness.puzzles.search.prng import Prng
from harness.puzzles.search.solver import solver_of

_REPEATS: Final = 200
"""Attempts to find a puzzle that differs from those before."""
_COUNTED: Final = 1000
"""Solutions of a puzzle of a model that are counted."""
_NODES: Final = 20_000


@dataclass(frozen=True, slots=True)
class Generated:
    """A generated puzzle."""

    number: int
    """Its number in the series, from 1."""
    puzzle: Puzzle
    """The puzzle itself."""
    expected_count: ExpectedCount | None
    """What the generator claims of its solutions; None if it claims nothing."""


def generate(request: Request) -> Iterator[Generated]:
    """Different puzzles, one after the other; the first ones do not depend on the count.

    Raises:
        PuzzleError: no further puzzle with these properties is found.
    """
    seen: set[str] = set()
    for number in range(1, request.count + 1):
        for attempt in range(_REPEATS):
            random = Prng("generate", request.seed, number, attempt)
            puzzle = _puzzle(request, random)
            if puzzle.line not in seen:
                break
        else:
            raise PuzzleError(
                f"only {number - 1} different puzzles of {request.shape} found",
                expected="a smaller count, or weaker conditions",
            )
        seen.add(puzzle.line)
        yield Generated(number, puzzle, _expected_count(request, puzzle))


def _puzzle(request: Request, random: Prng) -> Puzzle:
    shape, cells = request.shape, request.shape.size**2
    fewest, most = (
        (0, cells) if request.clues is None else (request.clues.fewest, request.clues.most)
    )
    if request.pencilmarks:
        return pencilmark_puzzle(shape, request.minimal, random)
    if request.model is not None:
        clues = fewest + random.below(most - fewest + 1)
        if request.model is Model.HOLES:
            return holes_puzzle(shape, clues, random, request.symmetry)
        return qcp_puzzle(shape, clues, random)
    if not request.solutions:
        return unsolvable_puzzle(shape, fewest, most, request.minimal, random)
    wanted = Wanted(
        shape, fewest, most, request.minimal, request.solutions, request.symmetry, request.stop
    )
    return hard_puzzle(wanted, request.hard, random) if request.hard else puzzle_of(wanted, random)


def _expected_count(request: Request, puzzle: Puzzle) -> ExpectedCount | None:
    """What is known of the solutions; found by a search up to a node limit for a model."""
    solver = solver_of(request.shape)
    if request.model is None:
        if request.solutions != 1:
            return ExpectedCount(request.solutions)
        solution = solver.of(puzzle, 1).solution
        return ExpectedCount(1, solution=None if solution is None else line_of(solution))
    found = solver.of(puzzle, _COUNTED, _NODES)
    if found.exact and found.number == 1 and found.solution is not None:
        return ExpectedCount(1, solution=line_of(found.solution))
    if found.exact or found.number:
        return ExpectedCount(found.number, found.exact)
    return ExpectedCount(1, exact=False) if request.model is Model.HOLES else None
