"""The share of mutants of our own backends that the conformance suite catches.

The mutants are made by operators, not one by one for a question. A sample runs in `make test`,
and all of them in the long tests, which print the share.
"""

import signal
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from types import FrameType, ModuleType
from typing import Any

import pytest

from harness.contract import Backend
from harness.extensions.conformance.examination import Examination
from harness.extensions.conformance.shapes import JIGSAW
from tests.extensions.conformance import source_mutants, triggered_mutants

SHAPES = ("4x4", JIGSAW, "6x6", "latin5")
LEAST_SHARE = 0.95
SECONDS = 10
"""For a part, after which a mutant that does not end is caught."""
EACH_KIND = pytest.mark.parametrize(
    "mutants", [triggered_mutants, source_mutants], ids=["triggered", "source"]
)


class Endless(BaseException):
    """A part does not end; derived so that no handler of a mutant takes it."""


@contextmanager
def time_limit() -> Iterator[None]:
    """Raise `Endless` in this thread after some seconds, and again until the block ends."""

    def ring(_number: int, _frame: FrameType | None) -> None:
        raise Endless

    before = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, SECONDS, 1)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def is_caught(mutant: type[Backend[Any]]) -> bool:
    """Whether the suite finds a breach; stops at the first."""
    shapes = getattr(mutant, "shapes", SHAPES)
    with Examination(mutant, shapes=shapes, timeout=float(SECONDS)) as examination:
        for part in examination.parts():
            try:
                with time_limit():
                    finding = examination.examine(part)
            except Endless:
                return True
            if finding.breaches:
                return True
    return False


def missed(mutants: ModuleType, names: Sequence[str]) -> list[str]:
    return [name for name in names if not is_caught(mutants.mutant(name))]


@pytest.mark.long
@EACH_KIND
def test_a_sample_of_mutants_is_caught(mutants: ModuleType) -> None:
    every = 46 if mutants is triggered_mutants else 26
    known = {*mutants.EQUIVALENT, *mutants.MISSED}
    sample = [name for name in [*mutants.names()][::every] if name not in known]
    assert len(sample) >= 3
    assert missed(mutants, sample) == []


@pytest.mark.long
@pytest.mark.timeout(3600)
@EACH_KIND
def test_the_suite_catches_95_percent_of_the_mutants(
    mutants: ModuleType, capsys: pytest.CaptureFixture[str]
) -> None:
    names = [name for name in mutants.names() if name not in mutants.EQUIVALENT]
    survivors = missed(mutants, names)
    caught = len(names) - len(survivors)
    with capsys.disabled():
        print(f"\n{mutants.__name__}: {caught} of {len(names)} caught, missed: {survivors}")  # noqa: T201
    assert len(names) >= 80
    assert caught / len(names) >= LEAST_SHARE
    assert set(survivors) <= set(mutants.MISSED)


@EACH_KIND
def test_the_lists_of_mutants_name_existing_ones(mutants: ModuleType) -> None:
    assert {*mutants.EQUIVALENT, *mutants.MISSED} <= {*mutants.names()}
    assert not {*mutants.EQUIVALENT} & {*mutants.MISSED}


def test_there_are_more_than_300_mutants() -> None:
    assert len(triggered_mutants.names()) + len(source_mutants.names()) > 300
