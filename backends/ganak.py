"""Exact model counting with Ganak, which does not show a solution.

It counts by components and caches what it has counted (Sharma, Roy, Soos and
Meel, "GANAK: a scalable probabilistic exact model counter", IJCAI 2019). It
always counts to the end, whatever the limit.
"""

import importlib

from harness.contract import Options, Unsupported
from harness.contract.cover import Choices, CoverBackend, Found, Question


class Ganak(CoverBackend):
    """Ganak on the extended encoding."""

    name = "ganak"
    paradigm = "model counting"
    distributions = ("pyganak",)
    solves = False
    heeds_limit = False

    @classmethod
    def load(cls, options: Options) -> None:
        """Import Ganak."""
        importlib.import_module("pyganak")

    def choices(self, question: Question) -> Choices:
        """Never: there is nothing to see.

        Raises:
            Unsupported: always.
        """
        raise Unsupported("ganak counts solutions and shows none")

    def tally(self, question: Question) -> Found:
        """All there are, told up to the limit."""
        from pyganak import Counter

        counter = Counter(verbose=0, seed=1)
        for clause in question.candidates.clauses():
            counter.add_clause(clause)
        question.search()
        number = int(counter.count())
        return Found(min(number, question.limit), complete=True)
