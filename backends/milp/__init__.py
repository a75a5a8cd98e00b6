"""Mixed-integer programming: a 0-1 program in PuLP, for its solvers CBC and HiGHS.

    variable   1 if a cell has a value
    row        the variables of a cell sum to 1, as do those of a value in a house
    pair       the variables of a value in two cells that differ sum to at most 1
    cut        the variables of a known solution sum to less than their number

The program has equality rows and no objective, as in Bartlett, Chartier, Langville and
Rankin, "An Integer Programming Model for the Sudoku Problem" (Journal of Online
Mathematics and its Applications 8, 2008). The *reduced* model contains only the
candidates.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

from harness.contract import (
    EVERYTHING,
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
from harness.puzzles import Puzzle, Shape

from .program import Program

INSTALL: Final = {
    "CBC": "pip install pulp[cbc]",
    "HiGHS": "pip install 'highspy<1.15'",
}
"""The install command of each solver, by its name in PuLP, which has several names for CBC.

SCIP, Gurobi and CPLEX are backends of their own."""

CBC_OPTIONS: Final = "-cuts off -strong 0 -heuristics off"
"""Without an objective, cuts and strong branching improve no bound: they cost more time than they
save, on hard puzzles ten times more.

CBC uses one thread by default. With `-threads 1` it starts a second thread and waits for it, and
on a busy machine about one call in a thousand waits forever."""

LARGEST_WITHOUT_PUMP: Final = 9
"""In larger grids with few givens CBC's feasibility pump finds a solution four times sooner
than branching; in smaller ones it costs time, most of all on hard puzzles."""
LARGEST_WITHOUT_PREPROCESSING: Final = 36
"""In larger grids CBC's preprocessing decides most cells: it solves in a third of a second
64x64 puzzles that take longer than ten seconds without."""


@dataclass(frozen=True)
class MilpOptions(Options):
    """The solver and its model."""

    solver: str = option("CBC", help="solver, by its name in PuLP", choices=tuple(INSTALL))
    model: str = option(
        "reduced",
        help="variables: only the candidates, or all cells and values with the givens as bounds",
        choices=("reduced", "full"),
    )
    cages: str = option(
        "combinations",
        help="encoding of sums of different cells: a variable for each combination of values, or "
        "a linear sum",
        choices=("combinations", "linear"),
    )


class Milp(Backend[MilpOptions]):
    """Branch and cut over a 0-1 program."""

    name = "milp"
    paradigm = "mixed-integer programming"
    distributions = ("pulp",)
    counts_natively = True
    takes = EVERYTHING

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
        self.build = partial(Program, combine=options.cages == "combinations")
        self.full = self.build(blank) if options.model == "full" else None

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
        """The reduced program, or the full one with givens and pencilmarks as bounds."""
        if self.full is None:
            yield self.build(puzzle)
            return
        full, size = self.full, self.size
        # Constraints leave a blank grid without some candidates.
        x = dict(zip(full.meaning, full.variables, strict=True))
        givens = [(cell, value) for cell, value in enumerate(puzzle.givens) if value]
        if not all(assignment in x for assignment in givens):
            full = full.copy()
            full.infeasible = True
        ones = [x[assignment] for assignment in givens if assignment in x]
        zeros = []
        if puzzle.pencilmarks is not None:
            for cell, marks in enumerate(puzzle.pencilmarks):
                if not puzzle.givens[cell]:
                    values = (v for v in range(1, size + 1) if not marks >> v - 1 & 1)
                    zeros += [x[cell, value] for value in values if (cell, value) in x]
        try:
            for variable in ones:
                variable.lowBound = 1
            for variable in zeros:
                variable.upBound = 0
            yield full
        finally:
            for variable in ones:
                variable.lowBound = 0
            for variable in zeros:
                variable.upBound = 1

    def run(self, program: "Program") -> Status:
        """Solve the program; the status is unknown unless it is proven."""
        import pulp

        if program.infeasible:
            return Status.UNSATISFIABLE
        if not program.variables:
            return Status.SOLVED
        problem = program.problem
        problem.solve(new_solver(self.solver, self.time_limit, program, self.size))
        # `status` is "optimal" even if the time limit stopped the search at a solution.
        if problem.sol_status == pulp.LpSolutionOptimal:
            return Status.SOLVED
        if problem.status == pulp.LpStatusInfeasible:
            return Status.UNSATISFIABLE
        return Status.UNKNOWN

    def stats(self, program: "Program") -> Stats:
        """The size of the program, and the nodes of the last search of HiGHS.

        CBC reports its nodes only in its log.
        """
        stats = {"variables": len(program.variables), "constraints": len(program.rows)}
        model = getattr(program.problem, "solverModel", None)
        if model is not None:
            stats["nodes"] = int(model.getInfo().mip_node_count)
        return stats


def new_solver(
    name: str, time_limit: float | None, program: Program | None = None, size: int = 0
) -> Any:
    """A PuLP solver for the `program` of a grid of this `size`: one thread, no output."""
    import pulp

    from .solvers import Cbc, Highs

    if name == "HiGHS":
        return Highs(program, timeLimit=time_limit)
    # PuLP includes CBC up to release 3; later releases find it on the path.
    cbc = getattr(pulp, "PULP_CBC_CMD", None)
    path = cbc and cbc.pulp_cbc_path
    command = CBC_OPTIONS.split()
    for step, largest_without in (
        ("-preprocess", LARGEST_WITHOUT_PREPROCESSING),
        ("-feasibilityPump", LARGEST_WITHOUT_PUMP),
    ):
        command += [step, "on" if size > largest_without else "off"]
    return Cbc(program, command, path=path, timeLimit=time_limit)
