"""Failed system checks of the invocations of a run."""

from collections.abc import Sequence

from harness.records.environment import Invocation
from harness.records.system_checks import invocation_checks


def failed_checks(invocations: Sequence[Invocation]) -> dict[str, list[str]]:
    """What each failed check found, by the subject of the check, an entry per invocation."""
    failed: dict[str, list[str]] = {}
    for invocation in invocations:
        for check in invocation_checks(invocation):
            if check.passed is False:
                failed.setdefault(check.subject, []).append(check.found)
    return failed
