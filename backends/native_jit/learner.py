"""The search of one puzzle by the kernel `learning`, for any size."""

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from harness.puzzles import Shape

from . import clauses, learning
from .board import BLOCK
from .compiled import machine_code

_ARENA: Final = 2**20
"""Length of the array of learned clauses at first; the system provides only what is used."""
_WATCHES: Final = 4
"""Length of the array of watches over that of the clauses."""
_STEPS: Final = 4
"""Length of the buffer of a proof over that of the clauses."""
_FIRST: Final = 1e-3
"""The activity of a candidate that is the only one of a group, before any conflict."""

Candidates = NDArray[np.bool_]
"""bool[cells, size]: whether a cell may have a value."""


class Houses:
    """The groups and the pairs of a shape as arrays.

    Attributes:
        size: values.
        cells: int64[houses, size].
        pairs: int64[n, 2]: cells that differ, in both orders.
    """

    def __init__(self, shape: Shape) -> None:
        self.size = shape.size
        self.cells = np.array([house.cells for house in shape.houses], np.int64)
        pairs = np.array(shape.pairs, np.int64).reshape(-1, 2)
        self.pairs = np.concatenate([pairs, pairs[:, ::-1]])


class Problem:
    """Candidates as variables with their groups: the memory of the kernel before the search.

    Attributes:
        variables: int64[n]: for each variable `cell * size + value - 1`.
    """

    def __init__(self, houses: Houses, candidates: Candidates) -> None:
        size = houses.size
        self.variables = np.flatnonzero(candidates)
        number = len(self.variables)
        index = np.full(candidates.shape, -1, np.int32)
        index.reshape(-1)[self.variables] = np.arange(number)
        places = index[houses.cells].transpose(0, 2, 1).reshape(-1, size)
        groups = np.concatenate([index, places])
        present = groups >= 0
        counts = present.sum(1)
        members = groups[present]
        first, second = index[houses.pairs[:, 0]], index[houses.pairs[:, 1]]
        both = (first >= 0) & (second >= 0)
        # The variables that are most likely to decide others come first.
        ties = np.ldexp(np.float32(_FIRST), -np.minimum(counts, 60))
        activity = np.bincount(members, np.repeat(ties, counts), number)
        order = np.argsort(-activity, kind="stable")
        place = np.empty(number, np.int32)
        place[order] = np.arange(1, number + 1)
        self.sizes = np.array([number, len(groups)], np.int64)
        self.numbers = np.zeros(clauses.NUMBERS, np.int64)
        self.numbers[clauses.HEAP] = number
        padding = np.zeros(-len(groups) % BLOCK)
        weights = np.zeros(len(groups) + len(padding))
        floats = (weights, activity, np.zeros(clauses.MEANS))
        marks = (np.zeros(2 * number), *(np.zeros(number) for _ in range(3)))
        words = (
            *_by_owner(np.repeat(np.arange(len(groups)), counts), members, number),
            *(_ends(counts), members),
            *_by_owner(second[both], first[both], number),
            np.concatenate([counts, padding]),
            np.bitwise_xor.reduce(np.where(present, groups, 0), 1),
            *(np.zeros(number) for _ in ("level", "reason", "trail")),
            np.zeros(number + 1),
            *(np.zeros(2 * number) for _ in ("first", "count", "room")),
            *(order, place, np.zeros(number + 1)),
            *(np.zeros(number + 1), np.zeros(number), np.zeros(2 * number + 2)),
        )
        self.floats = np.concatenate(floats, dtype=np.float32, casting="unsafe")
        self.marks = np.concatenate(marks, dtype=np.uint8, casting="unsafe")
        self.words = np.concatenate(words, dtype=np.int32, casting="unsafe")
        kinds: tuple[tuple[NDArray[Any], ...], ...] = (floats, marks, words)
        self.starts = np.concatenate([_ends([len(part) for part in kind])[:-1] for kind in kinds])

    def with_value(self, value: int) -> NDArray[np.int64]:
        """The variables that are `TRUE`, `FALSE` or `UNASSIGNED`."""
        of_variables = self.marks[: 2 * len(self.variables) : 2]
        return np.asarray(self.variables[of_variables == value])


