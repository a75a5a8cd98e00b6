"""Mixed-integer programming: a 0-1 program in PuLP, for any of its solvers.

    x[cell][value]   1 if the cell has the value
    row              the x of a cell sum to 1, as do those of a value in a house
    pair             the x of a value in two cells that differ sum to at most 1
    cut              the x of a known solution sum to less than their number

The program has equality rows and no objective, as in Bartlett, Chartier, Langville and
Rankin, "An Integer Programming Model for the Sudoku Problem" (Journal of Online
Mathematics and its Applications 8, 2008). The *reduced* model contains only the
candidates.
"""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, chdir, contextmanager, nullcontext
from copy import copy
from dataclasses import dataclass
from typing import Any, Final

from harness.contract import (
    Answer,
    Backend,
    Count,
    Options,
    PhaseTimer,
    Stats,
    Status,
    Unavailable,
    option,
)
from harness.puzzles import Grid, Puzzle, Shape

INSTALL: Final = {
    "CBC": "pip install pulp[cbc]",
    "HiGHS": "pip install 'highspy<1.15'",
    "SCIP_PY": "pip install pyscipopt",
    "GUROBI": "pip install gurobipy",
    "CPLEX_PY": "pip install cplex",
}
"""The install command of each solver, by its name in PuLP; CBC stands for its several names."""

NODES: Final[dict[str, Callable[[Any], int]]] = {
    "HiGHS": lambda model: model.getInfo().mip_node_count,
    "SCIP_PY": lambda model: model.getNNodes(),
    "GUROBI": lambda model: model.NodeCount,
    "CPLEX_PY": lambda model: model.solution.progress.get_num_nodes_processed(),
}
"""The number of search nodes in a solver's own model; CBC reports it only in its log."""

LARGEST_WITHOUT_PUMP: Final = 9
"""In larger grids with few givens CBC's feasibility pump finds a solution four times sooner
than branching; in smaller ones it costs time, most of all on hard puzzles."""


@dataclass(frozen=True)
class MilpOptions(Options):
    """The solver and its model."""

    solver: str = option("CBC", help="solver, by its name in PuLP", choices=tuple(INSTALL))
    model: str = option(
        "reduced",
        help="variables: only the candidates, or all cells and values with the givens as bounds",
        choices=("reduced", "full"),
    )


class Milp(Backend[MilpOptions]):
    """Branch and cut over a 0-1 program."""

    name = "milp"
    paradigm = "mixed-integer programming"
    distributions = ("pulp",)
    counts_natively = True
    takes_pencilmarks = True
    takes_pairs = True

    @classmethod
    def load(cls, options: MilpOptions) -> None:
        """Import PuLP and check that the solver is available."""
        if not new_solver(options.solver, None).available():
            reason = f"{options.solver} is not available to PuLP"
            raise Unavailable(reason, INSTALL[options.solver])

    def __init__(self, shape: Shape, options: MilpOptions) -> None:
        self.size = shape.size
        self.solver = options.solver
        blank = Puzzle(shape, (0,) * shape.size**2)
        self.full = Program(blank) if options.model == "full" else None

    def solve(self, puzzle: Puzzle) -> Answer:
        """A solution, the proof that none exists, or unknown if the solver gives up."""
        timer = PhaseTimer()
        with self.program(puzzle) as program:
            timer.search()
            status = self.run(program)
            timer.decode()
            stats = self.stats(program)
            if status is Status.SOLVED:
                return Answer.solved(program.grid(puzzle), stats, timer.stop())
        if status is Status.UNSATISFIABLE:
            return Answer.unsatisfiable(stats, timer.stop())
        return Answer.unknown(stats, timer.stop())

    def count(self, puzzle: Puzzle, limit: int) -> Count:
        """The number of solutions, up to `limit`, with one search for each.

        Each search gets the whole time limit.
        """
        timer = PhaseTimer()
        number, witness, status = 0, None, Status.SOLVED
        with self.program(puzzle) as program:
            program = program.copy()
            while number < limit:
                timer.search()
                status = self.run(program)
                if status is not Status.SOLVED:
                    break
                timer.decode()
                number += 1
                witness = program.grid(puzzle)
                timer.encode()
                program.cut_off(witness, puzzle)
            stats = self.stats(program)
        exact = status is Status.UNSATISFIABLE
        return Count(number, exact, witness, stats, timer.stop())

    @contextmanager
    def program(self, puzzle: Puzzle) -> Iterator["Program"]:
        """The reduced program of this puzzle, or the full one with its values as bounds."""
        if self.full is None:
            yield Program(puzzle)
            return
        x, values = self.full.x, range(1, self.size + 1)
        fixed = [x[cell][value] for cell, value in enumerate(puzzle.givens) if value]
        excluded = []
        if puzzle.pencilmarks is not None:
            for cell, marks in enumerate(puzzle.pencilmarks):
                if not puzzle.givens[cell]:
                    excluded += [x[cell][v] for v in values if not marks >> v - 1 & 1]
        try:
            for variable in fixed:
                variable.lowBound = 1
            for variable in excluded:
                variable.upBound = 0
            yield self.full
        finally:
            for variable in fixed:
                variable.lowBound = 0
            for variable in excluded:
                variable.upBound = 1

    def run(self, program: "Program") -> Status:
        """Solve the program; anything but a proven status is unknown."""
        import pulp

        if program.infeasible:
            return Status.UNSATISFIABLE
        if not program.x:
            return Status.SOLVED
        solver = new_solver(self.solver, self.time_limit, pump=self.size > LARGEST_WITHOUT_PUMP)
        with spaceless(solver):
            program.problem.solve(solver)
        problem = program.problem
        # `status` is "optimal" even if the time limit stopped the search at a solution.
        if problem.sol_status == pulp.LpSolutionOptimal:
            return Status.SOLVED
        if problem.status != pulp.LpStatusInfeasible:
            return Status.UNKNOWN
        if self.solver == "CPLEX_PY":
            # PuLP reports "infeasible" even if the time limit came before the first solution.
            solution = problem.solverModel.solution
            if solution.get_status() == solution.status.MIP_time_limit_infeasible:
                return Status.UNKNOWN
        return Status.UNSATISFIABLE

    def stats(self, program: "Program") -> Stats:
        """The size of the program, and the nodes of the last search if the solver reports them."""
        stats = {"variables": sum(map(len, program.x.values())), "constraints": program.rows}
        model = getattr(program.problem, "solverModel", None)
        if self.solver in NODES and model is not None:
            stats["nodes"] = int(NODES[self.solver](model))
        return stats


