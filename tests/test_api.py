"""The harness from Python, as the documents show it."""

from collections.abc import Callable
from pathlib import Path

import pytest

import harness
from harness.puzzles import parse_puzzle

SEED_0 = "..3.2.6..9..3.5..1..18.64....81.29..7.......8..67.82....26.95..8..2.3..9..5.1.3.."
SOLVED_0 = "483921657967345821251876493548132976729564138136798245372689514814253769695417382"


def test_solve_takes_every_form_of_a_puzzle() -> None:
    puzzle = parse_puzzle(SEED_0)
    for form in (puzzle, SEED_0, puzzle.rows(), puzzle.cells()):
        reply = harness.solve(form)
        assert (reply.verdict, reply.solution, reply.reason) == ("solved", SOLVED_0, "")
        assert reply.seconds is not None
        assert sum(reply.phases.values()) <= reply.seconds * 2


@pytest.mark.parametrize("backend", ["native", "cpsat", "milp", "cnf"])
def test_count_says_whether_it_is_all(backend: str) -> None:
    reply = harness.count("1234............", backend, limit=10)
    assert (reply.verdict, reply.count, reply.exact) == ("counted", 10, False)
    reply = harness.count("1234............", backend, limit=13)
    assert (reply.verdict, reply.count, reply.exact) == ("counted", 12, True)


def test_a_warm_start_is_asked_for_by_name() -> None:
    assert harness.solve(SEED_0, start="warm").verdict == "solved"
    with pytest.raises(harness.InputError, match="no start 'hot'; expected one of cold, warm"):
        harness.solve(SEED_0, start="hot")


def test_what_a_backend_does_never_hurts_the_caller(a_backend: Callable[..., str]) -> None:
    crash = a_backend("os.abort()")
    reply = harness.solve(SEED_0, crash)
    assert reply.verdict == "crashed"
    assert "ended by SIGABRT" in reply.reason
    assert harness.solve(SEED_0, crash).verdict == "crashed"
    endless = a_backend("while True: pass", name="endless")
    assert harness.solve(SEED_0, endless, timeout=0.2).verdict == "timeout"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"puzzle": "." * 80}, "80 characters"),
        ({"puzzle": SEED_0, "backend": "nativ"}, "'nativ'"),
        ({"puzzle": SEED_0, "backend": "x[a=[1,2]]"}, "'x'"),
        ({"puzzle": SEED_0, "shape": "9x10"}, "'9x10'"),
        ({"puzzle": SEED_0, "timeout": -1}, "no timeout of -1 s"),
        ({"puzzle": [[1, 2], [3]]}, "row 2: 1 cell"),
        ({"puzzle": {"J1": 3}, "shape": "9x9"}, "'J1'"),
    ],
)
def test_bad_input_raises_one_error(arguments: dict[str, object], message: str) -> None:
    with pytest.raises(harness.InputError, match=message.replace("[", r"\[")):
        harness.solve(**arguments)  # type: ignore[arg-type]


def test_a_run_is_read_as_a_frame(a_file: Callable[..., Path], tmp_path: Path) -> None:
    run = harness.run([str(a_file([SEED_0]))], ["native", "cnf"], out=tmp_path / "run", repeat=3)
    assert run.trials.groupby("backend", observed=True).size().to_dict() == {"native": 3, "cnf": 3}
    assert run.agreement().agreed
    assert set(run.summary()["solved"]) == {3}
    assert len(harness.load(tmp_path / "run").trials) == 6


def test_every_public_name_is_there() -> None:
    for name in harness.__all__:
        assert getattr(harness, name) is not None
    with pytest.raises(AttributeError, match="no attribute 'slove'"):
        harness.slove  # noqa: B018
