"""Readings of a board, likeliest first, and the likeliest with exactly one solution.

A reading gives each cell one of its likely values. Its cost is how much less likely it is than the
first reading, in natural logarithms. The search is best-first over vectors of ranks: the cells of
a reading have their likeliest values, except some with less likely ones. A reading that cannot be
right has a set of cells in which every right reading differs from it, so that only the readings in
which one of these cells takes its next value follow from it.

A puzzle is made to have one solution, so that a reading with another number is probably wrong.
The solver corrects the classifier in that way.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from heapq import heappop, heappush
from math import log
from time import monotonic
from typing import Final

from harness.base.errors import InputError, PuzzleError
from harness.extensions.images.documents import DoubtfulCell, ImageRead, LikelyValue
from harness.extensions.images.scan import Scan
from harness.puzzles import Puzzle, Shape, symbol_of

# Readings of a board, likeliest first.


Probabilities = Sequence[Sequence[float]]
"""For each cell the probabilities of a blank and of each value."""
Ranks = tuple[tuple[int, int], ...]
"""The cells without their likeliest value, ascending, with the rank of their value."""

MOST_COST: Final = 14.0
"""Readings that are over a million times less likely than the first one are left out."""


class RankedValues:
    """The values of each cell, likeliest first.

    Args:
        probabilities: for each cell those of a blank and of each value.
    """

    def __init__(self, probabilities: Probabilities) -> None:
        self._values: list[list[int]] = []
        self._costs: list[list[float]] = []
        for values in probabilities:
            logarithms = [log(max(p, 1e-9)) for p in values]
            order = sorted(range(len(values)), key=lambda value: -logarithms[value])
            costs = [logarithms[order[0]] - logarithms[value] for value in order]
            self._values.append(order)
            self._costs.append(costs)

    def values(self, ranks: Ranks) -> tuple[int, ...]:
        """The value of each cell, 0 for a blank."""
        values_of_cells = [values[0] for values in self._values]
        for cell, rank in ranks:
            values_of_cells[cell] = self._values[cell][rank]
        return tuple(values_of_cells)

    def cost(self, ranks: Ranks) -> float:
        """How much less likely a reading is than the first, in natural logarithms."""
        return sum(self._costs[cell][rank] for cell, rank in ranks)

    def next(self, ranks: Ranks, cell: int) -> Ranks | None:
        """The reading in which a cell has its next value; None if there is no next value."""
        following = dict(ranks)
        following[cell] = following.get(cell, 0) + 1
        if following[cell] >= len(self._values[cell]):
            return None
        return tuple(sorted(following.items()))


# The likeliest reading of a scan that has exactly one solution.


Count = Callable[[Puzzle, int], int | None]
"""The number of solutions of a puzzle up to a limit; None if it is not known."""

DOUBTFUL: Final = 0.95
"""A cell is doubtful if its value has a lower probability."""
MARGIN: Final = log(500)
"""A reading is certain if every other one with one solution is less likely by this factor."""


@dataclass(frozen=True, slots=True)
class Bounds:
    """When the search ends."""

    questions: int = 300
    """Maximum number of puzzles whose solutions are counted."""
    seconds: float = 1.0
    readings: int = 20_000
    """Maximum number of readings looked at, including those with equal givens in a house."""


def read(scan: Scan, count: Count, bounds: Bounds | None = None, name: str = "image") -> ImageRead:
    """The likeliest reading with exactly one solution, or else the likeliest of all.

    A cell is uncertain if it has another value in a reading with one solution that is nearly as
    likely, or if it was changed although it was clear.

    Args:
        scan: what an image shows.
        count: counts solutions.
        bounds: when the search ends.
        name: the file of the image.

    Raises:
        InputError: the scan does not fit its shape.
    """
    shape = _shape_of(scan)
    search = _Search(shape, RankedValues(scan.probabilities), count, bounds or Bounds())
    unique = search.run()
    first = search.first
    values = unique or first
    changes = {cell for cell, value in enumerate(values) if value != first[cell]}
    clear = {cell for cell in changes if scan.probabilities[cell][first[cell]] >= DOUBTFUL}
    rivals = {
        cell for rival in search.rivals for cell in range(len(rival)) if rival[cell] != values[cell]
    }
    uncertain = clear | rivals
    low = {cell for cell, value in enumerate(values) if scan.probabilities[cell][value] < DOUBTFUL}
    clues = [cell for cell, value in enumerate(values) if value]
    entries = [shape.cell_name(cell) for cell in clues if scan.handwritten[cell] > 0.5]
    puzzle = Puzzle(shape, values)
    return ImageRead(
        image=name,
        puzzle=puzzle.line,
        puzzle_id=puzzle.id,
        shape=shape.definition,
        shape_is_clear=scan.is_shape_clear,
        unique=unique is not None,
        certain=unique is not None
        and not uncertain
        and not search.reason
        # A reading whose one solution is found only after more questions may have it by
        # chance: of 568 right ones, of photographs and damaged boards, 2 took more than three, and
        # of 64 wrong ones 36 did.
        and search.tries <= 3
        # Without thick lines, a smaller board may be a box of a larger one.
        and (scan.is_shape_clear or shape.size == 9),
        reason="" if unique else search.reason,
        first_solutions=search.first_solutions,
        questions=search.questions,
        letters=scan.has_letters,
        corners=scan.corners,
        probabilities=[row[value] for row, value in zip(scan.probabilities, values, strict=True)],
        doubtful=[
            DoubtfulCell(
                cell=shape.cell_name(cell),
                value=symbol_of(values[cell]),
                changed=cell in changes,
                uncertain=cell in uncertain,
                likely=_likely(scan.probabilities[cell]),
            )
            for cell in sorted(low | changes | uncertain)
        ],
        entries=entries if len(entries) < len(clues) else [],
    )


def _likely(probabilities: Sequence[float]) -> list[LikelyValue]:
    """The likeliest values of a cell, likeliest first."""
    pairs = sorted(enumerate(probabilities), key=lambda pair: -pair[1])[:3]
    return [LikelyValue(symbol_of(value), probability) for value, probability in pairs]


def _shape_of(scan: Scan) -> Shape:
    try:
        shape = Shape.parse(scan.shape)
    except PuzzleError as error:
        raise InputError(f"a scan with a malformed shape: {error.what}") from None
    cells = shape.size**2
    if {len(scan.probabilities), len(scan.handwritten)} != {cells} or any(
        len(row) != shape.size + 1 for row in scan.probabilities
    ):
        raise InputError(
            f"a scan of {len(scan.probabilities)} cells",
            expected=f"{shape.size + 1} probabilities for each of {cells} cells of {shape}",
        )
    return shape


class _Search:
    def __init__(self, shape: Shape, options: RankedValues, count: Count, bounds: Bounds) -> None:
        self._shape = shape
        self._options = options
        self._count = count
        self._bounds = bounds
        self.first = options.values(())
        self.first_solutions: int | None = None
        self.rivals: list[tuple[int, ...]] = []
        self.questions = 0
        self.tries = 0
        """The questions until a reading had one solution."""
        self.reason = ""

    def run(self) -> tuple[int, ...] | None:
        """The values of the first reading with one solution; None without one.

        The search goes on to the rivals of this reading: others with one solution that are nearly
        as likely.
        """
        bounds, options = self._bounds, self._options
        end = monotonic() + bounds.seconds
        looked_at, limit = 0, MOST_COST
        best: tuple[int, ...] | None = None
        heap: list[tuple[float, Ranks]] = [(0.0, ())]
        earlier: set[Ranks] = {()}
        while heap and looked_at < bounds.readings:
            cost, ranks = heappop(heap)
            if cost > limit:
                return best
            looked_at += 1
            values = options.values(ranks)
            conflict = self._conflict(values)
            solutions: int | None = 0
            if conflict is None:
                if self.questions >= bounds.questions:
                    self.reason = f"none of {self.questions:,} readings has exactly one solution"
                    return best
                self.questions += 1
                solutions = self._count(Puzzle(self._shape, values), 2)
                if self.questions == 1:  # which starts the process that counts
                    end = monotonic() + bounds.seconds
            if not ranks:
                self.first_solutions = solutions
            if solutions == 1 and best is None:
                best, limit = values, cost + MARGIN
                self.tries = self.questions
            elif solutions == 1:
                self.rivals.append(values)
            if monotonic() > end:
                self.reason = f"no reading with exactly one solution in {bounds.seconds:g} s"
                return best
            # A right reading differs in one of these cells; blanks exclude no solution.
            cells = [cell for cell, value in enumerate(values) if value or solutions != 0]
            for cell in conflict or cells:
                following = options.next(ranks, cell)
                if following is None or following in earlier:
                    continue
                cost = options.cost(following)
                if cost <= MOST_COST:
                    earlier.add(following)
                    heappush(heap, (cost, following))
        if looked_at >= bounds.readings:
            self.reason = f"none of {looked_at:,} readings has exactly one solution"
        elif best is None:
            self.reason = "no likely reading has exactly one solution"
        return best

    def _conflict(self, values: tuple[int, ...]) -> tuple[int, int] | None:
        """Two cells with equal values that see each other; None without any."""
        for cell, value in enumerate(values):
            if value:
                for peer in self._shape.peers[cell]:
                    if peer > cell and values[peer] == value:
                        return cell, peer
        return None
