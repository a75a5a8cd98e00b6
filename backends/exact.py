"""Pseudo-Boolean reasoning with Exact: conflict analysis by cutting planes.

Exact descends from RoundingSat (Elffers and Nordstrom, "Divide and conquer:
towards faster pseudo-Boolean solving", IJCAI 2018).
"""

from harness.contract import EVERYTHING, Choices, CoverBackend, CoverQuestion, GaveUp


class Exact(CoverBackend):
    """A linear equation for each group."""

    name = "exact"
    paradigm = "pseudo-Boolean"
    distributions = ("exact",)
    modules = ("exact",)
    takes = EVERYTHING
    linear = True

    def choices(self, question: CoverQuestion) -> Choices:
        """One solution after another, each excluded after it is found."""
        from exact import Exact as Solver

        names = [f"x{candidate}" for candidate in range(len(question.candidates))]
        solver = Solver()
        for name in names:
            solver.addVariable(name, 0, 1)
        for group in question.candidates.groups:
            solver.addConstraint([(1, names[c]) for c in group], True, 1, True, 1)
        for row in question.candidates.encoding.rows:
            terms = zip(row.coefficients, row.literals, strict=True)
            named_terms = [(factor, names[literal - 1]) for factor, literal in terms]
            solver.addConstraint(named_terms, True, row.least, True, row.most)
        question.search()
        seconds = question.seconds or 0
        while (answer := solver.runFull(optimize=False, timeout=seconds)) == "SAT":
            values = solver.getLastSolutionFor(names)
            yield [candidate for candidate, value in enumerate(values) if value]
            solver.invalidateLastSol(names)
        if answer not in ("UNSAT", "INCONSISTENT"):
            raise GaveUp