class Program:
    """The 0-1 program of a puzzle over its blank cells."""

    def __init__(self, puzzle: Puzzle) -> None:
        import pulp

        shape, givens, allowed = puzzle.shape, puzzle.givens, puzzle.allowed
        values = range(1, shape.size + 1)
        self.problem: Any = pulp.LpProblem("sudoku")
        # PuLP 4 has only the former, releases before 3.3 only the latter.
        new_variable = getattr(self.problem, "add_variable", pulp.LpVariable)
        self.x: dict[int, dict[int, Any]] = {}
        self.infeasible = False
        """Whether the candidates alone rule out a solution; the solver is not called then."""

        for cell, given in enumerate(givens):
            taken = {givens[peer] for peer in shape.peers[cell]}
            if not given:
                self.x[cell] = {
                    value: new_variable(f"x_{cell}_{value}", cat="Binary")
                    for value in values
                    if value not in taken and allowed[cell] >> value - 1 & 1
                }
            elif given in taken:
                self.infeasible = True
        groups = [list(candidates.values()) for candidates in self.x.values()]
        for house in shape.houses:
            placed = {givens[cell] for cell in house.cells}
            blank = [self.x[cell] for cell in house.cells if cell in self.x]
            groups += [
                [candidates[value] for candidates in blank if value in candidates]
                for value in values
                if value not in placed
            ]
        for group in groups:
            self.infeasible |= not group
            self.problem += pulp.lpSum(group) == 1
        apart = [
            [self.x[one][value], self.x[other][value]]
            for one, other in shape.pairs
            for value in values
            if value in self.x.get(one, ()) and value in self.x.get(other, ())
        ]
        for both in apart:
            self.problem += pulp.lpSum(both) <= 1
        self.rows = len(groups) + len(apart)

    def copy(self) -> "Program":
        """A program over the same variables whose cuts do not change this one."""
        twin = copy(self)
        twin.problem = self.problem.copy()
        return twin

    def cut_off(self, solution: Grid, puzzle: Puzzle) -> None:
        """Exclude this solution."""
        import pulp

        chosen = [
            self.x[cell][value] for cell, value in enumerate(solution) if not puzzle.givens[cell]
        ]
        if chosen:
            self.problem += pulp.lpSum(chosen) <= len(chosen) - 1
            self.rows += 1
        else:
            self.infeasible = True

    def grid(self, puzzle: Puzzle) -> Grid:
        """The grid of the givens and the solver's values."""
        grid = list(puzzle.givens)
        for cell, candidates in self.x.items():
            for value, variable in candidates.items():
                # Solvers return integers only up to a tolerance.
                if variable.varValue > 0.5:
                    grid[cell] = value
        return tuple(grid)


def new_solver(name: str, time_limit: float | None, *, pump: bool = False) -> Any:
    """A PuLP solver with one thread and without output; `pump` enables CBC's feasibility pump."""
    import pulp

    if name == "GUROBI":
        # PuLP's shared environment prints the licence when it is created.
        return pulp.GUROBI(
            msg=False,
            timeLimit=time_limit,
            manageEnv=True,
            envOptions={"OutputFlag": 0, "Threads": 1},
        )
    if name != "CBC":
        return pulp.getSolver(name, msg=False, timeLimit=time_limit, threads=1)
    # PuLP includes CBC up to release 3; later releases find it on the path.
    bundled = getattr(pulp, "PULP_CBC_CMD", None)
    return pulp.COIN_CMD(
        path=bundled and bundled.pulp_cbc_path,
        msg=False,
        timeLimit=time_limit,
        # CBC uses one thread by default. With threads=1 it starts a second thread and waits
        # for it, and on a busy machine about one call in a thousand waits forever.
        # Without an objective, cuts and strong branching improve no bound: they cost more
        # time than they save, on hard puzzles ten times more.
        cuts=False,
        strong=0,
        options=["heuristics off", "preprocess off", f"feasibilityPump {'on' if pump else 'off'}"],
    )


def spaceless(solver: Any) -> AbstractContextManager[None]:
    """Keep spaces out of the paths of the solver's temporary files.

    PuLP splits CBC's command line at spaces. If the path of the temporary directory
    contains one, the files are named relative to it.
    """
    directory = getattr(solver, "tmpDir", "")
    if " " not in directory:
        return nullcontext()
    solver.tmpDir = ""
    return chdir(directory)
