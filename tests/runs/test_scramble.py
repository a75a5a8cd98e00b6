"""Runs of scrambled and chosen puzzles: what is sent, stored, shown and compared."""

import json
import shlex
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest

from harness.analysis.run import load
from harness.puzzles import Puzzle, Shape, load_dataset
from harness.puzzles.datasets.facts import features_of
from harness.puzzles.symmetry import Scramble
from harness.records.question import Start, Task
from harness.runs.run import run_sweep
from harness.runs.sweep import Sweep
from harness.runs.sweep_files import read_sweeps
from tests.conftest import Ended
from tests.installed import needs

Harness = Callable[..., Ended]
LIAR = "return Answer.unsatisfiable()"


def shape_and_lines(dataset: str) -> dict[str, Puzzle]:
    return {instance.name: instance.puzzle for instance in load_dataset(dataset).instances}


def check_scramble(trials: pd.DataFrame, seed: int, dataset: str) -> None:
    """Check that the rows have what was sent and the puzzle of the dataset."""
    originals = shape_and_lines(dataset)
    for row in trials[trials["scramble"] == str(seed)].to_dict("records"):
        original = originals[row["name"]]
        assert row["original"] == original.line
        scramble = Scramble.from_seed(original.shape, f"{seed}:{original.id}")
        scrambled_puzzle = scramble.puzzle(original)
        assert (row["puzzle"], row["puzzle_id"]) == (scrambled_puzzle.line, scrambled_puzzle.id)
        assert row["clues"] == original.clues
        assert row["verdict"] in ("solved", "unsatisfiable", "counted")
        if row["verdict"] == "solved":  # the solution of the original comes back
            grid_back = scramble.inverse.grid([int(c, 36) for c in row["solution"]])
            assert all(v in (0, r) for v, r in zip(original.givens, grid_back, strict=True))


def test_rows_keep_the_instance_and_the_puzzle_that_was_sent(tmp_path: Path) -> None:
    sweep = Sweep(
        *(("named/1-6", "6x6/1-3"), ("native",), (Task.SOLVE, Task.COUNT)),
        starts=(Start.COLD, Start.BATCH),
        repeat=2,
        scramble=(5,),
    )
    run_sweep(sweep, tmp_path / "run")
    run = load(tmp_path / "run")
    assert len(run.trials) == 9 * 2 * 2 * 2
    assert not (run.trials["puzzle"] == run.trials["original"]).any()
    # One puzzle for all tasks, starts and repetitions.
    assert (run.trials.groupby(["dataset", "name"])["puzzle"].nunique() == 1).all()
    check_scramble(run.trials[run.trials["dataset"] == "named"], 5, "named")
    check_scramble(run.trials[run.trials["dataset"] == "6x6"], 5, "6x6")
    assert run.agreement().agreed
    assert run.progress.finished
    # A second command has nothing to do, and another seed everything.
    assert run_sweep(sweep, tmp_path / "run").done_before == len(run.trials)
    (again,) = read_sweeps(tmp_path / "run" / "sweep.toml", {})
    assert again == sweep
    other = Sweep(("named/1-6",), ("native",), scramble=(6,))
    assert run_sweep(other, tmp_path / "run").done_before == 0
    extension = load(tmp_path / "run")
    check_scramble(extension.trials[extension.trials["dataset"] == "named"], 6, "named")
    assert set(extension.trials["scramble"]) == {"5", "6"}
    assert extension.progress.finished
    assert set(extension.summary()["scramble"]) == {"5", "6"}
    assert len(extension.completeness()) == len(run.completeness()) + 1


def test_a_puzzle_that_its_scramble_does_not_change_has_rows_of_its_own(
    a_file: Callable[..., Path], tmp_path: Path
) -> None:
    puzzles = str(a_file(["................"]))  # every scramble is the empty grid
    for number, seed in enumerate((0, 1, 2), 1):
        sweep = Sweep((puzzles,), ("native",), scramble=(seed,))
        assert run_sweep(sweep, tmp_path / "run").done_before == 0
        assert len(load(tmp_path / "run").trials) == number
    trials = load(tmp_path / "run").trials
    assert [*trials["scramble"]] == ["", "1", "2"]
    assert [*trials["original"].isna()] == [True, False, False]


