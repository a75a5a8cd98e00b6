"""`harness check`: what it groups, shows whole, keeps when interrupted and writes for CI."""

import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from tests.conftest import Ended
from tests.stores import changed

Harness = Callable[..., Ended]

ROWS = ["1234", "1243", "1324", "1342", "1423", "1432", "2134", "2143", "2314"]
PUZZLES = ["# made for a test", *(f"{row}............" for row in ROWS)]


@pytest.fixture
def liar(a_backend: Callable[..., str]) -> str:
    """A backend that denies solutions and raises an error with a number of its own each time."""
    return a_backend(
        "return Answer.unsatisfiable()",
        count="raise ValueError(f'no idea about {hash(puzzle.givens) & 255}\\x1b[31m')",
    )


def test_one_disagreement_of_a_kind_is_shown_and_each_reason_once(
    harness: Harness, a_file: Callable[..., Path], liar: str
) -> None:
    arguments = ["check", "--dataset", a_file(PUZZLES), "--backend", "native", liar]
    result = harness(*arguments)
    assert result.code == 1
    lines = result.out.splitlines()
    again = [shlex.split(line.removeprefix("  again: ")) for line in lines if "  again: " in line]
    assert len(again) == 2
    for command in again:
        assert harness(*command[1:]).code == 1
    assert "  the same on 8 more puzzles: puzzles/2, puzzles/3, puzzles/4, ..." in lines
    (crash,) = [line for line in lines if line.startswith("crashed, ")]
    error = r"ValueError: no idea about \d+\\x1b\[31m \(\S+, line \d+\)"
    assert re.fullmatch(f"crashed, 9 trials of made: {error}", crash)
    assert lines[0] == "DISAGREEMENT on 9 of 9 puzzles"
    assert lines[-2:] == ["made: no answer in 9 trials (9 crashed)", "2 backends: native, made"]

    every = harness(*arguments, "--all").out.splitlines()
    assert sum(line.startswith("  again: ") for line in every) == 10
    assert every[-3:] == [lines[-2], lines[0], lines[-1]]


def test_many_kinds_are_capped_and_counted(
    harness: Harness, a_file: Callable[..., Path], a_backend: Callable[..., str]
) -> None:
    words = "('eel', 'ant', 'bee', 'cat', 'dog', 'elk', 'fox', 'gnu', 'hen')"
    rows = f"{ROWS}.index(''.join(map(str, puzzle.givens[:4])))"
    backend = a_backend(f"raise ValueError({words}[{rows}])")
    arguments = ["check", "--dataset", a_file(PUZZLES), "--backend", backend, "--task", "solve"]
    out = harness(*arguments).out
    assert out.count("crashed, 1 trial of") == 3
    assert "... and 6 more reasons: --all\n" in out
    every = harness(*arguments, "--all").out
    assert every.count("crashed, 1 trial of") == 9
    assert "--all" not in every


