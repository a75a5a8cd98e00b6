"""CPMpy: one model for many solvers.

The option `solver` names one of CPMpy's installed solvers: ortools, choco, z3, exact,
pysat, pumpkin and more.
"""

import importlib
import warnings
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import compress
from typing import Any

from harness.base.text import LARGEST_OF_32_BITS
from harness.contract import (
    EVERYTHING,
    Choices,
    CoverBackend,
    CoverQuestion,
    GaveUp,
    Options,
    Unavailable,
    option,
)
from harness.puzzles import values_in
from harness.puzzles.constraints import Distinct, Line, Primitive, Relation, Sum, ValueCount


@dataclass(frozen=True)
class CPMpyOptions(Options):
    """The solver behind CPMpy."""

    solver: str = option("ortools", help="solver, by its name in CPMpy")


class CPMpy(CoverBackend[CPMpyOptions]):
    """An integer for each blank cell, an all-different for each house."""

    name = "cpmpy"
    paradigm = "modelling language"
    distributions = ("cpmpy",)
    takes = EVERYTHING

    @classmethod
    def load(cls, options: CPMpyOptions) -> None:
        """Import CPMpy and check that it supports the solver."""
        lookup = importlib.import_module("cpmpy").SolverLookup
        names = lookup.supported()
        if options.solver.partition(":")[0] not in names:
            reason = f"CPMpy cannot use {options.solver} here"
            raise Unavailable(reason, f"choose one of {', '.join(names)}")

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
        givens, place = candidates.puzzle.givens, candidates.place_of
        primitives = candidates.puzzle.shape.primitives
        # CPMpy knows only the variables of its constraints.
        house_cells = {index for house in houses for index in house}
        for index, (cell, values) in enumerate(zip(cells, domains, strict=True)):
            has_gap = values[-1] - values[0] >= len(values)
            if has_gap or (len(values) > 1 and index not in house_cells):
                model += cpmpy.InDomain(cell, values)
        for house in houses:
            model += cpmpy.AllDifferent([cells[index] for index in house])
        for primitive in primitives:
            model += constraint_of(
                primitive,
                lambda places: [cells[place[c]] if c in place else givens[c] for c in places],
            )
        solver = cpmpy.SolverLookup.get(self.options.solver, model)
        question.search()
        has_one_grid = all(len(values) == 1 for values in domains)
        if question.limit == 1 or has_one_grid:
            solved = solver.solve(time_limit=question.seconds)
            solutions = [values_of(cells)] if solved else []
        else:
            solutions = []
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # about the solver being unusable afterwards
                solver.solveAll(
                    display=lambda: solutions.append(values_of(cells)),
                    time_limit=question.seconds,
                    solution_limit=question.limit_within(LARGEST_OF_32_BITS),
                )
        for values in solutions:
            yield candidates.candidates_of(values)
        if has_one_grid and solutions:
            return
        if solver.status().exitstatus not in (ExitStatus.OPTIMAL, ExitStatus.UNSATISFIABLE):
            raise GaveUp  # CPMpy returns False for this and for "unsatisfiable"


def constraint_of(primitive: Primitive, terms: Callable[[Iterable[int]], list[Any]]) -> Any:
    """A primitive as a table, a linear sum, or a regular constraint."""
    import cpmpy

    match primitive:
        case Relation(one, other, table):
            pairs = [[u, w] for u, row in enumerate(table, 1) for w in values_in(row)]
            return table_of(terms((one, other)), pairs)
        case Sum(cells, coefficients, totals):
            products = zip(coefficients, terms(cells), strict=True)
            total = cpmpy.sum([factor * term for factor, term in products])
            return (
                total == totals[0] if len(totals) == 1 else cpmpy.any([total == t for t in totals])
            )
        case ValueCount(cells, values, least, most):
            numbers = values_in(values)
            number = cpmpy.sum([term == value for term in terms(cells) for value in numbers])
            return (number >= least) & (number <= most)
        case Distinct(cells):
            return cpmpy.AllDifferent(terms(cells))
        case Line(cells, automaton):
            # Regular of CPMpy 1.1 finds some solutions several times.
            moves = [
                [before, value, after]
                for before, row in enumerate(automaton.transitions)
                for value, after in enumerate(row, 1)
                if after >= 0
            ]
            most = len(automaton.accepting) - 1
            states = [0, *(cpmpy.intvar(0, most) for _ in cells)]
            steps = zip(states, terms(cells), states[1:], strict=False)
            ends = [state for state, end in enumerate(automaton.accepting) if end]
            in_step = [table_of(step, moves) for step in steps]
            return cpmpy.all([*in_step, cpmpy.any([states[-1] == end for end in ends])])


def table_of(terms: Sequence[Any], rows: Iterable[Sequence[int]]) -> Any:
    """A table over the variables among the terms: not all solvers take constants in a table."""
    import cpmpy

    is_open = [not isinstance(term, int) for term in terms]
    constants = [(at, term) for at, term in enumerate(terms) if isinstance(term, int)]
    fitting = (row for row in rows if all(row[at] == value for at, value in constants))
    rest = [[*compress(row, is_open)] for row in fitting]
    variables = [*compress(terms, is_open)]
    return cpmpy.Table(variables, rest) if variables and rest else cpmpy.BoolVal(bool(rest))


def values_of(cells: list[Any]) -> list[int]:
    """The values of these variables and constants."""
    return [cell if isinstance(cell, int) else int(cell.value()) for cell in cells]
