"""Each way of solving as the usual tutorial writes it: everything anew for every puzzle.

What `backends` does is measured against these. They are for boxed shapes, solve
and do not count, and leave every parameter of the solver at its default, but
for the one thread that every backend gets.
"""

from itertools import combinations
from typing import Any

from harness.contract import Answer, Backend, Options
from harness.puzzles import Puzzle, Shape


class Plain(Backend):
    """A tutorial's solver."""

    def __init__(self, shape: Shape, options: Options) -> None:
        self.size = shape.size
        self.houses = [house.cells for house in shape.houses]


class PlainCnf(Plain):
    """The extended encoding, its clauses written for every puzzle."""

    name = "plain-cnf"
    paradigm = "SAT"
    distributions = ("python-sat",)

    def solve(self, puzzle: Puzzle) -> Answer:
        """Write all clauses and the givens as units; glucose4."""
        from pysat.formula import CNF
        from pysat.solvers import Glucose4

        size, formula = self.size, CNF()

        def variable(cell: int, value: int) -> int:
            return cell * size + value

        def exactly_one(literals: list[int]) -> None:
            formula.append(literals)
            for one, other in combinations(literals, 2):
                formula.append([-one, -other])

        for cell in range(size * size):
            exactly_one([variable(cell, value) for value in range(1, size + 1)])
        for value in range(1, size + 1):
            for cells in self.houses:
                exactly_one([variable(cell, value) for cell in cells])
        for cell, value in enumerate(puzzle.givens):
            if value:
                formula.append([variable(cell, value)])
        with Glucose4(bootstrap_with=formula.clauses) as solver:
            if not solver.solve():
                return Answer.unsatisfiable()
            model = set(solver.get_model())
        return Answer.solved(
            tuple(
                next(v for v in range(1, size + 1) if variable(cell, v) in model)
                for cell in range(size * size)
            )
        )


class PlainCpSat(Plain):
    """An integer for each cell and all-different for each house."""

    name = "plain-cpsat"
    paradigm = "constraint programming"
    distributions = ("ortools",)

    def solve(self, puzzle: Puzzle) -> Answer:
        """Build the model with the givens in it."""
        from ortools.sat.python import cp_model

        model = cp_model.CpModel()
        cells = [model.new_int_var(1, self.size, f"cell {n}") for n in range(self.size**2)]
        for house in self.houses:
            model.add_all_different([cells[cell] for cell in house])
        for cell, value in enumerate(puzzle.givens):
            if value:
                model.add(cells[cell] == value)
        solver = cp_model.CpSolver()
        solver.parameters.num_workers = 1
        if solver.solve(model) not in (cp_model.OPTIMAL, cp_model.FEASIBLE):
            return Answer.unsatisfiable()
        return Answer.solved(tuple(solver.value(cell) for cell in cells))


class PlainMilp(Plain):
    """A binary for each cell and value, with equality rows; the CBC that PuLP brings."""

    name = "plain-milp"
    paradigm = "mixed-integer programming"
    distributions = ("pulp",)

    def solve(self, puzzle: Puzzle) -> Answer:
        """Build the program with the givens as rows."""
        import pulp

        problem: Any = pulp.LpProblem("sudoku", pulp.LpMinimize)
        values, cells = range(1, self.size + 1), range(self.size**2)
        x = pulp.LpVariable.dicts("x", (cells, values), cat="Binary")
        problem += 0
        for cell in cells:
            problem += pulp.lpSum(x[cell][value] for value in values) == 1
        for house in self.houses:
            for value in values:
                problem += pulp.lpSum(x[cell][value] for cell in house) == 1
        for cell, value in enumerate(puzzle.givens):
            if value:
                problem += x[cell][value] == 1
        problem.solve(pulp.PULP_CBC_CMD(msg=False))
        if problem.sol_status != pulp.LpSolutionOptimal:
            return Answer.unsatisfiable()
        return Answer.solved(
            tuple(next(v for v in values if x[cell][v].varValue > 0.5) for cell in cells)
        )
