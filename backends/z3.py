"""SMT with Z3's solver for finite domains, a SAT solver with cardinality constraints.

The backend passes the formula as SMT-LIB text and reads the model through the C
interface, because terms in Python take several times as long.
"""

from typing import Any

from harness.contract import EVERYTHING, Choices, CoverBackend, CoverQuestion, GaveUp


class Z3(CoverBackend):
    """Z3 with the logic QF_FD."""

    name = "z3"
    paradigm = "SMT"
    distributions = ("z3-solver",)
    modules = ("z3",)
    takes = EVERYTHING

    def choices(self, question: CoverQuestion) -> Choices:
        """One model after another, each excluded after it is found."""
        import z3

        text = [f"(declare-const x{c} Bool)" for c in range(len(question.candidates))]
        for group in question.candidates.groups:
            names = " ".join(f"x{candidate}" for candidate in group)
            text.append(f"(assert (or {names}))")
            text.append(f"(assert ((_ at-most 1) {names}))")
        for clause in question.candidates.encoding.clauses:
            terms = (f"x{v - 1}" if v > 0 else f"(not x{-v - 1})" for v in clause)
            text.append(f"(assert (or {' '.join(terms)}))")
        solver = z3.SolverFor("QF_FD")
        if question.seconds is not None:
            solver.set("timeout", max(1, round(question.seconds * 1000)))
        solver.from_string("\n".join(text))
        question.search()
        while (answer := solver.check()) == z3.sat:
            choice = true_variables(solver.model())
            yield choice
            solver.add(z3.Or([z3.Not(z3.Bool(f"x{candidate}")) for candidate in choice]))
        if answer != z3.unsat:
            raise GaveUp


def true_variables(model: Any) -> list[int]:
    """The numbers of the variables that are true in `model`."""
    import z3

    context, variables = model.ctx.ref(), []
    for place in range(len(model)):
        constant = z3.Z3_model_get_const_decl(context, model.model, place)
        value = z3.Z3_model_get_const_interp(context, model.model, constant)
        if z3.Z3_get_bool_value(context, value) == z3.Z3_L_TRUE:
            name = z3.Z3_get_symbol_string(context, z3.Z3_get_decl_name(context, constant))
            variables.append(int(name[1:]))
    return variables
