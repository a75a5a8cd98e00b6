"""Constraint programming with Choco: all-different on integers, dom/wdeg search."""

import importlib

from harness.contract import Options
from harness.contract.cover import Choices, CoverBackend, CoverQuestion, GaveUp


class Choco(CoverBackend):
    """Choco: an integer for each blank cell, an all-different for each house."""

    name = "choco"
    paradigm = "constraint programming"
    distributions = ("pychoco",)
    takes_relations = False

    @classmethod
    def load(cls, options: Options) -> None:
        """Import Choco's bindings."""
        importlib.import_module("pychoco")

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
        solver = model.get_solver()
        if question.seconds is not None:
            solver.limit_time(f"{max(1, round(question.seconds * 1000))}ms")
        question.search()
        while solver.solve():
            yield candidates.chosen([cell.get_value() for cell in cells])
        question.stats |= {"nodes": solver.get_node_count(), "fails": solver.get_fail_count()}
        if solver.get_search_state() != "TERMINATED":
            raise GaveUp
