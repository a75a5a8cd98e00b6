"""Constraint integer programming with SCIP.

The model has a 0-1 variable for each candidate and a set-partitioning constraint for
each group. SCIP's emphasis on constraint satisfaction skips work that only an objective
needs. Counting uses SCIP's own enumeration.
"""

from typing import Any

from harness.base.text import LARGEST_OF_64_BITS
from harness.contract import (
    EVERYTHING,
    Choices,
    Count,
    CoverBackend,
    CoverQuestion,
    GaveUp,
)


class Scip(CoverBackend):
    """SCIP with the emphasis on feasibility."""

    name = "scip"
    paradigm = "integer programming"
    distributions = ("pyscipopt",)
    modules = ("pyscipopt",)
    takes = EVERYTHING
    linear = True

    def choices(self, question: CoverQuestion) -> Choices:
        """One solution, or the proof that none exists."""
        from pyscipopt import SCIP_PARAMEMPHASIS

        model, variables = model_of(question)
        model.setEmphasis(SCIP_PARAMEMPHASIS.CPSOLVER, quiet=True)
        question.search()
        model.optimize()
        question.stats["nodes"] = model.getNNodes()
        if model.getStatus() not in ("optimal", "infeasible"):
            raise GaveUp
        if model.getNSols():
            best = model.getBestSol()
            yield [c for c, variable in enumerate(variables) if best[variable] > 0.5]

    def tally(self, question: CoverQuestion) -> Count:
        """The number of solutions from SCIP's counter, which does not return them.

        With presolving, SCIP 10.0 counts the solutions of some puzzles twice: 2 for
        ``medium/89``, which has one.
        """
        from pyscipopt import SCIP_PARAMSETTING

        model, _ = model_of(question)
        model.setParamsCountsols()
        model.setPresolve(SCIP_PARAMSETTING.OFF)
        model.setLongintParam(
            "constraints/countsols/sollimit", min(question.limit, LARGEST_OF_64_BITS)
        )
        question.search()
        model.count()
        question.stats["nodes"] = model.getNNodes()
        number = min(model.getNCountedSols(), question.limit)
        return Count(number, exact=model.getStatus() in ("optimal", "infeasible"))


def model_of(question: CoverQuestion) -> tuple[Any, list[Any]]:
    """The model of the candidates, and its variables."""
    from pyscipopt import Model, quicksum

    model = Model()
    model.hideOutput()
    if question.seconds is not None:
        model.setParam("limits/time", question.seconds)
    variables = [model.addVar(vtype="B") for _ in range(len(question.candidates))]
    for group in question.candidates.groups:
        model.addCons(quicksum(variables[candidate] for candidate in group) == 1)
    for row in question.candidates.encoding.rows:
        terms = zip(row.coefficients, row.literals, strict=True)
        total = quicksum(factor * variables[literal - 1] for factor, literal in terms)
        model.addCons(total == row.most if row.least == row.most else total <= row.most)
        if row.least < row.most:
            model.addCons(total >= row.least)
    return model, variables
