"""Findings: what the answers about a block show."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from math import inf
from types import MappingProxyType
from typing import Final

from harness.contract.capabilities import Capability
from harness.experiment.fuzzing.blocks import Block
from harness.experiment.fuzzing.claims import EVERY_NUMBER, Interval, claim_of
from harness.experiment.fuzzing.laws import Law, Relation
from harness.experiment.fuzzing.reference import QUICK_NODES, enumerated
from harness.puzzles.puzzle import Puzzle
from harness.records.configuration import Configuration
from harness.records.question import Start
from harness.records.trial import TrialRecord
from harness.records.verdict import Verdict


class Fault(StrEnum):
    """What is wrong with an answer."""

    WRONG = "wrong answer"
    """The answer breaks the contract by itself: a grid with an error, a number above the limit."""
    CONTRADICTION = "contradiction"
    """Another answer, or the internal solver, excludes the claim."""
    LAW = "broken law"
    """The claims on related puzzles exclude each other."""
    CRASHED = "crash"
    EXACT_AT_LIMIT = "exact at the limit"
    """A count that stopped at its limit is called exact."""
    GAVE_UP = "gave up"
    """A backend that decides every puzzle gave up long before its time limit."""


@dataclass(frozen=True, slots=True)
class Finding:
    """Answers that cannot all be right."""

    fault: Fault
    block: int
    """The number of its block."""
    puzzles: tuple[Puzzle, ...]
    """The puzzle, or the base of a broken law and the puzzles derived from it."""
    records: tuple[TrialRecord, ...]
    """The answers that may be wrong: one, or all claims on the puzzles."""
    law: Law | None = None


_OWN_FAULTS: Final[Mapping[Verdict, Fault]] = {
    Verdict.WRONG: Fault.WRONG,
    Verdict.CRASHED: Fault.CRASHED,
}
_COUNTED: Final = 400
"""Solutions up to which the internal solver counts, unless a backend counts further."""
_MOST_COUNTED: Final = 400_000


def findings_of(
    block: Block,
    records: Mapping[Puzzle, Sequence[TrialRecord]],
    configurations: Mapping[str, Configuration],
) -> Iterator[Finding]:
    """The findings of a finished block.

    Args:
        block: the block.
        records: the finished trials on each puzzle.
        configurations: the configurations by their specs.
    """
    known: dict[Puzzle, Interval] = {}
    calls = seconds_of_calls(record for answers in records.values() for record in answers)
    contradicted: set[Puzzle] = set()
    for puzzle, answers in records.items():
        for record in answers:
            configuration = configurations.get(record.trial.spec)
            fault = fault_of(record, configuration, calls)
            if fault:
                yield Finding(fault, block.number, (puzzle,), (record,))
        claims = [(claim, r) for r in answers if (claim := claim_of(r)) is not None]
        claimed = max((claim.least for claim, _ in claims), default=0)
        number = min(max(_COUNTED, claimed + 1), _MOST_COUNTED)
        reference = enumerated(puzzle, number, max(QUICK_NODES, 4 * number))
        common = Interval.common([reference, *(claim for claim, _ in claims)])
        if common is None:
            contradicted.add(puzzle)
            excluded = tuple(r for claim, r in claims if claim.excludes(reference))
            suspects = excluded or tuple(r for _, r in claims)
            yield Finding(Fault.CONTRADICTION, block.number, (puzzle,), suspects)
        known[puzzle] = common or EVERY_NUMBER
    for relation in block.relations:
        members = (relation.base, *relation.derived)
        if contradicted.isdisjoint(members) and not _is_kept(relation, known):
            involved = tuple(
                record
                for puzzle in members
                for record in records.get(puzzle, ())
                if claim_of(record) is not None
            )
            yield Finding(Fault.LAW, block.number, members, involved, relation.law)


def _is_kept(relation: Relation, known: Mapping[Puzzle, Interval]) -> bool:
    base = known.get(relation.base, EVERY_NUMBER)
    return relation.is_kept(base, [known.get(p, EVERY_NUMBER) for p in relation.derived])


def fault_of(
    record: TrialRecord,
    configuration: Configuration | None = None,
    calls: Mapping[str, float] = MappingProxyType({}),
) -> Fault | None:
    """What is wrong with an answer by itself; None if nothing is.

    Args:
        record: the finished trial.
        configuration: its configuration, if it is known.
        calls: the seconds of the calls that answered whole batches, by their names.
    """
    if record.verdict is Verdict.UNKNOWN:
        return Fault.GAVE_UP if _need_not_give_up(record, configuration, calls) else None
    if record.verdict is Verdict.COUNTED and record.outcome.exact and not record.exact:
        return Fault.EXACT_AT_LIMIT
    return _OWN_FAULTS.get(record.verdict)


def _need_not_give_up(
    record: TrialRecord, configuration: Configuration | None, calls: Mapping[str, float]
) -> bool:
    """Whether the backend decides every puzzle and had most of its time left.

    With some options it may give up, as the detail of the outcome shows.
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
    found: defaultdict[str, float] = defaultdict(float)
    for record in records:
        if record.trial.call:
            found[record.trial.call] += record.outcome.wall_s or 0.0
    return found


def by_puzzle(records: Sequence[TrialRecord]) -> dict[Puzzle, list[TrialRecord]]:
    """The records on each puzzle."""
    found: defaultdict[Puzzle, list[TrialRecord]] = defaultdict(list)
    for record in records:
        found[record.trial.instance.puzzle].append(record)
    return dict(found)
