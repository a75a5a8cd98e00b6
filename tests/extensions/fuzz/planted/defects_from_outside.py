"""Defects of solvers that are known from outside, as they are or re-created."""

from backends.cpsat import CpSat
from harness.contract import Answer, Status
from harness.puzzles import Puzzle


class InfeasibleArrivesLate(CpSat):
    """Reports "infeasible" again in the call after it, in the statuses of two calls at a time."""

    late: Status = Status.SOLVED

    def solve(self, puzzle: Puzzle) -> Answer:
        """As the base class, unless the call before found no solution."""
        answer = super().solve(puzzle)
        late, self.late = self.late, answer.status
        return Answer.unsatisfiable() if late is Status.UNSATISFIABLE else answer
