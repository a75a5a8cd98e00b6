"""Contradictions between the answers of backends."""

import random
from typing import Any

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.analysis.claims import Claim, ClaimSource, Disagreement, _order, agreement
from harness.analysis.measures.results import as_categories
from harness.puzzles.solution_count import SolutionCount
from tests.trials import trials_from

EMPTY, ONE, OTHER = "." * 16, "1234341221434321", "1234432121433412"
MOST = 6
"""The greatest number of solutions in random claims."""
Row = dict[str, Any]


def trials(*rows: Row) -> pd.DataFrame:
    return trials_from(rows, name="p", puzzle_id="p")


def solves(backend: str, solution: str | None = ONE, **more: Any) -> Row:
    return {"backend": backend, "verdict": "solved", "solution": solution} | more


def denies(backend: str, **more: Any) -> Row:
    return {"backend": backend, "verdict": "unsatisfiable"} | more


def counts(backend: str, count: int, exact: bool, **more: Any) -> Row:
    row = {"backend": backend, "verdict": "counted", "task": "count", "limit": 10}
    return row | {"count": count, "exact": exact} | more


def ends(backend: str, verdict: str, **more: Any) -> Row:
    return {"backend": backend, "verdict": verdict} | more


def texts(disagreement: Disagreement) -> list[tuple[str, tuple[str, ...]]]:
    return [(claim.text, claim.backends) for claim in disagreement.claims]


def test_two_solutions_of_a_puzzle_with_several_agree() -> None:
    result = agreement(trials(solves("a", ONE), solves("b", OTHER)))
    assert result.agreed
    assert (result.puzzles, result.questions, result.compared) == (1, 1, 1)
    same = [solves(backend, ONE, expected_count="1 solution") for backend in "ab"]
    assert agreement(trials(*same)).agreed


def test_a_solution_against_a_denial_is_a_disagreement_and_the_denial_is_wrong() -> None:
    table = trials(solves("a"), denies("b"))
    assert list(table["verdict"]) == ["solved", "wrong"]
    assert table["reason"][1] == "claims no solution, but 1 solution passed the check"
    (disagreement,) = agreement(table).disagreements
    assert texts(disagreement)[1:] == [("at least 1 solution", ("a",))]
    assert disagreement.contradiction == ""
    assert not agreement(table).agreed


def test_a_wrong_solution_is_no_refutation() -> None:
    table = trials(denies("a"), ends("b", "wrong", solution=ONE))
    assert list(table["verdict"]) == ["unsatisfiable", "wrong"]


CONTRADICTIONS: dict[str, tuple[list[Row], str, int]] = {
    "none against a count of 1 or more": (
        [denies("a"), counts("b", 2, False, limit=2)],
        "at least 2 solutions against no solution",
        2,
    ),
    "two starts": (
        [counts("a", 3, True), counts("b", 4, True, start="batch")],
        "exactly 4 solutions against exactly 3 solutions",
        2,
    ),
    "the expected counts of two datasets": (
        [
            solves("a", None, expected_count="1 solution"),
            solves("b", None, dataset="e", expected_count="at least 2 solutions"),
        ],
        "at least 2 solutions against exactly 1 solution",
        0,
    ),
    "two solutions of a puzzle with one": (
        [solves("a", ONE, expected_count="1 solution"), solves("b", OTHER)],
        "at least 2 solutions against exactly 1 solution",
        1,
    ),
    "counts beyond 64 bits": (
        [counts("a", 2**70, True, limit=2**80), counts("b", 2**70 + 1, True, limit=2**90)],
        f"exactly {2**70 + 1:,} solutions against exactly {2**70:,} solutions",
        2,
    ),
}


