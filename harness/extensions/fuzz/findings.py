"""Findings: what the answers about a block show, and the evidence for it.

Answers of backends are not evidence. The kinds of evidence, strongest first:

    grids         different grids, each checked against houses, givens and pencilmarks
    certificate   a proof that no further solution exists, checked step by step
    enumeration   the count of the internal solver, which no backend uses
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from math import inf
from types import MappingProxyType

from harness.contract import Capability
from harness.extensions.certificates.certificate import Certificate
from harness.extensions.certificates.certify import Certifiers, default_provers
from harness.extensions.fuzz.puzzles import QUICK_NODES, enumerate_patiently, enumerate_solutions
from harness.extensions.fuzz.stream import Block, Law
from harness.puzzles import EVERY_NUMBER, Puzzle, SolutionCount
from harness.records import Configuration, Start, TrialRecord, Verdict

# Findings: what the answers about a block show.


class FaultKind(StrEnum):
    """What is wrong with an answer."""

    WRONG = "wrong answer"
    """The answer breaks the contract by itself: a grid with an error, a number above the limit."""
    CONTRADICTION = "contradiction"
    """Another answer, or the internal solver, excludes the claim."""
    LAW = "broken law"
    """The claims on related puzzles exclude each other."""
    CRASHED = "crash"
    EXACT_AT_LIMIT = "exact at the limit"
    """A count that stopped at its limit is reported as exact."""
    GAVE_UP = "gave up"
    """A backend that decides every puzzle gave up long before its time limit."""


@dataclass(frozen=True, slots=True)
class FuzzFinding:
    """Answers that cannot all be right."""

    fault: FaultKind
    block: int
    """The number of its block."""
    puzzles: tuple[Puzzle, ...]
    """The puzzle, or the base of a broken law and the puzzles derived from it."""
    records: tuple[TrialRecord, ...]
    """The answers that may be wrong: one, or all claims on the puzzles."""
    law: Law | None = None


def findings_of(
    block: Block,
    records: Mapping[Puzzle, Sequence[TrialRecord]],
    configurations: Mapping[str, Configuration],
) -> Iterator[FuzzFinding]:
    """The findings of a finished block.

    Args:
        block: the block.
        records: the finished trials on each puzzle.
        configurations: the configurations by their specs.
    """
    counts: defaultdict[Puzzle, SolutionCount] = defaultdict(lambda: EVERY_NUMBER)
    calls = seconds_of_calls(record for answers in records.values() for record in answers)
    contradictions: set[Puzzle] = set()
    for puzzle, answers in records.items():
        for record in answers:
            configuration = configurations.get(record.trial.spec)
            fault = fault_of(record, configuration, calls)
            if fault:
                yield FuzzFinding(fault, block.number, (puzzle,), (record,))
        claims = [(claim, r) for r in answers if (claim := r.claim) is not None]
        least = max((claim.least for claim, _ in claims), default=0)
        # The internal solver counts to 400, or beyond the number of a backend, up to 400,000.
        number = min(max(400, least + 1), 400_000)
        reference = enumerate_solutions(puzzle, number, max(QUICK_NODES, 4 * number))
        common = SolutionCount.common([reference, *(claim for claim, _ in claims)])
        if common is None:
            contradictions.add(puzzle)
            counterclaims = tuple(r for claim, r in claims if claim.excludes(reference))
            suspects = counterclaims or tuple(r for _, r in claims)
            yield FuzzFinding(FaultKind.CONTRADICTION, block.number, (puzzle,), suspects)
        counts[puzzle] = common or EVERY_NUMBER
    for relation in block.relations:
        members = (relation.base, *relation.derived)
        base, *derived = (counts[member] for member in members)
        if contradictions.isdisjoint(members) and not relation.is_kept(base, derived):
            answers = [record for member in members for record in records.get(member, ())]
            witnesses = tuple(record for record in answers if record.claim is not None)
            yield FuzzFinding(FaultKind.LAW, block.number, members, witnesses, relation.law)


def fault_of(
    record: TrialRecord,
    configuration: Configuration | None = None,
    calls: Mapping[str, float] = MappingProxyType({}),
) -> FaultKind | None:
    """What is wrong with an answer by itself; None if nothing is.

    Args:
        record: the finished trial.
        configuration: its configuration, if it is known.
        calls: the seconds of the calls that answered whole batches, by their names.
    """
    if record.verdict is Verdict.UNKNOWN:
        return FaultKind.GAVE_UP if _need_not_give_up(record, configuration, calls) else None
    if record.verdict is Verdict.COUNTED and record.outcome.exact and not record.exact:
        return FaultKind.EXACT_AT_LIMIT
    own = {Verdict.WRONG: FaultKind.WRONG, Verdict.CRASHED: FaultKind.CRASHED}
    return own.get(record.verdict)


def _need_not_give_up(
    record: TrialRecord, configuration: Configuration | None, calls: Mapping[str, float]
) -> bool:
    """Whether the backend decides every puzzle and had more than half of its time left.

    An outcome with a detail is excepted: with some options such a backend may give up.
    """
    if configuration is None or configuration.description is None or record.outcome.detail:
        return False
    is_complete = Capability.COMPLETE in configuration.description.capabilities
    wall_s = record.outcome.wall_s or 0.0
    if record.trial.question.start is Start.BATCH:
        wall_s = calls.get(record.trial.call or "", inf)
    return is_complete and wall_s < record.trial.question.timeout_s / 2


def seconds_of_calls(records: Iterable[TrialRecord]) -> Mapping[str, float]:
    """The seconds of each call that answered a batch, by the name of the call."""
    seconds: defaultdict[str, float] = defaultdict(float)
    for record in records:
        if record.trial.call:
            seconds[record.trial.call] += record.outcome.wall_s or 0.0
    return seconds


# Judgement: how many solutions a puzzle has, and the evidence for it.


class Evidence(StrEnum):
    """How a judgement was reached."""

    GRIDS = "different grids, each checked against the puzzle"
    CERTIFICATE = "a certificate whose proof was checked step by step"
    ENUMERATION = "enumeration by the internal solver"
    NONE = "none: no evidence independent of the backends"


@dataclass(frozen=True, slots=True)
class Judgement:
    """What is known about the number of solutions of a puzzle."""

    solutions: SolutionCount
    evidence: Evidence

    def __str__(self) -> str:
        return "unknown" if self.solutions == EVERY_NUMBER else str(self.solutions)


class Judge:
    """Determines numbers of solutions.

    Args:
        certifiers: prove exact numbers of solutions; None to use no certificates.
    """

    def __init__(self, certifiers: Certifiers | None = None) -> None:
        self._certifiers = certifiers

    def judged(
        self, puzzle: Puzzle, claims: Iterable[SolutionCount], grids: Iterable[str]
    ) -> Judgement:
        """The number of solutions, with the simplest evidence that refutes all wrong claims.

        Args:
            puzzle: the puzzle.
            claims: the claims in question.
            grids: checked solutions of the puzzle, as lines.
        """
        claims = list(claims)
        witnesses = SolutionCount(len(set(grids)))
        enumeration = enumerate_patiently(puzzle)
        refutations = [claim for claim in claims if claim.excludes(enumeration)]
        if refutations and all(claim.is_below(enumeration) for claim in refutations):
            enough = 1 + max(claim.most or 0 for claim in refutations)
            if witnesses.least < enough and (certificate := self._certificate(puzzle, enough)):
                witnesses = SolutionCount(max(witnesses.least, len(certificate.solutions)))
            if witnesses.least >= enough:
                return Judgement(witnesses, Evidence.GRIDS)
        if certificate := self._certificate(puzzle, enumeration.least + 2):
            return Judgement(certificate.claim, Evidence.CERTIFICATE)
        if enumeration != EVERY_NUMBER:
            return Judgement(enumeration, Evidence.ENUMERATION)
        if witnesses.least:
            return Judgement(witnesses, Evidence.GRIDS)
        return Judgement(EVERY_NUMBER, Evidence.NONE)

    def _certificate(self, puzzle: Puzzle, limit: int) -> Certificate | None:
        """A certificate for up to `limit` solutions; None without one, or if it takes too long.

        The proof of 2,000 solutions takes about a second.
        """
        if self._certifiers is None or limit > 2_002:
            return None
        return self._certifiers.certify(puzzle, limit, default_provers(limit)).certificate
