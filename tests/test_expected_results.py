"""Runs over puzzles with known results: every backend solves and counts them correctly."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from harness.analysis.run import load

Harness = Callable[..., tuple[int, str, str]]

CORE = ("native", "native-jit", "cpsat", "milp", "cnf")
MANY_SOLUTIONS = "...8......3..92..1.9.......7.....8....57..9..2..........352.1...5....4.2..6..4..."


def counts(harness: Harness, puzzle: str, limit: int, *backends: str, **more: str) -> list[object]:
    arguments = [part for name in backends for part in ("--backend", name)]
    arguments += [part for option, value in more.items() for part in (f"--{option}", value)]
    code, out, err = harness("count", puzzle, "--max-solutions", str(limit), *arguments, "--json")
    assert (code, err) == (0, "")
    return [(r["count"], r["exact"]) for r in json.loads(out)["results"]]


def exit_code_of_run(harness: Harness, folder: Path, *arguments: object) -> int:
    return harness("run", *arguments, "--out", folder)[0]


def test_every_backend_is_right_on_the_shipped_puzzles(harness: Harness, tmp_path: Path) -> None:
    """Only the small datasets; a long test has the puzzles with known counts."""
    words = ["--dataset", "seeds", "--backend", *CORE, "--task", "solve", "count"]
    assert exit_code_of_run(harness, tmp_path / "run", *words) == 0
    run = load(tmp_path / "run")
    assert (run.agreement().agreed, run.agreement().compared) == (True, 6)
    assert len(run.trials) == 6 * 2 * len(CORE)
    assert set(run.trials["verdict"]) == {"solved", "counted"}


@pytest.mark.long
def test_every_backend_is_right_on_the_puzzles_with_known_counts(
    harness: Harness, shared_puzzles: Path, tmp_path: Path
) -> None:
    dataset = shared_puzzles / "ground_truth_9x9.json"
    arguments = ["--dataset", dataset, "--backend", *CORE, "--task", "solve", "count"]
    assert exit_code_of_run(harness, tmp_path / "run", *arguments, "--max-solutions", "10") == 0
    trials = load(tmp_path / "run").trials
    assert len(trials) == 28 * 2 * len(CORE)
    assert set(trials["verdict"]) == {"solved", "unsatisfiable", "counted"}
    assert trials["expected_count"].notna().all()


@pytest.mark.long
def test_all_solutions_of_a_puzzle_with_many_are_counted(harness: Harness) -> None:
    assert counts(harness, MANY_SOLUTIONS, 100_000, "native", "cpsat", "cnf") == [(38122, True)] * 3


@pytest.mark.long
def test_the_empty_4x4_and_the_latin_squares_of_order_4(harness: Harness) -> None:
    three = ("native", "cpsat", "cnf")
    assert counts(harness, "." * 16, 1000, *three) == [(288, True)] * 3
    assert counts(harness, "." * 16, 1000, *three, shape="latin4") == [(576, True)] * 3
    assert counts(harness, "1234" + "." * 12, 1000, *CORE) == [(12, True)] * len(CORE)


@pytest.mark.long
def test_the_whole_magictour_collection_without_a_wrong_answer_or_a_timeout(
    harness: Harness, shared_puzzles: Path, tmp_path: Path
) -> None:
    collection = shared_puzzles / "magictour_top1465.txt"
    arguments = ["--dataset", collection, "--backend", "native", "cpsat", "cnf"]
    assert exit_code_of_run(harness, tmp_path / "three", *arguments) == 0
    trials = load(tmp_path / "three").trials
    assert len(trials) == 1465 * 3
    assert set(trials["verdict"]) == {"solved"}
    first = tmp_path / "first100.txt"
    first.write_text("".join(collection.read_text().splitlines(keepends=True)[:101]))
    arguments = ["--dataset", first, "--backend", "milp"]
    assert exit_code_of_run(harness, tmp_path / "milp", *arguments) == 0
    trials = load(tmp_path / "milp").trials
    assert len(trials) == 100
    assert set(trials["verdict"]) == {"solved"}


@pytest.mark.long
def test_the_two_lightest_25x25_are_solved(
    harness: Harness, shared_puzzles: Path, tmp_path: Path
) -> None:
    records = json.loads((shared_puzzles / "big.json").read_text())
    light = tmp_path / "light.json"
    light.write_text(json.dumps([r for r in records if r["id"] in ("p89", "p90")]))
    arguments = ["--dataset", light, "--backend", "native-jit", "cpsat", "cnf"]
    assert exit_code_of_run(harness, tmp_path / "run", *arguments) == 0
    trials = load(tmp_path / "run").trials
    assert list(trials["verdict"]) == ["solved"] * 6
    assert set(trials["shape"]) == {"25x25"}