@pytest.mark.parametrize(
    ("rows", "contradiction", "commands"), CONTRADICTIONS.values(), ids=list(CONTRADICTIONS)
)
def test_answers_to_different_questions_on_a_puzzle_contradict_each_other(
    rows: list[Row], contradiction: str, commands: int
) -> None:
    result = agreement(trials(*rows))
    assert not result.agreed
    (disagreement,) = result.disagreements
    assert disagreement.contradiction == contradiction
    assert len(disagreement.commands) == commands
    assert {claim.text for claim in disagreement.claims if claim.contradicted} == {
        *contradiction.split(" against ")
    }


def test_a_wrong_answer_is_no_evidence() -> None:
    table = trials(ends("a", "wrong", reason="R1C1", count=9, exact=True), counts("b", 3, True))
    (disagreement,) = agreement(table).disagreements
    assert disagreement.contradiction == ""
    assert texts(disagreement) == [("wrong: R1C1", ("a",)), ("exactly 3 solutions", ("b",))]


def test_an_exact_count_below_the_known_solutions_is_wrong() -> None:
    table = trials(counts("a", 1, True, solution=ONE), solves("b", OTHER))
    assert list(table["verdict"]) == ["wrong", "solved"]


def test_failures_have_their_numbers_by_backend_and_verdict() -> None:
    table = trials(solves("a"), ends("a", "timeout"), ends("b", "crashed"), ends("b", "crashed"))
    for form in (table, as_categories(table)):
        assert agreement(form).unanswered == {"a": {"timeout": 1}, "b": {"crashed": 2}}


def test_a_crash_and_a_backend_that_never_answers_are_findings() -> None:
    both = [solves("a"), solves("c")]
    assert agreement(trials(*both)).agreed
    with_crash = agreement(trials(*both, ends("b", "crashed"), solves("b", puzzle_id="q")))
    assert not with_crash.agreed
    with_timeout = agreement(trials(*both, ends("b", "timeout")))
    assert with_timeout.without_answer == ("b",)
    assert not with_timeout.agreed
    unsupported = agreement(trials(*both, ends("b", "unsupported")))
    assert unsupported.agreed


@pytest.mark.parametrize(
    ("rows", "reason"),
    [
        ([], "no trial has ended"),
        ([ends("a", "timeout"), ends("b", "unknown")], "no backend answered"),
        (
            [solves("x/a.py:A"), counts("x/a.py:A", 2, False), ends("b", "unsupported")],
            "only a.py:A answered, and no number of solutions is known for its puzzles",
        ),
        (
            [solves("a"), counts("b", 2, False, puzzle_id="q")],
            "no puzzle has answers of two backends, and no number of solutions is known",
        ),
    ],
    ids=["empty", "no answer", "one backend", "no common puzzle"],
)
def test_without_a_puzzle_to_compare_backends_do_not_agree(rows: list[Row], reason: str) -> None:
    result = agreement(trials(*rows))
    assert (result.compared, result.disagreements, result.agreed) == (0, (), False)
    assert result.not_compared == reason


def test_one_backend_is_compared_with_an_expected_count() -> None:
    result = agreement(trials(solves("a", expected_count="at least 1 solution")))
    assert (result.compared, result.not_compared, result.agreed) == (1, "", True)


def test_the_smallest_disagreeing_puzzle_comes_first() -> None:
    def on(name: str, puzzle: str) -> list[Row]:
        place = {"puzzle_id": name, "name": name, "puzzle": puzzle}
        return [counts("a", 1, True, **place), counts("b", 2, True, **place)]

    table = trials(*on("large", "." * 81), *on("empty", EMPTY), *on("full", "1234" + "." * 12))
    assert [d.name for d in agreement(table).disagreements] == ["full", "empty", "large"]


