"""Constraint programming with OR-Tools CP-SAT.

The backend builds one model per shape. It sets a puzzle's givens as domains and resets
them afterwards, which costs less than one model per puzzle; CP-SAT keeps nothing it
learns from one call for the next.

    proto      the model as CP-SAT reads it; a variable is an index in it
    domain     the least and the greatest value of a variable
"""

import importlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from harness.contract import Answer, Backend, Count, Options, PhaseTimer, Stats, option
from harness.puzzles import Grid, Puzzle, Shape

if TYPE_CHECKING:
    from ortools.sat.python.cp_model import CpModel, CpSolver

LARGEST_WITHOUT_PRESOLVE: Final = 25
"""In larger shapes presolve saves more time than it costs."""


@dataclass(frozen=True)
class CpSatOptions(Options):
    """The formulation of the model and the number of threads."""

    formulation: str = option(
        "boolean",
        help="variables: Booleans per cell and value, or integers per cell with all-different",
        choices=("boolean", "integer"),
    )
    workers: int = option(1, help="number of threads of `solve`; `count` uses one", minimum=1)


class CpSat(Backend[CpSatOptions]):
    """CP-SAT: lazy clause generation over Booleans or all-different constraints."""

    name = "cpsat"
    paradigm = "constraint programming"
    distributions = ("ortools",)
    counts_natively = True

    @classmethod
    def load(cls, options: CpSatOptions) -> None:
        """Import OR-Tools."""
        importlib.import_module("ortools.sat.python.cp_model")

    def __init__(self, shape: Shape, options: CpSatOptions) -> None:
        self.size = shape.size
        self.workers = options.workers
        self.boolean = options.formulation == "boolean"
        self.model = boolean_model(shape) if self.boolean else integer_model(shape)
        self.domains: dict[int, Any] = {}

    def solve(self, puzzle: Puzzle) -> Answer:
        """A solution, the proof that none exists, or unknown at the time limit."""
        from ortools.sat.python import cp_model

        timer = PhaseTimer()
        solver = self.new_solver(self.workers)
        with self.given(puzzle):
            timer.search()
            status = solver.solve(self.model)
            timer.decode()
        stats = self.stats(solver)
        if status == cp_model.INFEASIBLE:
            return Answer.unsatisfiable(stats, timer.stop())
        if status in (cp_model.OPTIMAL, cp_model.FEASIBLE):
            return Answer.solved(self.grid(solver, puzzle), stats, timer.stop())
        return Answer.unknown(stats, timer.stop())

    def count(self, puzzle: Puzzle, limit: int) -> Count:
        """The number of solutions that CP-SAT enumerates, up to `limit`."""
        from ortools.sat.python import cp_model

        class SolutionCounter(cp_model.CpSolverSolutionCallback):
            found = 0

            def on_solution_callback(self) -> None:
                self.found += 1
                if self.found == limit:
                    self.stop_search()

        timer = PhaseTimer()
        # Several workers would report the same solution more than once.
        solver = self.new_solver(workers=1)
        solver.parameters.enumerate_all_solutions = True
        counter = SolutionCounter()
        with self.given(puzzle):
            timer.search()
            status = solver.solve(self.model, counter)
            timer.decode()
        number = counter.found
        exact = number < limit and status in (cp_model.OPTIMAL, cp_model.INFEASIBLE)
        witness = self.grid(solver, puzzle) if number else None
        return Count(number, exact, witness, self.stats(solver), timer.stop())

    def new_solver(self, workers: int) -> "CpSolver":
        """A solver with parameters for the shape."""
        from ortools.sat.python import cp_model

        solver = cp_model.CpSolver()
        parameters = solver.parameters
        parameters.num_workers = workers
        if self.time_limit is not None:
            parameters.max_time_in_seconds = self.time_limit
        if self.size <= LARGEST_WITHOUT_PRESOLVE:
            # Clause learning alone takes less time than preprocessing.
            parameters.cp_model_presolve = False
            parameters.cp_model_probing_level = 0
            parameters.linearization_level = 0
            parameters.symmetry_level = 0
            parameters.use_sat_inprocessing = False
            parameters.auto_detect_greater_than_at_least_one_of = False
        return solver

    @contextmanager
    def given(self, puzzle: Puzzle) -> Iterator[None]:
        """Set the givens of `puzzle` in the model, and reset them afterwards."""
        fixed = []
        try:
            for cell, value in enumerate(puzzle.givens):
                if value and self.boolean:
                    fixed.append(domain := self.domain(cell * self.size + value - 1))
                    domain[0] = 1
                elif value:
                    fixed.append(domain := self.domain(cell))
                    domain[0] = domain[1] = value
            yield
        finally:
            for domain in fixed:
                domain[0] = 0 if self.boolean else 1
                if not self.boolean:
                    domain[1] = self.size

    def domain(self, variable: int) -> Any:
        """The domain of a variable in the model; cached because the access is slow."""
        if variable not in self.domains:
            self.domains[variable] = self.model.proto.variables[variable].domain
        return self.domains[variable]

    def grid(self, solver: "CpSolver", puzzle: Puzzle) -> Grid:
        """The last solution of the solver, with the givens of `puzzle`."""
        solution = solver.response_proto.solution
        if not self.boolean:
            return tuple(solution)
        # Access to the proto is slow: of a blank cell, read only the values that its row
        # has left, and infer the last one.
        size, grid = self.size, list(puzzle.givens)
        for start in range(0, size * size, size):
            left = set(range(1, size + 1)).difference(grid[start : start + size])
            for cell in range(start, start + size):
                if grid[cell]:
                    continue
                before_first = cell * size - 1
                for value in left:
                    if len(left) == 1 or solution[before_first + value]:
                        grid[cell] = value
                        left.remove(value)
                        break
        return tuple(grid)

    def stats(self, solver: "CpSolver") -> Stats:
        """CP-SAT's statistics, and the size of the model."""
        response, proto = solver.response_proto, self.model.proto
        return {
            "conflicts": response.num_conflicts,
            "branches": response.num_branches,
            "propagations": response.num_binary_propagations + response.num_integer_propagations,
            "restarts": response.num_restarts,
            "variables": len(proto.variables),
            "constraints": len(proto.constraints),
        }


