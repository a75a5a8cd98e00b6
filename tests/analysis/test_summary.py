"""Failures of a run, and what happens beside its trials."""

import shlex
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

import harness
from harness.analysis.run import Run
from harness.analysis.summary import failures
from harness.cli import main
from harness.records.folder.files import solve_command
from tests.trials import Trials

# Failures: every one, each with the command that repeats it.


def test_the_command_puts_the_same_question(trials_of: Trials) -> None:
    trials = trials_of({"cnf[solver=x]#2": ["timeout"]}, timeout_s=0.25, start="warm")
    (line,) = failures(trials)["command"]
    assert line == (
        "harness solve ................ --shape 4x4 --backend 'cnf[solver=x]' "
        "--start warm --timeout 0.25"
    )
    count = trials_of(
        {"a": ["out_of_memory"]}, task="count", limit=7, cpu_limit_s=1.5, memory_limit_mib=64
    )
    (line,) = failures(count)["command"]
    assert line.startswith("harness count ................ ")
    assert line.endswith("--timeout 10 --max-solutions 7 --cpu 1.5 --memory 64")


def test_a_hostile_name_stays_one_word_of_the_shell() -> None:
    backend = '/tmp/it\'s; rm -rf $HOME `x`.py:Mine[a="b"]'
    words = shlex.split(solve_command("solve", "." * 16, "4x4", [backend], start="cold"))
    assert words[words.index("--backend") + 1] == backend


# What happens beside the trials of a run is in its tables, its page and its frames.


PUZZLES = ["1...............", ".1.............."]
LEAVES = """
    import subprocess
    subprocess.Popen(["sleep", "60"])
    raise ValueError("no idea")
"""


@pytest.fixture
def run(
    a_backend: Callable[..., str],
    a_file: Callable[..., Path],
    build_once: Callable[[str, Callable[[Path], object]], Path],
) -> Run:
    """A run of a backend that leaves a program running after each batch, beside another."""

    def build(folder: Path) -> None:
        leaves = a_backend(LEAVES, name="leaves")
        harness.run(a_file(PUZZLES), [leaves, "native"], out=folder / "run")

    return harness.load(build_once("leaves-programs", build) / "run")


def test_programs_left_running_are_incidents_of_their_backend(run: Run) -> None:
    (row,) = run.incidents().to_dict("records")
    assert (row["backend"], row["kind"]) == ("leaves", "left running")
    assert row["incidents"] == len(run.events) >= 1
    assert "sleep" in row["detail"]
    assert row["at"] == run.events["at"].min()


@pytest.mark.long
def test_every_format_shows_them(run: Run, capsys: pytest.CaptureFixture[str]) -> None:
    folder = str(run.folder)
    for options in ([], ["--format", "markdown"], ["--format", "latex"], ["--json"]):
        with pytest.raises(SystemExit):
            main(["report", folder, *options])
        text = " ".join(capsys.readouterr().out.split())
        assert "left running" in text, options
        assert "sleep" in text, options
    run_page = pytest.importorskip("harness.extensions.page.run_page")
    messages = [w.message for w in run_page.warnings_of(run) if w.kind == "incident"]
    assert len(messages) == 1
    assert messages[0].startswith("leaves: its trials left ")


def test_joined_and_merged_runs_have_the_incidents_of_all(run: Run, tmp_path: Path) -> None:
    copy = shutil.copytree(run.folder, tmp_path / "copy")
    assert len(harness.load(run.folder, copy).events) == 2 * len(run.events)
    with pytest.raises(SystemExit):
        main(["merge", str(run.folder), str(copy), "--out", str(tmp_path / "both")])
    assert len(harness.load(tmp_path / "both").events) == 2 * len(run.events)


def test_a_run_without_incidents_has_no_such_table(
    a_file: Callable[..., Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    quiet = harness.run(a_file(PUZZLES), "native", out=tmp_path / "quiet")
    assert quiet.incidents().empty
    with pytest.raises(SystemExit):
        main(["report", str(quiet.folder)])
    assert "Incidents" not in capsys.readouterr().out