class Learner:
    """The search of one puzzle.

    Args:
        houses: the shape.
        candidates: the candidates; the search changes them.
        limit: solutions to find.
        proves: whether to keep the steps of a proof.

    Attributes:
        solutions: uint8[cells] of each solution found.
        is_finished: whether all solutions are found, or as many as the limit.
        exact: whether all solutions are found.
        proof: the lemmas and deletions so far, in the format of `Proof`.
    """

    def __init__(
        self, houses: Houses, candidates: Candidates, limit: int, *, proves: bool = False
    ) -> None:
        self.solutions: list[NDArray[np.uint8]] = []
        self.is_finished = self.exact = False
        self.proof: list[str] = []
        self._houses, self._candidates, self._limit = houses, candidates, limit
        self._run = machine_code("learning")
        self._proves = proves
        self._room = _ARENA
        self._known = self._lost = 0
        self._begin()
        if not self.advance(0) and not self.solutions:  # what is decided needs no memory
            candidates.reshape(-1)[self._problem.with_value(clauses.FALSE)] = False
            self._begin()

    def _begin(self) -> None:
        self._problem = Problem(self._houses, self._candidates)
        self._room = max(self._room, 4 * len(self._problem.variables))
        self._make_room()

    def _make_room(self) -> None:
        self._arena = np.empty(self._room, np.int32)
        self._pool = np.empty(_WATCHES * self._room, np.int32)
        self._proof = np.empty(_STEPS * self._room * self._proves, np.int32)

    def advance(self, budget: int) -> bool:
        """Search for a while; return whether the search is finished.

        Args:
            budget: the work until a pause, in units of one clause visited.
        """
        problem = self._problem
        numbers = problem.numbers
        why = self._run(
            *(self._limit, budget, problem.sizes, problem.starts, numbers),
            *(problem.words, problem.marks, problem.floats),
            *(self._arena, self._pool, self._proof),
        )
        if self._proves:
            steps = self._proof[: numbers[clauses.STEPS]].tolist()
            self.proof.append(_text_of(steps, (problem.variables + 1).tolist()))
            numbers[clauses.STEPS] = 0
        if why == learning.FULL:
            self._enlarge()
        elif why in (learning.SOLUTION, learning.LIMIT_REACHED):
            cells, values = np.divmod(problem.with_value(clauses.TRUE), self._houses.size)
            solution = np.zeros(len(self._candidates), np.uint8)
            solution[cells] = values + 1
            if numbers[clauses.FOUND] > self._known:
                self.solutions.append(solution)
        self.exact = why == learning.FINISHED
        self.is_finished = self.exact or why == learning.LIMIT_REACHED
        return self.is_finished

    def _enlarge(self) -> None:
        """Give clauses and watches twice the room; begin again if watches are lost."""
        self._room *= 2
        if self._problem.numbers[clauses.OVERFLOW]:  # the same search again, from the beginning
            self._known = max(self._known, int(self._problem.numbers[clauses.FOUND]))
            self._lost = self.conflicts
            self._begin()
            return
        arena, pool = self._arena, self._pool
        self._make_room()
        self._arena[: len(arena)], self._pool[: len(pool)] = arena, pool

    @property
    def conflicts(self) -> int:
        """The conflicts so far, including those before the search began again."""
        return self._lost + int(self._problem.numbers[clauses.CONFLICTS])


def _text_of(steps: list[int], names: list[int]) -> str:
    """Lemmas and deletions as text.

    Args:
        steps: for each step its number of literals, negative for a deletion, and the literals.
        names: the number of each variable in the text.
    """
    lines = []
    at = 0
    while at < len(steps):
        end = at + 1 + abs(steps[at])
        clause = [-names[n >> 1] if n & 1 else names[n >> 1] for n in steps[at + 1 : end]]
        lines.append(f"{'d ' if steps[at] < 0 else ''}{' '.join(map(str, clause))} 0\n")
        at = end
    return "".join(lines)


def _ends(lengths: NDArray[np.int64] | list[int]) -> NDArray[np.int64]:
    """Where each of several consecutive arrays starts, and the end of the last."""
    return np.concatenate([[0], np.cumsum(lengths, dtype=np.int64)])


def _by_owner(
    items: NDArray[Any], owners: NDArray[Any], number: int
) -> tuple[NDArray[np.int64], NDArray[Any]]:
    """Where the items of each owner begin, and the items, one owner after another."""
    order = np.argsort(owners, kind="stable")
    return _ends(np.bincount(owners, minlength=number)), items[order]
