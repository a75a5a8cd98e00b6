"""Puzzles with a known number of solutions: every backend is correct on all of them."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from harness.analysis.run import load

Harness = Callable[..., tuple[int, str, str]]

CORE = ("native", "native-jit", "cpsat", "milp", "cnf")
# The article "你会玩数独么?", which claims 15 solutions.
ARTICLE = "...8......3..92..1.9.......7.....8....57..9..2..........352.1...5....4.2..6..4..."


def counts(harness: Harness, puzzle: str, limit: int, *backends: str, **more: str) -> list[object]:
    arguments = [word for name in backends for word in ("--backend", name)]
    arguments += [word for option, value in more.items() for word in (f"--{option}", value)]
    code, out, err = harness("count", puzzle, "--limit", str(limit), *arguments, "--json")
    assert (code, err) == (0, "")
    return [(r["count"], r["exact"]) for r in json.loads(out)["results"]]


def sweep(harness: Harness, folder: Path, *words: object) -> tuple[int, str]:
    code, out, _ = harness("run", *words, "--out", folder)
    return code, out


def test_every_backend_is_correct_on_the_datasets_of_the_catalogue(
    harness: Harness, tmp_path: Path
) -> None:
    words = ["--dataset", "seeds", "named", "--backend", *CORE, "--task", "solve", "count"]
    code, out = sweep(harness, tmp_path / "run", *words)
    assert (code, "72 of 72" in out) == (0, True)
    trials = load(tmp_path / "run").trials
    assert len(trials) == 36 * 2 * len(CORE)
    assert set(trials["verdict"]) == {"solved", "unsatisfiable", "counted"}


def test_every_backend_is_correct_on_the_shared_puzzles(
    harness: Harness, shared_puzzles: Path, tmp_path: Path
) -> None:
    known = shared_puzzles / "ground_truth_9x9.json"
    words = [
        "--dataset",
        known,
        "--backend",
        *CORE,
        "--task",
        "solve",
        "count",
        "--limit",
        "10",
    ]
    code, _ = sweep(harness, tmp_path / "run", *words)
    assert code == 0
    trials = load(tmp_path / "run").trials
    assert len(trials) == 28 * 2 * len(CORE)
    assert set(trials["verdict"]) == {"solved", "unsatisfiable", "counted"}
    assert trials["expected_count"].notna().all()


def test_the_board_of_the_article_has_more_than_10_solutions(harness: Harness) -> None:
    assert counts(harness, ARTICLE, 10, *CORE) == [(10, False)] * len(CORE)


@pytest.mark.long
def test_the_board_of_the_article_has_38122_solutions_and_not_15(harness: Harness) -> None:
    assert counts(harness, ARTICLE, 100_000, "native", "cpsat", "cnf") == [(38122, True)] * 3


def test_the_empty_4x4_and_the_latin_squares_of_order_4(harness: Harness) -> None:
    three = ("native", "cpsat", "cnf")
    assert counts(harness, "." * 16, 1000, *three) == [(288, True)] * 3
    assert counts(harness, "." * 16, 1000, *three, shape="latin4") == [(576, True)] * 3
    assert counts(harness, "1234" + "." * 12, 1000, *CORE) == [(12, True)] * len(CORE)


@pytest.mark.long
def test_milp_counts_the_empty_4x4_and_the_latin_squares_of_order_4_too(harness: Harness) -> None:
    assert counts(harness, "." * 16, 1000, "milp") == [(288, True)]
    assert counts(harness, "." * 16, 1000, "milp", shape="latin4") == [(576, True)]


@pytest.mark.long
def test_the_whole_magictour_collection_without_a_wrong_answer_or_a_timeout(
    harness: Harness, shared_puzzles: Path, tmp_path: Path
) -> None:
    collection = shared_puzzles / "magictour_top1465.txt"
    words = ["--dataset", collection, "--backend", "native", "cpsat", "cnf"]
    code, _ = sweep(harness, tmp_path / "three", *words)
    assert code == 0
    trials = load(tmp_path / "three").trials
    assert len(trials) == 1465 * 3
    assert set(trials["verdict"]) == {"solved"}
    first = tmp_path / "first100.txt"
    first.write_text("".join(collection.read_text().splitlines(keepends=True)[:101]))
    assert sweep(harness, tmp_path / "milp", "--dataset", first, "--backend", "milp")[0] == 0
    trials = load(tmp_path / "milp").trials
    assert len(trials) == 100
    assert set(trials["verdict"]) == {"solved"}


def test_the_two_lightest_25x25_are_solved(
    harness: Harness, shared_puzzles: Path, tmp_path: Path
) -> None:
    records = json.loads((shared_puzzles / "big.json").read_text())
    light = tmp_path / "light.json"
    light.write_text(json.dumps([r for r in records if r["id"] in ("p89", "p90")]))
    words = ["--dataset", light, "--backend", "cpsat", "cnf"]
    code, _ = sweep(harness, tmp_path / "run", *words)
    assert code == 0
    trials = load(tmp_path / "run").trials
    assert list(trials["verdict"]) == ["solved"] * 4
    assert set(trials["shape"]) == {"25x25"}
