"""`harness doctor`: is this machine fit for measuring?"""

import json
from dataclasses import asdict

import typer

from harness.cli.options import JsonOption, wrapped


def doctor(as_json: JsonOption = False) -> None:
    """Say what on this machine spoils measurements, and what to do about it."""
    from harness.engine.system.info import describe_machine
    from harness.records import system_checks

    facts = describe_machine()
    findings = system_checks.findings(facts)
    if as_json:
        data = {"machine": facts, "findings": [asdict(finding) for finding in findings]}
        typer.echo(json.dumps(data, indent=2))
        return
    marks = {True: "good", False: "BAD ", None: "?   "}
    for finding in findings:
        typer.echo(f"{marks[finding.good]}  {finding.subject}: {finding.found}")
        if finding.remedy:
            typer.echo(wrapped(f"remedy: {finding.remedy}", 6))
    bad = sum(finding.good is False for finding in findings)
    typer.echo(f"{bad or 'nothing'} of {len(findings)} spoils measurements here")
