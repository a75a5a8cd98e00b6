"""Constraint programming with OR-Tools CP-SAT.

The backend builds one model per shape. It sets a puzzle's givens and pencilmarks as domains
and resets them afterwards, which costs less than one model per puzzle; CP-SAT keeps nothing
it learns from one call for the next. In large shapes, and in shapes with constraints, each puzzle
has a Boolean model of its own, with its candidates alone.

    proto      the model in the form that CP-SAT reads; a variable is an index in it
    domain     the values of a variable as intervals: [1, 3, 7, 9] for 1 to 3 and 7 to 9
"""

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from harness.contract import (
    EVERYTHING,
    Answer,
    Backend,
    Count,
    Options,
    PhaseTimer,
    Stats,
    Unsupported,
    option,
)
from harness.puzzles import Grid, Puzzle, Shape, values_in
from harness.puzzles.constraints import Line, Primitive, Relation, Sum, ValueCount, automaton_of
from harness.puzzles.search import Candidates, layers_of_line

if TYPE_CHECKING:
    from ortools.sat.python.cp_model import CpModel, CpSolver

LARGEST_WITHOUT_PRESOLVE: Final = 25
"""In larger shapes presolve saves more time than it costs."""
LARGEST_KEPT: Final = 16
"""In larger shapes a Boolean model of the candidates alone saves more time than it costs."""


@dataclass(frozen=True)
class CpSatOptions(Options):
    """The formulation of the model and the number of threads."""

    formulation: str = option(
        "boolean",
        help="variables: Booleans per cell and value, or integers per cell with all-different",
        choices=("boolean", "integer"),
    )
    cages: str = option(
        "combinations",
        help="encoding of sums of different cells in the Boolean formulation: a Boolean for each "
        "combination of values, or a linear sum",
        choices=("combinations", "linear"),
    )
    workers: int = option(1, help="number of threads of `solve`; `count` uses one", minimum=1)


