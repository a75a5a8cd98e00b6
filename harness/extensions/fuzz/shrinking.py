"""Confirmation and shrinking: from a finding to a small case with the same fault.

The algorithm is ddmin of Zeller and Hildebrandt, "Simplifying and isolating failure-inducing
input" (IEEE Transactions on Software Engineering 28, 2002).

The passes make, in this order, the sequence of calls shorter, the question simpler, the options
fewer, the shape smaller, and the puzzles emptier. They repeat until none changes the case,
up to four times. For a deterministic backend the result follows from the case alone,
unless the time runs out first.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from time import monotonic
from typing import Final, TypeVar

from harness.base.text import last_line
from harness.contract import BackendSpec
from harness.extensions.fuzz.calls import (
    Call,
    CallSequence,
    FaultyAnswer,
    History,
    Reproducer,
    call_of,
)
from harness.extensions.fuzz.findings import FaultKind, FuzzFinding, Judge, Judgement, fault_of
from harness.extensions.fuzz.puzzles import FEW_CLUES, WEIGHTS, RandomPuzzles, constrained_shape
from harness.extensions.fuzz.stream import Law
from harness.puzzles import EVERY_NUMBER, Puzzle, Shape
from harness.puzzles.constraints import Constraint
from harness.puzzles.search import Prng
from harness.records import Start, Task, TrialRecord, Verdict

# Delta debugging: the items of a list that are needed for a failure.


_Item = TypeVar("_Item")


def minimize(items: Sequence[_Item], fails: Callable[[list[_Item]], bool]) -> list[_Item]:
    """Some of the items, in their order, that fail, but not if any single one is left out.

    Args:
        items: the items, which fail as a whole.
        fails: whether some of the items, in their order, fail; deterministic.
    """
    remaining, parts = list(items), 2
    if remaining and fails([]):
        return []
    while len(remaining) >= 2:
        size = -(-len(remaining) // parts)
        for start in range(0, len(remaining), size):
            others = remaining[:start] + remaining[start + size :]
            if fails(others):
                remaining, parts = others, max(parts - 1, 2)
                break
        else:
            if size == 1:
                break
            parts = min(len(remaining), 2 * parts)
    return remaining


# Shrinking: a smaller case with the same fault.


_TRIED: Final = 60
"""Puzzles of each smaller shape that are tried."""


class Shrinker:
    """Shrinks the case of one fault, for a minute at most.

    Args:
        reproducer: decides whether a case still shows the fault.
        fault: the fault to keep.
    """

    def __init__(self, reproducer: Reproducer, fault: FaultKind) -> None:
        self._reproducer = reproducer
        self._fault = fault
        self._cases = 1_000
        """The number of cases that may still be tried."""
        self._trials = 30_000
        """The number of calls of these cases; after them only cases of one call are tried."""
        self._end = min(monotonic() + 60.0, reproducer.caller.until)
        self.is_complete = True
        """Whether all cases that could be smaller were tried."""

    def shrunk(self, case: CallSequence) -> CallSequence:
        """The smallest case found; `case` itself if no smaller one shows the fault."""
        for _ in range(4):
            before = case
            for reduce in (
                self._with_fewer_calls,
                self._with_simpler_question,
                self._with_usual_hashes,
                self._with_fewer_options,
                self._with_fewer_constraints,
                self._of_smaller_shape,
                self._with_emptier_puzzles,
                self._of_sparse_puzzles,
            ):
                case = reduce(case)
            if case == before:
                break
        return case

    def _fails(self, case: CallSequence) -> bool:
        is_possible = all(call.puzzles for call in case.calls) and self._may_try(case)
        return is_possible and self._reproducer.fails(case, self._fault)

    def _may_try(self, case: CallSequence) -> bool:
        """Whether the limits on cases, calls and time allow this case; if so, count it."""
        calls = sum(len(call.puzzles) for call in case.calls)
        is_too_much = not self._cases or (calls > 1 and calls > self._trials)
        if is_too_much or monotonic() > self._end:
            self.is_complete = False
            return False
        self._cases -= 1
        self._trials -= calls
        return True

    def _least(
        self, items: Sequence[_Item], with_items: Callable[[Sequence[_Item]], CallSequence]
    ) -> CallSequence:
        """The case with as few of the items as possible."""
        return with_items(minimize(items, lambda some: self._fails(with_items(some))))

    def _with_fewer_calls(self, case: CallSequence) -> CallSequence:
        """Without earlier calls that are not needed, and without rows of a batch."""
        case = self._least(
            case.calls[:-1], lambda earlier: replace(case, calls=(*earlier, case.last))
        )
        for at, call in enumerate(case.calls):
            case = self._least(call.puzzles, partial(_with_rows, case, at))
        return case

    def _with_simpler_question(self, case: CallSequence) -> CallSequence:
        """A cold start, `solve` rather than `count`, and a low limit, if these show the fault."""
        return next((simpler for simpler in _simpler(case) if self._fails(simpler)), case)

    def _with_usual_hashes(self, case: CallSequence) -> CallSequence:
        """With the hash seed 0, which every command uses."""
        usual = replace(case, hash_seed=0)
        return usual if case.hash_seed and self._fails(usual) else case

    def _with_fewer_options(self, case: CallSequence) -> CallSequence:
        """With the options at their defaults that are not needed."""

        def with_settings(settings: Sequence[tuple[str, str]]) -> CallSequence:
            return replace(case, spec=replace(case.spec, settings=tuple(settings)))

        return self._least(case.spec.settings, with_settings)

    def _with_fewer_constraints(self, case: CallSequence) -> CallSequence:
        """Without constraints of the last puzzle's shape that are not needed."""
        shape = case.last.shape

        def with_constraints(constraints: Sequence[Constraint]) -> CallSequence:
            other = shape.without_constraints.with_constraints(constraints)
            move = lambda p: replace(p, shape=other) if p.shape == shape else p  # noqa: E731
            return _with_puzzle(case, move)

        if not shape.constraints:
            return case
        return self._least(shape.constraints, with_constraints)

    def _of_smaller_shape(self, case: CallSequence) -> CallSequence:
        """A case of a smaller shape, or of the shape without its variants."""
        shape = case.last.shape
        if shape.constraints:
            return self._of_smaller_constrained(case)
        base, *variants = shape.spec.split("+")
        for at in range(len(variants)):
            others = [base, *variants[:at], *variants[at + 1 :]]
            if shape.spec == shape.definition:
                plain = Shape.parse("+".join(others))
                move = lambda p, to=plain: Puzzle(to, p.givens, p.pencilmarks)  # noqa: E731
                if self._fails(moved_case := _with_puzzle(case, move)):
                    return self._of_smaller_shape(moved_case)
        end = monotonic() + 20  # so that time is left for the clues
        for definition in sorted(WEIGHTS, key=lambda text: Shape.parse(text).size):
            smaller = Shape.parse(definition)
            if smaller.size >= shape.size:
                break
            if monotonic() > end:
                self.is_complete = False
                break
            source = RandomPuzzles(smaller, 0)
            make = (
                source.puzzle
                if case.last.puzzles[-1].pencilmarks is None
                else source.puzzle_with_marks
            )
            if smaller_case := self._found_among(case, map(make, range(_TRIED))):
                return smaller_case
        return case

    def _of_smaller_constrained(self, case: CallSequence) -> CallSequence:
        """A case of a smaller shape with random constraints of the same kinds."""
        shape = case.last.shape
        kinds = [constraint.kind for constraint in shape.constraints]
        smaller = [Shape.parse(name) for name in ("4x4", "6x6")]
        for base in (other for other in smaller if other.size < shape.size):
            if case.last.start is Start.BATCH:
                break
            shapes = [constrained_shape(base, Prng("shrink", n), kinds) for n in range(_TRIED)]
            candidates = [RandomPuzzles(other, 0).puzzle(n) for n, other in enumerate(shapes)]
            if smaller_case := self._found_among(case, candidates):
                return self._with_fewer_constraints(smaller_case)
        return case

    def _of_sparse_puzzles(self, case: CallSequence) -> CallSequence:
        """A case of random puzzles with few clues, if its own have more."""
        if _clues(case) <= FEW_CLUES:
            return case
        source = RandomPuzzles(case.last.shape, 0)
        smaller_case = self._found_among(case, map(source.sparse, range(_TRIED)))
        return smaller_case if smaller_case and _clues(smaller_case) < _clues(case) else case

    def _found_among(self, case: CallSequence, candidates: Iterable[Puzzle]) -> CallSequence | None:
        """A case with the last three questions about other puzzles, if one shows the fault."""
        puzzles = list(candidates)
        last = case.last
        if last.start is Start.BATCH:
            calls = [replace(last, puzzles=tuple(p for p in puzzles if p.pencilmarks is None))]
        else:
            calls = [replace(call, puzzles=(p,)) for p in puzzles for call in case.calls[-3:]]
        every = replace(case, calls=tuple(calls))
        if not self._may_try(every):
            return None
        faulty = next(self._reproducer.faults(every), None)
        if faulty is None:
            return None
        until = replace(every, calls=every.calls[: faulty.call + 1])
        if last.start is Start.COLD:
            until = replace(until, calls=until.calls[-1:])
        if not self._fails(until):
            return None
        return self._with_fewer_calls(until)

    def _with_emptier_puzzles(self, case: CallSequence) -> CallSequence:
        """Puzzles without clues and without removed candidates that are not needed."""
        for number, call in enumerate(case.calls):
            for row in range(len(call.puzzles)):
                case = self._with_emptier_puzzle(case, number, row)
        return case

    def _with_emptier_puzzle(self, case: CallSequence, number: int, row: int) -> CallSequence:
        rows = case.calls[number].puzzles
        puzzle, every = rows[row], (1 << rows[row].shape.size) - 1
        # A clue removes all other candidates of its cell at once.
        removals = [
            (cell, bits)
            for cell, marks in enumerate(puzzle.allowed)
            for bits in (_bits(every & ~marks) if puzzle.pencilmarks else [every & ~marks])
            if bits
        ]

        def with_removals(removals: Sequence[tuple[int, int]]) -> CallSequence:
            marks = [every] * len(puzzle.allowed)
            for cell, bits in removals:
                marks[cell] &= ~bits
            emptier = Puzzle(puzzle.shape, (0,) * len(marks), tuple(marks))
            return _with_rows(case, number, (*rows[:row], emptier, *rows[row + 1 :]))

        return self._least(removals, with_removals)


