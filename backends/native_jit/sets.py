"""The rules of the any-shape kernel for several places: locked candidates and hidden sets."""

from .board import SLOT, Board, rule
from .singles import count_failure, remove_rarely
from .words import (
    first_of,
    get,
    put,
    size_of,
    subsets_among_16,
    subsets_among_32,
    subsets_among_64,
)


@rule
def values_within(board: Board, at: int, house: int, places: int) -> int:
    """The values of a house that have no place outside these places, as bits."""
    start = at + board.cells + house * board.size
    every = (1 << board.size) - 1
    if board.size <= 16:
        return every & subsets_among_16(board.states, start, places)
    if board.size <= 32:
        return every & subsets_among_32(board.states, start, places)
    return every & subsets_among_64(board.states, start, places)


@rule
def follow_hidden_set(board: Board, at: int, house: int, value: int, waiting: int) -> int:
    """If k values have the k places of a value and no others, remove all other values from them.

    This is a Hall set of values in the matching of values and cells. If more than k values have
    only k places, there is no solution.
    """
    word = board.cells + house * board.size + value
    places = get(board.states, at + word)
    values = values_within(board, at, house, places)
    number, room = size_of(values), size_of(places)
    if number < room:
        return waiting
    if number > room:
        count_failure(board, word)
        return -1
    while places:
        cell = get(board.house_cells, house * board.size + first_of(places))
        places &= places - 1
        others = get(board.states, at + cell) & ~values
        while others:
            waiting = remove_rarely(board, at, cell, first_of(others), waiting)
            if waiting < 0:
                return -1
            others &= others - 1
    return waiting


@rule
def follow_locked(board: Board, at: int, house: int, value: int, waiting: int) -> int:
    """If another house has all places of a value, remove the value from its other cells."""
    places = get(board.states, at + board.cells + house * board.size + value)
    cell = get(board.house_cells, house * board.size + first_of(places))
    first, end = get(board.first_slot, cell), get(board.first_slot, cell + 1)
    for slot in range(SLOT * first, SLOT * end, SLOT):
        other = get(board.slots, slot)
        if other == house or places & ~get(board.common, house * board.houses + other):
            continue
        word = get(board.slots, slot + 2) + value
        outside = get(board.states, at + word)
        outside &= ~get(board.common, other * board.houses + house)
        while outside:
            cell_outside = get(board.house_cells, other * board.size + first_of(outside))
            waiting = remove_rarely(board, at, cell_outside, value, waiting)
            if waiting < 0:
                return -1
            outside &= outside - 1
    return waiting


@rule
def follow_sets(board: Board, at: int) -> int:
    """Apply both rules once to all values whose places became fewer.

    Returns the number of words in the queue, or -1 if there is no solution. What the rules
    themselves remove in houses that they have passed is left to the next call.
    """
    waiting = 0
    for house in range(board.houses):
        values = get(board.changes, house)
        if not values:
            continue
        put(board.changes, house, 0)
        while values:
            value = first_of(values)
            values &= values - 1
            places = get(board.states, at + board.cells + house * board.size + value)
            if not places & (places - 1):
                continue
            waiting = follow_hidden_set(board, at, house, value, waiting)
            if waiting < 0:
                return -1
            waiting = follow_locked(board, at, house, value, waiting)
            if waiting < 0:
                return -1
    return waiting
