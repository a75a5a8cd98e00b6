"""Questions to backends of these tests: real processes, one hard puzzle among others."""

from collections.abc import Callable
from typing import Any

from harness.engine.supervisor import Supervisor
from harness.puzzles import Instance, Puzzle, Shape
from harness.puzzles.generate import pattern_puzzle
from harness.records.judge import judge
from harness.records.question import Question, Start, Task, Verdict
from harness.records.trial import Batch, Trial, TrialRecord
from harness.runs.selection import expand_specs

SHAPE = Shape.parse("4x4")
PUZZLES = [pattern_puzzle(SHAPE, blank) for blank in range(2, 8)]
"""Six different puzzles; the first cell of each is blank."""
HARD = Puzzle(SHAPE, (3, *(0,) * 15))
"""The puzzle at which the backends of these tests misbehave."""
SOLVED = "return Answer.unsatisfiable()"


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
    supervised: Callable[[Supervisor], None] = lambda _: None,
) -> list[TrialRecord]:
    """All puzzles, the hard one in the middle, as one batch for each backend and round.

    `supervised` is called with the supervisor after the last trial, before it is closed.
    """
    question = Question.of(task, 2, start, timeout, cpu, memory)
    instances = [Instance(str(n), p) for n, p in enumerate([*PUZZLES[:3], HARD, *PUZZLES[3:]])]
    with Supervisor(expand_specs(specs), jobs=jobs) as supervisor:
        opened = supervisor.open()
        batches = [
            Batch(
                b.spec.label,
                question,
                [Trial(b.spec.label, "d", e, question, number) for e in instances],
            )
            for number in range(1, rounds + 1)
            for b in opened
        ]
        results = [result for ended in supervisor.run(batches) for result in judge(ended)]
        supervised(supervisor)
        return results


def bad_trial(spec: str, **options: Any) -> TrialRecord:
    """The trial of the hard puzzle; all others of the backend are answered, each once."""
    records = ask([spec], **options)
    results = {r.trial.instance.name: r for r in records}
    assert (len(records), sorted(results)) == (7, [*"0123456"])
    bad = results.pop("3")
    assert {r.verdict for r in results.values()} == {Verdict.UNSATISFIABLE}
    return bad


def misbehaving(what: str) -> str:
    """A body of `solve` that does this at the hard puzzle."""
    return f"if puzzle.givens[0] == 3:\n    {what}\n{SOLVED}"
