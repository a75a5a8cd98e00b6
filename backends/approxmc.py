"""Approximate model counting with ApproxMC: an estimate, and never more than that.

Random parity constraints cut the solutions into cells of about the same size,
and those of one cell are counted (Soos and Meel, "BIRD: engineering an efficient
CNF-XOR SAT solver", AAAI 2019). The solutions of that cell were seen, so their
number is a lower bound, and that is all that the answer claims; the estimate
itself stands among the statistics.
"""

import importlib
from dataclasses import dataclass

from harness.contract import Options, Unsupported, option
from harness.contract.cover import Choices, CoverBackend, Found, Question


@dataclass(frozen=True)
class ApproxMCOptions(Options):
    """How near the estimate has to be, how often, and what chance begins with."""

    epsilon: float = option(0.8, help="the estimate is within a factor of 1 + epsilon", minimum=0.1)
    delta: float = option(0.2, help="in all but this share of the cases", minimum=0.001)
    seed: int = option(1, help="of the random constraints", minimum=0)


class ApproxMC(CoverBackend):
    """ApproxMC on the extended encoding; its counts are never exact."""

    name = "approxmc"
    paradigm = "approximate model counting"
    distributions = ("pyapproxmc",)
    solves = False
    heeds_limit = False
    options_type = ApproxMCOptions
    options: ApproxMCOptions
    complete = False

    @classmethod
    def load(cls, options: Options) -> None:
        """Import ApproxMC."""
        importlib.import_module("pyapproxmc")

    def choices(self, question: Question) -> Choices:
        """Never: there is nothing to see.

        Raises:
            Unsupported: always.
        """
        raise Unsupported("approxmc counts solutions and shows none")

    def tally(self, question: Question) -> Found:
        """A lower bound, with the estimate among the statistics."""
        from pyapproxmc import Counter

        options = self.options
        counter = Counter(
            verbosity=0, seed=options.seed, epsilon=options.epsilon, delta=options.delta
        )
        for clause in question.candidates.clauses():
            counter.add_clause(clause)
        question.search()
        cell, halvings = counter.count()
        question.stats["estimate"] = cell * 2**halvings
        return Found(min(cell, question.limit), complete=False)
