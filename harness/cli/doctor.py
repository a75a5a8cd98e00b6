"""`harness doctor`: checks whether this machine is fit for measuring."""

from dataclasses import asdict
from typing import Final

from harness.cli.options import JsonOption
from harness.cli.terminal import show, theme_of, wrapped
from harness.report.style import Style

_MARKS: Final = {
    True: ("pass", Style.GOOD),
    False: ("FAIL", Style.BAD),
    None: ("?   ", Style.QUIET),
}

SAMPLED_S: Final = 0.5
"""How long it observes what other programs do."""


def doctor(as_json: JsonOption = False) -> None:
    """Check this machine for sources of unreliable timings."""
    from harness.engine.system.activity import sampled_activity
    from harness.engine.system.info import system_info
    from harness.records.system_checks import system_checks

    info, activity = system_info(), sampled_activity(SAMPLED_S)
    checks = system_checks(info, activity=activity)
    if as_json:
        from harness.cli.documents import CheckData, Diagnosis
        from harness.report.render.json import json

        data = [CheckData(**asdict(check)) for check in checks]
        show(json(Diagnosis(system=info, activity=activity, checks=data)), end="")
        return
    theme = theme_of()
    for check in checks:
        mark, style = _MARKS[check.passed]
        line = wrapped(f"{mark}  {check.subject}: {check.found}", 6, first=0)
        show(line.replace(mark, theme.styled(mark, style), 1))
        if check.remedy:
            show(wrapped(f"remedy: {check.remedy}", 6))
    passed = sum(check.passed is True for check in checks)
    unknown = sum(check.passed is None for check in checks)
    show(f"{passed} of {len(checks)} checks passed{f', {unknown} unknown' * bool(unknown)}")
