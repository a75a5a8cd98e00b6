"""Proofs: what the learning search learned, as text."""

import numpy as np
from numpy.typing import NDArray

from harness.contract import Proof
from harness.puzzles import Shape

from .learner import Learner
from .search import LEARNING, Candidates, Search


class Prover:
    """The learning search of a shape."""

    def __init__(self, shape: Shape) -> None:
        self._search = Search(shape, "learning", learns=True)

    def prove(self, givens: NDArray[np.uint8], candidates: Candidates | None, limit: int) -> Proof:
        """The solutions of a puzzle, up to `limit`, and the learned clauses as a proof.

        Args:
            givens: uint8[1, cells], 0 for a blank.
            candidates: int64[cells], the candidates as bits if there are pencilmarks.
            limit: the largest number of solutions.
        """
        assert self._search.houses
        possible = self._search.candidates_of(givens[0], candidates)
        learner = Learner(self._search.houses, possible, limit, proves=True)
        while not learner.is_finished:
            learner.advance(LEARNING)
        grids = tuple(tuple(grid.tolist()) for grid in learner.solutions)
        return Proof(
            grids, learner.exact, "".join([*learner.proof, "0\n"]) if learner.exact else ""
        )
