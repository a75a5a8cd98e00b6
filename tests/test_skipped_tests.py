"""The line about skipped tests at the end of a test run."""

import pytest

from tests.conftest import skipped_line
from tests.solvers import fault_of_skip


def report_of_skip(reason: str) -> pytest.TestReport:
    place = ("test_x.py", 1, f"Skipped: {reason}")
    return pytest.TestReport(
        "test_x.py::test", ("test_x.py", 1, "test"), {}, "skipped", place, "call"
    )


def test_skipped_tests_are_counted_by_reason() -> None:
    reasons = ["z3 is not installed", "no fonts", "no disk", "no disk", "a is not installed"]
    line = skipped_line([report_of_skip(reason) for reason in [*reasons, "a is not installed"]])
    assert line == "6 skipped: 3 not installed (a, z3); 2 no disk; 1 no fonts"


def test_the_line_is_there_when_nothing_is_skipped() -> None:
    assert skipped_line([]) == "nothing skipped"


@pytest.mark.parametrize(
    ("reason", "solvers_run", "marked", "fault"),
    [
        ("z3-solver is not installed", False, True, ""),
        ("z3-solver is not installed", False, False, "give it the marker `solvers`"),
        ("npm is not installed", False, False, ""),
        ("z3-solver is not installed", True, True, "installs every solver: z3-solver is not"),
        ("ImportError: undefined symbol", True, True, "installs every solver: ImportError"),
        ("no valid licence: License expired", True, True, ""),
    ],
)
def test_a_solver_is_missing_only_where_it_may_be(
    reason: str, solvers_run: bool, marked: bool, fault: str
) -> None:
    message = fault_of_skip(reason, solvers_run=solvers_run, marked=marked)
    assert fault in message
    assert bool(fault) is bool(message)
