"""The likeliest reading of a scan that has exactly one solution.

A puzzle is made to have one solution, so that a reading with another number is probably wrong.
The solver corrects the classifier in that way.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from time import monotonic
from typing import Final

from harness.errors import InputError, PuzzleError
from harness.images.assignment import Options, readings
from harness.images.scan import Scan
from harness.puzzles.puzzle import Puzzle
from harness.puzzles.shape import Shape

Count = Callable[[Puzzle, int], int | None]
"""The number of solutions of a puzzle up to a limit; None if it is not known."""

DOUBTFUL: Final = 0.95
"""A cell is doubtful if its value has a lower probability."""


@dataclass(frozen=True, slots=True)
class Bounds:
    """When the search ends."""

    questions: int = 300
    """Puzzles whose solutions are counted."""
    seconds: float = 20.0
    readings: int = 20_000
    """Readings that are looked at, with those that have equal givens in a house."""


@dataclass(frozen=True, slots=True)
class Reading:
    """A puzzle that was read from an image."""

    puzzle: Puzzle
    is_unique: bool
    """Whether it has exactly one solution. Otherwise it is the likeliest reading."""
    reason: str
    """Why no reading has exactly one solution; empty if one has."""
    first_solutions: int | None
    """The solutions of the likeliest reading, where 2 means two or more; None if not known."""
    changed: tuple[int, ...]
    """The cells whose value is not the likeliest one."""
    doubtful: tuple[int, ...]
    """The cells whose value has a low probability or is changed."""
    questions: int
    """The number of puzzles whose solutions were counted."""
    scan: Scan

    def likely(self, cell: int) -> list[tuple[int, float]]:
        """The values of a cell with their probabilities, the likeliest first; 0 for a blank."""
        of = self.scan.probabilities[cell]
        return sorted(enumerate(of), key=lambda pair: -pair[1])


def read(scan: Scan, count: Count, bounds: Bounds | None = None) -> Reading:
    """The likeliest reading with exactly one solution, or the likeliest one.

    Args:
        scan: what an image shows.
        count: counts solutions.
        bounds: when the search ends.

    Raises:
        InputError: the scan is not of its shape.
    """
    shape = _shape_of(scan)
    search = _Search(shape, Options(scan.probabilities), count, bounds or Bounds())
    found = search.run()
    first = search.first
    values = first if found is None else found
    changed = tuple(cell for cell, value in enumerate(values) if value != first[cell])
    doubtful = tuple(
        cell
        for cell, value in enumerate(values)
        if scan.probabilities[cell][value] < DOUBTFUL or value != first[cell]
    )
    return Reading(
        puzzle=Puzzle(shape, values),
        is_unique=found is not None,
        reason="" if found is not None else search.reason,
        first_solutions=search.first_solutions,
        changed=changed,
        doubtful=doubtful,
        questions=search.questions,
        scan=scan,
    )


def _shape_of(scan: Scan) -> Shape:
    try:
        shape = Shape.parse(scan.shape)
    except PuzzleError as error:
        raise InputError(f"a scan with a malformed shape: {error.what}") from None
    cells = shape.size**2
    if len(scan.probabilities) != cells or any(
        len(of) != shape.size + 1 for of in scan.probabilities
    ):
        raise InputError(
            f"a scan of {len(scan.probabilities)} cells",
            expected=f"{shape.size + 1} probabilities for each of {cells} cells of {shape}",
        )
    return shape


class _Search:
    def __init__(self, shape: Shape, options: Options, count: Count, bounds: Bounds) -> None:
        self._shape = shape
        self._options = options
        self._count = count
        self._bounds = bounds
        self._solutions: int | None = None
        """Those of the reading at hand."""
        self.first = options.values(())
        self.first_solutions: int | None = None
        self.questions = 0
        self.reason = ""

    def run(self) -> tuple[int, ...] | None:
        """The values of the first reading with one solution, None without one."""
        end = monotonic() + self._bounds.seconds
        looked_at = 0
        for ranks, values in readings(self._options, self._wrong_cells, self._bounds.readings):
            looked_at += 1
            self._solutions = 0
            if not self._conflict(values):
                if self.questions >= self._bounds.questions:
                    self.reason = f"none of {self.questions:,} readings has exactly one solution"
                    return None
                self.questions += 1
                self._solutions = self._count(Puzzle(self._shape, values), 2)
            if not ranks:
                self.first_solutions = self._solutions
            if self._solutions == 1:
                return values
            if monotonic() > end:
                self.reason = f"no reading with exactly one solution in {self._bounds.seconds:g} s"
                return None
        if looked_at >= self._bounds.readings:
            self.reason = f"none of {looked_at:,} readings has exactly one solution"
        else:
            self.reason = "no likely reading has exactly one solution"
        return None

    def _wrong_cells(self, values: tuple[int, ...]) -> Sequence[int]:
        """Cells, at least one with a wrong value, if the puzzle has one solution."""
        conflict = self._conflict(values)
        if conflict:
            return conflict
        if self._solutions == 0:  # blanks exclude no solution
            return [cell for cell, value in enumerate(values) if value]
        return range(len(values))

    def _conflict(self, values: tuple[int, ...]) -> tuple[int, int] | None:
        """Two cells with equal values that see each other."""
        for cell, value in enumerate(values):
            if value:
                for peer in self._shape.peers[cell]:
                    if peer > cell and values[peer] == value:
                        return cell, peer
        return None
