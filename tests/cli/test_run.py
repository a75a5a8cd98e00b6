"""`harness run`, `report`, `export`, `check`, `backends` and `datasets`, as a user types them."""

import json
import re
from collections.abc import Callable
from io import StringIO
from pathlib import Path

import pandas as pd
import pytest

from harness.analysis.run import load
from harness.records.fields import DTYPES

Harness = Callable[..., tuple[int, str, str]]

PUZZLES = ["1234............", ".............123", "1...............", "11.............."]


@pytest.fixture
def a_run(harness: Harness, a_file: Callable[..., Path], tmp_path: Path) -> Path:
    """A run of the plain solver and of one that counts and solves wrongly."""
    folder = tmp_path / "run"
    arguments = ["--dataset", a_file(PUZZLES), "--backend", "native", "--task", "solve", "count"]
    assert harness("run", *arguments, "--out", folder)[0] == 0
    return folder


def test_run_shows_the_tables_and_the_folder(
    harness: Harness, a_file: Callable[..., Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = "--backend native cnf --max-solutions 20 --task solve count --repeat 2 --out"
    arguments = ["run", "--dataset", a_file(PUZZLES), *words.split(), tmp_path / "run"]
    code, out, _ = harness(*arguments)
    assert code == 0
    assert re.match("solve: .+ fastest", out)
    assert "\ncount to 20: " in out
    assert f"harness report {tmp_path}/run" in out
    run = load(tmp_path / "run")
    assert (len(run.trials), run.agreement().compared) == (32, 4)
    monkeypatch.chdir(tmp_path)
    values = run.settings().set_index("option")["value"]
    assert values["datasets"] == "puzzles.txt"
    assert all(len(line) <= 80 for line in out.splitlines() if str(tmp_path) not in line)
    code, out, err = harness(*arguments)
    assert code == 0
    assert "32 of 32" in err


def test_the_default_folder_is_in_results(
    harness: Harness, a_file: Callable[..., Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    arguments = ["run", "--dataset", a_file(PUZZLES), "--backend", "native"]
    harness(*arguments)
    (folder,) = (tmp_path / "results").iterdir()
    assert folder.name.startswith("puzzles-")
    assert f"folder: results/{folder.name}\n" in harness(*arguments, "--dry-run")[1]
    assert folder.name not in harness(*arguments, "--timeout", "3", "--dry-run")[1]


def test_a_page_that_is_there_is_no_next_step(harness: Harness, a_run: Path) -> None:
    if "--format html" not in harness("report", a_run)[1]:
        pytest.skip("no view is installed")
    assert harness("report", a_run, "--format", "html")[0] == 0
    assert "--format html" not in harness("report", a_run)[1]


def test_a_sweep_file_has_the_options_of_a_run_and_the_command_adds_to_them(
    harness: Harness, a_file: Callable[..., Path], tmp_path: Path
) -> None:
    a_file(PUZZLES)
    sweep = tmp_path / "sweep.toml"
    options = 'datasets = ["./puzzles.txt"]\nbackends = ["native"]\ntasks = ["count"]\n'
    sweep.write_text(f"{options}max_solutions = 20\n")
    code, out, _ = harness("run", sweep, "--repeat", "2", "--out", tmp_path / "run")
    assert code == 0
    assert out.startswith("native answered 4 of 4 instances")
    assert set(load(tmp_path / "run").trials["repetition"]) == {1, 2}


def test_fresh_keeps_the_trials_of_every_sweep_of_a_file(
    harness: Harness, a_file: Callable[..., Path], tmp_path: Path
) -> None:
    one = f'[[sweep]]\ndatasets = ["{a_file(PUZZLES)}"]\nbackends = ["native"]\ntasks = '
    (sweep := tmp_path / "sweep.toml").write_text(f'{one}["solve"]\n{one}["count"]\n')
    assert harness("run", sweep, "--fresh", "--out", tmp_path / "run")[0] == 0
    assert len(load(tmp_path / "run").trials) == 8


def test_a_wrong_answer_in_a_run_is_a_finding(
    harness: Harness, a_file: Callable[..., Path], a_backend: Callable[..., str], tmp_path: Path
) -> None:
    liar = a_backend("return Answer.solved((1,) * 16)")
    arguments = ["--dataset", a_file(PUZZLES), "--backend", "native", liar]
    code, out, _ = harness("run", *arguments, "--out", tmp_path / "run")
    assert code == 1
    assert f"--backend {liar} --backend native" in out
    run = load(tmp_path / "run")
    assert len(run.agreement().disagreements) == 4
    is_unranked = run.summary().set_index("backend")["ratio"].isna()
    assert is_unranked.to_dict() == {"native": False, "made": True}


def test_the_export_has_one_row_a_trial(harness: Harness, a_run: Path, tmp_path: Path) -> None:
    code, out, _ = harness("export", a_run, "--format", "csv")
    assert code == 0
    table = pd.read_csv(StringIO(out), dtype={"puzzle": "string", "solution": "string"})
    assert len(table) == 8
    columns = "backend dataset puzzle_id puzzle task limit start repetition verdict count solution"
    assert {*columns.split(), "wall_s", "cpu_s", "encode_s", "search_s", "decode_s"} <= set(table)
    assert list(table.columns) == list(DTYPES)
    assert set(table[table["task"] == "count"]["count"]) == {2, 0}
    assert (table["wall_s"] > 0).all()
    code, _, err = harness("export", a_run, "--out", tmp_path / "no" / "where.csv")
    assert (code, err.count("\n")) == (2, 1)


@pytest.mark.long
def test_check_compares_every_available_backend_that_does_not_give_up(
    harness: Harness, a_file: Callable[..., Path]
) -> None:
    words = ["check", "--dataset", a_file(PUZZLES[:2]), "--max-solutions", "20", "--json"]
    code, out, _ = harness(*words)
    data = json.loads(out)
    assert (code, data["agreed"]) == (0, True)
    assert {"cnf", "cpsat", "dlx", "milp", "native"} <= set(data["backends"])
    assert "annealing" not in {*data["backends"], *data["unavailable"]}


def test_a_crash_is_a_result_of_a_run_and_a_finding_of_a_check(
    harness: Harness, a_backend: Callable[..., str], tmp_path: Path
) -> None:
    """As the table of exit codes in docs/sweeps.md states."""
    crash = a_backend("os._exit(3)")
    folder = tmp_path / "crashed"
    arguments = ("--dataset", "seeds/1", "--backend", crash)
    assert harness("run", *arguments, "--out", folder)[0] == 0
    assert harness("report", folder, "--require-complete")[0] == 0
    assert harness("compare", folder, folder)[0] == 0
    assert harness("check", *arguments)[0] == 1