class CpSat(Backend[CpSatOptions]):
    """CP-SAT: lazy clause generation over Booleans or all-different constraints."""

    name = "cpsat"
    paradigm = "constraint programming"
    distributions = ("ortools",)
    modules = ("ortools.sat.python.cp_model",)
    counts_natively = True
    takes = EVERYTHING

    def __init__(self, shape: Shape, options: CpSatOptions) -> None:
        self.size = shape.size
        self.workers = options.workers
        self.boolean = options.formulation == "boolean"
        self.combine = options.cages == "combinations"
        # Constraints have variables for combinations and states; givens leave few of these.
        self.keeps = not self.boolean or (self.size <= LARGEST_KEPT and not shape.primitives)
        if self.keeps:
            self.model = boolean_model(shape) if self.boolean else integer_model(shape)
        self.domains: dict[int, Any] = {}

    def solve(self, puzzle: Puzzle) -> Answer:
        """A solution, the proof that none exists, or unknown at the time limit."""
        from ortools.sat.python import cp_model

        timer = PhaseTimer()
        if puzzle.pencilmarks and not all(puzzle.pencilmarks):
            return Answer.unsatisfiable(phases=timer.stop())
        solver = self.new_solver(self.workers)
        with self.with_puzzle(puzzle):
            timer.search()
            status = solver.solve(self.model)
            timer.decode()
        stats = self.stats(solver)
        if status == cp_model.INFEASIBLE:
            return Answer.unsatisfiable(stats, timer.stop())
        if status in (cp_model.OPTIMAL, cp_model.FEASIBLE):
            return Answer.solved(self.grid(solver), stats, timer.stop())
        return Answer.unknown(stats, timer.stop())

    def count(self, puzzle: Puzzle, limit: int) -> Count:
        """The number of solutions that CP-SAT enumerates, up to `limit`."""
        from ortools.sat.python import cp_model

        class SolutionCounter(cp_model.CpSolverSolutionCallback):
            number = 0

            def on_solution_callback(self) -> None:
                self.number += 1
                if self.number == limit:
                    self.stop_search()

        timer = PhaseTimer()
        if puzzle.pencilmarks and not all(puzzle.pencilmarks):
            return Count(0, True, phases=timer.stop())
        # Several workers report some solutions more than once, and miss others.
        solver = self.new_solver(workers=1)
        solver.parameters.enumerate_all_solutions = True
        counter = SolutionCounter()
        with self.with_puzzle(puzzle):
            timer.search()
            status = solver.solve(self.model, counter)
            timer.decode()
        number = counter.number
        exact = number < limit and status in (cp_model.OPTIMAL, cp_model.INFEASIBLE)
        witness = self.grid(solver) if number else None
        return Count(number, exact, witness, self.stats(solver), timer.stop())

    def new_solver(self, workers: int) -> "CpSolver":
        """A solver with parameters that suit the size of the shape."""
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
    def with_puzzle(self, puzzle: Puzzle) -> Iterator[None]:
        """Set the givens and pencilmarks of `puzzle` in the model, and reset them afterwards."""
        domains: list[Any] = []
        if not self.keeps:
            self.candidates = Candidates(puzzle, linear=True, combine=self.combine)
            self.model = candidate_model(self.candidates)
            yield
            return
        try:
            for cell, value in enumerate(puzzle.givens):
                if value and self.boolean:
                    domains.append(domain := self.domain(cell * self.size + value - 1))
                    domain[0] = 1
                elif value:
                    domains.append(domain := self.domain(cell))
                    domain[0] = domain[1] = value
            if puzzle.pencilmarks is not None:
                self.restrict(puzzle, domains)
            yield
        finally:
            least, greatest = (0, 1) if self.boolean else (1, self.size)
            for domain in domains:
                if not self.boolean and len(domain) > 2:
                    domain.clear()
                    domain.extend((least, greatest))
                domain[0], domain[1] = least, greatest

    def restrict(self, puzzle: Puzzle, domains: list[Any]) -> None:
        """Set the pencilmarks of the blank cells, and append the domains to `domains`."""
        every = (1 << self.size) - 1
        for cell, marks in enumerate(puzzle.allowed):
            if puzzle.givens[cell] or marks == every:
                continue
            if self.boolean:
                for value in range(self.size):
                    if not marks >> value & 1:
                        domains.append(domain := self.domain(cell * self.size + value))
                        domain[1] = 0
                continue
            domains.append(domain := self.domain(cell))
            ends = intervals(marks)
            domain[0], domain[1] = ends[:2]
            domain.extend(ends[2:])

    def domain(self, variable: int) -> Any:
        """The domain of a variable in the model; cached because the access is slow."""
        domain = self.domains.get(variable)
        if domain is None:
            domain = self.domains[variable] = self.model.proto.variables[variable].domain
        return domain

    def grid(self, solver: "CpSolver") -> Grid:
        """The last solution of the solver."""
        # Access to single values of the proto is slow: read all of them as one string.
        text = str(solver.response_proto.solution)
        if not self.boolean:
            return tuple(json.loads(text)[: self.size**2])
        literals, size = text[1::3], self.size  # "[0, 1, 0]"
        if not self.keeps:
            return self.candidates.grid(at for at, literal in enumerate(literals) if literal == "1")
        starts = range(0, size**3, size)
        return tuple(literals.index("1", start) - start + 1 for start in starts)

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
    constraints = model.proto.constraints
    cells: list[Sequence[int]] = [range(cell * size, cell * size + size) for cell in range(size**2)]
    places = [[c * size + value for c in h.cells] for h in shape.houses for value in range(size)]
    for group in [*cells, *places]:
        constraints.add().exactly_one.literals.extend(group)
    for first, second in shape.pairs:
        for value in range(size):
            pair = (first * size + value, second * size + value)
            constraints.add().at_most_one.literals.extend(pair)
    return model