@pytest.mark.long
def test_ctrl_c_shows_what_was_found_before(
    a_file: Callable[..., Path], a_backend: Callable[..., str], tmp_path: Path
) -> None:
    ready = tmp_path / "ready"
    slow = a_backend(
        "global calls\ncalls += 1\n"
        f"if calls == 5:\n    open({str(ready)!r}, 'w').close()\n    time.sleep(60)\n"
        "raise ValueError('no idea')",
        top="calls = 0  # the first is the call that warms up",
    )
    words = ["check", "--dataset", str(a_file(PUZZLES)), "--backend", slow, "--task", "solve"]
    process = subprocess.Popen(
        [sys.executable, "-m", "harness", *words, "--junit", str(tmp_path / "x.xml")],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    deadline = time.monotonic() + 30
    while not ready.exists() and time.monotonic() < deadline:
        time.sleep(0.05)
    time.sleep(1)  # the harness reads the outcomes of the trials before
    os.kill(process.pid, signal.SIGINT)
    out, err = process.communicate(timeout=30)
    assert process.returncode == 130
    assert re.search(r"^crashed, 3 trials of made: ValueError: no idea$", out, re.M)
    assert "interrupted: 3 of 9 trials ended" in err
    assert "Traceback" not in err
    root = ET.parse(tmp_path / "x.xml").getroot()
    assert root.attrib["errors"] == "3"
    messages = [failure.attrib["message"] for failure in root.iter("failure")]
    interrupted = "interrupted: 3 of 9 trials ended"
    assert messages == [interrupted, "no backend answered", "no answer to any question"]


def test_findings_are_written_for_continuous_integration(
    harness: Harness,
    a_file: Callable[..., Path],
    liar: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    a_file(PUZZLES, "my,puzzles.txt")
    arguments = ["check", "--dataset", "my,puzzles.txt", "--backend", "native", liar]
    result = harness(*arguments, "--junit", "check.xml", "--github")
    assert result.code == 1
    root = ET.parse("check.xml").getroot()
    counts = {name: root.attrib[name] for name in ("tests", "failures", "errors")}
    assert counts == {"tests": "38", "failures": "9", "errors": "9"}
    assert [suite.attrib["name"] for suite in root] == ["check", "made", "native"]
    notes = result.err.splitlines()
    assert len(notes) == 2
    assert notes[0].startswith("::error title=Disagreement on my%2Cpuzzles/1::")
    assert "the same on 8 more puzzles%0Aagain: harness solve 1234" in notes[0]
    assert notes[1].startswith("::error title=made crashed::")
    assert "\x1b" not in result.err
    assert "::error" not in result.out


def test_a_trial_without_an_answer_is_not_annotated_as_a_crash(
    harness: Harness, a_file: Callable[..., Path], a_backend: Callable[..., str]
) -> None:
    helpless = a_backend("return Answer.unknown()")
    words = ["check", "--dataset", a_file(PUZZLES[:2]), "--backend", "native", "cnf", helpless]
    notes = harness(*words, "--task", "solve", "--github").err
    assert notes == "::error title=made has no answer::made answered no question\n"


def test_the_first_puzzle_at_a_limit_is_named(
    harness: Harness, a_file: Callable[..., Path], a_backend: Callable[..., str]
) -> None:
    slow = a_backend("if puzzle.givens[0] == 2: time.sleep(60)\nreturn Answer.unknown()")
    words = ["check", "--dataset", a_file(PUZZLES), "--backend", "native", slow]
    result = harness(*words, "--task", "solve", "--timeout", "1")
    (line,) = [line for line in result.out.splitlines() if "no answer in" in line]
    assert re.search(r"\b3 timeouts, first puzzles/[789]\b", line)
    assert re.search(r"\b6 unknown\b", line)


def test_a_check_without_findings_annotates_nothing(
    harness: Harness, a_file: Callable[..., Path], tmp_path: Path
) -> None:
    arguments = ["check", "--dataset", a_file(PUZZLES), "--backend", "native", "cnf"]
    result = harness(*arguments, "--junit", tmp_path / "check.xml", "--github")
    assert (result.code, result.err) == (0, "")
    root = ET.parse(tmp_path / "check.xml").getroot()
    assert (root.attrib["tests"], root.attrib["failures"]) == ("38", "0")
    assert harness(*arguments, "--junit", tmp_path / "no" / "where.xml").code == 2
    # A command that ends early does not leave the file of an earlier one.
    result = harness("check", "--dataset", "nowhere.txt", "--junit", tmp_path / "check.xml")
    assert result.code == 2
    root = ET.parse(tmp_path / "check.xml").getroot()
    assert (root.attrib["tests"], root.attrib["failures"]) == ("1", "1")


def test_a_regression_is_a_failure_and_an_annotation(
    harness: Harness, run_once: Callable[..., Path], tmp_path: Path
) -> None:
    folder = run_once("for-checks", PUZZLES, ["native"]) / "run"
    for name in ("before", "after"):
        shutil.copytree(folder, tmp_path / name)
    changed(tmp_path / "after", "UPDATE trials SET answer_verdict = 'crashed' WHERE id <= 2")
    runs = (tmp_path / "before", tmp_path / "after")
    result = harness("compare", *runs, "--junit", tmp_path / "c.xml", "--github", "--json")
    assert result.code == 1
    root = ET.parse(tmp_path / "c.xml").getroot()
    assert int(root.attrib["failures"]) >= 2
    messages = [failure.attrib["message"] for failure in root.iter("failure")]
    assert messages[-2:] == ["new failure: solved before, crashed after"] * 2
    assert "::error title=native%3A new failure::2 results, first puzzles/" in result.err
    result = harness("compare", runs[0], runs[0], "--junit", tmp_path / "c.xml", "--github")
    assert (result.code, result.err) == (0, "")
    assert ET.parse(tmp_path / "c.xml").getroot().attrib["failures"] == "0"


def test_a_contradiction_between_two_tasks_has_a_command_for_each(
    harness: Harness, a_file: Callable[..., Path], a_backend: Callable[..., str]
) -> None:
    none = a_backend("return Answer.unsatisfiable()", count="raise Unsupported('')", name="none")
    many = a_backend("raise Unsupported('')", count="return Count(limit, False)", name="many")
    arguments = ["check", "--dataset", a_file(PUZZLES[:2]), "--backend", none, many]
    result = harness(*arguments)
    assert result.code == 1
    lines = result.out.splitlines()
    assert lines[1:4] == [
        "puzzles/1: at least 2 solutions against no solution",
        "  none, solve: no solution",
        "  many, count to 2: at least 2 solutions",
    ]
    assert lines[0] == "DISAGREEMENT on 1 of 1 puzzle"
    again = [shlex.split(line.removeprefix("  again: ")) for line in lines if "  again: " in line]
    outputs = [harness(*command[1:]).out for command in again]
    assert ["many  2 solutions or more" in text for text in outputs] == [True, False]
    assert ["none  unsatisfiable" in text for text in outputs] == [False, True]


def test_answers_that_cannot_be_compared_are_a_finding_of_every_format(
    harness: Harness, a_file: Callable[..., Path], tmp_path: Path
) -> None:
    puzzles, junit = a_file(PUZZLES[:2]), tmp_path / "check.xml"
    arguments = ["check", "--dataset", puzzles, "--backend", "native", "--junit", junit, "--github"]
    result = harness(*arguments, "--json")
    assert result.code == 1
    reason = "only native answered, and no number of solutions is known for its puzzles"
    check = json.loads(result.out)
    assert (check["agreed"], check["compared"], check["puzzles"]) == (False, 0, 1)
    assert (check["not_compared"], check["disagreements"]) == (reason, [])
    assert result.err.splitlines() == [f"::error title=Nothing compared::{reason}"]
    (failure,) = ET.parse(junit).getroot().iter("failure")
    assert failure.attrib["message"] == reason
    text = harness(*arguments[:-3])
    assert text.code == 1
    assert text.out.splitlines()[0] == f"nothing compared: {reason}"
    # A puzzle with a known number of solutions is compared.
    assert harness("check", "--dataset", "seeds/1", "--backend", "native").code == 0