def _bits(mask: int) -> list[int]:
    return [1 << at for at in range(mask.bit_length()) if mask >> at & 1]


def _simpler(case: CallSequence) -> Iterator[CallSequence]:
    last = case.last
    if len(last.puzzles) == 1:
        alone = replace(last, start=Start.COLD)
        if len(case.calls) == 1:
            yield from (replace(case, calls=(call,)) for call in _questions(alone))
    for call in _questions(last):
        if call != last:
            # For all calls with the question of the last one, and for the last one alone.
            every = (
                replace(other, task=call.task, limit=call.limit)
                if (other.task, other.limit) == (last.task, last.limit)
                else other
                for other in case.calls
            )
            yield replace(case, calls=tuple(every))
            yield replace(case, calls=(*case.calls[:-1], call))


def _questions(call: Call) -> Iterator[Call]:
    """The question and simpler ones, simplest first."""
    yield replace(call, task=Task.SOLVE, limit=0)
    if call.task is Task.COUNT:
        for limit in (1, 2, 3, 5, 12, 40, 300):
            if limit < call.limit:
                yield replace(call, limit=limit)
        yield call


def _clues(case: CallSequence) -> int:
    """The clues of all puzzles."""
    return sum(puzzle.clues for call in case.calls for puzzle in call.puzzles)


