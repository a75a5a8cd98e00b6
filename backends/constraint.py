"""Constraint programming with python-constraint: backtracking with forward checking."""

from harness.contract import Choices, CoverBackend, CoverQuestion


class Constraint(CoverBackend):
    """An integer for each blank cell, an all-different for each house."""

    name = "python-constraint"
    paradigm = "constraint programming"
    distributions = ("python-constraint2",)
    modules = ("constraint",)

    def choices(self, question: CoverQuestion) -> Choices:
        """The solutions that the backtracking search finds."""
        from constraint import AllDifferentConstraint, Problem

        candidates = question.candidates
        problem = Problem()
        for cell, values in enumerate(candidates.domains()):
            problem.addVariable(cell, values)
        for house in candidates.different():
            problem.addConstraint(AllDifferentConstraint(), house)
        question.search()
        for solution in problem.getSolutionIter():
            yield candidates.candidates_of(solution[cell] for cell in range(len(candidates.cells)))
