"""CP-SAT: restoring the model, limits of counts, and models of constraints."""

from typing import Any

import pytest

from backends.cpsat import CpSat
from harness.contract import Backend, Status
from harness.puzzles import Puzzle, Shape, parse_puzzle
from tests.backends.oracle import backend_of, named_puzzle


def domains(backend: Backend[Any]) -> list[list[int]]:
    assert isinstance(backend, CpSat)
    return [list(variable.domain) for variable in backend.model.proto.variables]


@pytest.mark.parametrize("formulation", ["boolean", "integer"])
def test_the_model_is_restored_when_something_raises(formulation: str) -> None:
    backend = backend_of(f"cpsat[formulation={formulation}]")
    assert isinstance(backend, CpSat)
    before = domains(backend)

    def interrupt() -> None:
        with backend.with_puzzle(named_puzzle("escargot")):
            assert domains(backend) != before
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupt()
    assert domains(backend) == before


def test_a_count_that_runs_out_of_time_is_a_lower_bound() -> None:
    backend = backend_of("cpsat")
    backend.time_limit = 0.2
    count = backend.count(Puzzle(Shape.parse("9x9"), (0,) * 81), 10**9)
    assert count.number > 0
    assert not count.exact


@pytest.mark.parametrize("options", ["", "[cages=linear]"])
@pytest.mark.parametrize(
    "kind", ["lunchbox 17", "sandwich 17", "x-sum 1", "skyscraper 4", "killer 45", "renban"]
)
def test_a_model_of_constraints_has_the_candidates_alone(kind: str, options: str) -> None:
    row = " ".join(f"R1C{column}" for column in range(1, 10))
    shape = Shape.parse(f"9x9; {kind}: {row}")
    answer = backend_of(f"cpsat{options}", shape).solve(parse_puzzle(f"1287943..{'.' * 72}", shape))
    assert answer.status is Status.SOLVED
    assert answer.stats["variables"] < 9**3
