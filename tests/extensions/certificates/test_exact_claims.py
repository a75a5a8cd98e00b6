"""The exact numbers of solutions that answers state, for `harness prove RUN`."""

from harness.extensions.certificates.cli.proving import exact_claims
from tests.trials import trials_from

COUNT: dict[str, object] = {"task": "count", "limit": 5}
OTHER = "1" + "." * 15


def test_exact_numbers_are_collected_by_puzzle() -> None:
    trials = trials_from(
        [
            {"backend": "a", "puzzle_id": "p", "verdict": "unsatisfiable", "name": "first"},
            {"backend": "b", "puzzle_id": "p", "verdict": "counted", "count": 0, "exact": True}
            | COUNT,
            {"backend": "c", "puzzle_id": "q", "verdict": "counted", "count": 3, "exact": True}
            | COUNT
            | {"puzzle": OTHER, "dataset": "e", "name": "second"},
            {"backend": "c", "puzzle_id": "q", "verdict": "counted", "count": 3, "exact": True}
            | COUNT
            | {"puzzle": OTHER, "repetition": 2},
        ]
    )
    first, second = exact_claims(trials)
    assert first.name == "d:first"
    assert first.numbers == (("a", 0), ("b", 0))
    assert (second.puzzle.line, second.name) == (OTHER, "e:second")
    assert second.numbers == (("c", 3),)


def test_only_exact_answers_count() -> None:
    rows: list[dict[str, object]] = [
        {"verdict": "solved", "solution": "1234341221434321"},
        {"verdict": "counted", "count": 5, "exact": False} | COUNT,
        {"verdict": "unknown", "count": 2, "exact": False} | COUNT,
        {"verdict": "timeout"},
        {"verdict": "wrong", "reason": "R1C1 is 2 where 1 is given"},
        {"verdict": "wrong", "count": 9, "exact": False, "reason": "counts 9, more than 5"} | COUNT,
    ]
    trials = trials_from([row | {"backend": "a", "puzzle_id": "p"} for row in rows])
    assert exact_claims(trials) == []


def test_wrong_answers_state_numbers_too() -> None:
    rows: list[dict[str, object]] = [
        {"verdict": "wrong", "reason": "claims no solution, but the puzzle has exactly 1 solution"},
        {"verdict": "wrong", "count": 2, "exact": True, "reason": "claims exactly 2, but"} | COUNT,
    ]
    trials = trials_from([row | {"backend": "a", "puzzle_id": "p"} for row in rows])
    (claims,) = exact_claims(trials)
    assert claims.numbers == (("a", 0), ("a", 2))
