"""Whether the reasons of conclusions are true of a board, checked with sets."""

from itertools import pairwise

from harness.extensions.reasoning.board import Conclusion, Elimination, Placement
from harness.extensions.reasoning.rules.colouring import Colouring, Trap, Wrap
from harness.extensions.reasoning.rules.singles import OneCandidate, OnePlace
from harness.extensions.reasoning.rules.subsets import FewHouses, FewPlaces, FewValues
from harness.extensions.reasoning.rules.wings import PivotOfThree, PivotOfTwo
from tests.extensions.reasoning.definitions import Position


def holds(conclusion: Conclusion, at: Position) -> bool:
    """Whether the reason is true of the position, and the conclusion follows from it."""
    if isinstance(conclusion, Placement):
        match conclusion.reason:
            case OneCandidate(cell, value):
                return (cell, {value}) == (conclusion.cell, at.blank[cell])
            case OnePlace(house, value):
                return at.with_value(house.cells, value) == {conclusion.cell}
        return False
    match conclusion.reason:
        case FewValues(house, cells, values):
            return (
                len(cells) == len(values)
                and set(cells) <= set(house.cells)
                and set().union(*(at.blank[cell] for cell in cells)) == set(values)
                and all(
                    c in set(house.cells) - set(cells) and v in values
                    for c, v in conclusion.candidates
                )
            )
        case FewPlaces(house, cells, values):
            places = set().union(*(at.with_value(house.cells, value) for value in values))
            return (
                len(cells) == len(values)
                and places == set(cells)
                and all(c in cells and v not in values for c, v in conclusion.candidates)
            )
        case FewHouses(value, base, cover, cells):
            inside = {cell for house in base for cell in house.cells}
            cover_cells = {cell for house in cover for cell in house.cells}
            return (
                len(base) == len(cover)
                and len(inside) == len(base) * at.size
                and at.with_value(inside, value) == set(cells) <= cover_cells
                and all(v == value and c in cover_cells - inside for c, v in conclusion.candidates)
            )
        case PivotOfTwo(pivot, (one, other), (x, y), z) | PivotOfThree(
            pivot, (one, other), (x, y), z
        ) as wing:
            is_of_three = isinstance(wing, PivotOfThree)
            seen = (pivot, one, other) if is_of_three else (one, other)
            return (
                at.blank[pivot] == ({x, y, z} if is_of_three else {x, y})
                and (at.blank[one], at.blank[other]) == ({x, z}, {y, z})
                and at.see(pivot, one, other)
                and all(v == z and at.see(c, *seen) for c, v in conclusion.candidates)
            )
        case Wrap() as wrap:
            coloured = wrap.colours[wrap.colour]
            return (
                coloured_rightly(wrap, at)
                and set(wrap.peers) <= set(coloured)
                and at.see(*wrap.peers)
                and conclusion.candidates == tuple((cell, wrap.value) for cell in coloured)
            )
        case Trap() as trap:
            return coloured_rightly(trap, at) and all(
                v == trap.value
                and c not in trap.cells
                and all(any(at.see(c, cell) for cell in colour) for colour in trap.colours)
                for c, v in conclusion.candidates
            )
    return False


def coloured_rightly(colouring: Colouring, at: Position) -> bool:
    """Whether the pairs are conjugate, join all cells, and have a cell of each colour."""
    component = {colouring.cells[0]}
    for _ in colouring.links:
        for pair in colouring.links:
            if component & set(pair.cells):
                component |= set(pair.cells)
    first, other = map(set, colouring.colours)
    return component == set(colouring.cells) == first | other and all(
        pair.house is not None
        and at.with_value(pair.house.cells, colouring.value) == set(pair.cells)
        and set(pair.cells) & first
        and set(pair.cells) & other
        for pair in colouring.links
    )


def in_order(conclusion: Elimination) -> bool:
    """Whether the candidates are ascending, each once, and at least one."""
    removals = conclusion.candidates
    return bool(removals) and all(first < other for first, other in pairwise(removals))
