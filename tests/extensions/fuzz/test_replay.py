"""The replay of saved cases: what counts as right."""

import json
from collections.abc import Callable
from pathlib import Path
from shutil import copyfile

import pytest

from harness.base.errors import InputError
from harness.extensions.fuzz.saved import Replayed, ReplayResult, read_cases, replay
from harness.runs.selection import single_spec
from tests.extensions.fuzz.test_fuzz import BACKENDS, CASE, spec

Replay = Callable[..., ReplayResult]


@pytest.fixture
def replay_case(tmp_path: Path) -> Replay:
    """Replays one call of a backend."""

    def run(backend: str, **changes: object) -> ReplayResult:
        call = {"task": "solve", "start": "cold", "shape": "4x4", "puzzles": ["." * 16]}
        of_call = {k: v for k, v in changes.items() if k in (*call, "limit")}
        others = {k: v for k, v in changes.items() if k not in of_call}
        case = CASE | others | {"calls": [call | of_call], "backend": backend}
        (tmp_path / "case.json").write_text(json.dumps(case))
        (result,) = replay(read_cases(tmp_path), [], 10.0)
        return result

    return run


@pytest.mark.parametrize(
    ("backend", "changes", "result"),
    [
        ("native", {}, Replayed.RIGHT),
        ("native", {"task": "count", "limit": 1_000}, Replayed.RIGHT),
        ("native", {"task": "count", "limit": 3}, Replayed.RIGHT),
        (spec("MayGiveUpWithOption[mode=fast]"), {}, Replayed.NO_ANSWER),
        (spec("GivesUpWithOption[mode=fast]"), {}, Replayed.STILL_WRONG),
        # The seed of hashes is that of the case.
        (spec("WrongWithHashes"), {}, Replayed.RIGHT),
        (spec("WrongWithHashes"), {"hash_seed": 3}, Replayed.STILL_WRONG),
    ],
)
def test_an_answer_is_right_if_evidence_supports_it(
    backend: str, changes: dict[str, object], result: Replayed, replay_case: Replay
) -> None:
    assert replay_case(backend, **changes).result is result


def test_a_wrong_answer_before_the_last_call_counts(tmp_path: Path) -> None:
    calls = [
        {"task": "count", "start": "cold", "shape": "4x4", "puzzles": [line], "limit": 1_000}
        for line in ("." * 16, "1234341221434321")
    ]
    case = CASE | {"calls": calls, "backend": spec("OneTooFew")}
    (tmp_path / "case.json").write_text(json.dumps(case))
    (outcome,) = replay(read_cases(tmp_path), [], 10.0)
    assert outcome.result is Replayed.STILL_WRONG


def test_an_answer_without_evidence_is_undecided(replay_case: Replay) -> None:
    shape, puzzle = "9x9", "." * 81
    call = {"shape": shape, "puzzles": [puzzle], "task": "count", "limit": 10**9}
    result = replay_case(spec("CountsAHundredMillion"), **call)
    assert result.result is Replayed.UNDECIDED
    assert result.answer == "exactly 100,000,000 solutions"


@pytest.mark.long
def test_a_number_that_only_enumeration_refutes_is_wrong(replay_case: Replay) -> None:
    shape = "houses4:11121314.21222324.31323334.41424344"
    result = replay_case(spec("CountsAHundredMillion"), shape=shape, task="count", limit=10**9)
    assert result.result is Replayed.STILL_WRONG
    result = replay_case("native-jit", shape=shape, task="count", limit=10**9)
    assert result.result is Replayed.RIGHT
    assert result.answer == "exactly 331,776 solutions"


def test_a_backend_that_is_not_available_has_a_reason(replay_case: Replay) -> None:
    result = replay_case(f"{spec('WrongWithOption')}[mode=refused]")
    assert result.result is Replayed.UNAVAILABLE
    assert "this mode does not exist here" in result.answer


def test_a_fault_by_chance_may_be_right_in_all_repetitions(replay_case: Replay) -> None:
    result = replay_case(spec("Sound"), wrong_of=[3, 1_000])
    assert (result.result, result.wrong, result.repetitions) == (Replayed.RIGHT, 0, 1_000)


def test_a_path_starts_at_its_case(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    copyfile(BACKENDS, tmp_path / "mine.py")
    (tmp_path / "cases").mkdir()
    file = tmp_path / "cases" / "case.json"
    file.write_text(json.dumps(CASE | {"backend": "../mine.py:Sound"}))
    for folder in (tmp_path, tmp_path / "cases", Path("/")):
        monkeypatch.chdir(folder)
        (case,) = read_cases(file)
        assert case.case.spec == single_spec(f"{tmp_path.resolve()}/mine.py:Sound")


def test_a_case_of_thousands_of_calls_is_read(tmp_path: Path) -> None:
    call = {"task": "solve", "start": "warm", "shape": "25x25", "puzzles": ["." * 625]}
    file = tmp_path / "case.json"
    file.write_text(json.dumps(CASE | {"calls": [call] * 3_000}))
    assert file.stat().st_size > 2**20
    (case,) = read_cases(tmp_path)
    assert len(case.case.calls) == 3_000


def test_a_folder_with_the_name_of_a_case_is_no_case(tmp_path: Path) -> None:
    (tmp_path / "folder.json").mkdir()
    with pytest.raises(InputError, match="no saved case"):
        read_cases(tmp_path)
