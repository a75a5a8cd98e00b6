"""Formulations as in tutorials: the whole model is built for every puzzle.

`benchmarks.formulations` compares the backends with these. They solve puzzles of boxed
shapes, do not count, and use the default parameters of the solver with one thread.
"""

from itertools import combinations
from typing import Any

from harness.contract import Answer, Backend, Options
from harness.puzzles import Puzzle, Shape


class Plain(Backend):
    """Base class: the houses of a shape."""

    def __init__(self, shape: Shape, options: Options) -> None:
        self.size = shape.size
        self.houses = [house.cells for house in shape.houses]


class PlainCnf(Plain):
    """The extended encoding on Glucose 4."""

    name = "plain-cnf"
    paradigm = "SAT"
    distributions = ("python-sat",)

    def solve(self, puzzle: Puzzle) -> Answer:
        """Solve the formula with the givens as unit clauses."""
        from pysat.formula import CNF
        from pysat.solvers import Glucose4

        size, formula = self.size, CNF()

        def variable(cell: int, value: int) -> int:
            return cell * size + value

        def exactly_one(literals: list[int]) -> None:
            formula.append(literals)
            for first, second in combinations(literals, 2):
                formula.append([-first, -second])

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
    """One integer variable per cell, all-different per house."""

    name = "plain-cpsat"
    paradigm = "constraint programming"
    distributions = ("ortools",)

    def solve(self, puzzle: Puzzle) -> Answer:
        """Solve the model with the givens as constraints."""
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
    """One binary variable per cell and value, equality constraints, the CBC of PuLP."""

    name = "plain-milp"
    paradigm = "mixed-integer programming"
    distributions = ("pulp",)

    def solve(self, puzzle: Puzzle) -> Answer:
        """Solve the program with the givens as constraints."""
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
