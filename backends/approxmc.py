"""Approximate model counting with ApproxMC.

Random parity constraints partition the solutions into cells of similar size, and
ApproxMC counts the solutions of one cell (Soos and Meel, "BIRD: engineering an
efficient CNF-XOR SAT solver", AAAI 2019). The answer is that number, a lower bound; the
statistics hold the estimate of the total.
"""

from dataclasses import dataclass

from harness.contract import (
    EVERYTHING,
    Choices,
    Count,
    CoverBackend,
    CoverQuestion,
    Options,
    option,
)


@dataclass(frozen=True)
class ApproxMCOptions(Options):
    """The precision of the estimate and the random seed."""

    epsilon: float = option(
        0.8, help="tolerance: the estimate is within a factor of 1 + epsilon", minimum=0.1
    )
    delta: float = option(
        0.2, help="probability that the estimate is outside the tolerance", minimum=0.001
    )
    seed: int = option(1, help="random seed for the parity constraints", minimum=0)


class ApproxMC(CoverBackend[ApproxMCOptions]):
    """ApproxMC on the extended encoding; counts are never exact."""

    name = "approxmc"
    paradigm = "approximate model counting"
    distributions = ("pyapproxmc",)
    modules = ("pyapproxmc",)
    takes = EVERYTHING
    solves = False
    heeds_limit = False
    complete = False

    def choices(self, question: CoverQuestion) -> Choices:
        """Not supported: `solve` and `count` do not use it."""
        raise NotImplementedError

    def tally(self, question: CoverQuestion) -> Count:
        """A lower bound, with the estimate in the statistics."""
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
        return Count(min(cell, question.limit), exact=False)
