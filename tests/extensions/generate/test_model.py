"""`harness model`: files for other solvers, and errors."""

from collections.abc import Callable
from pathlib import Path

import pytest

from harness.extensions.generate.models import FORMATS, model_format
from harness.puzzles import parse_puzzle
from tests.conftest import Ended

Harness = Callable[..., Ended]
LINE = "1..............2"


@pytest.mark.parametrize("name", FORMATS)
def test_a_model_is_printed_or_written(harness: Harness, tmp_path: Path, name: str) -> None:
    lines = list(model_format(name).lines(parse_puzzle(LINE)))
    result = harness("model", LINE, "--to", name)
    assert (result.code, result.err) == (0, "")
    assert result.out.splitlines() == lines
    path = tmp_path / "model"
    assert harness("model", LINE, "--to", name, "--out", path) == (0, "", "")
    assert path.read_text() == result.out


@pytest.mark.parametrize(
    ("suffix", "name"), [("cnf", "cnf"), ("LP", "lp"), ("mzn", "minizinc"), ("xml", "xcsp3")]
)
def test_the_suffix_chooses_the_format(
    harness: Harness, tmp_path: Path, suffix: str, name: str
) -> None:
    path = tmp_path / f"model.{suffix}"
    assert harness("model", LINE, "--out", path).code == 0
    assert path.read_text().splitlines() == list(model_format(name).lines(parse_puzzle(LINE)))
