"""Checks of a machine for measuring, of this one and of a recorded one."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from msgspec import convert
from msgspec.structs import replace

from harness.analysis.run import load
from harness.engine.system.machine import system_info
from harness.records.folder.checks import SystemCheck
from harness.records.folder.environment import Activity, SystemInfo
from harness.report.documents import Diagnosis
from tests.documents import document

Harness = Callable[..., tuple[int, str, str]]
MULTITHREADING = "simultaneous_multithreading"
VISIBLE = {"processes_visible": True, "children_visible": True}


def test_a_failed_check_names_a_remedy() -> None:
    checks = SystemCheck.of_machine(system_info())
    assert {"load", "governor", "pinning", "swap", "processes"} <= {c.subject for c in checks}
    assert all(check.remedy for check in checks if check.passed is False)


def test_unknown_facts_are_neither_passed_nor_failed() -> None:
    assert {check.passed for check in SystemCheck.of_machine(SystemInfo())} == {None}


@pytest.mark.parametrize(
    ("subject", "good", "bad"),
    [
        ("pinning", {"usable_cores": [0, 1]}, {"usable_cores": [3]}),
        ("load", {"load_average": [0.5]}, {"load_average": [0.51]}),
        ("governor", {"governor": "performance"}, {"governor": "powersave"}),
        ("turbo", {"turbo": False}, {"turbo": True}),
        ("hyperthreads", {MULTITHREADING: False}, {MULTITHREADING: True}),
        ("hypervisor", {"hypervisor": False}, {"hypervisor": True}),
        ("memory", {"memory_available_bytes": 2**31}, {"memory_available_bytes": 2**31 - 1}),
        ("swap", {"swap_used_bytes": 0}, {"swap_used_bytes": 1}),
        ("processes", VISIBLE, VISIBLE | {"children_visible": False}),
        ("processes", VISIBLE, VISIBLE | {"processes_visible": False}),
        ("open files", {"open_files": 256}, {"open_files": 255}),
        ("other programs", {"other_cpu_s": 2.4}, {"other_cpu_s": 2.5}),
        ("throttling", {"throttled_s": 0.1}, {"throttled_s": 0.11}),
        ("throttling", {"throttled_s": 0.0}, {"throttled_s": 0.0, "heat_throttles": 1}),
        ("stolen time", {"stolen_s": 0.4}, {"stolen_s": 0.5}),
    ],
)
def test_each_check_has_a_threshold(
    subject: str, good: dict[str, Any], bad: dict[str, Any]
) -> None:
    for facts, is_good in ((good, True), (bad, False)):
        activity = convert({"seconds": 10.0} | facts, Activity)
        checks = SystemCheck.of_machine(convert(facts, SystemInfo), activity=activity)
        (check,) = [check for check in checks if check.subject == subject]
        assert (check.passed, bool(check.remedy)) == (is_good, not is_good)


@pytest.mark.parametrize(
    ("jobs", "cores", "quota", "is_good", "finding"),
    [
        (2, [0, 1], None, True, "2 trials at a time on 2 cores"),
        (3, [0, 1], None, False, "3 trials at a time on 2 cores"),
        (2, [0, 1, 2, 3], 1.5, False, "2 trials at a time on a quota of 1.5 of 4 cores"),
        (2, None, 1.0, False, "2 trials at a time on a quota of 1 core"),
        (2, None, None, None, "2 trials at a time on an unknown number of cores"),
    ],
)
def test_more_jobs_than_cores_fail_the_check_of_a_run(
    jobs: int, cores: list[int] | None, quota: float | None, is_good: bool | None, finding: str
) -> None:
    info = SystemInfo(usable_cores=cores, cpu_quota=quota)
    check = SystemCheck.of_machine(info, jobs=jobs)[0]
    assert (check.subject, check.passed, check.found) == ("jobs", is_good, finding)
    assert bool(check.remedy) == (is_good is False)


def test_the_doctor_prints_every_check_in_80_columns(harness: Harness) -> None:
    code, out, _ = harness("doctor")
    assert code == 0
    assert all(len(line) <= 80 for line in out.splitlines())
    subjects = [check.subject for check in SystemCheck.of_machine(system_info())]
    assert all(subject in out for subject in subjects)
    diagnosis = document(harness("doctor", "--json")[1], Diagnosis)
    assert diagnosis.system.cpus
    assert [check.subject for check in diagnosis.checks] == subjects


def test_a_run_records_what_the_checks_need(
    harness: Harness, a_file: Callable[..., Path], tmp_path: Path
) -> None:
    words = ("run", "--backend", "native", "--out", tmp_path / "run", "--dataset")
    assert harness(*words, a_file(["1234............"]))[0] == 0
    (invocation,) = load(tmp_path / "run").invocations
    here = replace(system_info(), load_average=invocation.system.load_average)
    outcomes = {c.subject: c.passed for c in SystemCheck.of_machine(invocation.system)}
    assert outcomes == {c.subject: c.passed for c in SystemCheck.of_machine(here)}
