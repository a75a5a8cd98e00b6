"""Exact cover in C: the `exact-cover` package, dancing links on a Boolean matrix."""

import numpy as np

from harness.contract import Choices, CoverBackend, CoverQuestion, Restriction

_MOST_NUMBERS = 2**26
"""Limit on the 32-bit numbers for which the package reserves memory: it reserves one per
candidate for each solution up to the limit, and crashes if it gets no memory."""


class ExactCover(CoverBackend):
    """A row for each candidate, a column for each group."""

    name = "exact-cover"
    paradigm = "exact cover"
    distributions = ("exact-cover",)
    modules = ("exact_cover",)
    takes = CoverBackend.takes | {Restriction.RELATIONS}

    def choices(self, question: CoverQuestion) -> Choices:
        """The covers, up to the limit, from one call."""
        from exact_cover_impl import get_all_solutions

        candidates = question.candidates
        matrix = np.zeros((len(candidates), len(candidates.groups)), np.bool_)
        for group, members in enumerate(candidates.groups):
            matrix[members, group] = True
        question.search()
        most = _MOST_NUMBERS // len(candidates)
        for cover in get_all_solutions(matrix, question.limit_within(most)):
            yield [int(row) for row in cover if row >= 0]