def candidate_model(candidates: Candidates) -> "CpModel":
    """The Boolean model of the candidates of a puzzle alone."""
    model = model_with(len(candidates), 1, least=0, greatest=1)
    constraints = model.proto.constraints
    for group in candidates.groups:
        constraints.add().exactly_one.literals.extend(group)
    for literals, coefficients, least, most in candidates.encoding.rows:
        linear = constraints.add().linear
        linear.vars.extend(literal - 1 for literal in literals)
        linear.coeffs.extend(coefficients)
        linear.domain.extend((least, most))
    if candidates.refuted:
        model.add_bool_or([])
    return model


def integer_model(shape: Shape) -> "CpModel":
    """The integer model: variable `cell` is the value of the cell."""
    model = model_with(shape.size, shape.size, least=1, greatest=shape.size)
    for cells in (*(house.cells for house in shape.houses), *shape.pairs):
        expressions = model.proto.constraints.add().all_diff.exprs
        for cell in cells:
            expression = expressions.add()
            expression.vars.append(cell)
            expression.coeffs.append(1)
    for primitive in shape.primitives:
        add_integer_constraint(model, primitive, shape.size)
    return model


def add_integer_constraint(model: "CpModel", primitive: Primitive, size: int) -> None:
    """Add a constraint to the integer model: a table, a linear sum or tables of states."""
    from ortools.sat.python import cp_model

    if not hasattr(model.proto, "merge_from"):
        raise Unsupported("formulation=integer takes constraints from OR-Tools 9.15 on")
    variable = model.get_int_var_from_proto_index
    match primitive:
        case Relation(one, other, table):
            pairs = [(u, w) for u, row in enumerate(table, 1) for w in values_in(row)]
            model.add_allowed_assignments([variable(one), variable(other)], pairs)
        case Sum(cells, coefficients, totals):
            total = cp_model.LinearExpr.weighted_sum([variable(c) for c in cells], coefficients)
            domain = cp_model.Domain.from_values(list(totals))
            model.add_linear_expression_in_domain(total, domain)
        case ValueCount(cells, values, least, most):

            def step(number: int, value: int) -> int | None:
                following = number + (values >> value - 1 & 1)
                return following if following <= most else None

            counter = automaton_of(size, 0, step, lambda number: number >= least)
            add_integer_constraint(model, Line(cells, counter), size)
        case Line(cells):
            # `add_automaton` of OR-Tools 9.15 finds some solutions several times.
            layers = layers_of_line(primitive, [(1 << size) - 1] * size**2)
            if not layers:
                model.add_bool_or([])
            state = None
            for at, (cell, moves) in enumerate(zip(cells, layers, strict=False), 1):
                last = max(after for _, _, after in moves)
                following = model.new_int_var(0, last, "") if at < len(cells) else None
                columns = dict(enumerate((state, variable(cell), following)))
                columns_of_places = {
                    place: column for place, column in columns.items() if column is not None
                }
                rows = {tuple(move[place] for place in columns_of_places) for move in moves}
                model.add_allowed_assignments([*columns_of_places.values()], sorted(rows))
                state = following


def intervals(marks: int) -> list[int]:
    """The first and the last value of each run of candidates, ascending."""
    bounds: list[int] = []
    value = 1
    while marks:
        if marks & 1 and not (bounds and bounds[-1] == value - 1):
            bounds += [value, value]
        elif marks & 1:
            bounds[-1] = value
        marks >>= 1
        value += 1
    return bounds


def model_with(variables: int, times: int, least: int, greatest: int) -> "CpModel":
    """A model with `variables` x `times` variables; copying them is faster than adding each."""
    from ortools.sat.python import cp_model

    model, part = cp_model.CpModel(), cp_model.CpModel()
    for _ in range(variables):
        part.proto.variables.add().domain.extend((least, greatest))
    for _ in range(times):
        merge(model.proto, part.proto)
    return model


def merge(proto: Any, part: Any) -> None:
    """Add a part to a protocol buffer; before OR-Tools 9.15 buffers have another interface."""
    (proto.merge_from if hasattr(proto, "merge_from") else proto.MergeFrom)(part)
