"""Confirmation and shrinking: from a finding to a small case with the same fault.

The algorithm is ddmin of Zeller and Hildebrandt, "Simplifying and isolating failure-inducing
input" (IEEE Transactions on Software Engineering 28, 2002).

The passes make, in this order, the sequence of calls shorter, the question simpler, the options
fewer, the shape smaller, and the puzzles emptier. They repeat until none changes the case,
up to `_MOST_ROUNDS` times. For a deterministic backend the result follows from the case alone,
unless the time runs out first.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
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


_MOST_CASES: Final = 1_000
"""Maximum number of cases that are tried for one fault."""
_MOST_TRIALS: Final = 30_000
"""Maximum number of calls of these cases; after them only cases of one call are tried."""
_MOST_S: Final = 60.0
"""Time limit for one fault in seconds."""
CALL_S: Final = 2.0
"""Wall time limit of each call; a smaller case is of no use if it takes a long time."""
_SHAPES_S: Final = 20.0
"""Time limit in seconds for trying smaller shapes, so that time is left for the clues."""
_TRIED: Final = 60
"""Puzzles of each smaller shape that are tried."""
_MOST_QUESTIONS: Final = 3
"""The last calls of a case, whose questions are repeated for each puzzle of a smaller shape."""
_LIMITS: Final = (1, 2, 3, 5, 12, 40, 300)
_MOST_ROUNDS: Final = 4


class Shrinker:
    """Shrinks the case of one fault.

    Args:
        reproducer: decides whether a case still shows the fault.
        fault: the fault to keep.
        most_cases: the maximum number of cases to try.
    """

    def __init__(
        self, reproducer: Reproducer, fault: FaultKind, most_cases: int = _MOST_CASES
    ) -> None:
        self._reproducer = reproducer
        self._fault = fault
        self._cases = most_cases
        self._trials = _MOST_TRIALS
        self._end = min(monotonic() + _MOST_S, reproducer.until)
        self.is_complete = True
        """Whether all cases that could be smaller were tried."""

    def shrunk(self, case: CallSequence) -> CallSequence:
        """The smallest case found; `case` itself if no smaller one shows the fault."""
        for _ in range(_MOST_ROUNDS):
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
        return self._may_try(case) and self._reproducer.fails(case, self._fault)

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

    def _first_failing(
        self, cases: Iterator[CallSequence], otherwise: CallSequence
    ) -> CallSequence:
        return next((case for case in cases if self._fails(case)), otherwise)

    def _with_fewer_calls(self, case: CallSequence) -> CallSequence:
        """Without earlier calls that are not needed, and without rows of a batch."""
        if len(case.calls) > 1:
            earlier = minimize(
                case.calls[:-1], lambda calls: self._fails(replace(case, calls=(*calls, case.last)))
            )
            case = replace(case, calls=(*earlier, case.last))
        for at in range(len(case.calls)):
            case = self._with_fewer_rows(case, at)
        return case

    def _with_fewer_rows(self, case: CallSequence, at: int) -> CallSequence:
        rows = case.calls[at].puzzles
        if len(rows) == 1:
            return case
        remaining = minimize(
            rows, lambda rows: bool(rows) and self._fails(_with_call(case, at, tuple(rows)))
        )
        return _with_call(case, at, tuple(remaining))

    def _with_simpler_question(self, case: CallSequence) -> CallSequence:
        """A cold start, `solve` rather than `count`, and a low limit, if these show the fault."""
        return self._first_failing(_simpler(case), case)

    def _with_usual_hashes(self, case: CallSequence) -> CallSequence:
        """With the hash seed 0, which every command uses."""
        return self._first_failing(iter([replace(case, hash_seed=0)] * bool(case.hash_seed)), case)

    def _with_fewer_options(self, case: CallSequence) -> CallSequence:
        """With the options at their defaults that are not needed."""
        spec = case.spec
        settings = minimize(
            spec.settings,
            lambda settings: self._fails(
                replace(case, spec=replace(spec, settings=tuple(settings)))
            ),
        )
        return replace(case, spec=replace(spec, settings=tuple(settings)))

    def _with_fewer_constraints(self, case: CallSequence) -> CallSequence:
        """Without constraints of the last puzzle's shape that are not needed."""
        shape = case.last.shape

        def with_constraints(constraints: Sequence[Constraint]) -> CallSequence:
            other = shape.without_constraints.with_constraints(constraints)
            move = lambda p: replace(p, shape=other) if p.shape == shape else p  # noqa: E731
            return _with_puzzle(case, move)

        if not shape.constraints:
            return case
        constraints = minimize(shape.constraints, lambda some: self._fails(with_constraints(some)))
        return with_constraints(constraints)

    def _of_smaller_shape(self, case: CallSequence) -> CallSequence:
        """A case of a smaller shape, or of the shape without its variants."""
        shape = case.last.shape
        if shape.constraints:
            return self._of_smaller_constrained(case)
        base, *variants = shape.spec.split("+")
        for at in range(len(variants)):
            others = [base, *variants[:at], *variants[at + 1 :]]
            plain = Shape.parse("+".join(others)) if shape.spec == shape.definition else None
            if plain and (smaller_case := self._on_shape(case, plain)):
                return self._of_smaller_shape(smaller_case)
        end = monotonic() + _SHAPES_S
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

    def _on_shape(self, case: CallSequence, shape: Shape) -> CallSequence | None:
        """The same givens on another shape of the same size, if that shows the fault."""
        other_case = _with_puzzle(case, lambda p: Puzzle(shape, p.givens, p.pencilmarks))
        return other_case if self._fails(other_case) else None

    def _found_among(self, case: CallSequence, candidates: Iterable[Puzzle]) -> CallSequence | None:
        """A case with the questions of `case` about other puzzles, if one shows the fault."""
        puzzles = list(candidates)
        last = case.last
        if last.start is Start.BATCH:
            calls = [replace(last, puzzles=tuple(p for p in puzzles if p.pencilmarks is None))]
        else:
            questions = case.calls[-_MOST_QUESTIONS:]
            calls = [replace(call, puzzles=(p,)) for p in puzzles for call in questions]
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
                case = self._without_clues(case, number, row)
                case = self._without_pencilmarks(case, number, row)
        return case

    def _without_clues(self, case: CallSequence, number: int, row: int) -> CallSequence:
        puzzle = case.calls[number].puzzles[row]
        if puzzle.pencilmarks is not None:
            return case
        clues = [cell for cell, value in enumerate(puzzle.givens) if value]

        def with_cells(cells: Sequence[int]) -> CallSequence:
            kept_cells = set(cells)
            givens = tuple(v if c in kept_cells else 0 for c, v in enumerate(puzzle.givens))
            return _replace_puzzle(case, number, row, Puzzle(puzzle.shape, givens))

        return with_cells(minimize(clues, lambda cells: self._fails(with_cells(cells))))

    def _without_pencilmarks(self, case: CallSequence, number: int, row: int) -> CallSequence:
        """With all removed candidates restored that are not needed."""
        puzzle = case.calls[number].puzzles[row]
        if puzzle.pencilmarks is None:
            return case
        candidates = [
            (cell, bit)
            for cell, marks in enumerate(puzzle.allowed)
            for bit in range(puzzle.shape.size)
            if not marks >> bit & 1
        ]

        def without(candidates: Sequence[tuple[int, int]]) -> CallSequence:
            marks = [(1 << puzzle.shape.size) - 1] * len(puzzle.allowed)
            for cell, bit in candidates:
                marks[cell] &= ~(1 << bit)
            candidate = Puzzle(puzzle.shape, (0,) * len(marks), tuple(marks))
            return _replace_puzzle(case, number, row, candidate)

        return without(minimize(candidates, lambda candidates: self._fails(without(candidates))))


