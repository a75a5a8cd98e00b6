"""Integer programming with Gurobi, whose free licence takes models of 9x9 and not of 16x16.

Gurobi keeps the solutions it finds in a pool; told to search for all of them, it
counts by itself.
"""

import importlib
from typing import Any, Final

from harness.contract import Options, Unavailable, Unsupported
from harness.contract.cover import Choices, CoverBackend, GaveUp, Question

TOO_LARGE: Final = 10010
"""Gurobi's error where the licence does not take a model of this size."""


class Gurobi(CoverBackend):
    """Gurobi: a 0-1 variable for each candidate, an equality for each group."""

    name = "gurobi"
    paradigm = "integer programming"
    distributions = ("gurobipy",)

    @classmethod
    def load(cls, options: Options) -> None:
        """Import Gurobi and see whether there is a licence."""
        gurobi = importlib.import_module("gurobipy")
        try:
            quiet_environment().dispose()
        except gurobi.GurobiError as error:
            remedy = "pip install --upgrade gurobipy, or a licence from Gurobi"
            raise Unavailable(f"no licence: {error}", remedy) from error

    def choices(self, question: Question) -> Choices:
        """The solutions in Gurobi's pool.

        Raises:
            Unsupported: the licence does not take a model of this size.
        """
        from gurobipy import GRB, GurobiError, Model, quicksum

        with quiet_environment() as environment, Model(env=environment) as model:
            if question.seconds is not None:
                model.Params.TimeLimit = question.seconds
            if question.limit > 1:
                model.Params.PoolSearchMode = 2
                model.Params.PoolSolutions = question.limit
            variables = model.addVars(len(question.candidates), vtype=GRB.BINARY)
            for group in question.candidates.groups:
                model.addConstr(quicksum(variables[candidate] for candidate in group) == 1)
            question.search()
            try:
                model.optimize()
            except GurobiError as error:
                if error.errno == TOO_LARGE:
                    raise Unsupported("too large for Gurobi's licence") from error
                raise
            question.stats["nodes"] = int(model.NodeCount)
            for number in range(model.SolCount):
                model.Params.SolutionNumber = number
                yield [c for c, variable in variables.items() if variable.Xn > 0.5]
            if model.Status not in (GRB.OPTIMAL, GRB.INFEASIBLE, GRB.INF_OR_UNBD):
                raise GaveUp


def quiet_environment() -> Any:
    """An environment of Gurobi's that prints nothing and uses one thread."""
    from gurobipy import Env

    environment = Env(empty=True)
    environment.setParam("OutputFlag", 0)
    environment.setParam("Threads", 1)
    environment.start()
    return environment
