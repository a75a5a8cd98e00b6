"""Simple colouring: the conjugate pairs of one value in two colours."""

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

from harness.extensions.reasoning.board import (
    Board,
    Candidate,
    CellSet,
    Elimination,
    Link,
    Rule,
    all_of,
    cell_names,
    house_of_both,
    house_sets,
    peer_sets,
    places,
    removals,
)
from harness.puzzles import Shape
from harness.puzzles.constraints import bits_of, members


@dataclass(frozen=True, slots=True)
class Colouring:
    """All cells of one colour have the value, and no cell of the other colour has it."""

    value: int
    links: tuple[Link, ...]
    """Conjugate pairs that join the cells; both cells of a pair have different colours."""
    colours: tuple[tuple[int, ...], tuple[int, ...]]
    """The cells of each colour, ascending."""

    @property
    def cells(self) -> tuple[int, ...]:
        """The cells of both colours, ascending."""
        return tuple(sorted({cell for colour in self.colours for cell in colour}))

    @property
    def candidates(self) -> tuple[tuple[Candidate, ...], ...]:
        """The candidates of each colour."""
        return tuple(tuple((cell, self.value) for cell in cells) for cells in self.colours)

    @property
    def is_odd(self) -> bool:
        """Whether the pairs form an odd cycle, so that cells have both colours."""
        return not set(self.colours[0]).isdisjoint(self.colours[1])

    @property
    def chain(self) -> tuple[Link, ...]:
        """Pairs that give each cell its colour: each pair joins a new cell to the earlier ones.

        If the pairs form an odd cycle, the chain has all of them.
        """
        if self.is_odd:
            return self.links
        component, chain = {self.cells[0]}, list[Link]()
        while len(component) < len(self.cells):
            for pair in self.links:
                if len(component.intersection(pair.cells)) == 1:
                    component.update(pair.cells)
                    chain.append(pair)
        return tuple(chain)

    def _with_chain(self, then: str, shape: Shape) -> str:
        """The pairs of the chain in words, the two colours that result, and the clause `then`.

        The pairs of an odd cycle are the whole reason.
        """
        name, value = shape.cell_name, shape.symbol(self.value)
        pairs = [f"{pair.house} ({', '.join(map(name, pair.cells))})" for pair in self.chain]
        chain = f"{value} has two cells in {all_of(pairs)}"
        if self.is_odd:
            return f"{chain}, an odd cycle without a solution"
        first, other = (cell_names(cells, shape) for cells in self.colours)
        return f"{chain}, so it is either in {first} or in {other}; {then}"


@dataclass(frozen=True, slots=True)
class Wrap(Colouring):
    """Two cells of one colour are peers, so this colour does not have the value."""

    colour: int
    """The colour that does not have the value: 0 or 1."""
    peers: tuple[int, int]
    """Two cells of this colour that are peers."""

    def words(self, shape: Shape) -> str:
        """The reason in words."""
        house = house_of_both(shape, *self.peers)
        inside = f" in {house}" if house is not None else ""
        both = f"{cell_names(self.peers, shape)} cannot both be {shape.symbol(self.value)}{inside}"
        return self._with_chain(both, shape)


@dataclass(frozen=True, slots=True)
class Trap(Colouring):
    """A cell that sees both colours does not have the value."""

    def words(self, shape: Shape) -> str:
        """The reason in words."""
        sees = f"a cell that sees both alternatives is not {shape.symbol(self.value)}"
        return self._with_chain(sees, shape)


class SimpleColouring(Rule):
    """The rules Wrap and Trap on the conjugate pairs of one value.

    The only two places of a value in a house are a conjugate pair. Cells joined by such pairs
    have two colours, and the cells of one colour have the value. Wrap: a colour with two peers
    does not have it. Trap: neither does any other cell that has peers of both colours. If the
    pairs form an odd cycle, each cell has both colours: the board has no solution, and Wrap
    removes the value from all these cells.
    """

    name = "simple colouring"
    reasons_last = False

    def conclusions(self, board: Board) -> Iterator[Elimination]:
        """The cells to clear, by value, then by the first cell of the colouring."""
        for value, everywhere in enumerate(places(board), 1):
            for colouring in _colourings(board.shape, value, everywhere):
                yield from _wraps(colouring, board.shape)
                yield from _traps(colouring, board.shape, everywhere)


def _colourings(shape: Shape, value: int, everywhere: CellSet) -> Iterator[Colouring]:
    """The connected components of the conjugate pairs of a value, in two colours."""
    pairs: dict[tuple[int, ...], Link] = {}
    pairs_of: dict[int, list[Link]] = {}
    for house, inside in zip(shape.houses, house_sets(shape), strict=True):
        here = everywhere & inside
        if here.bit_count() != 2:
            continue
        first, second = members(here)
        if (first, second) not in pairs:
            pair = pairs[first, second] = Link(first, second, value, value, house)
            pairs_of.setdefault(first, []).append(pair)
            pairs_of.setdefault(second, []).append(pair)
    done: set[int] = set()
    for cell in sorted(pairs_of):
        if cell not in done:
            colours = _colours(cell, pairs_of)
            component = colours[0] | colours[1]
            done |= component
            yield Colouring(
                value,
                tuple(pair for pair in pairs.values() if pair.source in component),
                (tuple(sorted(colours[0])), tuple(sorted(colours[1]))),
            )


def _colours(start: int, pairs_of: dict[int, list[Link]]) -> tuple[set[int], set[int]]:
    """The cells that an even number of pairs joins to `start`, then those that an odd one joins."""
    colours = {start}, set[int]()
    waiting = deque([(start, 0)])
    while waiting:
        cell, colour = waiting.popleft()
        opposite = colours[1 - colour]
        for pair in pairs_of[cell]:
            for other in pair.cells:
                if other != cell and other not in opposite:
                    opposite.add(other)
                    waiting.append((other, 1 - colour))
    return colours


def _wraps(colouring: Colouring, shape: Shape) -> Iterator[Elimination]:
    """The removals from colours with two peers."""
    peer_masks = peer_sets(shape)
    for colour, cells in enumerate(colouring.colours):
        peers = next(
            (pair for pair in combinations(cells, 2) if peer_masks[pair[0]] >> pair[1] & 1), None
        )
        if peers is not None:
            reason = Wrap(colouring.value, colouring.links, colouring.colours, colour, peers)
            yield Elimination(tuple((cell, colouring.value) for cell in cells), reason)


def _traps(colouring: Colouring, shape: Shape, everywhere: CellSet) -> Iterator[Elimination]:
    """The removal from the other cells that have peers of both colours."""
    peer_masks = peer_sets(shape)
    first, other = map(bits_of, colouring.colours)
    cells = bits_of(
        cell
        for cell in members(everywhere & ~(first | other))
        if peer_masks[cell] & first and peer_masks[cell] & other
    )
    if cells:
        reason = Trap(colouring.value, colouring.links, colouring.colours)
        yield Elimination(removals(cells, colouring.value), reason)
