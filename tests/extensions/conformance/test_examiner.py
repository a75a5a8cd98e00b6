"""Examination in a process of its own: backends that hang, crash or exhaust memory."""

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from harness.base.errors import InputError
from harness.contract import Unavailable
from harness.contract.options import BackendSpec
from harness.extensions.conformance import Clause, Finding
from harness.extensions.conformance.examiner import ExaminationOptions, examine_isolated

PLANTED = Path(__file__).with_name("bad_conduct.py")
CORRECT = Path(__file__).with_name("correct_backends.py")


def findings_of(spec: str, *shapes: str, **options: Any) -> list[Finding]:
    """The findings of an examination in a process of its own."""
    return list(examine_isolated(BackendSpec(spec), ExaminationOptions(shapes, **options)))


@pytest.mark.long
@pytest.mark.parametrize(
    ("name", "clause", "what"),
    [
        ("Hangs", Clause.TIME, "killed"),
        ("ComesLate", Clause.TIME, "1.6 s"),
        ("Dies", Clause.LIFE, "SIGABRT"),
        ("Exits", Clause.LIFE, "SystemExit"),
        ("EatsMemory", Clause.LIFE, "MemoryError"),
    ],
)
def test_an_end_of_the_process_is_a_breach(name: str, clause: Clause, what: str) -> None:
    (finding,) = findings_of(
        f"{PLANTED}:{name}",
        "4x4",
        only="4x4: an empty grid",
        timeout_s=60.0 if name == "EatsMemory" else 0.5,
        memory_limit_mib=256,
    )
    (breach,) = finding.breaches
    assert breach.clause is clause
    assert what in breach.message
    assert str(breach.case) == "an empty grid (4x4)"


@pytest.mark.long
def test_the_examination_goes_on_after_a_death() -> None:
    findings = findings_of(f"{PLANTED}:Dies", "4x4")
    parts = [f.part for f in findings if f.breaches]
    assert parts == ["4x4: an empty grid", "4x4: a solution within 1 ms"]
    assert len(findings) > 20
    assert not [f for f in findings if f.passed_over]


def test_after_five_deaths_the_rest_is_passed_over(a_backend: Callable[..., str]) -> None:
    findings = findings_of(a_backend("os._exit(3)"), "latin3")
    *_, last = breaches = [number for number, f in enumerate(findings) if f.breaches]
    assert len(breaches) == 5
    assert len(findings) > last + 1
    assert all(f.passed_over for f in findings[last + 1 :])


@pytest.mark.long
def test_slowness_on_large_shapes_is_not_a_breach(a_backend: Callable[..., str]) -> None:
    spec = a_backend("time.sleep(60)")
    began = time.monotonic()
    findings = findings_of(spec, "9x9", only="9x9: a", timeout_s=0.2)
    assert time.monotonic() - began < 30
    assert {f.breaches for f in findings} == {()}
    assert all(f.passed_over for f in findings[:-1])
    assert time.monotonic() - began > 4 * 0.2


@pytest.mark.long
def test_a_backend_that_is_late_at_times_is_examined(a_backend: Callable[..., str]) -> None:
    line = "given = [cell for cell, value in enumerate(puzzle.givens) if value]"
    slow = f"{line}\nif len(given) == 2 and not (given[1] - given[0]) % 9: time.sleep(60)"
    solve, count = f"{slow}\nreturn Answer.unknown()", f"{slow}\nreturn Count(0, False)"
    findings = findings_of(a_backend(solve, count=count), "9x9", timeout_s=0.2)
    assert [f.part for f in findings if f.passed_over] == [
        "9x9: two equal values in a column",
        "9x9: two equal values in a column, counted",
    ]


def test_a_backend_that_dies_at_its_import_breaks_a_clause(a_backend: Callable[..., str]) -> None:
    (finding,) = findings_of(a_backend("return Answer.unknown()", top="os._exit(9)"), "latin3")
    assert finding.part == "the import"
    assert finding.breaches[0].clause is Clause.LIFE
    assert "9" in finding.breaches[0].message


def test_address_space_that_a_library_reserves_is_free(a_backend: Callable[..., str]) -> None:
    reserve = "import mmap; room = mmap.mmap(-1, 1 << 40, mmap.MAP_PRIVATE | 0x4000, prot=0)"
    spec = a_backend("return Answer.unknown()", count="return Count(1, True)", top=reserve)
    only = "latin3: a full grid, counted"
    findings = findings_of(spec, "latin3", only=only, memory_limit_mib=256)
    assert [(f.part, f.breaches) for f in findings] == [(only, ())]


def test_bad_input_raises_instead_of_a_finding(a_backend: Callable[..., str]) -> None:
    spec = a_backend("return Answer.unknown()", top="import nobody_has_this")
    with pytest.raises(Unavailable, match="nobody_has_this"):
        findings_of(spec, "4x4")
    with pytest.raises(InputError, match="round"):
        findings_of("native", "round")
    with pytest.raises(InputError, match="sover"):
        list(examine_isolated(BackendSpec("cnf", (("sover", "x"),)), ExaminationOptions(("4x4",))))


@pytest.mark.parametrize("shapes", [("4x4",), ("latin2", "latin3", "latin4", "latin5")])
def test_a_backend_that_needs_much_memory_is_not_accused(shapes: tuple[str, ...]) -> None:
    only = "sums" if len(shapes) == 1 else "a full grid, counted"
    findings = findings_of(f"{CORRECT}:Large", *shapes, only=only, memory_limit_mib=400)
    assert len(findings) == len(shapes)
    assert [finding for finding in findings if finding.breaches or finding.passed_over] == []
