"""Exact model counting with Ganak.

Ganak counts components separately and caches their counts (Sharma, Roy, Soos and Meel,
"GANAK: a scalable probabilistic exact model counter", IJCAI 2019). It returns no
solution, and counts all solutions even if the limit is smaller.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager

from harness.contract import EVERYTHING, Choices, Count, CoverBackend, CoverQuestion


class Ganak(CoverBackend):
    """Ganak on the extended encoding."""

    name = "ganak"
    paradigm = "model counting"
    distributions = ("pyganak",)
    modules = ("pyganak",)
    takes = EVERYTHING
    solves = False
    heeds_limit = False

    def choices(self, question: CoverQuestion) -> Choices:
        """Not supported: `solve` and `count` do not use it."""
        raise NotImplementedError

    def tally(self, question: CoverQuestion) -> Count:
        """The total, capped at the limit."""
        from pyganak import Counter

        counter = Counter(verbose=0, seed=1)
        for clause in question.candidates.clauses():
            counter.add_clause(clause)
        question.search()
        with _without_output():
            number = int(counter.count())
        return Count(min(number, question.limit), exact=True)


@contextmanager
def _without_output() -> Iterator[None]:
    """Discard standard output: Ganak prints a line about a count of zero, even if not verbose."""
    standard_output, nothing = os.dup(1), os.open(os.devnull, os.O_WRONLY)
    os.dup2(nothing, 1)
    try:
        yield
    finally:
        os.dup2(standard_output, 1)
        os.close(standard_output)
        os.close(nothing)
