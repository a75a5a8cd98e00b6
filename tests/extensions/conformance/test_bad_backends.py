"""The conformance suite catches every planted fault: its mutation score is 100 %."""

import json
from collections.abc import Sequence
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

from harness.contract import Backend
from harness.contract.options import BackendSpec
from harness.extensions.conformance import Examination, examine
from harness.extensions.conformance.examination import LAST_PART
from harness.extensions.conformance.examiner import ExaminationOptions, examine_isolated
from tests.extensions.conformance import bad_answers, bad_conduct, bad_restrictions, bad_triggers
from tests.extensions.conformance.planted import Batches, Sound, planted

HERE = Path(__file__).parent
PLANTED = [
    backend
    for module in (bad_answers, bad_conduct, bad_restrictions, bad_triggers)
    for backend in planted(module)
]


@pytest.mark.parametrize("sound", [Sound, Batches])
@pytest.mark.long
def test_the_sound_base_classes_of_the_planted_backends_conform(sound: type[Sound]) -> None:
    assert examine(sound, shapes=("4x4",)) == []


CATCHING = HERE / "catching_parts.json"
"""For each planted backend, titles of parts that catch it with two questions, or with the only
one, and of those whose calls it must have seen before: a test runs them first."""
ONCE = {
    *("HasNoName", "HasNoParadigm", "NeedsText", "OptionWithoutHelp", "ClaimsToCount"),
    *("IgnoresAnOption", "LeavesAProcess", "SaturatesAt16Bits"),
}
"""Planted backends that one question catches: a declaration, an option, the first call, a count
that takes seconds."""


def examination_of(bad_backend: type[Backend[Any]]) -> Examination:
    """Its examination on the shapes in which its fault shows."""
    return Examination(bad_backend, shapes=getattr(bad_backend, "shapes", Sound.shapes))


def catching(bad_backend: type[Backend[Any]], only: Sequence[str] = ()) -> list[tuple[str, str]]:
    """The questions that find a breach, each with the title of its part, until there are two.

    One of the breaches is of the expected clause.

    Args:
        bad_backend: the backend.
        only: the titles of the parts to run; all if empty.
    """
    clause = EXPECTED.get(bad_backend.__name__, "")
    questions: dict[tuple[str, str], bool] = {}
    with examination_of(bad_backend) as examination:
        for part in examination.parts():
            if only and part.title not in only:
                continue
            for breach in examination.examine(part).breaches:
                case = breach.case
                question = f"{case.call}: {case.puzzle.line}" if case else breach.message
                questions[part.title, question] = clause in breach.clause.id
            if len(questions) > 1 and any(questions.values()):
                break
    return [*questions] if any(questions.values()) else []


def least(bad_backend: type[Backend[Any]]) -> int:
    """The number of questions that must catch the backend."""
    return 1 if bad_backend.__name__ in ONCE else 2


def is_caught(bad_backend: type[Backend[Any]], titles: Sequence[str]) -> bool:
    """Whether the parts with these titles catch the backend with enough questions."""
    return bool(titles) and len(catching(bad_backend, titles)) >= least(bad_backend)


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
    "TakesOneTotalTooMany": "solution",
    "TakesOneTotalTooFew": "proof",
    "AcceptsInEveryState": "count",
    "TransposesTables": "solution",
}


@pytest.mark.parametrize("bad_backend", PLANTED, ids=lambda bad_backend: bad_backend.__name__)
def test_two_questions_catch_every_planted_backend(bad_backend: type[Backend[Any]]) -> None:
    """One of them under the clause that the backend breaks, where one is expected."""
    titles = json.loads(CATCHING.read_text()).get(bad_backend.__name__, [])
    if not is_caught(bad_backend, titles):
        catchers = catching(bad_backend)
        assert len(catchers) >= least(bad_backend), catchers


def test_a_fault_that_comes_with_time_is_found() -> None:
    spec = BackendSpec(f"{HERE / 'bad_triggers.py'}:LosesASolutionWithTime")
    options = ExaminationOptions(("latin4",), only=LAST_PART)
    (finding,) = examine_isolated(spec, options)
    assert [breach.clause.id for breach in finding.breaches][:1] == ["count"]


def write_catching_parts() -> None:
    """Write `CATCHING`: ``python -m tests.extensions.conformance.test_bad_backends``."""
    table = {}
    for each in PLANTED:
        catchers = catching(each)
        if len(catchers) < least(each):
            print(each.__name__, catchers)  # noqa: T201
        titles = [*dict.fromkeys(part for part, _ in catchers)]
        table[each.__name__] = (
            titles if is_caught(each, titles) else questions_needed(each, titles[-1])
        )
    CATCHING.write_text(json.dumps(table, indent=1) + "\n")


def questions_needed(bad_backend: type[Backend[Any]], last: str) -> list[str]:
    """The titles of the parts up to `last`, without those that are not needed to catch it."""
    with examination_of(bad_backend) as examination:
        titles = [part.title for part in examination.parts()]
    titles = titles[: titles.index(last) + 1]
    step = len(titles)
    while step := step // 2:
        for start in range(len(titles) - step, -1, -step):
            rest = titles[:start] + titles[start + step :]
            if is_caught(bad_backend, rest):
                titles = rest
    return titles


def test_the_lists_name_a_hundred_planted_backends() -> None:
    names = {bad_backend.__name__ for bad_backend in PLANTED}
    assert len(names) >= 100
    assert EXPECTED.keys() | ONCE <= names


@pytest.mark.parametrize(
    "name",
    ["HashOfAName", "HashOfOneSeedInFour", pytest.param("OrderOfASet", marks=pytest.mark.long)],
)
def test_an_answer_that_depends_on_the_hash_seed_is_found_in_another_process(name: str) -> None:
    spec = BackendSpec(f"{HERE / 'bad_conduct.py'}:{name}")
    is_long = name == "OrderOfASet"
    every = ExaminationOptions(("latin4",), only="" if is_long else "hash seed")
    faulty = (finding.part for finding in examine_isolated(spec, every) if finding.breaches)
    breaches = [*islice(faulty, None if is_long else 1)]
    assert breaches
    assert all("hash seed" in part for part in breaches), breaches
    # The command of the breach has the title of its part, and repeats it.
    again = examine_isolated(spec, ExaminationOptions(("latin4",), only=breaches[0]))
    assert [finding.part for finding in again if finding.breaches] == breaches[:1]


if __name__ == "__main__":
    write_catching_parts()
