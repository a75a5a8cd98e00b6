"""Runs that come from a stranger are continued only with what is inside them."""

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.workbench.server import PUZZLE, Workbench

OPTIONS = 'backends = ["native"]\ntasks = "solve"\n'


@pytest.fixture
def a_run(workbench: Workbench, run_once: Callable[..., Path]) -> Callable[[str, str], Path]:
    """Makes a run with these options in its sweep file, beside a file outside of it."""

    def make(name: str, toml: str) -> Path:
        source = run_once("workbench_continuing", [PUZZLE], ["native"], repeat=2) / "run"
        folder = workbench.results / name
        shutil.copytree(source, folder)
        (folder / "sweep.toml").write_text(toml)
        (workbench.folder / "outside.txt").write_text(PUZZLE)
        return folder

    return make


@pytest.mark.parametrize("kind", ["link", "dangling link", "fifo", "folder"])
@pytest.mark.parametrize("file", ["puzzles.txt", "board.jsonl"])
def test_puzzles_of_a_run_are_a_file_of_its_own(
    workbench: Workbench, a_run: Callable[[str, str], Path], file: str, kind: str
) -> None:
    name = f"{kind}-{file}".replace(" ", "-")
    path = a_run(name, f'datasets = ["{file}"]\n{OPTIONS}') / file
    if kind == "folder":
        path.mkdir()
    elif kind == "fifo":
        os.mkfifo(path)
    else:
        path.symlink_to(workbench.folder / ("outside.txt" if kind == "link" else "nowhere"))
    text = workbench.refusal("/api/sweeps/continue", {"run": name})
    assert text.endswith("expected a file of the run itself"), text
    assert workbench.facts(name)["refusal"] == text


@pytest.mark.parametrize("option", ["jobs = 100000", "jobs = -5", 'jobs = "x"', "nonsense = 1"])
def test_a_run_with_malformed_options_is_not_begun(
    workbench: Workbench, a_run: Callable[[str, str], Path], option: str
) -> None:
    name = "".join(filter(str.isalnum, option))
    a_run(name, f'datasets = ["seeds/1"]\n{OPTIONS}{option}\n')
    text = workbench.refusal("/api/sweeps/continue", {"run": name})
    assert option.partition(" ")[0] in text
    assert workbench.facts(name)["refusal"] == text
    assert workbench.got("/api/sweeps") == []


def test_a_run_with_a_line_break_in_its_name_shows_its_sweep(
    workbench: Workbench, a_run: Callable[[str, str], Path]
) -> None:
    a_run("two\nlines", f'datasets = ["seeds/1"]\n{OPTIONS}')
    assert "two\nlines" in {run["name"] for run in workbench.got("/api/runs")["runs"]}
    assert workbench.request("GET", "/runs/two%0Alines/sweep.toml")[0] == 200
