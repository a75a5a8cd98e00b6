"""`harness check --fuzz` and `--replay`: what they print, write and refuse."""

import json
import shlex
from collections.abc import Callable
from pathlib import Path

import pytest

from harness.cli.check import Amount
from harness.errors import OptionError
from tests.conftest import Ended

Harness = Callable[..., Ended]

BACKENDS = Path(__file__).parents[1] / "fuzz" / "backends.py"


@pytest.mark.long
def test_agreement_is_reported_with_numbers(harness: Harness, tmp_path: Path) -> None:
    ended = harness("check", "--fuzz", "300", "--backend", "native", "cnf", "--out", tmp_path / "x")
    assert ended.code == 0, ended.out + ended.err
    *backends, last = ended.out.splitlines()
    assert [line.split(":")[0] for line in backends] == ["cnf", "native"]
    assert last.startswith("no fault: 3")
    assert "laws checked" in last
    assert not (tmp_path / "x").exists()


def test_a_fault_is_shown_saved_and_repeated(harness: Harness, tmp_path: Path) -> None:
    folder = tmp_path / "cases"
    backend = f"{BACKENDS}:OneTooFew"
    arguments = ["--shape", "4x4", "--out", folder]
    ended = harness("check", "--fuzz", "300", "--backend", backend, "native", *arguments)
    assert ended.code == 1
    out = ended.out
    assert "backends.py:OneTooFew, count to " in out
    assert "evidence: " in out
    (again, *_) = [line for line in out.splitlines() if line.startswith("  again: ")]
    repeated = harness(*shlex.split(again.removeprefix("  again: "))[1:], "--backend", "native")
    assert repeated.code == 1, repeated.out

    replayed = harness("check", "--replay", folder)
    assert replayed.code == 1
    assert "still wrong: " in replayed.out
    mended = harness("check", "--replay", folder, "--backend", "native", "--json")
    assert mended.code == 0
    assert json.loads(mended.out)["right"] is True


WRONG_ONCE = """
from pathlib import Path

from backends.native import Native
from harness.contract import Answer

MARK = Path(__file__).with_name("mark")


class WrongOnce(Native):
    name = "wrong-once"

    def solve(self, puzzle):
        answer = super().solve(puzzle)
        if answer.grid is None or MARK.exists():
            return answer
        MARK.write_text("")
        return Answer.unsatisfiable()
"""


def test_a_fault_that_never_shows_again_has_no_command(harness: Harness, tmp_path: Path) -> None:
    backend = tmp_path / "once.py"
    backend.write_text(WRONG_ONCE)
    arguments = ["--shape", "4x4", "--out", tmp_path / "cases"]
    ended = harness("check", "--fuzz", "200", "--backend", backend, *arguments)
    assert ended.code == 1, ended.out + ended.err
    assert "right in 1,000 repetitions; it may depend on chance or on earlier" in ended.out
    assert "again:" not in ended.out


def test_the_document_has_every_fault(harness: Harness, tmp_path: Path) -> None:
    arguments = ["--backend", f"{BACKENDS}:Crashes", "--out", tmp_path, "--json", "--seed", "2"]
    ended = harness("check", "--fuzz", "100", *arguments, "--shape", "4x4")
    assert ended.code == 1
    document = json.loads(ended.out)
    (fault, *_) = document["faults"]
    assert fault["fault"] == "crash"
    assert fault["calls"][-1]["task"] == "solve"
    assert Path(fault["file"]).exists()
    assert document["trials"] == sum(b["trials"] for b in document["backends"].values())


@pytest.mark.long
def test_a_backend_without_answers_is_shown_with_a_puzzle(harness: Harness, tmp_path: Path) -> None:
    backend = f"{BACKENDS}:NeverAnswers"
    arguments = ["--timeout", "0.2", "--out", tmp_path, "--shape", "4x4"]
    ended = harness("check", "--fuzz", "6", "--backend", backend, *arguments)
    assert ended.code == 1
    assert "first timeout: " in ended.out
    assert "no answer: never-answers" in ended.out
    assert "no fault, but not every backend has answered" in ended.out


@pytest.mark.long
def test_commands_are_quoted_and_show_the_fault(harness: Harness, tmp_path: Path) -> None:
    folder = tmp_path / "my cases"
    backend = f"{BACKENDS}:GivesUpWithOption[mode=fast]"
    ended = harness(
        *("check", "--fuzz", "300", "--backend", backend, "--out", folder, "--shape", "4x4")
    )
    assert ended.code == 1
    (again, *_) = [line for line in ended.out.splitlines() if line.startswith("  again: ")]
    repeated = harness(*shlex.split(again.removeprefix("  again: "))[1:])
    assert repeated.code == 1
    assert "still wrong: " in repeated.out


@pytest.mark.parametrize("folder", ["/proc/cases", "/dev/null/cases"])
def test_a_folder_that_cannot_be_written_is_an_error_at_once(harness: Harness, folder: str) -> None:
    ended = harness("check", "--fuzz", "9", "--backend", "native", "--out", folder)
    assert ended.code == 2
    assert "cannot be written" in ended.err or "is a file" in ended.err
    assert len(ended.err.splitlines()) == 1


@pytest.mark.parametrize(
    ("text", "amount"),
    [
        ("30s", Amount(seconds=30)),
        ("1.5m", Amount(seconds=90)),
        ("5min", Amount(seconds=300)),
        ("2H", Amount(seconds=7200)),
        ("10000", Amount(trials=10000)),
    ],
)
def test_amounts(text: str, amount: Amount) -> None:
    assert Amount.parse(text) == amount


@pytest.mark.parametrize(
    "text", ["", "0", "0s", "-1", "1.5", "ten", "5d", "s", "1e3", "99999999h", "\u0661s", "1 s 2"]
)
def test_an_invalid_amount_is_an_error(text: str) -> None:
    with pytest.raises(OptionError, match="seconds, minutes or hours"):
        Amount.parse(text)


def test_the_folder_must_not_be_a_file(harness: Harness, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    ended = harness("check", "--fuzz", "9", "--backend", "native", "--out", tmp_path / "file")
    assert ended.code == 2
    assert "expected a folder" in ended.err
