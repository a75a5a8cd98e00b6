"""`harness cluster run`: what it prints, how it goes on, and what it refuses."""

import json
import re
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from harness.analysis.run import load
from harness.extensions.cluster.coordinator import ClusterStatus, CoordinatorObserver, run_on
from harness.extensions.cluster.engines import LocalEngine
from harness.runs.sweep import Sweep
from tests.conftest import Ended
from tests.extensions.cluster.checks import refusal_of

Harness = Callable[..., Ended]
SWEEP = ("--dataset", "seeds", "--backend", "native", "dlx")
ON_ENGINE = ("cluster", "run", "sweep.toml", "--on", "local:1")


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("sweep.toml").write_text('datasets = "seeds"\nbackends = ["native", "dlx"]\n')
    monkeypatch.setenv("TMPDIR", str(tmp_path))


@pytest.mark.long
def test_a_run_on_an_engine_has_the_tables_of_any_run(harness: Harness) -> None:
    result = harness(*ON_ENGINE, "--shards", "2", "--out", "r")
    assert result.code == 0, result.err
    assert re.match("(native|dlx) is fastest; ", result.out)
    assert "all answers on 6 puzzles agree" in result.out
    assert len(load(Path("r")).trials) == 12
    again = harness(*ON_ENGINE, "--out", "r", "--json")
    assert again.code == 0
    assert json.loads(again.out)
    assert len(load(Path("r")).trials) == 12
    assert harness("report", "r").code == 0


@pytest.mark.long
def test_another_sweep_or_a_run_of_one_machine_is_refused(harness: Harness) -> None:
    assert harness(*ON_ENGINE, "--shards", "2", "--out", "r").code == 0
    Path("twice.toml").write_text(Path("sweep.toml").read_text() + "repeat = 2\n")
    assert harness("run", *SWEEP, "--out", "plain").code == 0
    for words, folder, message in (
        (("run", *SWEEP), "r", "has a run of shards; expected harness cluster run, or another fol"),
        ((*ON_ENGINE[:2], "twice.toml", *ON_ENGINE[3:]), "r", "options, puzzles or software have"),
        (ON_ENGINE, "plain", "has a run of one machine"),
    ):
        assert f"{folder}: {message}" in refusal_of(harness, *words, "--out", folder)


@pytest.mark.long
def test_a_report_of_an_unfinished_run_names_the_missing_shards(harness: Harness) -> None:
    class Ends(CoordinatorObserver):
        def changed(self, status: ClusterStatus) -> None:
            if status.done == 1:
                raise KeyboardInterrupt

    sweep, engine = Sweep(("seeds",), ("native", "dlx")), lambda plan: LocalEngine(plan.run, 1, 1)
    with pytest.raises(KeyboardInterrupt):
        run_on(sweep, Path("r"), engine, shards=3, coordinator_observer=Ends())
    note = "UNFINISHED RUN: 4 trials, incomplete (2 of 3 shards missing)"
    report = harness("report", "r")
    assert report.code == 0, report.err
    assert note in " ".join(report.out.split())
    assert harness("report", "r", "--require-complete").code == 1
    data = json.loads(harness("report", "r", "--json").out)
    assert data["progress"]["finished"] is False
    assert data["progress"]["planned"] is None
    assert harness("report", "r", "--format", "html", "--out", "page.html").code == 0
    assert note in Path("page.html").read_text()
    result = harness(*ON_ENGINE, "--out", "r")
    assert result.code == 0, result.err
    assert note not in harness("report", "r").out
    assert len(load(Path("r")).trials) == 12


HELPED = """
from backends.native import Native
from helper import NAME


class First(Native):
    name = "first"


class Second(Native):
    name = NAME
"""


@pytest.mark.long
def test_backends_in_files_run_with_what_they_need(harness: Harness) -> None:
    Path("mine/parts").mkdir(parents=True)
    command = f'solve = ["{sys.executable}", "{{folder}}/none.py"]\nnone = ["none"]\n'
    for name, text in {
        "backend.py": HELPED,
        "helper.py": "from parts.names import NAME\n",
        "parts/__init__.py": "",
        "parts/names.py": "NAME = 'second'\n",
        "none.toml": command,
        "none.py": "print('none')\n",
        "puzzles.txt": "11" + "." * 79 + "\n",
    }.items():
        Path("mine", name).write_text(text)
    backends = ("mine/backend.py:Second", "cnf[solver=glucose4]", "mine/none.toml")
    words = ("run", "--dataset", "mine/puzzles.txt", "--backend", *backends)
    assert harness(*words, "--out", "plain").code == 0
    result = harness("cluster", "run", "plain/sweep.toml", "--on", "local:1", "--out", "r")
    assert result.code == 0, result.err
    trials = load(Path("r")).trials
    assert set(trials["spec"]) == set(load(Path("plain")).trials["spec"])
    assert set(trials["backend"]) == {"second", "cnf[solver=glucose4]", "none"}
    assert set(trials["verdict"]) == {"unsatisfiable"}
