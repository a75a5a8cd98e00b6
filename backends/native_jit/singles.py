"""The rules of the any-shape kernel for words with one alternative: naked and hidden singles.

A function returns the number of words in the queue, or -1 if a word has no alternative left.
Then it counts the failure at that word (Boussemart et al., "Boosting systematic search by
weighting constraints", ECAI 2004). Newer failures weigh more, as in the solver Chaff (Moskewicz
et al., DAC 2001), so the search turns to the part of the grid that fails now.
"""

from typing import Any, Final

import numpy as np

from .board import SLOT, Board, rare_rule, rule
from .words import first_of, get, get_weight, put, put_weight

GROWTH: Final = np.float32(1.003)
"""The weight of a failure over that of the previous failure."""
MOST: Final = np.float32(1e15)
"""The weight of a failure at which all weights are divided by it."""
LEAST: Final = np.float32(1e-6)
"""The lowest weight of a word."""


@rare_rule
def count_failure(board: Board, word: int) -> None:
    """Count a failure at a word."""
    weight = get_weight(board.weights, board.stride)
    put_weight(board.weights, word, get_weight(board.weights, word) + weight)
    weight *= GROWTH
    if weight > MOST:
        for each in range(board.words):
            put_weight(board.weights, each, max(get_weight(board.weights, each) / MOST, LEAST))
        weight /= MOST
    put_weight(board.weights, board.stride, weight)


@rule
def remove_place(board: Board, at: int, slot: int, value: int, waiting: int) -> int:
    """Remove a cell from the places of a value in the house of a slot of the cell."""
    word = get(board.slots, slot + 2) + value
    places = get(board.states, at + word)
    remaining = places & ~(1 << get(board.slots, slot + 1))
    if remaining == places:
        return waiting
    put(board.states, at + word, remaining)
    if not remaining:
        count_failure(board, word)
        return -1
    if not remaining & (remaining - 1):
        put(board.queue, waiting, word)
        waiting += 1
    house = get(board.slots, slot)
    put(board.changes, house, get(board.changes, house) | 1 << value)
    return waiting


@rule
def remove(board: Board, at: int, cell: int, value: int, waiting: int) -> int:
    """Remove a candidate that a cell of the state at `at` has. Values count from 0."""
    remaining = get(board.states, at + cell) & ~(1 << value)
    put(board.states, at + cell, remaining)
    if not remaining:
        count_failure(board, cell)
        return -1
    if not remaining & (remaining - 1):
        put(board.queue, waiting, cell)
        waiting += 1
    first, end = get(board.first_slot, cell), get(board.first_slot, cell + 1)
    for slot in range(SLOT * first, SLOT * end, SLOT):
        waiting = remove_place(board, at, slot, value, waiting)
        if waiting < 0:
            return -1
    return waiting


@rare_rule
def remove_rarely(board: Board, at: int, cell: int, value: int, waiting: int) -> int:
    """Like `remove`, but for callers that remove few candidates."""
    return remove(board, at, cell, value, waiting)


@rule
def remove_places(board: Board, at: int, cell: int, values: int, waiting: int) -> int:
    """A cell has lost these values: remove it from their places in its houses."""
    first, end = get(board.first_slot, cell), get(board.first_slot, cell + 1)
    for slot in range(SLOT * first, SLOT * end, SLOT):
        remaining = values
        while remaining:
            waiting = remove_place(board, at, slot, first_of(remaining), waiting)
            if waiting < 0:
                return -1
            remaining &= remaining - 1
    return waiting


@rare_rule
def decide(board: Board, at: int, cell: int, value: int, waiting: int) -> int:
    """Remove all candidates of a cell but this one, which it has."""
    others = get(board.states, at + cell) & ~(1 << value)
    if not others:
        return waiting
    put(board.states, at + cell, 1 << value)
    put(board.queue, waiting, cell)
    waiting += 1
    return remove_places(board, at, cell, others, waiting)


@rule
def follow_singles(board: Board, at: int, waiting: int) -> int:
    """Draw the consequences of all words in the queue: naked and hidden singles to a fixpoint."""
    size, states = board.size, board.states
    while waiting:
        waiting -= 1
        word = get(board.queue, waiting)
        if word >= board.cells:  # the house has one place for the value
            index = word - board.cells
            value = index % size
            cell = get(board.house_cells, index - value + first_of(get(states, at + word)))
            waiting = decide(board, at, cell, value, waiting)
            if waiting < 0:
                return -1
            continue
        single = get(states, at + word)
        value = first_of(single)
        first, end = get(board.first_slot, word), get(board.first_slot, word + 1)
        for slot in range(SLOT * first, SLOT * end, SLOT):
            own = get(board.slots, slot + 2) + value
            here = 1 << get(board.slots, slot + 1)
            others = get(states, at + own) & ~here
            if others:
                put(states, at + own, here)
                first_cell = get(board.slots, slot) * size
                while others:
                    other = get(board.house_cells, first_cell + first_of(others))
                    waiting = remove(board, at, other, value, waiting)
                    if waiting < 0:
                        return -1
                    others &= others - 1
        for index in range(get(board.first_partner, word), get(board.first_partner, word + 1)):
            partner = get(board.partners, index)
            if get(states, at + partner) & single:
                waiting = remove_rarely(board, at, partner, value, waiting)
                if waiting < 0:
                    return -1
    return 0


@rule
def exclude_decided(board: Board, at: int) -> None:
    """Remove the values of decided cells from the other cells of their houses, to a fixpoint.

    It leaves the places alone, and so costs a tenth of what `follow_singles` does for givens.
    """
    size, states = board.size, board.states
    has_new = True
    while has_new:
        has_new = False
        for house in range(board.houses):
            single_values = 0
            for index in range(house * size, house * size + size):
                candidates = get(states, at + get(board.house_cells, index))
                single_values |= candidates if not candidates & (candidates - 1) else 0
            put(board.changes, house, single_values)
        for cell in range(board.cells):
            candidates = get(states, at + cell)
            if candidates & (candidates - 1):
                for slot in range(get(board.first_slot, cell), get(board.first_slot, cell + 1)):
                    candidates &= ~get(board.changes, get(board.slots, SLOT * slot))
                put(states, at + cell, candidates)
                has_new = has_new or not candidates & (candidates - 1)


@rare_rule
def place_all(board: Board, at: int) -> int:
    """Derive the places of a state from its cells. All words count as changed."""
    size, states = board.size, board.states
    exclude_decided(board, at)
    for word in range(board.cells, board.stride):
        put(states, at + word, 0)
    for cell in range(board.cells):
        for slot in range(get(board.first_slot, cell), get(board.first_slot, cell + 1)):
            here = 1 << get(board.slots, SLOT * slot + 1)
            house = get(board.slots, SLOT * slot + 2)
            candidates = get(states, at + cell)
            while candidates:
                word = at + house + first_of(candidates)
                put(states, word, get(states, word) | here)
                candidates &= candidates - 1
    for house in range(board.houses):
        put(board.changes, house, (1 << size) - 1)
    waiting = 0
    for word in range(board.words):
        alternatives = get(states, at + word)
        if not alternatives:
            count_failure(board, word)
            return -1
        if not alternatives & (alternatives - 1):
            put(board.queue, waiting, word)
            waiting += 1
    return waiting


@rule
def forget_changes(board: Board) -> Any:
    """Mark all values as unchanged."""
    for house in range(board.houses):
        put(board.changes, house, 0)
