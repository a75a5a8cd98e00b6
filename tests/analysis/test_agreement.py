"""Contradictions between the answers of backends."""

from typing import Any

import pandas as pd

from harness.analysis.agreement import agreement
from tests.trials import trials_from

EMPTY, ONE, OTHER = "." * 16, "1234341221434321", "1234432121433412"


def trials(*rows: dict[str, Any]) -> pd.DataFrame:
    return trials_from(rows, name="p", puzzle_id="p")


def solves(backend: str, solution: str = ONE, **more: Any) -> dict[str, Any]:
    return {"backend": backend, "verdict": "solved", "solution": solution} | more


def denies(backend: str, **more: Any) -> dict[str, Any]:
    return {"backend": backend, "verdict": "unsatisfiable"} | more


def counts(backend: str, count: int, exact: bool, **more: Any) -> dict[str, Any]:
    row = {"backend": backend, "verdict": "counted", "task": "count", "limit": 10}
    return row | {"count": count, "exact": exact} | more


def ends(backend: str, verdict: str, **more: Any) -> dict[str, Any]:
    return {"backend": backend, "verdict": verdict} | more


def test_two_solutions_of_a_puzzle_with_several_agree() -> None:
    found = agreement(trials(solves("a", ONE), solves("b", OTHER)))
    assert found.agreed
    assert (found.questions, found.compared) == (1, 1)


def test_a_solution_against_a_denial_is_a_disagreement_and_the_denial_is_wrong() -> None:
    table = trials(solves("a"), denies("b"))
    assert list(table["verdict"]) == ["solved", "wrong"]
    assert table["reason"][1] == "claims no solutions, but 1 solution passed the check"
    (found,) = agreement(table).disagreements
    assert found.claims["a solution"] == ("a",)
    assert not agreement(table).agreed


def test_a_denial_without_a_refutation_stands() -> None:
    table = trials(denies("a"), denies("b"))
    assert agreement(table).agreed
    assert list(table["verdict"]) == ["unsatisfiable"] * 2


def test_a_wrong_solution_is_no_refutation() -> None:
    table = trials(denies("a"), ends("b", "wrong", solution=ONE))
    assert list(table["verdict"]) == ["unsatisfiable", "wrong"]


def test_different_counts_disagree_and_have_a_command_that_repeats_them() -> None:
    (found,) = agreement(trials(counts("a", 3, True), counts("b", 4, True))).disagreements
    assert found.claims == {"3 solutions": ("a",), "4 solutions": ("b",)}
    assert found.command == (
        "harness count ................ --shape 4x4 --backend a --backend b --limit 10"
    )


def test_a_count_at_the_limit_disagrees_with_an_exact_one_below() -> None:
    assert agreement(trials(counts("a", 10, False), counts("b", 10, False))).agreed
    assert not agreement(trials(counts("a", 10, False), counts("b", 9, True))).agreed


def test_counts_to_different_limits_are_different_questions() -> None:
    table = trials(counts("a", 10, False), counts("b", 2, False, limit=2))
    assert agreement(table).agreed
    assert agreement(table).compared == 0


def test_an_exact_count_below_the_known_solutions_is_wrong() -> None:
    table = trials(counts("a", 1, True, solution=ONE), solves("b", OTHER))
    assert list(table["verdict"]) == ["wrong", "solved"]


def test_repetitions_of_one_backend_may_disagree_too() -> None:
    table = trials(counts("a", 3, True), counts("a", 4, True, repetition=2))
    (found,) = agreement(table).disagreements
    assert found.claims == {"3 solutions": ("a",), "4 solutions": ("a",)}


def test_a_missing_answer_is_counted_and_is_not_a_disagreement() -> None:
    found = agreement(trials(solves("a"), ends("b", "timeout"), solves("b", puzzle_id="q")))
    assert not found.disagreements
    assert found.unanswered == {"b": {"timeout": 1}}
    assert found.agreed


def test_a_crash_and_a_backend_that_never_answers_are_findings() -> None:
    crashed = agreement(trials(solves("a"), ends("b", "crashed"), solves("b", puzzle_id="q")))
    assert not crashed.agreed
    unanswered = agreement(trials(solves("a"), ends("b", "timeout")))
    assert unanswered.without_answers == ("b",)
    assert not unanswered.agreed
    unsupported = agreement(trials(solves("a"), ends("b", "unsupported")))
    assert unsupported.agreed


def test_the_smallest_disagreeing_puzzle_comes_first() -> None:
    def on(name: str, puzzle: str) -> list[dict[str, Any]]:
        place = {"puzzle_id": name, "name": name, "puzzle": puzzle}
        return [counts("a", 1, True, **place), counts("b", 2, True, **place)]

    table = trials(*on("large", "." * 81), *on("empty", EMPTY), *on("full", "1234" + "." * 12))
    assert [d.name for d in agreement(table).disagreements] == ["full", "empty", "large"]
