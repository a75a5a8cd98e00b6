"""PuLP's interfaces to CBC and HiGHS, with less work for each program.

PuLP writes a file with long numbers and names for CBC, and reads a solution with all zeros.
It passes a program to HiGHS variable by variable and row by row. Both took longer than the
solvers on most 9x9 puzzles. This module imports PuLP: import it only where a solver is needed.
"""

import subprocess
from collections.abc import Iterable
from itertools import accumulate
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pulp

if TYPE_CHECKING:
    from .program import Program, Row

_NO_WINDOW: Final[int] = getattr(subprocess, "CREATE_NO_WINDOW", 0)


class Cbc(pulp.COIN_CMD):  # type: ignore[misc]
    """CBC on a short file, with the options of `command`."""

    def __init__(self, program: "Program | None", command: list[str], **arguments: Any) -> None:
        super().__init__(msg=False, **arguments)
        self.program = program
        self.command = [*command, "-solve", "-solution"]

    def actualSolve(self, problem: Any, **_: Any) -> int:  # noqa: N802  PuLP's name
        """Run CBC on the program, and set the values of its variables and its status.

        Raises:
            PulpSolverError: CBC failed.
        """
        assert self.program is not None
        model, solution = self.create_tmp_files("sudoku", "mps", "sol")
        limit: tuple[str, ...] = ()
        if self.timeLimit is not None:
            # With a limit on CPU time, CBC reports the end of the time as infeasibility.
            limit = ("-sec", str(self.timeLimit), "-timeMode", "elapsed")
        try:
            Path(model).write_text(mps(self.program))
            code = subprocess.run(
                [self.path, model, *limit, *self.command, solution],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                creationflags=_NO_WINDOW,
                check=False,
            ).returncode
            if code or not Path(solution).exists():
                raise pulp.PulpSolverError(f"{self.path} failed with exit code {code}")
            status, solution_status = self.get_status(solution)
            set_values(self.program, values_in(solution, len(self.program.variables)))
        finally:
            self.delete_tmp_files(model, solution)
        problem.assignStatus(status, solution_status)
        return int(status)


class Highs(pulp.HiGHS):  # type: ignore[misc]
    """HiGHS in this process; the program is passed as one sparse matrix."""

    def __init__(self, program: "Program | None", **arguments: Any) -> None:
        super().__init__(msg=False, threads=1, **arguments)
        self.program = program

    def actualSolve(self, problem: Any, **_: Any) -> int:  # noqa: N802  PuLP's name
        """Run HiGHS on the program, and set the values of its variables and its status."""
        from highspy import HighsModelStatus

        assert self.program is not None
        self.createAndConfigureSolver(problem)
        solver = problem.solverModel
        # With the presolve rule of enumeration, HiGHS 1.14 reports a few puzzles as infeasible.
        solver.setOptionValue("presolve_rule_off", 1 << 16)
        solver.passModel(matrix(self.program))
        solver.run()
        status = solver.getModelStatus()
        if status == HighsModelStatus.kOptimal:
            set_values(self.program, solver.getSolution().col_value)
            problem.assignStatus(pulp.LpStatusOptimal, pulp.LpSolutionOptimal)
        elif status in (HighsModelStatus.kInfeasible, HighsModelStatus.kUnboundedOrInfeasible):
            problem.assignStatus(pulp.LpStatusInfeasible, pulp.LpSolutionInfeasible)
        else:
            problem.assignStatus(pulp.LpStatusNotSolved, pulp.LpSolutionNoSolutionFound)
        return int(problem.status)


def matrix(program: "Program") -> Any:
    """The program in the form that HiGHS reads."""
    from highspy import HighsLp, HighsVarType, MatrixFormat

    variables, rows = program.variables, program.rows
    columns = [column for row in rows for column in row.columns]
    factors = [f for row in rows for f in row.factors or [1] * len(row.columns)]
    lp = HighsLp()
    lp.num_col_, lp.num_row_ = len(variables), len(rows)
    lp.col_cost_ = np.zeros(len(variables))
    lp.col_lower_ = np.array([variable.lowBound for variable in variables], float)
    lp.col_upper_ = np.array([variable.upBound for variable in variables], float)
    lp.row_lower_ = np.array([lower_bound(row) for row in rows], float)
    lp.row_upper_ = np.array([row.total for row in rows], float)
    lp.integrality_ = [HighsVarType.kInteger] * len(variables)
    lp.a_matrix_.format_ = MatrixFormat.kRowwise
    lp.a_matrix_.start_ = np.array([0, *accumulate(len(row.columns) for row in rows)])
    lp.a_matrix_.index_ = np.array(columns)
    lp.a_matrix_.value_ = np.array(factors, float)
    return lp


def lower_bound(row: "Row") -> float:
    """The lower bound of a row; minus infinity without one."""
    if row.is_equality:
        return row.total
    return -np.inf if row.least is None else row.least


def mps(program: "Program") -> str:
    """The program in the MPS format, with free fields and names `x0`, `r0`."""
    rows_of: list[list[str]] = [[] for _ in program.variables]
    kinds, totals, ranges = [], [], []
    for number, row in enumerate(program.rows):
        name = f"r{number}"
        kinds.append(f" {'E' if row.is_equality else 'L'} {name}\n")
        totals.append(f" RHS {name} {row.total}\n")
        if row.least is not None and not row.is_equality:
            ranges.append(f" RNG {name} {row.total - row.least}\n")
        if row.factors is None:
            entry = f"{name} 1"
            for column in row.columns:
                rows_of[column].append(entry)
            continue
        for column, factor in zip(row.columns, row.factors, strict=True):
            rows_of[column].append(f"{name} {factor}")
    entries = [f" x{column} {entry}\n" for column, own in enumerate(rows_of) for entry in own]
    bounds = [
        f" BV BND x{column}\n"
        if variable.lowBound < variable.upBound
        else f" FX BND x{column} {variable.lowBound}\n"
        for column, variable in enumerate(program.variables)
    ]
    parts = (
        *("NAME sudoku FREE\nROWS\n N OBJ\n", *kinds),
        *("COLUMNS\n", *entries, "RHS\n", *totals, *(["RANGES\n", *ranges] if ranges else [])),
        *("BOUNDS\n", *bounds, "ENDATA\n"),
    )
    return "".join(parts)


def values_in(path: str, number: int) -> list[float]:
    """The values of `number` variables in CBC's file; it has a header and leaves out zeros."""
    values = [0.0] * number
    for line in Path(path).read_text().splitlines()[1:]:
        *_, name, value, _ = line.split()
        if name[0] == "x":
            values[int(name[1:])] = float(value)
    return values


def set_values(program: "Program", values: Iterable[float]) -> None:
    """Set the values of the program's variables."""
    for variable, value in zip(program.variables, values, strict=True):
        variable.varValue = value
