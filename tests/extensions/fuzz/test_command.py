"""`harness fuzz` and `harness fuzz replay`: what they print, write and refuse."""

import json
import re
import shlex
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from harness.base.errors import OptionError
from harness.extensions.fuzz.cli import parse_amount
from tests.conftest import Ended

Harness = Callable[..., Ended]
BACKENDS = Path(__file__).parents[1] / "fuzz" / "backends.py"


@pytest.mark.long
def test_agreement_is_reported_with_numbers(harness: Harness, tmp_path: Path) -> None:
    result = harness("fuzz", "300", "--backend", "native", "cnf", "--out", tmp_path / "x")
    assert result.code == 0, result.out + result.err
    text, _, coverage = result.out.partition("covered: ")
    first, *backends = text.splitlines()
    assert [line.split(":")[0] for line in backends] == ["cnf", "native"]
    assert first.startswith("no fault: 3")
    assert "laws checked" in first
    assert all("; few: a fault in 1 of " in line for line in backends), backends
    assert re.fullmatch(
        r"\d+ shapes? \(size .*\), \d+ kinds? of constraints, .* at most",
        " ".join(coverage.split()),
    )
    assert not (tmp_path / "x").exists()


def test_a_fault_is_shown_saved_and_repeated(harness: Harness, tmp_path: Path) -> None:
    folder = tmp_path / "cases"
    backend = f"{BACKENDS}:OneTooFew"
    arguments = ["--shape", "4x4", "--out", folder, "--junit", tmp_path / "x.xml", "--github"]
    result = harness("fuzz", "300", "--backend", backend, "native", *arguments)
    assert result.code == 1
    failures = [case.get("message") for case in ET.parse(tmp_path / "x.xml").iter("failure")]
    assert failures
    notes = [line for line in result.err.splitlines() if line.startswith("::error title=")]
    assert len(notes) == len(failures)
    assert notes[0].startswith("::error title=Fault of one-too-few::FAULT ")
    out = result.out
    assert "backends.py:OneTooFew, count to " in out
    assert "evidence: " in out
    (again, *_) = [line for line in out.splitlines() if line.startswith("  again: ")]
    repetition = harness(*shlex.split(again.removeprefix("  again: "))[1:], "--backend", "native")
    assert repetition.code == 1, repetition.out

    replay = harness("fuzz", "replay", folder)
    assert replay.code == 1
    assert "still wrong: " in replay.out
    after_repair = harness("fuzz", "replay", folder, "--backend", "native", "--json")
    assert after_repair.code == 0
    assert json.loads(after_repair.out)["right"] is True


def test_the_document_has_every_fault(harness: Harness, tmp_path: Path) -> None:
    arguments = ["--backend", f"{BACKENDS}:Crashes", "--out", tmp_path, "--json", "--seed", "2"]
    result = harness("fuzz", "100", *arguments, "--shape", "4x4")
    assert result.code == 1
    document = json.loads(result.out)
    (fault, *_) = document["faults"]
    assert fault["fault"] == "crash"
    assert fault["calls"][-1]["task"] == "solve"
    assert Path(fault["file"]).exists()
    assert document["trials"] == sum(b["trials"] for b in document["backends"].values())


@pytest.mark.parametrize(
    ("text", "amount"),
    [
        ("30s", (30, None)),
        ("1.5m", (90, None)),
        ("5min", (300, None)),
        ("2H", (7200, None)),
        ("10000", (None, 10000)),
    ],
)
def test_amounts(text: str, amount: tuple[float | None, int | None]) -> None:
    assert parse_amount(text) == amount


@pytest.mark.parametrize(
    "text", ["", "0", "0s", "-1", "1.5", "ten", "5d", "s", "1e3", "99999999h", "\u0661s", "1 s 2"]
)
def test_an_invalid_amount_is_an_error(text: str) -> None:
    with pytest.raises(OptionError, match="seconds, minutes or hours"):
        parse_amount(text)
