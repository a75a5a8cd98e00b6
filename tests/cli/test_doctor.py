"""`harness doctor --noise`: copies of one backend."""

import json
from collections.abc import Callable
from pathlib import Path
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


@pytest.mark.long
def test_a_backend_in_a_file_is_copied(harness: Harness, tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text(
        "from harness.contract import registry\n"
        'base, _ = registry.load_backend("native")\n'
        'class Mine(base):\n    name = "mine"\n'
    )
    code, out, err = harness("doctor", "--noise", "--runs", "2", "--backend", f"{file}:Mine")
    assert code == 0, err
    assert "copies of" in out


def test_wrong_arguments_are_errors(harness: Harness) -> None:
    code, _, err = harness("doctor", "--noise", "--backend", "nope")
    assert (code, "unknown backend 'nope'" in err) == (2, True), err
    code, _, err = harness("doctor", "--noise", "--backend", "cnf[solver=[glucose4,cadical153]]")
    assert (code, "expected one backend" in err) == (2, True), err
    code, _, err = harness("doctor", "--noise", "--runs", "1")
    expected = "--runs: '1' is not valid; expected a whole number of at least 2"
    assert (code, expected in err) == (2, True), err
    code, _, err = harness("doctor", "--runs", "3")
    assert (code, "--runs needs --noise" in err) == (2, True), err
