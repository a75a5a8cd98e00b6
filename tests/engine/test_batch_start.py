"""The start `batch`: one call for many instances, judged one by one, failing together."""

from collections.abc import Callable
from pathlib import Path
from textwrap import indent

from harness.analysis.run import load
from harness.puzzles.patterns import pattern_grid
from harness.puzzles.puzzle import line_of
from harness.records.question import Question, Start, Task, Verdict
from harness.records.trial import Ending
from harness.runs.plan import BATCH
from harness.runs.run import run_sweep
from harness.runs.sweep import Sweep
from tests.engine.asking import NUMBER, PUZZLES, SHAPE, ask_each, puzzle_with_number

FAILURES = (
    ("return 3", Verdict.WRONG, Ending.INVALID),
    (
        "return ManyAnswers.from_flags(*np.ones((2, 2), bool), np.ones((2, 16), np.uint8))",
        Verdict.WRONG,
        Ending.INVALID,
    ),
    ("os._exit(7)", Verdict.CRASHED, Ending.EXITED),
    ("raise ValueError('no idea')", Verdict.CRASHED, Ending.RAISED),
    ("raise Unsupported('one at a time')", Verdict.UNSUPPORTED, Ending.UNSUPPORTED),
    ("time.sleep(60)", Verdict.TIMEOUT, Ending.TIME_LIMIT),
    ("os.closerange(0, 99); return 3", Verdict.CRASHED, Ending.EXITED),
)
"""What the call for all puzzles of a batch does, with the verdict and the ending of each."""


def test_a_failed_call_fails_all_its_trials(a_backend: Callable[..., str]) -> None:
    """The last puzzle of a call has the number of the failure."""
    many = f"number = {NUMBER.format(givens='puzzles[-1]')}\n" + "\n".join(
        f"if number == {number}: {failure}" for number, (failure, _, _) in enumerate(FAILURES)
    )
    calls = [[*PUZZLES, puzzle_with_number(number)] for number in range(len(FAILURES))]
    question = Question(Task.SOLVE, 2, Start.BATCH, 0.5)
    results = ask_each(with_many(a_backend, many), question, calls)
    for (failure, verdict, ending), records in zip(FAILURES, results, strict=True):
        assert [r.verdict for r in records] == [verdict] * (len(PUZZLES) + 1), failure
        assert {r.outcome.ending for r in records} == {ending}, failure


def test_a_wrong_grid_is_wrong_for_its_puzzle_alone(a_backend: Callable[..., str]) -> None:
    grid = pattern_grid(SHAPE)
    many = f"""
grids = np.array([{grid}] * len(puzzles), np.uint8)
grids[len(puzzles) // 2, 0] = 9
solved = np.ones(len(puzzles), bool)
return ManyAnswers.from_flags(solved, solved, grids)
"""
    question = Question(Task.SOLVE, 2, Start.BATCH, 5.0)
    (results,) = ask_each(with_many(a_backend, many), question, [PUZZLES])
    verdicts = {r.trial.instance.name: r.verdict for r in results}
    assert verdicts.pop(str(len(PUZZLES) // 2)) is Verdict.WRONG
    assert list(verdicts.values()) == [Verdict.SOLVED] * (len(PUZZLES) - 1)


def with_many(a_backend: Callable[..., str], many: str) -> str:
    """A backend whose `solve_many` has this body."""
    members = "def solve_many(self, puzzles):\n"
    members += "    if len(puzzles) == 1: return super().solve_many(puzzles)\n"
    top = "import numpy as np\nfrom harness.contract import ManyAnswers"
    return a_backend(top=top, members=members + indent(many.strip(), " " * 4))


def test_the_start_batch_makes_one_call_for_many_instances(
    a_file: Callable[..., Path], tmp_path: Path
) -> None:
    grid = pattern_grid(SHAPE)
    lines = {
        line_of(tuple(v if n >> cell & 1 else 0 for cell, v in enumerate(grid)))
        for n in range(3, 3 + BATCH + 33)
    }
    sweep = Sweep(
        (str(a_file(sorted(lines))),), ("native",), starts=(Start.BATCH, Start.WARM), shape="4x4"
    )
    run_sweep(sweep, tmp_path / "run")
    trials = load(tmp_path / "run").trials
    assert trials.groupby("start").size().to_dict() == {"batch": len(lines), "warm": len(lines)}
    assert set(trials["verdict"]) == {"solved"}
    assert sorted(trials.groupby("call").size()) == [len(lines) // 2, -(-len(lines) // 2)]
    walls = trials[trials["start"] == "batch"]["wall_s"]
    assert walls.nunique() == 2  # two calls of equal size
