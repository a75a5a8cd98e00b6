"""`benchmarks.formulations`: shares of a tutorial's time, and of the solver's own call."""

import re
import subprocess
from pathlib import Path

import pytest

from benchmarks.formulations import CNF, CP_SAT, MILP, Compared, compare, share_of_call, timed
from harness.puzzles import parse_puzzle
from harness.puzzles.patterns import pattern_puzzle
from harness.puzzles.shape import Shape


def test_a_line_has_times_shares_and_the_goal(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "magictour_top1465.txt"
    puzzle = pattern_puzzle(Shape.parse("4x4"), blank_every=2)
    file.write_text(f"# a comment\n{puzzle.line}\n")
    compare(file, "PlainCnf", CNF[2:], number=1)
    tutorial, line, goal = capsys.readouterr().out.splitlines()
    assert re.search(r"PlainCnf, 1 puzzles +\d+\.\d\d ms", tutorial)
    shares = re.search(r"cold .* (\d+\.\d+) +warm .* (\d+\.\d+) +call +\d+%", line)
    assert shares, line
    assert 0 < float(shares[2]) < float(shares[1])
    assert goal.strip().startswith("goal: at most 0.02 of the plain model, ")


@pytest.mark.parametrize("comparison", [*CNF, *CP_SAT, *MILP], ids=lambda case: case.spec)
def test_the_call_of_each_solver_is_found(comparison: Compared) -> None:
    puzzle = parse_puzzle("1...............")
    assert 0 < share_of_call(comparison, [puzzle]) < 1


def test_the_timed_function_is_restored() -> None:
    original = subprocess.run
    with timed("subprocess:run") as seconds:
        subprocess.run(["true"], check=True)
        assert subprocess.run is not original
    assert subprocess.run is original
    assert len(seconds) == 1
