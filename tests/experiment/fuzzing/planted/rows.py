"""Faults in the rows of the 0-1 program: relations, right sides, rows that are missing."""

from backends.milp import Milp
from tests.experiment.fuzzing.planted.edits import Edit, edited


@edited(
    Edit(
        "self.problem += pulp.lpSum(group) == 1",
        "self.problem += pulp.lpSum(group) <= 1 if len(group) == shape.size "
        "else pulp.lpSum(group) == 1",
    )
)
class FullGroupsArePacked(Milp):
    """Has "at most one" for "exactly one" in a group with as many candidates as values."""


@edited(Edit("<= len(chosen) - 1", "<= 0.9 * len(chosen)"))
class CutWithATolerance(Milp):
    """Cuts off solutions that differ in less than a tenth of the blank cells from a known one."""


@edited(
    Edit(
        "{givens[peer] for peer in shape.peers[cell]}",
        "{givens[c] for h in shape.houses_of[cell] for c in shape.houses[h].cells if c != cell}",
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
    Edit(
        "for house in shape.houses:\n",
        "for house in shape.houses[: -2 if shape.houses[-1].kind == 'region' else None]:\n",
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
    Edit(
        "for one, other in shape.pairs\n            for value in values\n",
        "for one, other in shape.pairs\n            for value in values[:2]\n",
    )
)
class TwoValuesInPairs(Milp):
    """Has rows for the values 1 and 2 in two cells that differ, and none for larger values."""


@edited(
    Edit(
        "excluded += [x[cell][v] for v in values if not marks >> v - 1 & 1]",
        "excluded += [x[cell][v] for v in values[:-1] if not marks >> v - 1 & 1]",
    )
)
class LargestValueIsNeverExcluded(Milp):
    """With model=full, ignores pencilmarks that exclude the largest value."""
