"""The conformance suite catches every planted fault: its mutation score is 100 %."""

import importlib.util
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from harness.conformance import Examination, examine
from harness.contract import Backend

HERE = Path(__file__).parent
SHAPES = ("4x4", "diagonal4", "jigsaw4", "6x6", "box3x2", "latin5")


def module(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, HERE / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    made = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    return made


ANSWERS, CONDUCT = module("bad_answers"), module("bad_conduct")
PLANTED: list[type[Backend[Any]]] = [*ANSWERS.defined_here(), *CONDUCT.defined_here()]


def test_the_sound_base_classes_of_the_planted_backends_conform() -> None:
    assert examine(ANSWERS.Sound) == []
    assert examine(CONDUCT.Sound) == []


@pytest.fixture(scope="module")
def caught() -> set[str]:
    """The planted backends in which the suite finds a breach."""
    return {planted.__name__ for planted in PLANTED if is_caught(planted)}


def is_caught(planted: type[Backend[Any]]) -> bool:
    """Whether the suite finds a breach; stops at the first."""
    with Examination(planted, shapes=SHAPES) as examination:
        return any(examination.examine(part).breaches for part in examination.parts())


def test_the_mutation_score_is_100_percent(
    caught: set[str], capsys: pytest.CaptureFixture[str]
) -> None:
    with capsys.disabled():
        print(f"\nmutation score: {len(caught)} of {len(PLANTED)} planted backends caught")  # noqa: T201
    assert len(PLANTED) >= 60
    assert [planted.__name__ for planted in PLANTED if planted.__name__ not in caught] == []


EXPECTED = {
    "OneTooMany": "count",
    "ExactAtTheLimit": "exact",
    "TransposesBoxes": "solution",
    "UnknownIsNone": "proof",
    "ValuesOfNumpy": "answer",
    "ReversesTheCounts": "batch",
    "MutatesThePuzzle": "puzzle",
    "CachesCountsByGivens": "memory",
    "SharesItsShape": "memory",
    "IgnoresAnOption": "options",
    "PrintsFromC": "quiet",
    "LeavesAThread": "traces",
    "RaisesOnAFullGrid": "life",
    "HasNoName": "names",
}


@pytest.mark.parametrize(("name", "clause"), EXPECTED.items())
def test_a_fault_is_reported_under_the_clause_that_it_breaks(name: str, clause: str) -> None:
    (planted,) = [kind for kind in PLANTED if kind.__name__ == name]
    assert clause in {breach.clause.id for breach in examine(planted, shapes=("4x4", "6x6"))}
