"""Checks of a machine for measuring, of this one and of a recorded one."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from msgspec.structs import replace

from harness.analysis.run import load
from harness.engine.system.info import system_info
from harness.records.environment import SystemInfo
from harness.records.system_checks import system_checks

Harness = Callable[..., tuple[int, str, str]]


def result_of(info: SystemInfo, subject: str) -> tuple[bool | None, bool]:
    """Whether a check passed, and whether it names a remedy."""
    (check,) = [check for check in system_checks(info) if check.subject == subject]
    return check.passed, bool(check.remedy)


def test_a_failed_check_names_a_remedy() -> None:
    checks = system_checks(system_info())
    assert {"load", "governor", "pinning", "swap", "processes"} <= {c.subject for c in checks}
    assert all(check.remedy for check in checks if check.passed is False)


def test_unknown_facts_are_neither_passed_nor_failed() -> None:
    assert {check.passed for check in system_checks(SystemInfo())} == {None}


@pytest.mark.parametrize(
    ("subject", "good", "bad"),
    [
        ("pinning", SystemInfo(usable_cores=[0, 1]), SystemInfo(usable_cores=[3])),
        ("load", SystemInfo(load_average=[0.5]), SystemInfo(load_average=[0.51])),
        ("governor", SystemInfo(governor="performance"), SystemInfo(governor="powersave")),
        ("turbo", SystemInfo(turbo=False), SystemInfo(turbo=True)),
        (
            "hyperthreads",
            SystemInfo(simultaneous_multithreading=False),
            SystemInfo(simultaneous_multithreading=True),
        ),
        ("hypervisor", SystemInfo(hypervisor=False), SystemInfo(hypervisor=True)),
        (
            "memory",
            SystemInfo(memory_available_bytes=2**31),
            SystemInfo(memory_available_bytes=2**31 - 1),
        ),
        ("swap", SystemInfo(swap_used_bytes=0), SystemInfo(swap_used_bytes=1)),
        (
            "processes",
            SystemInfo(processes_visible=True, children_visible=True),
            SystemInfo(processes_visible=True, children_visible=False),
        ),
        (
            "processes",
            SystemInfo(processes_visible=True, children_visible=True),
            SystemInfo(processes_visible=False),
        ),
        ("open files", SystemInfo(open_files=256), SystemInfo(open_files=255)),
    ],
)
def test_each_check_has_a_threshold(subject: str, good: SystemInfo, bad: SystemInfo) -> None:
    assert result_of(good, subject) == (True, False)
    assert result_of(bad, subject) == (False, True)


def test_the_doctor_prints_every_check_in_80_columns(harness: Harness) -> None:
    code, out, _ = harness("doctor")
    assert code == 0
    assert all(len(line) <= 80 for line in out.splitlines())
    subjects = [check.subject for check in system_checks(system_info())]
    assert all(subject in out for subject in subjects)
    data = json.loads(harness("doctor", "--json")[1])
    assert [check["subject"] for check in data["checks"]] == subjects


def test_a_run_records_what_the_checks_need(
    harness: Harness, a_file: Callable[..., Path], tmp_path: Path
) -> None:
    words = ("run", "--backend", "native", "--out", tmp_path / "run", "--dataset")
    assert harness(*words, a_file(["1234............"]))[0] == 0
    (invocation,) = load(tmp_path / "run").invocations
    here = replace(system_info(), load_average=invocation.system.load_average)
    recorded = {c.subject: c.passed for c in system_checks(invocation.system)}
    assert recorded == {c.subject: c.passed for c in system_checks(here)}
