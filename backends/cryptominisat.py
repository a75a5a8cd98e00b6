"""SAT with CryptoMiniSat."""

from harness.contract import EVERYTHING, Choices, CoverBackend, CoverQuestion, GaveUp


class CryptoMiniSat(CoverBackend):
    """CryptoMiniSat on the extended encoding."""

    name = "cryptominisat"
    paradigm = "SAT"
    distributions = ("pycryptosat",)
    modules = ("pycryptosat",)
    takes = EVERYTHING

    def choices(self, question: CoverQuestion) -> Choices:
        """One model after another, each blocked after it is found."""
        from pycryptosat import Solver

        solver = Solver(threads=1)
        solver.add_clauses(question.candidates.clauses())
        question.search()
        limit = {} if question.seconds is None else {"time_limit": question.seconds}
        while True:
            satisfiable, model = solver.solve(**limit)
            if satisfiable is None:
                raise GaveUp
            if not satisfiable:
                return
            choice = [c for c in range(len(question.candidates)) if model[c + 1]]
            yield choice
            solver.add_clause([-1 - candidate for candidate in choice])
