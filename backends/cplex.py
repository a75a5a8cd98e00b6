"""Integer programming with CPLEX.

The free edition is limited to models of 9x9. Counting uses CPLEX's solution pool, which
an exhaustive search fills.
"""

import importlib
from typing import Final

from harness.contract import (
    EVERYTHING,
    Choices,
    CoverBackend,
    CoverQuestion,
    GaveUp,
    Options,
    Unavailable,
    Unsupported,
)

TOO_LARGE: Final = 1016
"""CPLEX's error code for a model that exceeds the edition's limit."""

SILENCED: Final = ("results", "log", "warning", "error")


class Cplex(CoverBackend):
    """CPLEX: a 0-1 variable for each candidate, an equality for each group."""

    name = "cplex"
    paradigm = "integer programming"
    distributions = ("cplex",)
    takes = EVERYTHING
    linear = True

    @classmethod
    def load(cls, options: Options) -> None:
        """Import CPLEX and check the licence."""
        cplex = importlib.import_module("cplex")
        try:
            cplex.Cplex().end()
        except cplex.exceptions.CplexSolverError as error:
            remedy = "pip install --upgrade cplex, or install a licence from IBM"
            raise Unavailable(f"no valid licence: {error}", remedy) from error

    def choices(self, question: CoverQuestion) -> Choices:
        """The solutions in CPLEX's pool.

        Raises:
            Unsupported: the model exceeds the edition's limit.
        """
        from cplex import Cplex as Solver
        from cplex import SparsePair
        from cplex.exceptions import CplexSolverError

        groups, columns = question.candidates.groups, len(question.candidates)
        with Solver() as solver:
            for stream in SILENCED:
                getattr(solver, f"set_{stream}_stream")(None)
            solver.parameters.threads.set(1)
            solver.parameters.mip.pool.intensity.set(4)
            most = solver.parameters.mip.limits.populate
            most.set(question.limit_within(most.max()))
            if question.seconds is not None:
                solver.parameters.timelimit.set(question.seconds)
            solver.variables.add(types="B" * columns)
            solver.linear_constraints.add(
                lin_expr=[SparsePair(group, [1.0] * len(group)) for group in groups],
                senses="E" * len(groups),
                rhs=[1.0] * len(groups),
            )
            for row in question.candidates.encoding.rows:
                columns_of = [literal - 1 for literal in row.literals]
                solver.linear_constraints.add(
                    lin_expr=[SparsePair(columns_of, row.coefficients)],
                    senses="R",
                    rhs=[row.least],
                    range_values=[row.most - row.least],
                )
            question.search()
            try:
                solver.solve() if question.limit == 1 else solver.populate_solution_pool()
            except CplexSolverError as error:
                if error.args[2] == TOO_LARGE:
                    raise Unsupported(
                        "the model exceeds the limit of this edition of CPLEX"
                    ) from error
                raise
            question.stats["nodes"] = solver.solution.progress.get_num_nodes_processed()
            pool, status = solver.solution.pool, solver.solution.get_status()
            for number in range(pool.get_num()):
                values = pool.get_values(number)
                yield [candidate for candidate, value in enumerate(values) if value > 0.5]
            status_codes = solver.solution.status
            if status not in (
                status_codes.MIP_optimal,
                status_codes.MIP_infeasible,
                status_codes.optimal_populated,
            ):
                raise GaveUp
