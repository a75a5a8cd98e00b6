"""`harness doctor`: checks whether this machine is fit for measuring."""

import json
from dataclasses import asdict
from typing import Final

import typer

from harness.cli.options import JsonOption, wrapped

SAMPLED_S: Final = 0.5
"""How long it observes what other programs do."""


def doctor(as_json: JsonOption = False) -> None:
    """Check this machine for sources of unreliable timings."""
    import msgspec

    from harness.engine.system.activity import sampled_activity
    from harness.engine.system.info import system_info
    from harness.records.system_checks import system_checks

    info, activity = system_info(), sampled_activity(SAMPLED_S)
    checks = system_checks(info, activity=activity)
    if as_json:
        system = msgspec.to_builtins(info) | {"activity": msgspec.to_builtins(activity)}
        data = {"system": system, "checks": [asdict(check) for check in checks]}
        typer.echo(json.dumps(data, indent=2))
        return
    marks = {True: "pass", False: "FAIL", None: "?   "}
    for check in checks:
        typer.echo(f"{marks[check.passed]}  {check.subject}: {check.found}")
        if check.remedy:
            typer.echo(wrapped(f"remedy: {check.remedy}", 6))
    passed = sum(check.passed is True for check in checks)
    unknown = sum(check.passed is None for check in checks)
    typer.echo(f"{passed} of {len(checks)} checks passed{f', {unknown} unknown' * bool(unknown)}")
