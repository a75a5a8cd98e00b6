"""Defects of solvers that are known from outside, as they are or re-created."""

from backends.cnf import Cnf
from backends.cpsat import CpSat
from backends.milp import Milp
from backends.native_jit.backend import NativeJit
from backends.reasoning import Reasoning
from harness.contract import Answer, Status
from harness.puzzles import Puzzle
from tests.fuzz.planted.edits import Edit, edited


@edited(
    Edit(
        "solver = self.new_solver(workers=1)\n        solver.parameters.enumerate_all_solutions",
        "solver = self.new_solver(self.workers)\n        solver.parameters.enumerate_all_solutions",
    )
)
class CountsWithAllWorkers(CpSat):
    """With workers, counts what CP-SAT enumerates: solutions of several workers, some twice."""


@edited(
    Edit(
        '"-cuts off -strong 0',
        '"-maxNodes 0 -cuts off -strong 0',
    ),
    Edit(
        "        if problem.sol_status == pulp.LpSolutionOptimal:\n",
        "        if problem.status != pulp.LpStatusInfeasible:\n",
    ),
    Edit("if variable.varValue > 0.5:", "if (variable.varValue or 0) > 0.5:"),
)
class StoppedSearchIsOptimal(Milp):
    """Stops CBC at the root, and reads its point as a solution, whatever the status."""


@edited(
    Edit(
        '"-cuts off -strong 0',
        '"-maxNodes 20 -cuts off -strong 0',
    ),
    Edit(
        "            return Status.UNKNOWN\n        if self.solver",
        "            pass\n        if self.solver",
    ),
)
class StoppedSearchIsInfeasible(Milp):
    """Stops CBC after 20 nodes, and takes the end without a solution for a proof."""


class InfeasibleArrivesLate(CpSat):
    """Reports "infeasible" again in the call after it, in the statuses of two calls at a time."""

    late: Status = Status.SOLVED

    def solve(self, puzzle: Puzzle) -> Answer:
        """As the base class, unless the call before found no solution."""
        answer = super().solve(puzzle)
        late, self.late = self.late, answer.status
        return Answer.unsatisfiable() if late is Status.UNSATISFIABLE else answer


@edited(
    Edit(
        "        if search.gave_up:\n            return Answer.unknown(_stats(search), phases)\n",
        "",
    )
)
class GivingUpIsAProof(Reasoning):
    """Takes a search that gave up, with search=breadth-first, for the proof of no solution."""


@edited(Edit("        if found.exact[0]:\n", "        if found is not None:\n"))
class NodeLimitIsAProof(NativeJit):
    """Takes the end at the limit of option nodes for the proof of no solution."""


@edited(
    Edit(
        "        assumed = [cell * size + value for cell, value in enumerate(puzzle.givens) "
        "if value]\n",
        "        assumed = [cell * size + value for cell, value in enumerate(puzzle.givens) "
        "if value]\n        del assumed[48:]\n",
    )
)
class AssumptionsBeyond48(Cnf):
    """With reuse=true, ignores givens beyond 48, as a solver that ignores assumptions."""


@edited(
    Edit(
        "        clauses.extend([-one, -other] for one, other in candidates.apart)\n",
        "        for one, other in candidates.apart:\n"
        "            self.last_variable += 1\n"
        "            clauses += [[-one, -other], [one, other, self.last_variable]]\n",
    )
)
class SlacksOfPairs(Cnf):
    """With counting=enumerate, finds a solution again for each value of the slack of a pair."""
