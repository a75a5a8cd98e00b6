"""`harness doctor`: checks whether this machine is fit for measuring."""

from typing import Final

from harness.cli import lazy
from harness.cli.options import JsonOption, show_json
from harness.cli.terminal import show, theme_of, wrapped
from harness.report import Style

_MARKS: Final = {
    True: ("pass", Style.GOOD),
    False: ("FAIL", Style.BAD),
    None: ("?   ", Style.QUIET),
}


def doctor(as_json: JsonOption = False) -> None:
    """Check this machine for sources of unreliable timings.

    doctor examines the machine only: check examines answers, inspect puzzles, and noise measures
    which differences between times this machine can resolve.
    """
    # Other programs are observed for half a second.
    info, activity = lazy.machine.system_info(), lazy.machine.sampled_activity(0.5)
    checks = lazy.SystemCheck.of_machine(info, activity=activity)
    if as_json:
        show_json(lazy.Diagnosis(system=info, activity=activity, checks=checks))
        return
    successes = sum(check.passed is True for check in checks)
    unknown = sum(check.passed is None for check in checks)
    failures = [check.subject for check in checks if check.passed is False]
    more = f", {unknown} unknown" if unknown else ""
    doubt = f"; times may be unreliable: {', '.join(failures)}" if failures else ""
    show(wrapped(f"{successes} of {len(checks)} checks passed{more}{doubt}", 0))
    theme = theme_of()
    for check in checks:
        mark, style = _MARKS[check.passed]
        line = wrapped(f"{mark}  {check.subject}: {check.found}", 6, first=0)
        show(line.replace(mark, theme.styled(mark, style), 1))
        if check.remedy:
            show(wrapped(f"remedy: {check.remedy}", 6))
