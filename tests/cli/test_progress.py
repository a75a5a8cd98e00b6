"""The live display of a run."""

import re
from io import StringIO

import pytest

from harness.cli.run_progress import LiveProgress
from harness.cli.terminal import console_of, set_quiet
from harness.puzzles import Instance, parse_puzzle
from harness.records.question import Question, Start, Task, Verdict
from harness.records.trial import Batch, Ending, Outcome, Trial, TrialRecord
from tests.conftest import Stream

QUESTION = Question(Task.SOLVE, 0, Start.COLD, 10.0)
pytestmark = pytest.mark.usefixtures("plain_terminal")
INSTANCE = Instance("p", parse_puzzle("." * 16))


def record(backend: str, verdict: Verdict, wall_s: float = 0.5) -> TrialRecord:
    trial = Trial(backend, "named", INSTANCE, QUESTION, 1)
    return TrialRecord(trial, Outcome(ending=Ending.ANSWERED, wall_s=wall_s), verdict)


def display(out: StringIO, *records: TrialRecord, backends: int = 2) -> list[str]:
    """The lines of the last frame, without colours, after these trials."""
    labels = ["native", "own.py:Mine", *(f"other{n}" for n in range(backends - 2))]
    progress = LiveProgress(console_of(out))
    progress.__enter__()
    progress.planned(dict.fromkeys(labels, 10), {"native": 4})
    trial = Trial("own.py:Mine", "named", INSTANCE, QUESTION, 1)
    progress.began(Batch(trial.backend, QUESTION, [trial]))
    progress.finished(records)
    progress.__exit__(KeyboardInterrupt)  # the display of an interrupted run stays
    assert progress.done == 4 + len(records)
    frame = re.split(r"\x1b\[2K", out.getvalue())[-1]
    return [line.rstrip() for line in re.sub(r"\x1b\[[\d;?]*[a-zA-Z]", "", frame).splitlines()]


def test_each_configuration_has_a_line_with_its_trials_verdicts_and_time() -> None:
    records = [record("native", Verdict.SOLVED), record("native", Verdict.SOLVED, 0.25)]
    records += [record("own.py:Mine", verdict) for verdict in (Verdict.TIMEOUT, Verdict.WRONG)]
    native, own, total, *rest = display(Stream(True), *records)
    assert native.split() == ["native", "6/10", "4", "earlier", "2", "solved", "750ms"]
    assert own.split() == ["own.py:Mine", "2/10", "1", "timeout", "1", "wrong", "1.00s"]
    assert "8/20" in total
    assert "own.py:Mine solve named" in total
    assert "left" in total
    assert not rest
    assert max(map(len, (native, own, total))) <= 80


def test_the_time_left_follows_from_the_trials_of_this_command() -> None:
    progress = LiveProgress(console_of(Stream(True)))
    progress.planned({"native": 20}, {"native": 4})
    progress._began -= 100
    progress.finished([record("native", Verdict.SOLVED)] * 4)
    assert progress._time_left() == "5 min left"


def test_failures_are_red() -> None:
    out = Stream(True)
    display(out, record("own.py:Mine", Verdict.WRONG), record("native", Verdict.SOLVED))
    assert "\x1b[1;31m1 wrong\x1b[0m" in out.getvalue()
    assert "\x1b[1;31m1 solved" not in out.getvalue()


def test_a_small_terminal_shows_the_latest_configurations(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LINES", "7")
    lines = display(Stream(True), record("other5", Verdict.SOLVED), backends=30)
    assert len(lines) == 3 + 1 + 1
    assert any(line.startswith("own.py:Mine") for line in lines)
    assert "and 27 more" in lines


def test_without_unicode_the_display_is_ascii(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LANG", "C")
    lines = display(Stream(True), *[record("native", Verdict.SOLVED)] * 6)
    assert all(map(str.isascii, lines))
    assert lines[-1].startswith("##########.......... 10/20")


def test_a_finished_run_leaves_no_display() -> None:
    out = Stream(True)
    with LiveProgress(console_of(out)) as progress:
        progress.planned({"native": 1}, {})
        progress.finished([record("native", Verdict.SOLVED)])
    assert out.getvalue().endswith("\x1b[2K\x1b[?25h") or out.getvalue().endswith("\x1b[2K")


@pytest.mark.parametrize("out", [Stream(False), Stream(True)], ids=["pipe", "dumb"])
def test_without_a_terminal_only_notices_are_printed(
    out: StringIO, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TERM", "dumb")
    with LiveProgress(console_of(out)) as progress:
        progress.planned({"native": 1}, {})
        progress.finished([record("native", Verdict.SOLVED)])
        progress.preparing("melting the ore")
    assert out.getvalue() == "melting the ore\n"


def test_quiet_prints_no_notice() -> None:
    out = Stream(True)
    set_quiet(quiet=True)
    try:
        with LiveProgress(console_of(out)) as progress:
            progress.preparing("melting the ore")
            progress.left_out("cpsat", "not installed")
    finally:
        set_quiet(quiet=False)
    assert out.getvalue() == ""
