"""SMT with cvc5: the clauses of the extended encoding as terms."""

from harness.contract import EVERYTHING, Choices, CoverBackend, CoverQuestion, GaveUp


class Cvc5(CoverBackend):
    """cvc5 on pure Booleans."""

    name = "cvc5"
    paradigm = "SMT"
    distributions = ("cvc5",)
    modules = ("cvc5",)
    takes = EVERYTHING

    def choices(self, question: CoverQuestion) -> Choices:
        """One model after another, each excluded after it is found."""
        from cvc5 import Kind, Solver

        solver = Solver()
        solver.setLogic("QF_UF")
        solver.setOption("produce-models", "true")
        solver.setOption("simplification", "none")  # costs more time than it saves
        if question.limit > 1:
            solver.setOption("incremental", "true")
        if question.seconds is not None:
            solver.setOption("tlimit-per", str(max(1, round(question.seconds * 1000))))
        boolean = solver.getBooleanSort()
        holds = [solver.mkConst(boolean) for _ in range(len(question.candidates))]
        fails = [term.notTerm() for term in holds]
        for clause in question.candidates.clauses():
            terms = [holds[v - 1] if v > 0 else fails[-v - 1] for v in clause]
            solver.assertFormula(terms[0] if len(terms) == 1 else solver.mkTerm(Kind.OR, *terms))
        question.search()
        while (answer := solver.checkSat()).isSat():
            values = solver.getValue(holds)
            choice = [c for c, value in enumerate(values) if value.getBooleanValue()]
            yield choice
            unless = [fails[candidate] for candidate in choice]
            solver.assertFormula(unless[0] if len(unless) == 1 else solver.mkTerm(Kind.OR, *unless))
        if not answer.isUnsat():
            raise GaveUp
