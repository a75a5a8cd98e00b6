"""Questions to backends of these tests: real processes, one hard puzzle among others."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from harness.engine.supervisor import Supervisor
from harness.puzzles import Instance, Puzzle, Shape
from harness.puzzles.patterns import pattern_puzzle
from harness.records.judging import judge
from harness.records.question import Question, Start, Task, Verdict, WorkerEvent
from harness.records.trial import Batch, Trial, TrialRecord
from harness.runs.selection import expand_specs

SHAPE = Shape.parse("4x4")
PUZZLES = [pattern_puzzle(SHAPE, blank) for blank in range(2, 8)]
"""Six different puzzles; the first cell of each is blank."""
HARD = Puzzle(SHAPE, (3, *(0,) * 15))
"""The puzzle at which the backends of these tests misbehave."""
SOLVED = "return Answer.unsatisfiable()"
NUMBER = "sum(({givens}[cell] - 1) * 4**place for place, cell in enumerate((6, 9, 15)))"
"""The number of a hard puzzle, as an expression."""


def puzzle_with_number(number: int) -> Puzzle:
    """A hard puzzle that has a number up to 63."""
    givens = [*HARD.givens]
    givens[6], givens[9], givens[15] = (number // 4**place % 4 + 1 for place in range(3))
    return Puzzle(SHAPE, tuple(givens))


def ask(
    specs: list[str],
    *,
    timeout: float = 0.5,
    jobs: int = 1,
    start: Start = Start.COLD,
    task: Task = Task.SOLVE,
    cpu: float = 0.0,
    memory: int = 0,
    rounds: int = 1,
    check: Callable[[Supervisor], None] = lambda _: None,
) -> list[TrialRecord]:
    """All puzzles, the hard one in the middle, as one batch for each backend and round.

    `check` is called with the supervisor after the last trial, before it is closed.
    """
    question = Question(task, 2, start, timeout, cpu, memory)
    with Supervisor(expand_specs(specs), jobs=jobs) as supervisor:
        configurations = supervisor.open()
        puzzles = [*PUZZLES[:3], HARD, *PUZZLES[3:]]
        batches = [
            batch_of(b.spec.label, question, puzzles, number)
            for number in range(1, rounds + 1)
            for b in configurations
        ]
        results = [result for outcomes in supervisor.run(batches) for result in judge(outcomes)]
        check(supervisor)
        return results


def bad_trial(spec: str, **options: Any) -> TrialRecord:
    """The trial of the hard puzzle; all others of the backend are answered, each once."""
    return _bad_one(ask([spec], **options))


def taken(kind: str, events: list[WorkerEvent]) -> Callable[[Supervisor], None]:
    """A check for `ask` that adds the events of this kind to `events`."""
    return lambda supervisor: events.extend(e for e in supervisor.events if e.kind == kind)


def bad_trials(
    a_backend: Callable[..., str],
    misbehaviours: Sequence[str],
    *,
    timeout: float = 0.5,
    memory: int = 0,
) -> Iterator[TrialRecord]:
    """For each of these misbehaviours what `bad_trial` returns, in a new worker of one backend."""
    functions = [
        f"def wrong{number}(self, puzzle):\n    {action}\n    {SOLVED}\n"
        for number, action in enumerate(misbehaviours)
    ]
    function = f"globals()[f'wrong{{{NUMBER.format(givens='puzzle.givens')}}}']"
    spec = a_backend(misbehaving(f"return {function}(self, puzzle)"), top="".join(functions))
    question = Question(Task.SOLVE, 2, Start.COLD, timeout, 0.0, memory)
    hard_puzzles = map(puzzle_with_number, range(len(misbehaviours)))
    calls = ([*PUZZLES[:3], hard, *PUZZLES[3:]] for hard in hard_puzzles)
    yield from map(_bad_one, ask_each(spec, question, calls))


def ask_each(
    spec: str, question: Question, calls: Iterable[Sequence[Puzzle]]
) -> Iterator[list[TrialRecord]]:
    """The results of each batch of puzzles, in a worker of its own."""
    with Supervisor(expand_specs([spec])) as supervisor:
        supervisor.open()
        for puzzles in calls:
            outcomes = supervisor.run([batch_of(spec, question, puzzles)])
            yield [result for part in outcomes for result in judge(part)]
            supervisor.renew_workers()


def batch_of(
    label: str, question: Question, puzzles: Sequence[Puzzle], repetition: int = 1
) -> Batch:
    """A batch of trials, named by the numbers of their puzzles."""
    instances = [Instance(str(n), puzzle) for n, puzzle in enumerate(puzzles)]
    trials = [Trial(label, "d", instance, question, repetition) for instance in instances]
    return Batch(label, question, trials)


def _bad_one(records: Sequence[TrialRecord]) -> TrialRecord:
    results = {r.trial.instance.name: r for r in records}
    assert (len(records), sorted(results)) == (7, [*"0123456"])
    bad = results.pop("3")
    assert {r.verdict for r in results.values()} == {Verdict.UNSATISFIABLE}, bad
    return bad


def misbehaving(action: str) -> str:
    """A body of `solve` that does this at the hard puzzle."""
    return f"if puzzle.givens[0] == 3:\n    {action}\n{SOLVED}"
