"""Answer set programming with clingo.

Each candidate is an atom of a choice rule, and exactly one atom of each group holds.
The backend passes this program in ground form, which saves parsing and grounding:

    {holds(C) : candidate(C)}.
    :- group(G), {holds(C) : member(C, G)} != 1.
"""

from harness.base.text import LARGEST_OF_32_BITS
from harness.contract import EVERYTHING, Choices, CoverBackend, CoverQuestion, GaveUp


class Clingo(CoverBackend):
    """clingo: conflict-driven answer set solving."""

    name = "clingo"
    paradigm = "answer set programming"
    distributions = ("clingo",)
    modules = ("clingo",)
    takes = EVERYTHING

    def choices(self, question: CoverQuestion) -> Choices:
        """The answer sets, in clingo's enumeration."""
        from clingo import Control

        control = Control(
            ["--models", str(question.limit_within(LARGEST_OF_32_BITS)), "--warn", "none"]
        )
        with control.backend() as program:
            atoms = [program.add_atom() for _ in range(len(question.candidates))]
            program.add_rule(atoms, choice=True)
            for group in question.candidates.groups:
                atoms_of_group = [atoms[candidate] for candidate in group]
                program.add_rule([], [-atom for atom in atoms_of_group])
                if len(atoms_of_group) > 1:
                    two = program.add_atom()
                    program.add_weight_rule([two], 2, [(atom, 1) for atom in atoms_of_group])
                    program.add_rule([], [two])
            for clause in question.candidates.encoding.clauses:
                literals = (
                    atoms[literal - 1] if literal > 0 else -atoms[-literal - 1]
                    for literal in clause
                )
                program.add_rule([], [-literal for literal in literals])
        question.search()
        with control.solve(yield_=True) as handle:
            for model in handle:
                yield [c for c, atom in enumerate(atoms) if model.is_true(atom)]
            if handle.get().interrupted:
                raise GaveUp
        solving = control.statistics["solving"]["solvers"]
        question.stats |= {name: solving[name] for name in ("choices", "conflicts", "restarts")}
