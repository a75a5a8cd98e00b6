"""`harness backends`: the backends, their availability and their options."""

import json
from dataclasses import asdict
from typing import TYPE_CHECKING

import typer

from harness.cli.conformance import examine
from harness.cli.help import Command, Group
from harness.cli.new_backend import new
from harness.cli.options import JsonOption
from harness.cli.terminal import notice, wrapped
from harness.contract.capabilities import capabilities_in_words, limitations_in_words

if TYPE_CHECKING:
    from harness.records.configuration import Configuration

app = typer.Typer(cls=Group, help="List the backends, their availability and their options.")
app.command("new", cls=Command)(new)
app.command("test", cls=Command)(examine)


@app.callback(invoke_without_command=True)
def backends(context: typer.Context, as_json: JsonOption = False) -> None:
    """List the backends, their availability and their options."""
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
    unavailable = [str(backend.spec) for backend in opened if backend.unavailable]
    number = f"{len(opened) - len(unavailable)} of {len(opened)} backends are available"
    listed = f"; unavailable: {', '.join(unavailable)}" if unavailable else ""
    typer.echo(wrapped(number + listed, indent=0))


def _data(backend: "Configuration") -> dict[str, object]:
    description = backend.description
    return {
        "name": str(backend.spec),
        "paradigm": description.paradigm if description else None,
        "available": not backend.unavailable,
        "reason": backend.unavailable or None,
        "remedy": backend.remedy or None,
        "distributions": description.distributions if description else {},
        "capabilities": capabilities_in_words(description.capabilities) if description else [],
        "options": [asdict(option) for option in description.options] if description else [],
    }


def _show(backend: "Configuration") -> None:
    description = backend.description
    if description is None:
        typer.echo(f"{backend.spec}: not available: {backend.unavailable}")
        return
    distributions = description.distributions.items()
    versions = ", ".join(f"{name} {version or 'missing'}" for name, version in distributions)
    typer.echo(f"{backend.spec}: {description.paradigm}{f' ({versions})' if versions else ''}")
    if backend.unavailable:
        remedy = f"; {backend.remedy}" if backend.remedy else ""
        typer.echo(wrapped(f"not available: {backend.unavailable}{remedy}", indent=2))
    if limitations := limitations_in_words(description.capabilities):
        typer.echo(wrapped(", ".join(limitations), indent=2))
    for option in description.options:
        default = str(option.default).lower() if option.type == "bool" else option.default
        typer.echo(f"  {option.name}={default}")
        typer.echo(wrapped(option.help))
        if option.choices:
            typer.echo(wrapped(f"one of {', '.join(option.choices)}"))