def _simpler(case: CallSequence) -> Iterator[CallSequence]:
    last = case.last
    if len(last.puzzles) == 1:
        alone = replace(last, start=Start.COLD)
        if len(case.calls) == 1:
            yield from (replace(case, calls=(call,)) for call in _questions(alone))
    for call in _questions(last):
        if call != last:
            yield replace(case, calls=tuple(_like(c, last, call) for c in case.calls))
            yield replace(case, calls=(*case.calls[:-1], call))


def _like(call: Call, last: Call, simpler: Call) -> Call:
    """A call with the simpler question, if it has the question of the last call."""
    if (call.task, call.limit) != (last.task, last.limit):
        return call
    return replace(call, task=simpler.task, limit=simpler.limit)


def _questions(call: Call) -> Iterator[Call]:
    """The question and simpler ones, simplest first."""
    yield replace(call, task=Task.SOLVE, limit=0)
    if call.task is Task.COUNT:
        for limit in _LIMITS:
            if limit < call.limit:
                yield replace(call, limit=limit)
        yield call


def _clues(case: CallSequence) -> int:
    """The clues of all puzzles."""
    return sum(puzzle.clues for call in case.calls for puzzle in call.puzzles)


def _with_call(case: CallSequence, at: int, puzzles: tuple[Puzzle, ...]) -> CallSequence:
    call = replace(case.calls[at], puzzles=puzzles)
    return replace(case, calls=(*case.calls[:at], call, *case.calls[at + 1 :]))