@needs("page")
def test_several_seeds_are_interleaved_and_paired_by_the_puzzle_of_the_dataset(
    harness: Harness, tmp_path: Path
) -> None:
    words = ["run", "--dataset", "named/1-10", "--backend", "native", "--start", "cold", "batch"]
    result = harness(*words, "--scramble", "0", "5", "6", "--out", tmp_path / "run")
    assert result.code == 0
    assert "not scrambled, cold start: native" in result.out
    run = load(tmp_path / "run")
    assert len(run.trials) == 10 * 3 * 2
    assert run.environment.datasets["named"].puzzles == 10
    cold = run.trials[run.trials["start"] == "cold"]["scramble"].tolist()
    assert cold != sorted(cold)
    # A call has the puzzles of one seed.
    assert (run.trials.dropna(subset="call").groupby("call")["scramble"].nunique() == 1).all()
    comparison = run.compare(run, factor="scramble")
    assert (len(comparison.pairs), comparison.partial) == (20, ())
    assert set(comparison.pairs["trials_after"]) == {2}
    pairs = run.compare(run, factor="scramble=5,6").pairs
    rows_by_name = {
        row["name"]: row for row in run.trials.to_dict("records") if row["scramble"] == "5"
    }
    assert all(
        row["puzzle"] == rows_by_name[row["name"]]["puzzle"] for row in pairs.to_dict("records")
    )
    result = harness("compare", tmp_path / "run", "--factor", "scramble")
    assert result.code == 0
    assert result.out.startswith("scramble none before, 5, 6 after: ")
    assert "80 % of" in result.out
    page = tmp_path / "page.html"
    words = ["--factor", "scramble=none,5", "--format", "html"]
    assert harness("compare", tmp_path / "run", *words, "--out", page).code == 0
    assert "--factor scramble=none,5" in page.read_text(encoding="utf-8")
    result = harness("compare", tmp_path / "run", "--factor", "timeout")
    assert result.code == 2
    assert "--factor timeout: the trials have 10; expected two values, such as" in result.err


def test_a_disagreement_names_the_instance_and_repeats_the_puzzle_that_was_sent(
    harness: Harness, a_backend: Callable[..., str]
) -> None:
    liar = a_backend(LIAR, name="liar")
    words = ["check", "--dataset", "named/1", "--backend", "native", liar, "--task", "solve"]
    result = harness(*words, "--scramble", "7")
    assert result.code == 1
    original = next(iter(load_dataset("named").instances))
    scrambled_puzzle = Scramble.from_seed(original.puzzle.shape, f"7:{original.puzzle.id}").puzzle(
        original.puzzle
    )
    assert f"named/{original.name} (scramble 7): " in result.out
    (command,) = [line for line in result.out.splitlines() if "again: " in line]
    assert shlex.split(command.split("again: ")[1])[2] == scrambled_puzzle.line
    data = json.loads(harness(*words, "--scramble", "7", "--json").out)
    (disagreement,) = data["disagreements"]
    expected = {"name": original.name, "scramble": "7", "puzzle": scrambled_puzzle.line}
    assert expected.items() <= disagreement.items()
    assert disagreement["original"] == original.puzzle.line
    plain_result = harness(*words)
    assert "scramble" not in plain_result.out


@pytest.mark.long
def test_a_dry_run_knows_which_scrambled_trials_are_stored(
    harness: Harness, tmp_path: Path
) -> None:
    words = ["run", "--dataset", "named/1-4", "--backend", "native", "--out", tmp_path / "run"]
    assert harness(*words, "--scramble", "1").code == 0
    for seed, stored_trials in (("1", 4), ("2", 0), (None, 0)):
        option = ["--scramble", seed] if seed else []
        plan = json.loads(harness(*words, *option, "--dry-run", "--json").out)
        assert (plan["trials"], plan["stored"]) == (4, stored_trials)
    plan = json.loads(harness(*words, "--where", "clues > 25", "--dry-run", "--json").out)
    assert plan["trials"] == sum(p.clues > 25 for p in [*shape_and_lines("named").values()][:4])


