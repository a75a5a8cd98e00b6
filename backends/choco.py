"""Constraint programming with Choco: all-different on integers, dom/wdeg search."""

from collections.abc import Callable, Iterable
from typing import Any

from harness.contract import EVERYTHING, Choices, CoverBackend, CoverQuestion, GaveUp
from harness.puzzles import values_in
from harness.puzzles.constraints import Line, Primitive, Relation, Sum, ValueCount


class Choco(CoverBackend):
    """Choco: an integer for each blank cell, an all-different for each house."""

    name = "choco"
    paradigm = "constraint programming"
    distributions = ("pychoco",)
    modules = ("pychoco",)
    takes = EVERYTHING

    def choices(self, question: CoverQuestion) -> Choices:
        """The solutions that Choco finds."""
        from pychoco import Model

        candidates = question.candidates
        model = Model()
        cells = [
            model.intvar(values) if len(values) > 1 else model.intvar(values[0])
            for values in candidates.domains()
        ]
        for house in candidates.different():
            model.all_different([cells[index] for index in house]).post()
        givens, place = candidates.puzzle.givens, candidates.place_of

        def variables(places: Iterable[int]) -> list[Any]:
            return [cells[place[c]] if c in place else model.intvar(givens[c]) for c in places]

        for primitive in candidates.puzzle.shape.primitives:
            post(model, primitive, variables)
        solver = model.get_solver()
        if question.seconds is not None:
            solver.limit_time(f"{max(1, round(question.seconds * 1000))}ms")
        question.search()
        while solver.solve():
            yield candidates.candidates_of([cell.get_value() for cell in cells])
        question.stats |= {"nodes": solver.get_node_count(), "fails": solver.get_fail_count()}
        if solver.get_search_state() != "TERMINATED":
            raise GaveUp


def post(model: Any, primitive: Primitive, variables: Callable[[Iterable[int]], list[Any]]) -> None:
    """Post a constraint as a table, a scalar product, an among or a regular constraint."""
    from pychoco.objects.automaton.finite_automaton import FiniteAutomaton

    match primitive:
        case Relation(one, other, table):
            pairs = [[u, w] for u, row in enumerate(table, 1) for w in values_in(row)]
            if not pairs:
                model.and_([model.boolvar(False)]).post()
                return
            model.table(variables((one, other)), pairs).post()
        case Sum(cells, coefficients, totals):
            total = totals[0] if len(totals) == 1 else model.intvar(list(totals))
            model.scalar(variables(cells), list(coefficients), "=", total).post()
        case ValueCount(cells, values, least, most):
            number = model.intvar(least, min(most, len(cells)))
            model.among(number, variables(cells), values_in(values)).post()
        case Line(cells, automaton):
            machine = FiniteAutomaton()
            states = [machine.add_state() for _ in automaton.accepting]
            machine.set_initial_state(states[0])
            ends = zip(states, automaton.accepting, strict=True)
            machine.set_final(*(state for state, accepts in ends if accepts))
            for before, row in zip(states, automaton.transitions, strict=True):
                for value, after in enumerate(row, 1):
                    if after >= 0:
                        machine.add_transition(before, states[after], value)
            model.regular(variables(cells), machine).post()
