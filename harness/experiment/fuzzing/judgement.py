"""Judgement: how many solutions a puzzle has, and the evidence for it.

Backends have no vote. Evidence is, the strongest first:

    grids         different grids, each checked against houses, givens and pencilmarks
    certificate   a proof that no further solution exists, checked step by step
    enumeration   the count of the internal solver, which no backend uses
"""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from harness.experiment.certification import Certifiers, default_provers
from harness.experiment.fuzzing.claims import EVERY_NUMBER, Interval
from harness.experiment.fuzzing.reference import enumerated_patiently
from harness.puzzles.puzzle import Puzzle


class Evidence(StrEnum):
    """How a judgement was reached."""

    GRIDS = "different grids, each checked against the puzzle"
    CERTIFICATE = "a certificate whose proof was checked step by step"
    ENUMERATION = "enumeration by the internal solver"
    NONE = "none: no evidence independent of the backends"


@dataclass(frozen=True, slots=True)
class Judgement:
    """What is known of the number of solutions of a puzzle."""

    solutions: Interval
    evidence: Evidence


_MOST_PROVEN: Final = 2_000
"""Solutions up to which a number is proven: a second."""


class Judge:
    """Determines numbers of solutions; remembers those of its puzzles.

    Args:
        certifiers: prove exact numbers of solutions; None to do without certificates.
    """

    def __init__(self, certifiers: Certifiers | None = None) -> None:
        self._certifiers = certifiers
        self._counted: dict[Puzzle, Interval] = {}

    def enumerated(self, puzzle: Puzzle) -> Interval:
        """The number of solutions by the internal solver alone, which is quick."""
        if puzzle not in self._counted:
            self._counted[puzzle] = enumerated_patiently(puzzle)
        return self._counted[puzzle]

    def judged(self, puzzle: Puzzle, claims: Iterable[Interval], grids: Iterable[str]) -> Judgement:
        """The number of solutions, with the least evidence that refutes all wrong claims.

        Args:
            puzzle: the puzzle.
            claims: the claims in question.
            grids: solutions of it that were checked, as lines.
        """
        claims = list(claims)
        shown = Interval(len(set(grids)))
        counted = self.enumerated(puzzle)
        refuted = [claim for claim in claims if claim.excludes(counted)]
        if refuted and all(claim.is_below(counted) for claim in refuted):
            enough = 1 + max(claim.most or 0 for claim in refuted)
            if shown.least < enough:
                shown = Interval(max(shown.least, self._grids(puzzle, enough)))
            if shown.least >= enough:
                return Judgement(shown, Evidence.GRIDS)
        proven = self._proven(puzzle, counted)
        if proven is not None:
            return Judgement(proven, Evidence.CERTIFICATE)
        if counted != EVERY_NUMBER:
            return Judgement(counted, Evidence.ENUMERATION)
        if shown.least:
            return Judgement(shown, Evidence.GRIDS)
        return Judgement(EVERY_NUMBER, Evidence.NONE)

    def _grids(self, puzzle: Puzzle, number: int) -> int:
        """How many different solutions a prover shows, up to `number`; the verifier checks them."""
        if self._certifiers is None or number > _MOST_PROVEN:
            return 0
        found = self._certifiers.certify(puzzle, number, default_provers(number))
        return len(found.certificate.solutions) if found.certificate else 0

    def _proven(self, puzzle: Puzzle, counted: Interval) -> Interval | None:
        """The number of solutions by a certificate; None without one, or for very many."""
        if self._certifiers is None or not counted.least <= _MOST_PROVEN:
            return None
        limit = counted.least + 2
        found = self._certifiers.certify(puzzle, limit, default_provers(limit))
        if found.certificate is None:
            return None
        claim = found.certificate.claim
        return Interval(claim.number, claim.number if claim.is_exact else None)
