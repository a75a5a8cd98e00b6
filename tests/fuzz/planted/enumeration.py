"""Faults of enumeration: solutions lost or found twice, and counts wrongly called exact."""

from dataclasses import replace
from typing import Any

from backends.clingo import Clingo
from backends.cnf import Cnf
from backends.cpsat import CpSat
from backends.dlx import DancingLinks
from backends.native import Native
from backends.native_jit.backend import NativeJit, NativeJitOptions
from backends.reasoning import Reasoning
from harness.contract import Count
from harness.puzzles import Puzzle, Shape
from tests.fuzz.planted.edits import Edit, edited, edited_module


@edited(
    Edit(
        "            self.nodes += 1\n",
        "            self.nodes += 1\n            if self.nodes > 2000:\n                return\n",
    )
)
class StopsAfter2000Nodes(DancingLinks):
    """Ends a search after 2000 options as if it were complete."""


@edited(Edit("question.limit_within(LARGEST_OF_32_BITS)", "min(question.limit, 32)"))
class AtMost32Models(Clingo):
    """Lets the solver stop after 32 models, and calls the count exact."""


@edited(
    Edit(
        "for cover in links.covers():\n",
        "for number, cover in enumerate(links.covers(), 1):\n"
        "            if number > (question.limit if question.limit < 2**31 else -1):\n"
        "                return\n",
    )
)
class LimitsBeyond31Bits(DancingLinks):
    """Takes a limit beyond 31 bits for -1."""


@edited(
    Edit("self.solver.add_clause(unless + block)", "self.solver.add_clause(unless + block[:40])")
)
class BlocksFortyCells(Cnf):
    """Blocks a solution by its first 40 blank cells, so that others go with it."""


@edited(
    Edit(
        "                self.solver.add_clause(unless + block)\n",
        "                found_so_far += 1\n"
        "                if found_so_far != 32:\n"
        "                    self.solver.add_clause(unless + block)\n",
    ),
    Edit(
        "        unless: list[int] = []\n",
        "        unless: list[int] = []\n        found_so_far = 0\n",
    ),
)
class Finds32ndTwice(Cnf):
    """Does not block the 32nd solution."""


@edited(
    Edit(
        "                yield state\n",
        "                values = enumerate(values_of(state))\n"
        "                if (key := sum(c * c * value for c, value in values)) not in seen:\n"
        "                    seen.add(key)\n"
        "                    yield state\n",
    ),
    Edit("        open_states = [(", "        seen = set()\n        open_states = [("),
)
class SolutionsByAChecksum(Native):
    """Takes solutions with the same checksum for the same."""


@edited(Edit("exact = number < limit and status in", "exact = status in"))
class ExactAtTheLastSolution(CpSat):
    """Calls a count exact if the search ended with the solution at the limit."""


@edited(
    Edit(
        "exact = number < limit and not search.gave_up",
        "exact = (number < limit or number == 9) and not search.gave_up",
    )
)
class ExactAtNine(Reasoning):
    """Calls a count exact that stopped at the limit 9."""


class OtherSearch(NativeJit):
    """Runs an edited search; a fault is an edit of it."""

    edits: tuple[Edit, ...]

    def __init__(self, shape: Shape, options: NativeJitOptions) -> None:
        super().__init__(shape, options)
        module: Any = edited_module("backends.native_jit.search", *self.edits)
        self._search = module.Search(shape, "houses" if self._search._tables else "vectors")


class LosesAStateInAPause(OtherSearch):
    """Loses an open state whenever the kernel pauses, after thousands of nodes."""

    edits = (
        Edit(
            "        return why != place.FINISHED\n",
            "        if why == place.PAUSED and self.progress[place.OPEN] > 1:\n"
            "            self.progress[place.OPEN] -= 1\n"
            "        return why != place.FINISHED\n",
        ),
    )


class LosesTheFullStack(OtherSearch):
    """Puts new memory for open states below the old instead of above; begins with little."""

    edits = (
        Edit("min(self.cells + 2, max(most, 2))", "8"),
        Edit(
            "np.concatenate([self._states, np.empty_like(self._states)])",
            "np.concatenate([np.zeros_like(self._states), self._states])",
        ),
    )


class ExactAtAThousand(DancingLinks):
    """Calls the number exact if a count stops at 1,000, as if it had found one less."""

    def count(self, puzzle: Puzzle, limit: int) -> Count:
        """As the base class, with a thousandth solution that is missing."""
        found = super().count(puzzle, limit)
        return replace(found, number=999, exact=True) if found.number == limit == 1_000 else found


class ExactLimitIsExceeded(DancingLinks):
    """Finds one solution too few if a puzzle has exactly as many as the limit, 20 or more."""

    def count(self, puzzle: Puzzle, limit: int) -> Count:
        """As the base class, or one less."""
        found = super().count(puzzle, limit)
        is_last = 20 <= found.number == limit and super().count(puzzle, limit + 1).exact
        return replace(found, number=limit - 1, exact=True) if is_last else found
