"""Runs the kernel that writes a proof, and enlarges its buffers when they are full."""

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from harness.contract import Proof
from harness.puzzles import Shape

from . import tree
from .board import new_memory, tables_of
from .compiled import kernel
from .search import Candidates, Search

_TEXT: Final = 2**20
"""Bytes of the buffer of the text."""
_SOLUTIONS: Final = 256
"""Solutions in their buffer."""


class Prover:
    """The kernel with the tables of a shape."""

    def __init__(self, shape: Shape) -> None:
        self._search = Search(shape, "houses")
        self._size = shape.size
        self._tables = tables_of(shape, np.int64)
        self._run = kernel("tree")

    def prove(self, givens: NDArray[np.uint8], candidates: Candidates | None, limit: int) -> Proof:
        """The solutions of a puzzle, up to `limit`, and the decision tree as a proof.

        Args:
            givens: uint8[1, cells], 0 for a blank.
            candidates: int64[cells], the candidates as bits if there are pencilmarks.
            limit: the largest number of solutions.
        """
        state = self._search.first_state(givens[0], candidates)
        if state is None:  # a cell has no candidate
            return Proof((), True, "0\n")
        cells = self._search.cells
        memory = new_memory(self._tables)
        states = _enlarged(state, len(state), 4 * self._size)
        nodes = _enlarged(np.array([0, 0, 0, -1], np.int64), tree.NODE, 4 * self._size)
        path, held = np.zeros(cells, np.int64), np.zeros(16 * cells, np.int64)
        held_start = np.zeros(16 * self._size, np.int64)
        text = np.zeros(_TEXT, np.uint8)
        solutions = np.zeros(_SOLUTIONS * cells, np.uint8)
        progress = np.zeros(tree.PROGRESS, np.int64)
        progress[tree.OPEN] = 1
        found: list[NDArray[np.uint8]] = []
        pieces: list[bytes] = []
        why = tree.TEXT_FULL
        while why not in (tree.FINISHED, tree.LIMIT_REACHED):
            why = self._run(
                limit,
                *(progress, nodes, path, held, held_start, text, solutions),
                *(states, *memory, *self._tables),
            )
            number = int(progress[tree.BUFFERED])
            found.append(solutions[: number * cells].reshape(-1, cells).copy())
            written = int(progress[tree.WRITTEN])
            pieces.append(text[:written].tobytes())
            progress[tree.BUFFERED] = progress[tree.WRITTEN] = 0
            if why == tree.TEXT_FULL and not written:
                text = np.zeros(2 * len(text), np.uint8)
            elif why == tree.STACK_FULL:
                states, nodes = _doubled(states), _doubled(nodes)
            elif why == tree.HELD_FULL:
                held, held_start = _doubled(held), _doubled(held_start)
        grids = tuple(map(tuple, np.concatenate(found).tolist()))
        complete = why == tree.FINISHED
        return Proof(grids, complete, b"".join(pieces).decode("ascii") if complete else "")


def _enlarged(values: NDArray[Any], each: int, number: int) -> NDArray[np.int64]:
    """These values at the beginning of an array for `number` times `each` of them."""
    made: NDArray[Any] = np.zeros(each * number, np.int64)
    made[: len(values)] = values
    return made


def _doubled(values: NDArray[np.int64]) -> NDArray[np.int64]:
    return np.concatenate([values, np.zeros_like(values)])
