"""`harness noise`: copies of one backend."""

from collections.abc import Callable

import pytest

Harness = Callable[..., tuple[int, str, str]]


@pytest.mark.long
def test_the_noise_of_copies_is_measured(harness: Harness) -> None:
    code, out, err = harness("noise", "--runs", "2", "--backend", "cnf[solver=glucose4]")
    assert code == 0, err
    assert "3 copies of cnf[solver=glucose4], 2 runs of 64 puzzles each" in out
    assert "resolution: factors of 1." in out
    assert max(map(len, out.splitlines())) <= 80
