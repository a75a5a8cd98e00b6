"""`harness backends`: the backends, their availability and their options."""

from dataclasses import asdict
from typing import TYPE_CHECKING

import typer

from harness.cli.conformance import examine
from harness.cli.help import Command, Group
from harness.cli.new_backend import new
from harness.cli.options import JsonOption, QuietOption, with_quiet
from harness.cli.terminal import notice, set_quiet, show, theme_of, wrapped
from harness.contract.capabilities import (
    Capability,
    capabilities_in_words,
    limitations_in_words,
    puzzles_in_words,
)
from harness.report.style import Style

if TYPE_CHECKING:
    from harness.records.configuration import Configuration

app = typer.Typer(cls=Group, help="List the backends, their availability and their options.")
app.command("new", cls=Command)(new)
app.command("test", cls=Command)(with_quiet(examine))


@app.callback(invoke_without_command=True)
def backends(
    context: typer.Context, as_json: JsonOption = False, quiet: QuietOption = False
) -> None:
    """List the backends, their availability and their options."""
    if context.invoked_subcommand:
        return
    if quiet:
        set_quiet(quiet=True)
    from harness.contract import registry
    from harness.contract.spec import BackendSpec
    from harness.engine.supervisor import Supervisor

    specs = [BackendSpec(name) for name in registry.names()]
    with Supervisor(specs, notice=notice) as supervisor:
        opened = supervisor.open()
    if as_json:
        from harness.report.render.json import json

        show(json([_data(backend) for backend in opened]), end="")
        return
    for backend in opened:
        _show(backend)
    unavailable = [str(backend.spec) for backend in opened if backend.unavailable]
    number = f"{len(opened) - len(unavailable)} of {len(opened)} backends are available"
    listed = f"; unavailable: {', '.join(unavailable)}" if unavailable else ""
    show(wrapped(number + listed, indent=0))


def _data(backend: "Configuration") -> object:
    from harness.documents.backends import BackendData, BackendOptionData

    description = backend.description
    options = description.options if description else ()
    return BackendData(
        name=str(backend.spec),
        paradigm=description.paradigm if description else None,
        available=not backend.unavailable,
        reason=backend.unavailable or None,
        remedy=backend.remedy or None,
        distributions=description.distributions if description else {},
        capabilities=capabilities_in_words(description.capabilities) if description else [],
        options=[
            BackendOptionData(**asdict(option) | {"choices": [*option.choices]})
            for option in options
        ],
    )


def _show(backend: "Configuration") -> None:
    description = backend.description
    if description is None:
        show(wrapped(f"{backend.spec}: not available: {backend.unavailable}", 2, first=0))
        return
    distributions = description.distributions.items()
    versions = ", ".join(f"{name} {version or 'missing'}" for name, version in distributions)
    paradigm = f"{description.paradigm}{f' ({versions})' if versions else ''}"
    show(wrapped(f"{backend.spec}: {paradigm}", 2, first=0))
    if backend.unavailable:
        remedy = f"; {backend.remedy}" if backend.remedy else ""
        line = wrapped(f"not available: {backend.unavailable}{remedy}", indent=2)
        show(theme_of().styled(line, Style.QUIET))
    if taken := puzzles_in_words(description.capabilities):
        show(wrapped(f"takes {' and '.join(taken)}", indent=2))
    if Capability.PROVES in description.capabilities:
        show(wrapped("proves numbers of solutions: harness solve --certify", indent=2))
    if limitations := limitations_in_words(description.capabilities):
        show(wrapped(", ".join(limitations), indent=2))
    for option in description.options:
        default = str(option.default).lower() if option.type == "bool" else option.default
        show(f"  {option.name}={default}")
        show(wrapped(option.help))
        if option.choices:
            show(wrapped(f"one of {', '.join(option.choices)}"))
