"""Integer programming with Gurobi.

The free licence is limited to models of 9x9. Counting uses Gurobi's solution pool, which
an exhaustive search fills.
"""

import importlib
from typing import Any, Final

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

TOO_LARGE: Final = 10010
"""Gurobi's error code for a model that exceeds the licence's limit."""
MOST_SOLUTIONS = 2_000_000_000
"""The largest value of the parameter PoolSolutions."""


class Gurobi(CoverBackend):
    """Gurobi: a 0-1 variable for each candidate, an equality for each group."""

    name = "gurobi"
    paradigm = "integer programming"
    distributions = ("gurobipy",)
    takes = EVERYTHING
    linear = True

    @classmethod
    def load(cls, options: Options) -> None:
        """Import Gurobi and check the licence."""
        gurobi = importlib.import_module("gurobipy")
        try:
            quiet_environment().dispose()
        except gurobi.GurobiError as error:
            remedy = "pip install --upgrade gurobipy, or install a licence from Gurobi"
            raise Unavailable(f"no valid licence: {error}", remedy) from error

    def choices(self, question: CoverQuestion) -> Choices:
        """The solutions in Gurobi's pool.

        Raises:
            Unsupported: the model exceeds the licence's limit.
        """
        from gurobipy import GRB, GurobiError, Model, quicksum

        with quiet_environment() as environment, Model(env=environment) as model:
            if question.seconds is not None:
                model.Params.TimeLimit = question.seconds
            if question.limit > 1:
                model.Params.PoolSearchMode = 2
                model.Params.PoolSolutions = question.limit_within(MOST_SOLUTIONS)
            variables = model.addVars(len(question.candidates), vtype=GRB.BINARY)
            for group in question.candidates.groups:
                model.addConstr(quicksum(variables[candidate] for candidate in group) == 1)
            for row in question.candidates.encoding.rows:
                terms = zip(row.coefficients, row.literals, strict=True)
                total = quicksum(factor * variables[literal - 1] for factor, literal in terms)
                model.addConstr(total <= row.most)
                model.addConstr(total >= row.least)
            question.search()
            try:
                model.optimize()
            except GurobiError as error:
                if error.errno == TOO_LARGE:
                    raise Unsupported(
                        "the model exceeds the limit of the Gurobi licence"
                    ) from error
                raise
            question.stats["nodes"] = int(model.NodeCount)
            for number in range(model.SolCount):
                model.Params.SolutionNumber = number
                yield [c for c, variable in variables.items() if variable.Xn > 0.5]
            if model.Status not in (GRB.OPTIMAL, GRB.INFEASIBLE, GRB.INF_OR_UNBD):
                raise GaveUp


def quiet_environment() -> Any:
    """A Gurobi environment without output and with one thread."""
    from gurobipy import Env

    environment = Env(empty=True)
    environment.setParam("OutputFlag", 0)
    environment.setParam("Threads", 1)
    environment.start()
    return environment
