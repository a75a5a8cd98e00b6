"""The memory of the any-shape kernel: its states, its weights and the tables of a shape.

A state is an array of words. Each word is a set of alternatives, and exactly one of them holds:

    cells      for each cell its candidates: bit 0 stands for value 1
    places     for each house and each value the cells of the house that can hold the value:
               bit 0 stands for the first cell of the house
    padding    zeros, so that registers can be loaded from every house
    guess      the guess that has not been applied yet; see `houses`

Both views of a candidate change together: it is a bit of its cell, and a bit of a word of each
house of the cell.
"""

from functools import lru_cache
from typing import Any, Final, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from harness.contract import Unsupported
from harness.puzzles import Shape

LARGEST: Final = 63
"""Values that fit into a signed 64-bit number."""
NARROW: Final = 32
"""Values that fit into a word of 32 bits."""
BLOCK: Final = 64
"""The number of words of a state is a multiple of this."""
SLOT: Final = 3
"""Numbers of a slot: the house, the position of the cell in it, and its first word."""

Start = Any
"""The start of an array in compiled code; see `words`."""
Tables = tuple[NDArray[Any], ...]
Word = type[np.uint32] | type[np.int64]

rule = njit(forceinline=True, error_model="numpy", no_cpython_wrapper=True, no_cfunc_wrapper=True)
"""Compiles a function into its caller."""
rare_rule = njit(error_model="numpy", no_cpython_wrapper=True, no_cfunc_wrapper=True)
"""Compiles a function once for all callers, which takes less time than inlining it."""


class Board(NamedTuple):
    """The sizes of a shape and the starts of all arrays, in compiled code."""

    size: int
    """Values, and cells of a house."""
    cells: int
    houses: int
    words: int
    """Words of cells and places."""
    stride: int
    """Words of a state."""
    states: Start
    """The open states, one after another."""
    weights: Start
    """For each word the failures it had a part in; then the weight of the next failure."""
    queue: Start
    """Words with one alternative left, whose consequences are not drawn yet."""
    changes: Start
    """For each house the values whose places became fewer, as bits."""
    first_slot: Start
    """For each cell the index of its first slot, and the number of all."""
    slots: Start
    """The houses of each cell, `SLOT` numbers each."""
    common: Start
    """For each pair of houses the cells of the first that the second shares, as bits."""
    house_cells: Start
    """The cells of each house."""
    first_partner: Start
    """For each cell the index of its first partner, and the number of all."""
    partners: Start
    """The cells that must differ from a cell although they share no house with it."""


def tables_of(shape: Shape, word: Word) -> Tables:
    """The sizes of `shape` and its houses as arrays for the kernel.

    Args:
        shape: the shape.
        word: the type of the words of a state and of `common`.

    Raises:
        Unsupported: the shape has more values than a number has bits.
    """
    if shape.size > LARGEST:
        raise Unsupported(f"{shape} has more than {LARGEST} values")
    return (
        *_tables_of_houses(
            shape.size, tuple(house.cells for house in shape.houses), np.dtype(word)
        ),
        _ends(shape.partners_of),
        np.array([cell for cells in shape.partners_of for cell in cells], np.int32),
    )


@lru_cache(maxsize=64)
def _tables_of_houses(
    size: int, houses: tuple[tuple[int, ...], ...], word: np.dtype[Any]
) -> Tables:
    """The arrays that depend on houses alone, which shapes with constraints share."""
    words = size**2 + len(houses) * size
    # The last house may be loaded with as many as 64 words, and the final word is the guess.
    stride = -(-(words + BLOCK) // BLOCK) * BLOCK
    position = [{cell: place for place, cell in enumerate(cells)} for cells in houses]
    houses_of = tuple(
        tuple(house for house, places in enumerate(position) if cell in places)
        for cell in range(size**2)
    )
    slots = [
        (house, position[house][cell], size**2 + house * size)
        for cell, houses_of_cell in enumerate(houses_of)
        for house in houses_of_cell
    ]
    common = [
        sum(1 << place for place, cell in enumerate(house) if cell in other)
        for house in houses
        for other in position
    ]
    return (
        np.array([size, size**2, len(houses), words, stride], np.int64),
        _ends(houses_of),
        np.array(slots, np.int32).reshape(-1),
        np.array(common, word),
        np.array([cell for cells in houses for cell in cells], np.int32),
    )


def word_type(shape: Shape) -> Word:
    """The type of the words of a state."""
    return np.uint32 if shape.size <= NARROW and not shape.primitives else np.int64


def new_memory(tables: Tables) -> Tables:
    """The weights, the queue and the changed houses of one search."""
    _, _, houses, words, stride = tables[0].tolist()
    return np.ones(stride + 1, np.float32), np.zeros(words, np.int32), np.zeros(houses, np.int64)


def _ends(lists: tuple[tuple[int, ...], ...]) -> NDArray[np.int32]:
    """The start of each list where all are concatenated, and the end of the last."""
    return np.cumsum([0, *map(len, lists)], dtype=np.int32)
