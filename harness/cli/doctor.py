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


def doctor(as_json: JsonOption = False) -> None:
    """Check this machine for sources of unreliable timings."""
    from harness.engine.system.info import system_info
    from harness.records.system_checks import system_checks

    info = system_info()
    checks = system_checks(info)
    if as_json:
        from harness.cli.documents import CheckData, Diagnosis
        from harness.report.render.json import json

        data = [CheckData(**asdict(check)) for check in checks]
        show(json(Diagnosis(system=info, checks=data)), end="")
        return
    theme = theme_of()
    for check in checks:
        show(f"{theme.styled(*_MARKS[check.passed])}  {check.subject}: {check.found}")
        if check.remedy:
            show(wrapped(f"remedy: {check.remedy}", 6))
    passed = sum(check.passed is True for check in checks)
    unknown = sum(check.passed is None for check in checks)
    show(f"{passed} of {len(checks)} checks passed{f', {unknown} unknown' * bool(unknown)}")
