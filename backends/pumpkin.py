"""Lazy clause generation with Pumpkin: all-different on integers, explained as clauses."""

from harness.contract import Choices, CoverBackend, CoverQuestion, GaveUp


class Pumpkin(CoverBackend):
    """Pumpkin: an integer for each blank cell, an all-different for each house."""

    name = "pumpkin"
    paradigm = "lazy clause generation"
    distributions = ("pumpkin-solver",)
    modules = ("pumpkin_solver",)

    def choices(self, question: CoverQuestion) -> Choices:
        """One solution after another, each excluded after it is found."""
        from pumpkin_solver import Comparator, Model, Predicate, SatisfactionResult, constraints

        candidates = question.candidates
        model = Model()
        tag = model.new_constraint_tag()
        cells = []
        for values in candidates.domains():
            cell = model.new_integer_variable(values[0], values[-1])
            cells.append(cell)
            for value in set(range(values[0], values[-1])).difference(values):
                model.add_constraint(constraints.NotEquals([cell], value, tag))
        for house in candidates.different():
            model.add_constraint(constraints.AllDifferent([cells[c] for c in house], tag))
        question.search()
        while True:
            match model.satisfy(timeout=question.seconds):
                case SatisfactionResult.Satisfiable(solution):
                    grid_values = [solution.int_value(cell) for cell in cells]
                    yield candidates.candidates_of(grid_values)
                    other = [
                        model.predicate_as_boolean(Predicate(cell, Comparator.NotEqual, value), tag)
                        for cell, value in zip(cells, grid_values, strict=True)
                    ]
                    model.add_constraint(constraints.Clause(other, tag))
                case SatisfactionResult.Unsatisfiable():
                    return
                case _:
                    raise GaveUp
