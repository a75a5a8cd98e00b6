"""The choice of a guess in the any-shape kernel, and what a failed guess teaches.

A word with few alternatives and many failures is the best to guess: its score is the weight of
its failures over 2 to the number of its alternatives. This is dom/wdeg (Boussemart et al.,
"Boosting systematic search by weighting constraints", ECAI 2004) over cells and places alike.
"""

from typing import Final

import numpy as np

from .board import BLOCK, SLOT, Board, rule
from .words import get, get_weight, put, put_weight, score_at

BLAME: Final = np.float32(0.3)
"""The part of a failure that also counts at the words of the guess that led to it."""


@rule
def best_word(board: Board, at: int) -> int:
    """The first word with the highest score; -1 if all words have one alternative."""
    best, block = np.int32(0), -1
    for start in range(0, board.stride, BLOCK):
        highest = np.int32(0)
        for index in range(start, start + BLOCK):
            highest = max(highest, score_at(board.weights, board.states, index, at + index))
        if highest > best:
            best, block = highest, start
    if block < 0:
        return -1
    while score_at(board.weights, board.states, block, at + block) != best:
        block += 1
    return block


@rule
def cell_of(board: Board, word: int, alternative: int) -> int:
    """The cell that an alternative of a word decides."""
    if word < board.cells:
        return word
    index = word - board.cells
    return get(board.house_cells, index - index % board.size + alternative)


@rule
def value_of(board: Board, word: int, alternative: int) -> int:
    """The value, from 0, that an alternative of a word gives to its cell."""
    return alternative if word < board.cells else (word - board.cells) % board.size


@rule
def blame(board: Board, cell: int, value: int) -> None:
    """Count a part of the last failure at the words of the candidate that was guessed."""
    part = BLAME * get_weight(board.weights, board.stride)
    put_weight(board.weights, cell, get_weight(board.weights, cell) + part)
    for slot in range(get(board.first_slot, cell), get(board.first_slot, cell + 1)):
        word = get(board.slots, SLOT * slot + 2) + value
        put_weight(board.weights, word, get_weight(board.weights, word) + part)


@rule
def copy_state(board: Board, at: int, to: int) -> None:
    """Copy the state at `at` to `to`."""
    for index in range(board.stride):
        put(board.states, to + index, get(board.states, at + index))