def _replace_puzzle(case: CallSequence, number: int, row: int, puzzle: Puzzle) -> CallSequence:
    rows = case.calls[number].puzzles
    return _with_call(case, number, (*rows[:row], puzzle, *rows[row + 1 :]))


def _with_puzzle(case: CallSequence, change: Callable[[Puzzle], Puzzle]) -> CallSequence:
    """The case with each puzzle changed."""
    calls = (replace(call, puzzles=tuple(map(change, call.puzzles))) for call in case.calls)
    return replace(case, calls=tuple(calls))


# Confirmation: from a finding of the stream to a small case that shows the fault.


_REPETITIONS: Final = 1_000
"""Repetitions of a question whose fault does not show again at once."""
_CHANCES: Final = 3
"""How many times in a row a case must fail to count as deterministic."""


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


_CLAIMS: Final = (FaultKind.CONTRADICTION, FaultKind.LAW)


class Confirmer:
    """Confirms findings and shrinks their cases.

    Args:
        reproducer: sends cases to backends.
        judge: determines the numbers of solutions.
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

    def _not_repeated(self, fault: ConfirmedFault, record: TrialRecord) -> ConfirmedFault:
        """The fault as not repeated, with all calls of its worker."""
        calls = self._history.up_to(record) or fault.case.calls
        case = replace(fault.case, calls=calls)
        return replace(fault, case=case, repeated=False, shrunk=False)

    def _is_wrong(self, finding: FuzzFinding, record: TrialRecord) -> bool:
        """Whether the answer is wrong by itself, or evidence excludes its claim."""
        if finding.fault not in _CLAIMS:
            return True
        claim = record.claim
        judgement = self._judgement(record, finding.records)
        return claim is not None and claim.excludes(judgement.solutions)

    def _judgement(self, record: TrialRecord, records: Sequence[TrialRecord]) -> Judgement:
        puzzle = record.trial.instance.puzzle
        same = [r for r in records if r.trial.instance.puzzle == puzzle]
        claims = [claim for r in same if (claim := r.claim) is not None]
        grids = [r.solution for r in same if r.solution and r.verdict is not Verdict.WRONG]
        is_late = monotonic() >= self._reproducer.until  # a certificate takes seconds
        return (Judge() if is_late else self._judge).judged(puzzle, claims, grids)

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
        if not is_certain and monotonic() >= self._reproducer.until:
            return self._not_repeated(fault, record)
        if reproduction is None or not is_certain:
            return self._with_rate(fault)
        case, faulty = reproduction
        shrinker = Shrinker(self._reproducer, faulty.fault)
        with self._reproducer.within(CALL_S):
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
        """Whether the answer to the same puzzle of the case is wrong each time."""
        wrong = faulty.record.trial.instance.puzzle
        again = (self._reproducer.fault(case) for _ in range(_CHANCES - 1))
        return all(f is not None and f.record.trial.instance.puzzle == wrong for f in again)

    def _with_rate(self, fault: ConfirmedFault) -> ConfirmedFault:
        """The fault with the share of wrong answers among many repetitions of its question."""
        if fault.original.start is Start.BATCH and fault.original.puzzles[0].pencilmarks:
            return fault
        wrong, repetitions = self._reproducer.rate(fault.case, _REPETITIONS)
        return replace(fault, wrong=wrong, repetitions=repetitions)


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