def _with_rows(case: CallSequence, at: int, rows: Sequence[Puzzle]) -> CallSequence:
    """The case with other puzzles in the call with this number."""
    call = replace(case.calls[at], puzzles=tuple(rows))
    return replace(case, calls=(*case.calls[:at], call, *case.calls[at + 1 :]))


def _with_puzzle(case: CallSequence, change: Callable[[Puzzle], Puzzle]) -> CallSequence:
    """The case with each puzzle changed."""
    calls = (replace(call, puzzles=tuple(map(change, call.puzzles))) for call in case.calls)
    return replace(case, calls=tuple(calls))


# Confirmation: from a finding of the stream to a small case that shows the fault.


@dataclass(frozen=True, slots=True)
class ConfirmedFault:
    """A fault of one configuration, with the smallest case that shows it."""

    configuration: str
    """The label of the spec that the stream had."""
    fault: FaultKind
    """`wrong answer`, `contradiction`, `broken law`, `crash`, `exact at the limit` or `gave up`."""
    case: CallSequence
    """The smallest case; the question of the stream if it does not show again."""
    answer: str
    """The wrong answer to the last call."""
    judgement: Judgement
    """The number of solutions of the puzzle with the wrong answer."""
    wrong: int
    """Wrong answers among `repetitions` of the last call."""
    repetitions: int
    """Number of repetitions; 1 for a fault that always shows."""
    original: Call
    """The question of the stream."""
    block: int
    law: Law | None = None
    """The broken law, if the fault was found by one."""
    repeated: bool = True
    """Whether it was repeated; False if the stream was interrupted or its time ended first."""
    shrunk: bool = True
    """Whether all cases that could be smaller were tried; False if the time for them ended."""
    undecided: bool = False
    """Whether answers contradict each other, and no evidence shows that this one is wrong."""


