"""Failed system checks of the invocations of a run."""

from collections.abc import Mapping, Sequence
from typing import Any

from harness.records import system_checks


def failed_checks(invocations: Sequence[Mapping[str, Any]]) -> dict[str, list[str]]:
    """What each failed check found, by the subject of the check, an entry per invocation."""
    failed: dict[str, list[str]] = {}
    for invocation in invocations:
        for check in system_checks.findings(invocation):
            if check.good is False:
                failed.setdefault(check.subject, []).append(check.found)
    return failed
