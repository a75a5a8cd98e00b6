"""`harness backends`: which there are, which work here, what options they take."""

import json
from dataclasses import asdict
from typing import Any

import typer

from harness.cli.conformance import examine
from harness.cli.new_backend import new
from harness.cli.options import JsonOption, notice, wrapped
from harness.contract.capabilities import capabilities_in_words, limitations_in_words
from harness.records.configuration import Configuration

app = typer.Typer(help="List the backends, whether they work here, and their options.")
app.command("new")(new)
app.command("test")(examine)


@app.callback(invoke_without_command=True)
def backends(context: typer.Context, as_json: JsonOption = False) -> None:
    """List the backends, whether they work here, and their options."""
    if context.invoked_subcommand:
        return
    from harness.contract import registry
    from harness.contract.spec import BackendSpec
    from harness.engine.supervisor import Supervisor

    specs = [BackendSpec(name) for name in registry.names()]
    with Supervisor(specs, notice=notice) as supervisor:
        opened = supervisor.open()
    if as_json:
        typer.echo(json.dumps([_data(backend) for backend in opened], indent=2))
        return
    for backend in opened:
        _show(backend)
    absent = [str(backend.spec) for backend in opened if backend.unavailable]
    told = f"{len(opened) - len(absent)} of {len(opened)} backends are available"
    typer.echo(wrapped(f"{told}; not {', '.join(absent)}" if absent else told, indent=0))


def _data(backend: Configuration) -> dict[str, Any]:
    described = backend.description
    return {
        "name": str(backend.spec),
        "paradigm": described.paradigm if described else None,
        "available": not backend.unavailable,
        "reason": backend.unavailable or None,
        "remedy": backend.remedy or None,
        "distributions": described.distributions if described else {},
        "capabilities": capabilities_in_words(described.capabilities) if described else [],
        "options": [asdict(option) for option in described.options] if described else [],
    }


def _show(backend: Configuration) -> None:
    described = backend.description
    if described is None:
        typer.echo(f"{backend.spec}: not available: {backend.unavailable}")
        return
    versions = ", ".join(f"{name} {v or 'missing'}" for name, v in described.distributions.items())
    typer.echo(f"{backend.spec}: {described.paradigm}{f' ({versions})' if versions else ''}")
    if backend.unavailable:
        remedy = f"; {backend.remedy}" if backend.remedy else ""
        typer.echo(wrapped(f"not available: {backend.unavailable}{remedy}", indent=2))
    if limitations := limitations_in_words(described.capabilities):
        typer.echo(wrapped(", ".join(limitations), indent=2))
    for option in described.options:
        default = str(option.default).lower() if option.type == "bool" else option.default
        typer.echo(f"  {option.name}={default}")
        typer.echo(wrapped(option.help))
        if option.choices:
            typer.echo(wrapped(f"one of {', '.join(option.choices)}"))
