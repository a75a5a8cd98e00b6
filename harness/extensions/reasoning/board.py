"""The board of candidates, links between its cells, and the conclusions of rules about it."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar, Final, Protocol, runtime_checkable

from harness.puzzles import Grid, House, Puzzle, Shape
from harness.puzzles.constraints import Primitive, bits_of, members, union
from harness.puzzles.search import Filter, filters_of

# Links between cells.


State = tuple[int, int]
"""A cell, and the label of the link by which a walk enters or leaves it."""


@dataclass(frozen=True, slots=True)
class Link:
    """An edge in the direction of a walk.

    Strong: if `source` does not have the value, `target` has it. Weak: if `source` has the
    value, `target` has the other one of its two candidates.
    """

    source: int
    target: int
    value: int
    """The label."""
    target_value: int
    """The value that the walk gives to `target`: the label if the link is strong."""
    house: House | None
    """A house with both cells; None for a weak link between the cells of a pair."""

    @property
    def cells(self) -> tuple[int, int]:
        """Both ends."""
        return self.source, self.target

    @property
    def is_strong(self) -> bool:
        """Whether the link is strong."""
        return self.value == self.target_value


@runtime_checkable
class HasWalks(Protocol):
    """A reason that is made of walks, which a drawing shows."""

    @property
    def walks(self) -> tuple[tuple[Link, ...], ...]:
        """The walks, such as one cycle or two arms; a walk may be empty."""
        ...


def cells_of(walk: Iterable[Link]) -> tuple[int, ...]:
    """The cells of a walk, each once, in the order of the walk."""
    return tuple(dict.fromkeys(cell for link in walk for cell in link.cells))


def conditional(walk: Iterable[Link], shape: Shape) -> str:
    """A walk in words, link by link: ``R9C3 would be 4 (row 9), R9C6 would be 9 (not 2 in row 9)``.

    In parentheses, a strong link shows the house in which no other cell is left for the value; a
    weak link shows the value that its target loses, and a house of both cells if there is one.
    """
    return ", ".join(
        f"{shape.cell_name(link.target)} would be {shape.symbol(link.target_value)}"
        f"{_ground(link, shape)}"
        for link in walk
    )


def _ground(link: Link, shape: Shape) -> str:
    """Why the target of a link has its value, in parentheses."""
    if link.is_strong:
        return f" ({link.house})" if link.house is not None else ""
    inside = f" in {link.house}" if link.house is not None else ""
    return f" (not {shape.symbol(link.value)}{inside})"


# What drawings mark of a reason: candidates, houses and pairs of candidates.


Candidate = tuple[int, int]
"""A cell and a value."""


@runtime_checkable
class HasCandidates(Protocol):
    """A reason that is made of candidates."""

    @property
    def candidates(self) -> tuple[tuple[Candidate, ...], ...]:
        """The candidates in groups, such as two colours or the cases of a wing.

        A drawing leaves out candidates that the board does not have.
        """
        ...


@runtime_checkable
class HasHouses(Protocol):
    """A reason that is about houses."""

    @property
    def houses(self) -> tuple[tuple[House, ...], ...]:
        """The houses in groups: those of the base, then those that lose candidates."""
        ...


@runtime_checkable
class HasPairs(Protocol):
    """A reason with pairs of cells: one cell of each pair has its value."""

    @property
    def links(self) -> tuple[Link, ...]:
        """A link for each pair, in either direction."""
        ...


# Conclusions of rules, and what every reason has.


class Reason(Protocol):
    """Why a conclusion holds, as data. Rules have classes of their own, with more attributes."""

    @property
    def cells(self) -> tuple[int, ...]:
        """The cells whose candidates make the conclusion hold."""
        ...

    def words(self, shape: Shape) -> str:
        """The reason as a clause in English that follows the conclusion and a colon."""
        ...


@dataclass(frozen=True, slots=True)
class Placement:
    """A cell has a value in every solution."""

    cell: int
    value: int
    reason: Reason

    @property
    def cells(self) -> tuple[int, ...]:
        """The cell."""
        return (self.cell,)


@dataclass(frozen=True, slots=True)
class Elimination:
    """Some candidates are part of no solution."""

    candidates: tuple[tuple[int, int], ...]
    """Pairs of a cell and a value, ascending; at least one, and each a candidate of the board."""
    reason: Reason

    @property
    def cells(self) -> tuple[int, ...]:
        """The cells that lose candidates."""
        return tuple(dict.fromkeys(cell for cell, _ in self.candidates))


Conclusion = Placement | Elimination
"""What a rule concludes from a board."""


# The board: the candidates of all cells, and the values placed so far.


class Board:
    """A puzzle in the middle of reasoning, of any shape.

    Candidates are bits: bit 0 stands for value 1. A cell with one candidate left is not
    placed by that alone; a placed cell has its value as the only candidate, and its peers do not
    have it.
    """

    __slots__ = ("blanks", "candidates", "shape", "values")

    def __init__(self, puzzle: Puzzle) -> None:
        """The board of `puzzle`: its givens are placed, which restricts their peers."""
        self.shape: Final = puzzle.shape
        self.candidates: Final = list(puzzle.allowed)
        """The candidates of each cell as bits."""
        self.values: Final = [0] * len(puzzle.givens)
        """The value placed in each cell, 0 for none."""
        self.blanks = len(puzzle.givens)
        """The number of cells without a value."""
        for cell, value in enumerate(puzzle.givens):
            if value:
                self.place(cell, value)

    def place(self, cell: int, value: int) -> None:
        """Put `value` into a cell without a value, and remove it from the peers.

        A peer that has no other candidate, placed or not, is left without a candidate; so is the
        cell itself if it completes a constraint that does not hold.
        """
        bit = 1 << value - 1
        candidates = self.candidates
        self.values[cell] = value
        self.blanks -= 1
        candidates[cell] &= bit
        for peer in self.shape.peers[cell]:
            candidates[peer] &= ~bit
        if self.shape.primitives:
            self._check_constraints(cell)

    def _check_constraints(self, cell: int) -> None:
        """Leave a cell without a candidate if it completes a constraint that does not hold."""
        for filter_ in _filters_of_cells(self.shape)[cell]:
            if all(self.values[other] for other in filter_.cells):
                supports = zip(filter_.cells, filter_.supports(self.candidates), strict=True)
                if not all(self.candidates[other] & values for other, values in supports):
                    self.candidates[cell] = 0

    def remove(self, cell: int, value: int) -> None:
        """Remove a candidate from a cell, which may be left without one."""
        self.candidates[cell] &= ~(1 << value - 1)

    def apply(self, conclusion: Conclusion) -> Conclusion | None:
        """Apply a conclusion, and return the part of it that changed the board.

        A placement that contradicts the board leaves its cell without a candidate. None if
        the board already had all of the conclusion.
        """
        new = self._new_in(conclusion)
        if isinstance(new, Placement):
            if self.values[new.cell] or not self.candidates[new.cell] >> new.value - 1 & 1:
                self.candidates[new.cell] = 0
            else:
                self.place(new.cell, new.value)
        elif new is not None:
            for cell, value in new.candidates:
                self.remove(cell, value)
        return new

    def _new_in(self, conclusion: Conclusion) -> Conclusion | None:
        """The part of a conclusion that the board does not have yet; None if it has all."""
        if isinstance(conclusion, Placement):
            return None if self.values[conclusion.cell] == conclusion.value else conclusion
        pairs = conclusion.candidates
        remaining = tuple(pair for pair in pairs if self.candidates[pair[0]] >> pair[1] - 1 & 1)
        if len(remaining) == len(pairs):
            return conclusion
        return Elimination(remaining, conclusion.reason) if remaining else None

    def copy(self) -> "Board":
        """An independent board with the same candidates and values."""
        board = object.__new__(Board)
        board.shape = self.shape  # type: ignore[misc]
        board.candidates = self.candidates.copy()  # type: ignore[misc]
        board.values = self.values.copy()  # type: ignore[misc]
        board.blanks = self.blanks
        return board

    @property
    def refuted(self) -> bool:
        """Whether a cell has no candidate or a house no cell for a value, so no solution exists."""
        every = (1 << self.shape.size) - 1
        return not all(self.candidates) or any(
            union(self.candidates[cell] for cell in house.cells) != every
            for house in self.shape.houses
        )

    @property
    def finished(self) -> bool:
        """Whether the board is a solution: all cells have values, and nothing contradicts them."""
        return not self.blanks and all(self.candidates)

    @property
    def grid(self) -> Grid:
        """The values placed so far, 0 for none."""
        return tuple(self.values)


@lru_cache(maxsize=16)
def _filters_of_cells(shape: Shape) -> tuple[tuple[Filter, ...], ...]:
    """The filters of the constraints on each cell."""
    filters: list[list[Filter]] = [[] for _ in shape.peers]
    for filter_ in filters_of(shape.primitives, shape.size, shape.peers):
        for cell in {*filter_.cells}:
            filters[cell].append(filter_)
    return tuple(map(tuple, filters))


# Sets of cells as bits: bit 0 stands for cell 0.


CellSet = int
"""A set of cells."""


def house_sets(shape: Shape) -> tuple[CellSet, ...]:
    """The cells of each house of `shape`, in the order of its houses.

    The result is not cached: equal shapes may have their houses in different orders.
    """
    return tuple(bits_of(house.cells) for house in shape.houses)


@lru_cache(maxsize=16)
def peer_sets(shape: Shape) -> tuple[CellSet, ...]:
    """The peers of each cell of `shape`."""
    return tuple(map(bits_of, shape.peers))


def places(board: Board) -> list[CellSet]:
    """For each value, from 1, the blank cells with this candidate."""
    cells = [0] * board.shape.size
    for cell, values in enumerate(board.candidates):
        if not board.values[cell]:
            for index in members(values):
                cells[index] |= 1 << cell
    return cells


def removals(cells: CellSet, value: int) -> tuple[tuple[int, int], ...]:
    """The candidate `value` of each of `cells`, as an elimination lists candidates."""
    return tuple((cell, value) for cell in members(cells))


def losses(board: Board, masks: Iterable[tuple[int, int]]) -> tuple[Candidate, ...]:
    """The candidates that blank cells lose if they keep only the values of `masks`; ascending."""
    remaining: dict[int, int] = {}
    for cell, values in masks:
        if not board.values[cell]:
            remaining[cell] = remaining.get(cell, -1) & values
    return tuple(
        (cell, index + 1)
        for cell in sorted(remaining)
        for index in members(board.candidates[cell] & ~remaining[cell])
    )


def house_of_both(shape: Shape, cell: int, other: int) -> House | None:
    """The first house with both cells; None if no house has both, as for a mere pair."""
    of_other = shape.houses_of[other]
    return next((shape.houses[h] for h in shape.houses_of[cell] if h in of_other), None)


# The interface of a rule.


class Rule(ABC):
    """A rule of inference: it draws conclusions from the candidates of a board.

    A rule is sound: its conclusions hold in every solution of the board, however many there
    are. It keeps no state between boards.
    """

    name: str
    """The usual name, in the singular."""
    reasons_last: ClassVar[bool] = True
    """Whether the reasons of conclusions from one board still hold after others are applied.

    The reason of a chain may not: another conclusion may break one of its links.
    """
    sees: ClassVar[tuple[type[Primitive], ...]] = ()
    """The primitives of constraints that the rule is about; none if it is about houses and pairs.

    A rule skips the constraints that it does not see, and remains sound.
    """

    def applies_to(self, shape: Shape) -> bool:
        """Whether the rule can conclude anything for puzzles of a shape."""
        return not self.sees or any(
            isinstance(primitive, self.sees) for primitive in shape.primitives
        )

    @abstractmethod
    def conclusions(self, board: Board) -> Iterator[Conclusion]:
        """What the rule concludes from `board` beyond the values placed.

        The order depends on the board alone. A caller that changes
        the board must not take another conclusion from this iterator.
        """


# Lists of cells, values and houses in the words of reasons.


def cell_names(cells: Iterable[int], shape: Shape) -> str:
    """The names of `cells`: ``R1C1 and R1C2``."""
    return all_of([shape.cell_name(cell) for cell in cells])


def symbols(values: Iterable[int], shape: Shape) -> str:
    """The symbols of `values`: ``1, 2 and A``."""
    return all_of([shape.symbol(value) for value in values])


def lines(houses: Sequence[House]) -> str:
    """Houses: ``row 2``, ``rows 2 and 5``, or ``row 2 and house 5`` if their kinds differ."""
    kinds = {house.kind for house in houses}
    if len(houses) == 1 or len(kinds) > 1:
        return all_of(map(str, houses))
    return f"{kinds.pop()}s {all_of(str(house.number) for house in houses)}"


# Conclusions as sentences.


def sentence(conclusion: Conclusion, shape: Shape) -> str:
    """A conclusion with its reason: ``R7C2 is 4: no other cell of row 7 can be 4``."""
    return f"{statement(conclusion, shape)}: {conclusion.reason.words(shape)}"


def statement(conclusion: Conclusion, shape: Shape) -> str:
    """A conclusion without its reason: ``R7C2 is 4``, ``R1C3 is not 7; R2C1 is not 8``."""
    if isinstance(conclusion, Placement):
        return f"{shape.cell_name(conclusion.cell)} is {shape.symbol(conclusion.value)}"
    return "; ".join(
        f"{all_of(map(shape.cell_name, cells))} {'is' if len(cells) == 1 else 'are'} "
        f"not {any_of(map(shape.symbol, values))}"
        for values, cells in _groups(conclusion.candidates).items()
    )


def all_of(names: Iterable[str]) -> str:
    """Names as a list: ``R1C1, R1C2 and R1C3``."""
    return _join(list(names), "and")


def any_of(names: Iterable[str]) -> str:
    """Alternatives in a row: ``3, 7 or 8``."""
    return _join(list(names), "or")


def _join(names: Sequence[str], word: str) -> str:
    return f" {word} ".join(filter(None, [", ".join(names[:-1]), names[-1]]))


def _groups(candidates: Iterable[tuple[int, int]]) -> dict[tuple[int, ...], list[int]]:
    """The cells that lose the same values, by these values."""
    values: dict[int, list[int]] = {}
    for cell, value in candidates:
        values.setdefault(cell, []).append(value)
    cells: dict[tuple[int, ...], list[int]] = {}
    for cell, losses in values.items():
        cells.setdefault(tuple(losses), []).append(cell)
    return cells
