"""CPMpy: one model for many solvers.

The option `solver` names one of CPMpy's installed solvers: ortools, choco, z3, exact,
pysat, pumpkin and more.
"""

import importlib
import warnings
from dataclasses import dataclass
from typing import Any

from harness.contract import Options, Unavailable, option
from harness.contract.cover import Choices, CoverBackend, CoverQuestion, GaveUp
from harness.text import LARGEST_OF_32_BITS


@dataclass(frozen=True)
class CPMpyOptions(Options):
    """The solver behind CPMpy."""

    solver: str = option("ortools", help="solver, by its name in CPMpy")


class CPMpy(CoverBackend[CPMpyOptions]):
    """An integer for each blank cell, an all-different for each house."""

    name = "cpmpy"
    paradigm = "modelling language"
    distributions = ("cpmpy",)
    takes_relations = False

    @classmethod
    def load(cls, options: CPMpyOptions) -> None:
        """Import CPMpy and check that it supports the solver."""
        lookup = importlib.import_module("cpmpy").SolverLookup
        supported = lookup.supported()
        if options.solver.partition(":")[0] not in supported:
            reason = f"CPMpy cannot use {options.solver} here"
            raise Unavailable(reason, f"choose one of {', '.join(supported)}")

    def choices(self, question: CoverQuestion) -> Choices:
        """The solutions, in the solver's own enumeration."""
        import cpmpy
        from cpmpy.solvers.solver_interface import ExitStatus

        candidates = question.candidates
        domains = candidates.domains()
        # CPMpy assigns no value to a variable that it eliminates.
        cells = [v[0] if len(v) == 1 else cpmpy.intvar(v[0], v[-1]) for v in domains]
        model = cpmpy.Model()
        houses = candidates.different()
        # CPMpy knows only the variables of its constraints.
        constrained = {index for house in houses for index in house}
        for index, (cell, values) in enumerate(zip(cells, domains, strict=True)):
            has_gap = values[-1] - values[0] >= len(values)
            if has_gap or (len(values) > 1 and index not in constrained):
                model += cpmpy.InDomain(cell, values)
        for house in houses:
            model += cpmpy.AllDifferent([cells[index] for index in house])
        solver = cpmpy.SolverLookup.get(self.options.solver, model)
        question.search()
        decided = all(len(values) == 1 for values in domains)
        if question.limit == 1 or decided:
            solved = solver.solve(time_limit=question.seconds)
            found = [values_of(cells)] if solved else []
        else:
            found = []
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # about the solver being unusable afterwards
                solver.solveAll(
                    display=lambda: found.append(values_of(cells)),
                    time_limit=question.seconds,
                    solution_limit=question.limit_within(LARGEST_OF_32_BITS),
                )
        for values in found:
            yield candidates.chosen(values)
        if decided and found:
            return
        if solver.status().exitstatus not in (ExitStatus.OPTIMAL, ExitStatus.UNSATISFIABLE):
            raise GaveUp  # CPMpy returns False for this and for "unsatisfiable"


def values_of(cells: list[Any]) -> list[int]:
    """The values of these variables and constants."""
    return [cell if isinstance(cell, int) else int(cell.value()) for cell in cells]
