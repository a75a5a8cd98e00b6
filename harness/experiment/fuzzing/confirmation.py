"""Confirmation: from a finding of the stream to a small case that shows the fault."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from harness.contract.spec import BackendSpec
from harness.experiment.fuzzing.calls import Call, Case, call_of
from harness.experiment.fuzzing.claims import Interval, claim_of
from harness.experiment.fuzzing.findings import Fault, Finding, fault_of
from harness.experiment.fuzzing.history import History
from harness.experiment.fuzzing.judgement import Judge, Judgement
from harness.experiment.fuzzing.laws import Law
from harness.experiment.fuzzing.reproduction import FaultyAnswer, Reproducer
from harness.experiment.fuzzing.shrinking import CALL_S, Shrinker
from harness.puzzles.house import House
from harness.records.question import Start
from harness.records.trial import TrialRecord
from harness.records.verdict import Verdict
from harness.text import last_line

_REPETITIONS: Final = 1_000
"""Repetitions of a question whose fault does not show again at once."""
_CHANCES: Final = 3
"""How often a case has to fail to count as one without chance."""


@dataclass(frozen=True, slots=True)
class ConfirmedFault:
    """A fault of one configuration, with the smallest case that shows it."""

    configuration: str
    """The label of the spec that the stream had."""
    fault: Fault
    case: Case
    """The smallest case; the question of the stream if it does not show again."""
    answer: str
    """The wrong answer to the last call."""
    judgement: Judgement
    """The number of solutions of the puzzle with the wrong answer."""
    wrong: int
    """Wrong answers among `repetitions` of the last call."""
    repetitions: int
    """1 for a fault that always shows."""
    original: Call
    """The question of the stream."""
    block: int
    law: Law | None = None
    needed_houses: tuple[House, ...] | None = None
    """The houses that the fault needs; None for all of the shape."""
    is_repeated: bool = True
    """Whether it was repeated; False if the stream was interrupted first."""
    is_shrunk: bool = True
    """Whether every case was tried that could be smaller; False if the time for it ended."""
    is_undecided: bool = False
    """Whether answers contradict each other, and no evidence shows that this one is wrong."""


_CLAIMS: Final = (Fault.CONTRADICTION, Fault.LAW)


class Confirmer:
    """Confirms findings and shrinks their cases.

    Args:
        reproducer: puts cases to backends.
        judge: knows the numbers of solutions.
        history: the calls of the workers of the stream.
        specs: the configurations by their labels.
        hash_seed: the seed of the hashes in the workers of the stream.
    """

    def __init__(
        self,
        reproducer: Reproducer,
        judge: Judge,
        history: History,
        specs: Mapping[str, BackendSpec],
        hash_seed: int = 0,
    ) -> None:
        self._hash_seed = hash_seed
        self._reproducer = reproducer
        self._judge = judge
        self._history = history
        self._specs = specs

    def confirmed(self, finding: Finding) -> Iterator[ConfirmedFault]:
        """The faults behind a finding, one for each configuration with a wrong answer.

        If claims contradict each other and no evidence decides, one for each different claim.
        """
        wrong = [record for record in finding.records if self._is_wrong(finding, record)]
        if wrong:
            for record in _first_of_each(wrong, lambda record: record.trial.spec):
                yield self._shrunk(self._found(finding, record), record)
            return
        for record in _first_of_each(_conflicting(finding.records), answer_of):
            yield replace(self._found(finding, record), is_undecided=True)

    def as_found(self, finding: Finding) -> Iterator[ConfirmedFault]:
        """The faults behind a finding, not repeated: each with all calls of its worker."""
        for record in finding.records:
            if self._is_wrong(finding, record):
                found = self._found(finding, record)
                calls = self._history.up_to(record) or found.case.calls
                case = replace(found.case, calls=calls)
                yield replace(found, case=case, is_repeated=False, is_shrunk=False)

    def _is_wrong(self, finding: Finding, record: TrialRecord) -> bool:
        """Whether the answer is wrong by itself, or evidence excludes its claim."""
        if finding.fault not in _CLAIMS:
            return True
        claim = claim_of(record)
        judgement = self._judgement(record, finding.records)
        return claim is not None and claim.excludes(judgement.solutions)

    def _judgement(self, record: TrialRecord, records: Sequence[TrialRecord]) -> Judgement:
        puzzle = record.trial.instance.puzzle
        same = [r for r in records if r.trial.instance.puzzle == puzzle]
        claims = [claim for r in same if (claim := claim_of(r)) is not None]
        grids = [r.solution for r in same if r.solution and r.verdict is not Verdict.WRONG]
        return self._judge.judged(puzzle, claims, grids)

    def _found(self, finding: Finding, record: TrialRecord) -> ConfirmedFault:
        """The fault as the stream had it."""
        spec = self._specs[record.trial.spec]
        original = call_of(record)
        return ConfirmedFault(
            spec.label,
            finding.fault,
            Case(spec, (original,), self._hash_seed),
            answer_of(record),
            self._judgement(record, finding.records),
            1,
            1,
            original,
            finding.block,
            finding.law,
        )

    def _shrunk(self, found: ConfirmedFault, record: TrialRecord) -> ConfirmedFault:
        """The fault with the smallest case, or with its rate if it does not show again."""
        history = self._history.up_to(record)
        spec = found.case.spec
        reproduced = self._reproducer.reproduced(spec, record, history, self._hash_seed)
        if reproduced is None or not self._is_without_chance(*reproduced):
            return self._with_rate(found)
        case, faulty = reproduced
        shrinker = Shrinker(self._reproducer, faulty.fault)
        with self._reproducer.within(CALL_S):
            smallest = shrinker.shrunk(case)
            houses = shrinker.needed_houses(smallest)
        last = self._reproducer.fault(smallest) or faulty
        return replace(
            found,
            fault=last.fault,
            case=smallest,
            answer=answer_of(last.record),
            judgement=self._judgement(last.record, [last.record]),
            needed_houses=houses,
            is_shrunk=shrinker.is_complete,
        )

    def _is_without_chance(self, case: Case, faulty: FaultyAnswer) -> bool:
        """Whether the same answer of the case is wrong again and again."""
        wrong = faulty.record.trial.instance.puzzle
        again = (self._reproducer.fault(case) for _ in range(_CHANCES - 1))
        return all(f is not None and f.record.trial.instance.puzzle == wrong for f in again)

    def _with_rate(self, found: ConfirmedFault) -> ConfirmedFault:
        """The fault with the share of wrong answers among many repetitions of its question."""
        if found.original.start is Start.BATCH and found.original.puzzles[0].pencilmarks:
            return found
        wrong, repetitions = self._reproducer.rate(found.case, _REPETITIONS)
        return replace(found, wrong=wrong, repetitions=repetitions)


def _conflicting(records: Sequence[TrialRecord]) -> Sequence[TrialRecord]:
    """Those whose claim excludes that of another one on the same puzzle; all if there are none."""
    claims = [(r, r.trial.instance.puzzle, claim_of(r) or Interval()) for r in records]
    found = [
        record
        for record, puzzle, claim in claims
        if any(puzzle == other and claim.excludes(c) for _, other, c in claims)
    ]
    return found or records


def _first_of_each(
    records: Iterable[TrialRecord], kind: Callable[[TrialRecord], str]
) -> Iterable[TrialRecord]:
    """The first record of each kind."""
    first: dict[str, TrialRecord] = {}
    for record in records:
        first.setdefault(kind(record), record)
    return first.values()


def answer_of(record: TrialRecord) -> str:
    """What a backend answered, in words: ``no solution``, ``exactly 2 solutions``."""
    claim = claim_of(record)
    if claim is not None:
        called = ", called exact at the limit" if fault_of(record) else ""
        return f"{claim}{called}"
    reason = last_line(record.reason)
    verdict = record.verdict.replace("_", " ")
    return f"{verdict}: {reason}" if reason else verdict


def interval_text(solutions: Interval) -> str:
    """A number of solutions in words; ``unknown`` if nothing is known."""
    return "unknown" if solutions == Interval() else str(solutions)
