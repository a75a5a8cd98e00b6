"""PuLP's solvers: no claim without a proof, and no leftovers."""

from pathlib import Path

import pytest

from backends.milp import INSTALL
from harness.contract import Status, Unavailable
from harness.contract.registry import load_backend
from tests.backends.oracle import backend_of, counted, is_solution, named_puzzle


@pytest.mark.parametrize("solver", INSTALL)
def test_a_solver_works_or_is_unavailable_with_its_install_command(
    solver: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    backend = backend_of(f"milp[solver={solver}]")
    assert is_solution(backend.solve(named_puzzle("escargot")).grid, named_puzzle("escargot"))
    monkeypatch.setattr("backends.milp.solvers.Cbc.available", lambda _: False)
    monkeypatch.setattr("backends.milp.solvers.Highs.available", lambda _: False)
    with pytest.raises(Unavailable, match=f"{solver} is not available") as caught:
        load_backend("milp", [("solver", solver)])
    assert caught.value.remedy == INSTALL[solver]


@pytest.mark.parametrize("model", ["reduced", "full"])
@pytest.mark.parametrize("solver", ["CBC", "HiGHS"])
def test_out_of_time_is_unknown_and_not_a_proof(solver: str, model: str) -> None:
    backend = backend_of(f"milp[solver={solver},model={model}]")
    backend.time_limit = 0.01
    for name in ("nugget", "escargot"):
        answer = backend.solve(named_puzzle(name))
        assert answer.status in {Status.UNKNOWN, Status.SOLVED}
        assert answer.grid is None or is_solution(answer.grid, named_puzzle(name))
    backend.time_limit = 1e-3
    assert backend.solve(named_puzzle("nugget")).status is Status.UNKNOWN
    assert counted(backend, named_puzzle("nugget"), 2) == (0, False)


@pytest.mark.parametrize("solver", ["CBC", "HiGHS"])
def test_nothing_is_printed(solver: str, capfd: pytest.CaptureFixture[str]) -> None:
    backend = backend_of(f"milp[solver={solver}]")
    backend.solve(named_puzzle("wikipedia"))
    backend.solve(named_puzzle("impossible"))
    backend.count(named_puzzle("six"), 2)
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("folder", ["plain", "with two spaces"])
def test_temporary_files_may_be_in_any_folder_and_are_removed(
    folder: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / folder).mkdir()
    monkeypatch.setenv("TMPDIR", str(tmp_path / folder))
    monkeypatch.delenv("TMP", raising=False)
    here, puzzle = Path.cwd(), named_puzzle("wikipedia")
    assert is_solution(backend_of("milp").solve(puzzle).grid, puzzle)
    assert list(tmp_path.iterdir()) == [tmp_path / folder]
    assert list((tmp_path / folder).iterdir()) == []
    assert Path.cwd() == here


def test_the_full_model_has_all_values_and_the_reduced_one_only_candidates() -> None:
    full = backend_of("milp[model=full]").solve(named_puzzle("nugget")).stats
    assert (full["variables"], full["constraints"]) == (729, 324)
    candidates_only = backend_of("milp").solve(named_puzzle("nugget")).stats
    # 60 blank cells, and for each house as many values as it has blank cells.
    assert candidates_only["constraints"] == 60 + 3 * 60
    assert candidates_only["variables"] < 60 * 9
