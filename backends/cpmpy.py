"""CPMpy: one model in its language, handed to whichever solver it finds.

`solver=` names one of CPMpy's own: ortools, choco, z3, exact, pysat, pumpkin and
more, as far as they are installed.
"""

import importlib
import warnings
from dataclasses import dataclass
from typing import Any

from harness.contract import Options, Unavailable, option
from harness.contract.cover import Choices, CoverBackend, GaveUp, Question


@dataclass(frozen=True)
class CPMpyOptions(Options):
    """Which solver CPMpy hands the model to."""

    solver: str = option("ortools", help="a solver that CPMpy knows, and that is installed")


class CPMpy(CoverBackend):
    """An integer for each blank cell, an all-different for each house."""

    name = "cpmpy"
    paradigm = "modelling language"
    distributions = ("cpmpy",)
    options_type = CPMpyOptions
    options: CPMpyOptions

    @classmethod
    def load(cls, options: Options) -> None:
        """Import CPMpy, and see whether it can use the solver."""
        assert isinstance(options, CPMpyOptions)
        lookup = importlib.import_module("cpmpy").SolverLookup
        able = lookup.supported()
        if options.solver.partition(":")[0] not in able:
            reason = f"CPMpy cannot use {options.solver} here"
            raise Unavailable(reason, f"name one that it can: {', '.join(able)}")

    def choices(self, question: Question) -> Choices:
        """The solutions, as the solver's own enumeration shows them."""
        import cpmpy
        from cpmpy.solvers.solver_interface import ExitStatus

        candidates = question.candidates
        domains = candidates.domains()
        # CPMpy gives no value to a variable that it can do without.
        cells = [v[0] if len(v) == 1 else cpmpy.intvar(v[0], v[-1]) for v in domains]
        model = cpmpy.Model()
        for cell, values in zip(cells, domains, strict=True):
            if values[-1] - values[0] >= len(values):
                model += cpmpy.InDomain(cell, values)
        for house in candidates.different():
            model += cpmpy.AllDifferent([cells[place] for place in house])
        solver = cpmpy.SolverLookup.get(self.options.solver, model)
        question.search()
        decided = all(len(values) == 1 for values in domains)
        if question.limit == 1 or decided:
            solved = solver.solve(time_limit=question.seconds)
            found = [values_of(cells)] if solved else []
        else:
            found = []
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # that the solver is of no use afterwards
                solver.solveAll(
                    display=lambda: found.append(values_of(cells)),
                    time_limit=question.seconds,
                    solution_limit=question.limit,
                )
        for values in found:
            yield candidates.chosen(values)
        if decided and found:
            return
        if solver.status().exitstatus not in (ExitStatus.OPTIMAL, ExitStatus.UNSATISFIABLE):
            raise GaveUp  # both this and "there is none" are False where CPMpy solves


def values_of(cells: list[Any]) -> list[int]:
    """The values of these variables and constants."""
    return [cell if isinstance(cell, int) else int(cell.value()) for cell in cells]