def test_a_condition_chooses_the_instances_of_a_run(harness: Harness, tmp_path: Path) -> None:
    sweep = tmp_path / "sweep.toml"
    sweep.write_text(
        'datasets = ["named/1-10", "seeds"]\nbackends = ["native"]\nwhere = "20 < clues < 28"\n'
    )
    result = harness("run", sweep, "--out", tmp_path / "run", "--scramble", "2")
    assert result.code == 0
    first = [*shape_and_lines("named").items()][:10]
    expected_names = {name for name, puzzle in first if 20 < puzzle.clues < 28}
    run = load(tmp_path / "run")
    rows = run.trials[run.trials["dataset"] == "named"]
    assert set(rows["name"]) == expected_names
    assert (
        f"puzzles left out by --where or --sample: named {10 - len(expected_names)}" in result.out
    )
    report = harness("report", tmp_path / "run", "--all").out
    assert "left out by --where or --sample" in report
    assert "scramble 2" in report
    settings = run.settings()
    assert "20 < clues < 28" in settings.to_string()


def test_a_sample_of_each_dataset_is_run(harness: Harness, tmp_path: Path) -> None:
    words = ["--dataset", "named", "seeds", "--backend", "native", "--where", "clues > 20"]
    folder, table = tmp_path / "run", ["--format", "csv", "--table", "settings"]
    result = harness("run", *words, "--out", folder, "--sample", "2", "--seed", "3")
    assert result.code == 0
    assert "puzzles left out by --where or --sample" in result.out
    assert "sample,all,2" in harness("report", folder, *table).out
    first = set(zip(*(load(folder).trials[name] for name in ("dataset", "name")), strict=True))
    assert sorted(dataset for dataset, _ in first) == ["named", "named", "seeds", "seeds"]
    assert harness("run", *words, "--out", folder, "--sample", "4", "--seed", "3").code == 0
    trials = load(folder).trials
    assert len(trials) == 8
    assert first < set(zip(trials["dataset"], trials["name"], strict=True))
    result_of_check = harness("check", *words[:-2], "--sample", "2", "--seed", "3", "--json")
    assert result_of_check.code == 0
    assert json.loads(result_of_check.out)["trials"] == 8
    refusal = harness("check", *words, "--seed", "3")
    assert refusal.code == 2
    assert "--seed: applies only with --sample" in refusal.err


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--where", "cluse < 3"], "--where: unknown name 'cluse' (did you mean 'clues'?)"),
        (["--where", "clues < 0"], "--where: no puzzle meets clues < 0: named has "),
        (["--where", ""], "--where: empty"),
        (["--sample", "0"], "--sample: invalid value 0; expected a whole number of at least 1"),
        (["--scramble", "1.5"], "a whole number"),
    ],
)
def test_wrong_values_are_errors(
    harness: Harness, tmp_path: Path, words: list[str], message: str
) -> None:
    result = harness("run", "--out", tmp_path, "--dataset", "named", "--backend", "native", *words)
    assert result.code == 2
    assert message in result.err
    assert not [*tmp_path.iterdir()]


@needs("reasoning")
def test_features_are_columns_of_an_export(harness: Harness, tmp_path: Path) -> None:
    words = ["run", "--dataset", "6x6/1-2", "--backend", "native"]
    assert harness(*words, "--scramble", "1", "--out", tmp_path / "run").code == 0
    out = tmp_path / "trials.csv"
    result = harness(
        "export", tmp_path / "run", "--features", "guesses", "symmetries", "--out", out
    )
    assert result.code == 0
    rows = pd.read_csv(out, dtype={"puzzle": str})
    assert [*rows.columns][-2:] == ["symmetries", "guesses"]
    for row in rows.to_dict("records"):
        puzzle = Puzzle.of_line(row["puzzle"].strip("'="), Shape.parse(row["shape"]))
        features = features_of(puzzle)
        assert row["guesses"] == features.guesses
        symmetries = "" if pd.isna(row["symmetries"]) else row["symmetries"]
        assert symmetries == " ".join(features.symmetries)
    parquet = tmp_path / "trials.parquet"
    assert harness("export", tmp_path / "run", "--features", "all", "--out", parquet).code == 0
    frame = pd.read_parquet(parquet)
    assert {"size", "candidates", "pencilmarks", "automorphisms", "minimal"} <= {*frame.columns}
    assert "guesses" not in harness("export", tmp_path / "run").out.splitlines()[0].split(",")
    wrong = harness("export", tmp_path / "run", "--features", "guesess")
    assert wrong.code == 2
    assert "unknown feature 'guesess' (did you mean 'guesses'?)" in wrong.err
    both = harness("export", tmp_path / "run", "--features", "all", "--anonymize", "--out", "x")
    assert both.code == 2