# The models write directly to the proto: building dominates a cold start, and the methods
# of `CpModel` take twice as long.


def boolean_model(shape: Shape) -> "CpModel":
    """The Boolean model: variable `cell * size + value - 1` means that the cell has the value."""
    size = shape.size
    model = model_with(size**2, size, least=0, greatest=1)
    groups: list[Sequence[int]] = [
        range(cell * size, cell * size + size) for cell in range(size**2)
    ]
    groups += [
        [cell * size + offset for cell in house.cells]
        for house in shape.houses
        for offset in range(size)
    ]
    constraints = model.proto.constraints
    for group in groups:
        constraints.add().exactly_one.literals.extend(group)
    return model


def integer_model(shape: Shape) -> "CpModel":
    """The integer model: variable `cell` is the value of the cell."""
    model = model_with(shape.size, shape.size, least=1, greatest=shape.size)
    for house in shape.houses:
        expressions = model.proto.constraints.add().all_diff.exprs
        for cell in house.cells:
            expression = expressions.add()
            expression.vars.append(cell)
            expression.coeffs.append(1)
    return model


def model_with(variables: int, times: int, least: int, greatest: int) -> "CpModel":
    """A model with `variables` x `times` variables; copying is faster than adding each."""
    from ortools.sat.python import cp_model

    model, part = cp_model.CpModel(), cp_model.CpModel()
    for _ in range(variables):
        part.proto.variables.add().domain.extend((least, greatest))
    for _ in range(times):
        model.proto.merge_from(part.proto)
    return model
