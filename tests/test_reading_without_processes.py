"""Results can be read on a system without the processes, locks and users of POSIX."""

import importlib.util
import json
import subprocess
import sys
from pathlib import Path

import pytest

import harness

BLOCKED = ("fcntl", "resource", "termios", "pwd", "grp")

# Blocks the modules before any import of the harness or of a library, runs the commands of
# the arguments, and prints their exit codes and the loaded modules.
CHILD = """
import importlib.abc, json, os, sys

class Blocker(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name in BLOCKED:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

BLOCKED, commands = json.loads(sys.argv[1])
for name in BLOCKED:
    sys.modules.pop(name, None)
sys.meta_path.insert(0, Blocker())
del os.fork

import harness
from harness.cli import main

codes = []
for command in commands:
    try:
        main(command)
    except SystemExit as end:
        codes.append(end.code)
run = harness.load(commands[0][1])
print(json.dumps([codes, len(run.trials), run.agreement().agreed, list(sys.modules)]))
"""


@pytest.fixture(scope="module")
def a_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("run")
    puzzles = folder / "puzzles.txt"
    puzzles.write_text("1234............\n.............123\n1...............\n")
    harness.run(str(puzzles), ["native", "cnf"], out=folder / "run", repeat=2)
    return folder / "run"


@pytest.mark.long
def test_reports_charts_exports_and_frames_need_no_process_code(
    a_run: Path, tmp_path: Path
) -> None:
    assert all(map(importlib.util.find_spec, BLOCKED))
    run, out = str(a_run), str(tmp_path)
    commands = [
        ["report", run],
        ["report", run, "--format", "html", "--out", f"{out}/report.html"],
        ["report", run, "--format", "latex", "--out", f"{out}/report.tex"],
        ["compare", run, run],
        ["compare", run, run, "--format", "html", "--out", f"{out}/comparison.html"],
        ["export", run, "--out", f"{out}/trials.csv"],
        ["export", run, "--anonymize", "--out", f"{out}/anonymized"],
        ["export", run, "--anonymize", "--out", f"{out}/second"],
        f"trend {run} {out}/anonymized {out}/second --format html --out {out}/t".split(),
        ["charts", run, "--out", f"{out}/charts"],
        ["merge", run, f"{out}/anonymized", "--out", f"{out}/merged"],
        ["report", f"{out}/merged"],
        ["datasets"],
        ["inspect", "1234............"],
        ["--help"],
    ]
    process = subprocess.run(
        [sys.executable, "-c", CHILD, json.dumps([BLOCKED, commands])],
        capture_output=True,
        text=True,
    )
    assert process.returncode == 0, process.stderr
    codes, trials, agrees, modules = json.loads(process.stdout.splitlines()[-1])
    assert dict(zip(map(" ".join, commands), codes, strict=True)) == {
        " ".join(command): 0 for command in commands
    }, process.stderr
    assert (trials, agrees) == (12, True)
    names = {path.name for path in tmp_path.iterdir()}
    assert names >= {"report.html", "comparison.html", "trials.csv", "charts", "merged"}
    rooms = ("harness.engine", "harness.extensions.conformance.examiner", "harness.runs.run")
    assert [name for name in modules if name in BLOCKED or name.startswith(rooms)] == []
