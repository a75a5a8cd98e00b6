"""`harness doctor --noise`: copies of one backend."""

import json
from collections.abc import Callable
from typing import Any

import pytest

Harness = Callable[..., tuple[int, str, str]]


@pytest.mark.long
def test_the_noise_of_copies_is_measured(harness: Harness) -> None:
    code, out, err = harness(
        "doctor", "--noise", "--runs", "2", "--backend", "cnf[solver=glucose4]"
    )
    assert code == 0, err
    assert "3 copies of cnf[solver=glucose4], 2 runs of 64 puzzles each" in out
    assert "resolution: factors of 1." in out
    assert max(map(len, out.splitlines())) <= 80


@pytest.mark.long
def test_the_noise_is_a_document(harness: Harness) -> None:
    code, out, _ = harness("doctor", "--noise", "--runs", "2", "--json")
    found: dict[str, Any] = json.loads(out)
    assert (code, found["backend"], found["instances"]) == (0, "native", 64)
    assert (found["within"]["comparisons"], found["between"]["comparisons"]) == (2, 1)
    assert 1 <= found["within"]["resolution"] <= found["within"]["largest"]
