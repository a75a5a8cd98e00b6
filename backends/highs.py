"""Integer programming with HiGHS through its own Python interface.

The model has a 0-1 variable for each candidate, an equality for each group and no
objective. It is passed as one sparse matrix; a cut excludes each solution found.
"""

from typing import Final

import numpy as np

from harness.contract import EVERYTHING, Choices, CoverBackend, CoverQuestion, GaveUp

ENUMERATION: Final = 1 << 16
"""The presolve rule that lets HiGHS 1.14 report a few puzzles with solutions as infeasible."""


class Highs(CoverBackend):
    """HiGHS: branch and cut."""

    name = "highs"
    paradigm = "integer programming"
    distributions = ("highspy",)
    modules = ("highspy",)
    takes = EVERYTHING
    linear = True

    def choices(self, question: CoverQuestion) -> Choices:
        """One solution after another, each cut off after it is found."""
        from highspy import Highs as Solver
        from highspy import HighsLp, HighsModelStatus, HighsVarType, MatrixFormat

        groups, columns = question.candidates.groups, len(question.candidates)
        sums = question.candidates.encoding.rows
        rows = [*groups, *([literal - 1 for literal in row.literals] for row in sums)]
        factors = [1.0] * sum(map(len, groups))
        factors += [float(factor) for row in sums for factor in row.coefficients]
        program = HighsLp()
        program.num_col_, program.num_row_ = columns, len(rows)
        program.col_cost_ = program.col_lower_ = np.zeros(columns)
        program.col_upper_ = np.ones(columns)
        ones = np.ones(len(groups))
        program.row_lower_ = np.concatenate([ones, [row.least for row in sums]])
        program.row_upper_ = np.concatenate([ones, [row.most for row in sums]])
        program.integrality_ = [HighsVarType.kInteger] * columns
        program.a_matrix_.format_ = MatrixFormat.kRowwise
        program.a_matrix_.start_ = np.cumsum([0, *map(len, rows)])
        program.a_matrix_.index_ = np.concatenate(rows)
        program.a_matrix_.value_ = np.array(factors)
        solver = Solver()
        solver.silent()
        solver.setOptionValue("threads", 1)
        solver.setOptionValue("presolve_rule_off", ENUMERATION)
        if question.seconds is not None:
            solver.setOptionValue("time_limit", question.seconds)
        if question.limit > 1 and question.candidates.puzzle.shape.primitives:
            # With presolving, HiGHS 1.14 finds 3 of the 15 solutions of a 4x4 with relations.
            solver.setOptionValue("presolve", "off")
        solver.passModel(program)
        question.search()
        while True:
            solver.run()
            status = solver.getModelStatus()
            if status == HighsModelStatus.kInfeasible:
                return
            if status != HighsModelStatus.kOptimal:
                raise GaveUp
            values = np.asarray(solver.getSolution().col_value)
            choice = np.flatnonzero(values > 0.5).astype(np.int32)
            question.stats["nodes"] = solver.getInfo().mip_node_count
            yield choice.tolist()
            solver.addRow(0.0, len(choice) - 1.0, len(choice), choice, np.ones(len(choice)))
