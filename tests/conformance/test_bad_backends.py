"""The conformance suite catches every planted fault: its mutation score is 100 %."""

import importlib.util
import json
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from harness.conformance import Examination, examine
from harness.conformance.examiner import ExaminationOptions, examine_isolated
from harness.conformance.shapes import JIGSAW
from harness.contract import Backend
from harness.contract.options import BackendSpec

HERE = Path(__file__).parent
SHAPES = ("4x4", "4x4+diagonal", JIGSAW, "6x6", "box3x2", "latin5")


def module(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, HERE / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    made = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    return made


NAMES = ("answers", "batches", "conduct", "restrictions", "state", "triggers", "hashing")
MODULES = {name: module(f"bad_{name}") for name in NAMES}
PLANTED: list[type[Backend[Any]]] = [
    planted for name in MODULES if name != "hashing" for planted in MODULES[name].defined_here()
]


@pytest.mark.parametrize(
    "name", ["answers", *(pytest.param(name, marks=pytest.mark.long) for name in NAMES[1:])]
)
def test_the_sound_base_classes_of_the_planted_backends_conform(name: str) -> None:
    assert examine(MODULES[name].Sound, shapes=("4x4",)) == []
    if name == "triggers":
        assert examine(MODULES[name].Batches, shapes=("4x4",)) == []


CATCHING = HERE / "catching_parts.json"
"""For each planted backend, the title of a part that catches it: a test begins with it."""


def catching_part(planted: type[Backend[Any]], only: str = "") -> str:
    """The title of the first part that finds a breach of the expected clause; "" if none does.

    Args:
        planted: the backend.
        only: the title of the only part to run; all if empty.
    """
    clause = EXPECTED.get(planted.__name__, "")
    with Examination(planted, shapes=getattr(planted, "shapes", SHAPES)) as examination:
        for part in examination.parts():
            if only in ("", part.title) and any(
                clause in breach.clause.id for breach in examination.examine(part).breaches
            ):
                return part.title
    return ""


def test_there_are_a_hundred_planted_backends_or_more() -> None:
    assert len({planted.__name__ for planted in PLANTED}) >= 100


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
    "AnswersThoughItOnlyCounts": "names",
    "AddsUpItsStatistics": "memory",
    "UnsatisfiableAfter50Calls": "memory",
    "RefusesEmptyBatches": "life",
    "AliasesTheBatch": "batch",
    "CountsModulo256": "count",
    "IgnoresMarksOfOneCell": "solution",
    "KeepsMarksForPuzzlesWithout": "memory",
    "ResetsNoDomains": "memory",
    "IgnoresAPair": "proof",
}


@pytest.mark.parametrize("planted", PLANTED, ids=lambda planted: planted.__name__)
def test_every_planted_backend_is_caught(planted: type[Backend[Any]]) -> None:
    """Under the clause that it breaks, where one is expected."""
    known = json.loads(CATCHING.read_text()).get(f"{planted.__module__}.{planted.__name__}", "")
    assert (known and catching_part(planted, known)) or catching_part(planted)


def write_catching_parts() -> None:
    """Write `CATCHING`: ``python -m tests.conformance.test_bad_backends``."""
    found = {f"{each.__module__}.{each.__name__}": catching_part(each) for each in PLANTED}
    CATCHING.write_text(json.dumps(found, indent=1) + "\n")


def test_the_expected_clauses_are_those_of_planted_backends() -> None:
    assert EXPECTED.keys() <= {planted.__name__ for planted in PLANTED}


@pytest.mark.parametrize(
    "name", ["HashOfAName", pytest.param("OrderOfASet", marks=pytest.mark.long)]
)
def test_an_answer_that_depends_on_the_hash_seed_is_found_in_another_process(name: str) -> None:
    spec = BackendSpec(f"{HERE / 'bad_hashing.py'}:{name}")
    findings = examine_isolated(spec, ExaminationOptions(("4x4",)))
    broken = [finding.part for finding in findings if finding.breaches]
    assert broken
    assert all("hash seed" in part for part in broken), broken
    # The command of the breach has the title of its part, and repeats it.
    again = examine_isolated(spec, ExaminationOptions(("4x4",), only=broken[0]))
    assert [finding.part for finding in again if finding.breaches] == broken[:1]


if __name__ == "__main__":
    write_catching_parts()
