"""`harness doctor`: system checks before a measurement."""

import json
from dataclasses import asdict

import typer

from harness.cli.options import JsonOption, wrapped


def doctor(as_json: JsonOption = False) -> None:
    """Check this system for causes of unreliable timings, and suggest remedies."""
    from harness.engine.system.info import describe_machine
    from harness.records import system_checks

    facts = describe_machine()
    findings = system_checks.findings(facts)
    if as_json:
        data = {"system": facts, "checks": [asdict(finding) for finding in findings]}
        typer.echo(json.dumps(data, indent=2))
        return
    marks = {True: "good", False: "BAD ", None: "?   "}
    for finding in findings:
        typer.echo(f"{marks[finding.good]}  {finding.subject}: {finding.found}")
        if finding.remedy:
            typer.echo(wrapped(f"remedy: {finding.remedy}", 6))
    passed = sum(finding.good is True for finding in findings)
    typer.echo(f"{passed} of {len(findings)} checks passed")
