"""Faults in rules between guesses: unsound in rare situations, or undone in the wrong order."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any, Final

from backends.native_jit.backend import NativeJit, NativeJitOptions
from harness.extensions.reasoning.backend import Reasoning, ReasoningOptions
from harness.extensions.reasoning.board import Board, Elimination, Rule
from harness.extensions.reasoning.search import Strategy
from harness.puzzles import Shape
from tests.extensions.fuzz.planted.edits import edited_module
from tests.extensions.fuzz.planted.table import Edit


@dataclass(frozen=True, slots=True)
class SameTwoCandidates:
    """Two cells have the same two candidates."""

    cells: tuple[int, ...]

    def words(self, shape: Shape) -> str:
        """The reason in words."""
        return "both cells need both values"


LAST_BLANKS: Final = 24
"""The number of blank cells up to which the rule is tried: few, so that no search takes long."""


class NakedPairOfPeers(Rule):
    """Removes the candidates of a naked pair from all peers of its first cell."""

    name = "naked pair"

    def conclusions(self, board: Board) -> Iterator[Elimination]:
        """The eliminations of pairs in the last house of the shape, one for each pair."""
        if board.blanks > LAST_BLANKS:
            return
        house = board.shape.houses[-1].cells
        for number, cell in enumerate(house):
            both = board.candidates[cell]
            if both.bit_count() != 2:
                continue
            for other in house[number + 1 :]:
                if board.candidates[other] != both:
                    continue
                grid = tuple(
                    (cell, value)
                    for cell in board.shape.peers[cell]
                    for value in range(1, board.shape.size + 1)
                    if cell != other and board.candidates[cell] & both & 1 << value - 1
                )
                if grid:
                    yield Elimination(grid, SameTwoCandidates((cell, other)))


class PairsOfTheLastHouse(Reasoning):
    """Has a rule of naked pairs that reaches beyond the house of the pair, for the last house."""

    def __init__(self, shape: Shape, options: ReasoningOptions) -> None:
        super().__init__(shape, options)
        before = self.strategy
        self.strategy: Strategy = Strategy(  # type: ignore[misc]
            (*before.rules, NakedPairOfPeers()) if before.rules else (),
            before.order,
            before.direction,
            before.looks_ahead,
            before.most_boards,
        )


@cache
def kernel(name: str, edit: Edit, *, in_rounds: bool = False) -> Any:
    """The kernel of native-jit after an edit, of its own source or of its rounds, compiled."""
    import numba

    if in_rounds:
        module = edited_module(f"backends.native_jit.{name}")
        vars(module)["propagate"] = edited_module("backends.native_jit.rounds", edit).propagate
    else:
        module = edited_module(f"backends.native_jit.{name}", edit)
    compile_ = numba.njit(module.SIGNATURE, nogil=True, error_model="numpy", no_cfunc_wrapper=True)
    return compile_(module.run)


class OtherKernel(NativeJit):
    """Runs an edited kernel; a fault is an edit of a kernel."""

    edited_kernel: str
    in_rounds: bool = False
    edit: Edit

    @classmethod
    def load(cls, options: NativeJitOptions) -> None:
        """Compile the edited kernel too."""
        super().load(options)
        if hasattr(cls, "edit"):
            kernel(cls.edited_kernel, cls.edit, in_rounds=cls.in_rounds)

    def __init__(self, shape: Shape, options: NativeJitOptions) -> None:
        super().__init__(shape, options)
        runs_vectors = not self._search._tables
        if runs_vectors == (self.edited_kernel == "vectors"):
            self._search.run = kernel(self.edited_kernel, self.edit, in_rounds=self.in_rounds)


class LargeValuesInTheirLastWay(OtherKernel):
    """Does not try the last way of the values 8 and 9 through the boxes of a band."""

    edited_kernel = "vectors"
    edit = Edit(
        "            while lanes:\n",
        "            while lanes and (way or value < 128 or lanes & (lanes - 1)):\n",
    )


class OpenCellsInTheLastRows(OtherKernel):
    """Takes a grid for solved that has open cells only in the last row of each band."""

    edited_kernel = "vectors"
    in_rounds = True
    edit = Edit(
        "cells(without_first(x) | without_first(y) | without_first(z))",
        "cells(without_first(x) | without_first(y))",
    )


class LargestValueInTheLastHouse(OtherKernel):
    """Overlooks the last cell of the last house as a second place of the largest value."""

    edited_kernel = "houses"
    edit = Edit(
        "        return place_all(board, at)\n",
        "        waiting = place_all(board, at)\n"
        "        word = at + board.words - 1\n"
        "        places = get(board.states, word)\n"
        "        others = places & ~(1 << (board.size - 1))\n"
        "        put(board.states, word, others if others else places)\n"
        "        return waiting\n",
    )
