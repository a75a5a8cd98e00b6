"""Generation, puzzle by puzzle, and generated puzzles as text.

A header states the command, the version of the harness and the seed, so that the same
command makes the same file again.
"""

import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from harness.base.errors import PuzzleError
from harness.extensions.generate.clues import puzzle_of
from harness.extensions.generate.kinds import (
    constrained_puzzle,
    hard_puzzle,
    holes_puzzle,
    pencilmark_puzzle,
    qcp_puzzle,
    singles_puzzle,
    unsolvable_puzzle,
)
from harness.extensions.generate.options import GenerationRequest, Model
from harness.puzzles import LETTERED, Puzzle, SolutionCount, line_of
from harness.puzzles.formats import ParsedPuzzle, format_named
from harness.puzzles.search import Prng, by_singles, solver_of

# Generation, puzzle by puzzle.


@dataclass(frozen=True, slots=True)
class Generated:
    """A generated puzzle."""

    number: int
    """Its number in the series, from 1."""
    puzzle: Puzzle
    """The puzzle itself."""
    expected_count: SolutionCount | None
    """What the generator claims about the number of its solutions; None without a claim."""


def generate(request: GenerationRequest) -> Iterator[Generated]:
    """Different puzzles, one after the other; the first ones do not depend on the count.

    Raises:
        PuzzleError: no further puzzle with these properties is found.
    """
    earlier: set[tuple[str, str]] = set()
    for number in range(1, request.count + 1):
        for attempt in range(200):  # to find one that differs from all earlier ones
            random = Prng("generate", request.seed, number, attempt)
            puzzle = _generator(request)(request, random)
            if (puzzle.line, puzzle.shape.digest) not in earlier:
                break
        else:
            raise PuzzleError(
                f"only {number - 1} different puzzles of {request.shape} found",
                expected="a smaller count, or weaker conditions",
            )
        earlier.add((puzzle.line, puzzle.shape.digest))
        yield Generated(number, puzzle, _expected_count(request, puzzle))


def _generator(request: GenerationRequest) -> Callable[[GenerationRequest, Prng], Puzzle]:
    """The function that makes the requested kind of puzzles."""
    if request.pencilmarks:
        return pencilmark_puzzle
    if request.model is not None:
        return holes_puzzle if request.model is Model.HOLES else qcp_puzzle
    if not request.solutions:
        return unsolvable_puzzle
    if request.shape.size > LETTERED:
        return singles_puzzle
    if request.constraints is not None:
        return constrained_puzzle
    return hard_puzzle if request.hard else puzzle_of


def _expected_count(request: GenerationRequest, puzzle: Puzzle) -> SolutionCount | None:
    """What is known about the number of solutions; of a model, by a search with a node limit."""
    if puzzle.shape.size > LETTERED:
        grid, _ = by_singles(puzzle)
        least = 1 if request.model is Model.HOLES else 0
        return SolutionCount(1, 1, line_of(grid)) if grid else SolutionCount(least)
    solver = solver_of(puzzle.shape)
    if request.model is None:
        if request.solutions != 1:
            return SolutionCount.from_number(request.solutions)
        solution = solver.search_puzzle(puzzle, 1).solution
        return SolutionCount(1, 1, None if solution is None else line_of(solution))
    result = solver.search_puzzle(puzzle, 1000, 20_000)
    if result.exact and result.number == 1 and result.solution is not None:
        return SolutionCount(1, 1, line_of(result.solution))
    if result.exact or result.number:
        return SolutionCount.from_number(result.number, result.exact)
    return SolutionCount(1) if request.model is Model.HOLES else None


# Generated puzzles as text.


_RECORDS: Final = {".toml": "toml", ".json": "json"}
SUFFIXES: Final = ("", ".txt", ".sdm", *_RECORDS)
"""The suffixes of files of generated puzzles: records, or lines."""


def text_of(
    puzzles: Iterable[Generated], suffix: str, header: Iterable[str], pencilmarks: bool = False
) -> Iterator[str]:
    """The text of these puzzles, part by part.

    Args:
        puzzles: the puzzles.
        suffix: one of `SUFFIXES`.
        header: lines about the file, for comments.
        pencilmarks: whether the puzzles have pencilmarks.
    """
    format_ = format_named(_RECORDS.get(suffix, "sukaku" if pencilmarks else "line"))
    text = format_.write(
        ParsedPuzzle(entry.puzzle, "", str(entry.number), entry.expected_count) for entry in puzzles
    )
    if suffix == ".json":
        yield f'{{"comment": {json.dumps(list(header))}, "puzzle": '
        yield from text
        yield "}\n"
    else:
        yield from (f"# {line}\n" for line in header)
        yield from text
