"""Faults in the rows of the 0-1 program: relations, right sides, rows that are missing."""

from backends.milp import Milp
from tests.fuzz.planted.edits import Edit, edited, edited_module


def in_candidates(before: str, after: str) -> Edit:
    """An edit of the candidates that the rows are made of."""
    made = edited_module("harness.puzzles.candidates", Edit(before, after))
    return Edit("from harness.puzzles.candidates import", f"from {made.__name__} import")


@edited(
    Edit(
        "self.add(Row(group))",
        "self.add(Row(group, is_equality=len(group) < puzzle.shape.size))",
    )
)
class FullGroupsArePacked(Milp):
    """Has "at most one" for "exactly one" in a group with as many candidates as values."""


@edited(Edit("Row(chosen, len(chosen) - 1,", "Row(chosen, int(0.9 * len(chosen)),"))
class CutWithATolerance(Milp):
    """Cuts off solutions that differ in less than a tenth of the blank cells from a known one."""


@edited(
    in_candidates(
        "            for partner in partners_of[cell]:\n"
        "                taken |= 1 << puzzle.givens[partner]\n",
        "",
    )
)
class GivensDoNotReachPairs(Milp):
    """Leaves a value to a cell whose partner in a pair has it as a given."""


@edited(
    Edit(
        "for variable in excluded:\n                variable.upBound = 1",
        "for variable in excluded[:-1]:\n                variable.upBound = 1",
    )
)
class LastUpperBoundIsKept(Milp):
    """With model=full, keeps the bound of the last value that pencilmarks exclude."""


@edited(Edit("            program = program.copy()\n", ""))
class CutsAreKept(Milp):
    """With model=full, keeps the cuts of a count for later puzzles."""


@edited(
    in_candidates(
        "enumerate(given)\n            for value",
        "enumerate(given[: -2 if puzzle.shape.houses[-1].kind == 'region' else None])\n"
        "            for value",
    )
)
class LastTwoRegions(Milp):
    """Has no rows for the last two regions of a jigsaw."""


@edited(
    Edit(
        "exact = status is Status.UNSATISFIABLE\n",
        "exact = status is Status.UNSATISFIABLE or program.infeasible\n",
    )
)
class FullGridsAreExact(Milp):
    """Calls the count of a full grid exact though it reached the limit 1."""


@edited(
    in_candidates(
        "for value in range(1, self.puzzle.shape.size + 1):\n                both",
        "for value in (1, 2):\n                both",
    )
)
class TwoValuesInPairs(Milp):
    """Has rows for the values 1 and 2 in two cells that differ, and none for larger values."""


@edited(
    Edit(
        "for v in range(size) if not marks >> v & 1]",
        "for v in range(size - 1) if not marks >> v & 1]",
    )
)
class LargestValueIsNeverExcluded(Milp):
    """With model=full, ignores pencilmarks that exclude the largest value."""