class Confirmer:
    """Confirms findings and shrinks their cases.

    Args:
        reproducer: sends cases to backends, and determines the numbers of solutions.
        history: the calls of the workers of the stream.
        specs: the configurations by their labels.
        hash_seed: the seed of the hashes in the workers of the stream.
    """

    def __init__(
        self,
        reproducer: Reproducer,
        history: History,
        specs: Mapping[str, BackendSpec],
        hash_seed: int = 0,
    ) -> None:
        self._hash_seed = hash_seed
        self._reproducer = reproducer
        self._history = history
        self._specs = specs

    def confirm(self, finding: FuzzFinding) -> Iterator[ConfirmedFault]:
        """The faults behind a finding, one for each configuration with a wrong answer.

        If claims contradict each other and no evidence decides, one for each different claim.
        """
        wrong = [record for record in finding.records if self._is_wrong(finding, record)]
        if wrong:
            for record in _first_of_each(wrong, lambda record: record.trial.spec):
                yield self._shrunk(self._fault(finding, record), record)
            return
        for record in _first_of_each(_conflicting(finding.records), answer_of):
            yield replace(self._fault(finding, record), undecided=True)

    def _is_wrong(self, finding: FuzzFinding, record: TrialRecord) -> bool:
        """Whether the answer is wrong by itself, or evidence excludes its claim."""
        if finding.fault not in (FaultKind.CONTRADICTION, FaultKind.LAW):
            return True
        claim = record.claim
        judgement = self._judgement(record, finding.records)
        return claim is not None and claim.excludes(judgement.solutions)

    def _judgement(self, record: TrialRecord, records: Sequence[TrialRecord]) -> Judgement:
        puzzle = record.trial.instance.puzzle
        same = [r for r in records if r.trial.instance.puzzle == puzzle]
        claims = [claim for r in same if (claim := r.claim) is not None]
        grids = [r.solution for r in same if r.solution and r.verdict is not Verdict.WRONG]
        is_late = monotonic() >= self._reproducer.caller.until  # a certificate takes seconds
        return (Judge() if is_late else self._reproducer.judge).judged(puzzle, claims, grids)

    def _fault(self, finding: FuzzFinding, record: TrialRecord) -> ConfirmedFault:
        """The fault as the stream had it."""
        spec = self._specs[record.trial.spec]
        original = call_of(record)
        return ConfirmedFault(
            spec.label,
            finding.fault,
            CallSequence(spec, (original,), self._hash_seed),
            answer_of(record),
            self._judgement(record, finding.records),
            1,
            1,
            original,
            finding.block,
            finding.law,
        )

    def _shrunk(self, fault: ConfirmedFault, record: TrialRecord) -> ConfirmedFault:
        """The fault with the smallest case, or with its rate if it does not show again."""
        history = self._history.up_to(record)
        spec = fault.case.spec
        reproduction = self._reproducer.reproduce(spec, record, history, self._hash_seed)
        is_certain = reproduction is not None and self._is_without_chance(*reproduction)
        if not is_certain and monotonic() >= self._reproducer.caller.until:
            every_call = replace(fault.case, calls=history or fault.case.calls)
            return replace(fault, case=every_call, repeated=False, shrunk=False)
        if reproduction is None or not is_certain:
            if fault.original.start is Start.BATCH and fault.original.puzzles[0].pencilmarks:
                return fault
            wrong, repetitions = self._reproducer.rate(fault.case, 1_000)
            return replace(fault, wrong=wrong, repetitions=repetitions)
        case, faulty = reproduction
        shrinker = Shrinker(self._reproducer, faulty.fault)
        with self._reproducer.within(2.0):  # a smaller case is of no use if it takes long
            smallest = shrinker.shrunk(case)
        last = self._reproducer.fault(smallest) or faulty
        return replace(
            fault,
            fault=last.fault,
            case=smallest,
            answer=answer_of(last.record),
            judgement=self._judgement(last.record, [last.record]),
            shrunk=shrinker.is_complete,
        )

    def _is_without_chance(self, case: CallSequence, faulty: FaultyAnswer) -> bool:
        """Whether the answer to the same puzzle of the case is wrong three times in a row."""
        wrong = faulty.record.trial.instance.puzzle
        again = (self._reproducer.fault(case) for _ in range(2))
        return all(f is not None and f.record.trial.instance.puzzle == wrong for f in again)


def _conflicting(records: Sequence[TrialRecord]) -> Sequence[TrialRecord]:
    """The records whose claim excludes another on the same puzzle; all if there are none."""
    claims = [(r, r.trial.instance.puzzle, r.claim or EVERY_NUMBER) for r in records]
    fault = [
        record
        for record, puzzle, claim in claims
        if any(puzzle == other and claim.excludes(c) for _, other, c in claims)
    ]
    return fault or records


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
    claim = record.claim
    if claim is not None:
        suffix = ", called exact at the limit" if fault_of(record) else ""
        return f"{claim}{suffix}"
    reason = last_line(record.reason)
    verdict = record.verdict.replace("_", " ")
    return f"{verdict}: {reason}" if reason else verdict
