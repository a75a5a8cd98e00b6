"""What a run records of where it ran, and what the doctor says of it."""

import json
import os
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path

from harness.analysis.run import load
from harness.engine.system.info import describe_machine
from harness.records import system_checks

Harness = Callable[..., tuple[int, str, str]]


def test_a_run_records_where_and_with_what_each_call_took_place(
    harness: Harness, a_file: Callable[..., Path], tmp_path: Path
) -> None:
    words = ["run", "--backend", "native", "cnf", "--out", tmp_path / "run", "--dataset"]
    assert harness(*words, a_file(["1234............"]))[0] == 0
    assert harness(*words, a_file(["1234............", "." * 16]))[0] == 0
    first, second = load(tmp_path / "run").invocations
    assert first["ended_at"] >= first["started_at"]
    assert first["packages"]["ortools"] == version("ortools")
    assert first["backends"]["cnf"]["versions"]["python-sat"] == version("python-sat")
    assert first["backends"]["cnf"]["options"]["solver"] == "minicard"
    assert first["datasets"]["puzzles"]["puzzles"] == 1
    assert second["datasets"]["puzzles"]["puzzles"] == 2
    assert first["datasets"]["puzzles"]["sha256"] != second["datasets"]["puzzles"]["sha256"]
    assert first["processor"]
    assert len(first["load_average"]) == len(first["load_average_after"]) == 3
    assert first["checkout"] is None or len(first["checkout"]["commit"]) == 40


def test_the_machine_describes_itself() -> None:
    facts = describe_machine()
    assert facts["cpus"] == os.cpu_count()
    assert facts["memory_bytes"] > facts["memory_available_bytes"] > 0
    assert 0 < facts["clock_resolution_s"] < 1e-3


def test_the_doctor_names_a_remedy_for_what_is_bad(harness: Harness) -> None:
    findings = system_checks.findings(describe_machine())
    assert {"load", "governor", "pinning", "swap", "processes"} <= {f.subject for f in findings}
    assert all(finding.remedy for finding in findings if finding.good is False)
    code, out, _ = harness("doctor")
    assert code == 0
    assert all(len(line) <= 80 for line in out.splitlines())
    assert all(finding.subject in out for finding in findings)
    data = json.loads(harness("doctor", "--json")[1])
    assert len(data["findings"]) == len(findings)


def test_a_machine_that_tells_nothing_is_neither_good_nor_bad() -> None:
    assert {finding.good for finding in system_checks.findings({})} == {None}


def test_all_that_the_doctor_looks_at_is_recorded_with_a_run(
    harness: Harness, a_file: Callable[..., Path], tmp_path: Path
) -> None:
    words = ("run", "--backend", "native", "--out", tmp_path / "run", "--dataset")
    assert harness(*words, a_file(["1234............"]))[0] == 0
    (call,) = load(tmp_path / "run").invocations
    assert describe_machine().keys() <= call.keys()
    told = {finding.subject: finding.good for finding in system_checks.findings(call)}
    here = {finding.subject: finding.good for finding in system_checks.findings(describe_machine())}
    assert {**told, "load": None} == {**here, "load": None}