def claim_row(kind: str, number: int, backend: str, limit: int, dataset: str) -> Row:
    """A row with a claim of this kind, and this number as its end."""
    place = {"dataset": dataset, "name": f"of {dataset}"}
    match kind:
        case "solved":
            return solves(backend, None, **place)
        case "none":
            return denies(backend, **place)
        case "exact":
            return counts(backend, number, True, limit=limit, **place)
        case "stopped":
            return counts(backend, number, False, limit=limit, **place)
        case "gave up":
            return counts(backend, number, False, limit=limit, verdict="unknown", **place)
    words = SolutionCount.from_number(number, kind == "expected").text
    return ends(backend, "timeout", expected_count=words, **place)


def numbers_allowed(row: Row) -> set[int]:
    """The numbers of solutions from 0 to `MOST` that a row allows, by the meaning of its claim."""
    every = set(range(MOST + 1))
    if row["verdict"] == "solved":
        return every - {0}
    if row["verdict"] == "unsatisfiable":
        return {0}
    if words := row.get("expected_count"):
        number = int(words.split()[-2])
        return {n for n in every if (n >= number if "least" in words else n == number)}
    return {n for n in every if (n == row["count"] if row["exact"] else n >= row["count"])}


KINDS = ("solved", "none", "exact", "stopped", "gave up", "expected", "at least")
any_claim = st.builds(
    claim_row,
    st.sampled_from(KINDS),
    st.integers(0, MOST),
    st.sampled_from("abc"),
    st.sampled_from([7, 8, 9]),
    st.sampled_from("de"),
)


# Each example has many puzzles: a frame costs as much as its answers.
systems_of_claims = st.lists(st.lists(any_claim, max_size=6), min_size=1, max_size=25)


def on_puzzles(systems: list[list[Row]]) -> list[Row]:
    """The rows of all systems, each about a puzzle of its own."""
    return [row | {"puzzle_id": f"{at}"} for at, rows in enumerate(systems) for row in rows]


@settings(max_examples=8, deadline=None)
@given(systems_of_claims, st.randoms(use_true_random=False))
def test_claims_disagree_if_and_only_if_no_number_of_solutions_satisfies_all(
    systems: list[list[Row]], shuffle: random.Random
) -> None:
    """The oracle tries every number from 0 to the greatest that a claim names."""
    every = set(range(MOST + 1))
    impossible = {
        at for at, rows in enumerate(systems) if not every.intersection(*map(numbers_allowed, rows))
    }
    rows = on_puzzles(systems)
    result = agreement(trials(*rows))
    assert {int(d.puzzle_id) for d in result.disagreements} == impossible
    assert all(d.contradiction for d in result.disagreements)
    again = [*rows, *shuffle.choices(rows, k=3)] if rows else []
    shuffle.shuffle(again)
    again_result = agreement(trials(*again))
    assert again_result.disagreements == result.disagreements
    assert again_result.compared == result.compared


def test_claims_are_ordered_by_their_number_of_solutions_and_limit() -> None:
    def claim(
        least: int | None, most: int | None, limit: int | None, is_contradicted: bool
    ) -> Claim:
        answer = ClaimSource.ANSWER
        fields = (least, most, is_contradicted)
        return Claim(answer, "text", ("a",), "d", "n", "count", limit, "cold", *fields)

    expected = [
        claim(None, None, 2, True),
        claim(0, 0, 2, True),
        claim(1, 1, 2, True),
        claim(1, 1, 5, True),
        claim(1, 4, 2, True),
        claim(1, None, 2, True),
        claim(2, 2, 2, True),
        claim(0, 0, None, False),
        claim(0, 0, 2, False),
    ]
    in_disorder = [expected[place] for place in (3, 8, 5, 0, 7, 2, 6, 4, 1)]
    assert sorted(in_disorder, key=_order) == expected


@pytest.mark.parametrize(("number", "puzzles"), [(0, 0), (1, 1), (2, 1)])
def test_a_backend_that_gives_up_claims_what_it_found(number: int, puzzles: int) -> None:
    result = agreement(trials(counts("a", 0, True), counts("b", number, False, verdict="unknown")))
    assert (result.compared, len(result.disagreements)) == (puzzles, puzzles)
