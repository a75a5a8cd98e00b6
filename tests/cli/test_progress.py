"""The live display of a run."""

from io import StringIO

from rich.console import Console

from harness.cli.progress import LiveProgress
from harness.puzzles import Instance, parse_puzzle
from harness.records.outcome import Ending, Outcome
from harness.records.question import Question, Start, Task
from harness.records.trial import Batch, Trial, TrialRecord
from harness.records.verdict import Verdict

QUESTION = Question(Task.SOLVE, 0, Start.COLD, 10.0)
TRIAL = Trial("own.py:Mine", "named", Instance("p", parse_puzzle("." * 16)), QUESTION, 1)


def shown(*verdicts: Verdict, terminal: bool = True) -> str:
    out = StringIO()
    console = Console(file=out, force_terminal=terminal, width=100, color_system=None)
    with LiveProgress(console) as progress:
        progress.planned(10, 4)
        progress.began(Batch(TRIAL.backend, QUESTION, [TRIAL]))
        for verdict in verdicts:
            progress.finished([TrialRecord(TRIAL, Outcome(ending=Ending.ANSWERED), verdict)])
    assert progress.done == 4 + len(verdicts)
    return out.getvalue()


def test_it_shows_the_batch_and_the_number_of_each_verdict() -> None:
    text = shown(Verdict.SOLVED, Verdict.TIMEOUT, Verdict.SOLVED)
    assert "7/10" in text
    assert "2 solved 1 timeout" in text
    assert "own.py:Mine solve named" in text


def test_without_a_terminal_it_prints_nothing() -> None:
    assert shown(Verdict.SOLVED, terminal=False) == ""
