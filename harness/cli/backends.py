"""`harness backends`: the backends, their availability and their options."""

from collections.abc import Sequence
from typing import Annotated, Final

import typer

from harness.base.errors import InputError
from harness.base.interruption import interruptible
from harness.cli import lazy
from harness.cli.commands import Catalogue, add_command
from harness.cli.completers import backend_names
from harness.cli.options import JsonOption, show_json, with_common_options
from harness.cli.terminal import aligned, show, theme_of, wrapped
from harness.contract import (
    BackendSpec,
    Capability,
    ProgramFile,
    Restriction,
    environments,
    registry,
)
from harness.records import Configuration
from harness.report import Style


def describe(
    names: Annotated[
        list[str],
        typer.Argument(metavar="SPEC_OR_FILE", help="Backends.", autocompletion=backend_names),
    ],
    as_json: JsonOption = False,
) -> None:
    """Describe backends: their libraries, limitations and options."""
    _show_opened([lazy.single_spec(name) for name in names], brief=False, as_json=as_json)


def spell_out(
    backend: Annotated[
        str, typer.Argument(metavar="COMMAND_LINE", help="'minisat {cnf} {out}', or a file.toml.")
    ],
) -> None:
    """Print the command file of a command line, to keep it or to set more keys."""
    kind = registry.load_class(registry.resolve(lazy.single_spec(backend).locator))
    file: ProgramFile | None = getattr(kind, "file", None)
    if file is None:
        expected = "a command line such as 'minisat {cnf} {out}'"
        raise InputError("is not a program", where=backend, expected=expected)
    typer.echo(f"# {kind.name}.toml\n{file.text()}", nl=False)


app = typer.Typer(cls=Catalogue, help="List the backends, their availability and their options.")
add_command(app, "show", describe)
add_command(app, "describe", spell_out)


def backends(
    context: typer.Context,
    everything: Annotated[
        bool, typer.Option("--all", help="Describe every backend with its options.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """List the backends that work here. `harness backends NAME` describes one."""
    if context.invoked_subcommand:
        return
    specs = [BackendSpec(name) for name in registry.names()]
    _show_opened(specs, brief=not everything, as_json=as_json)


app.callback(invoke_without_command=True)(with_common_options(backends))


def _show_opened(specs: Sequence[BackendSpec], *, brief: bool, as_json: bool) -> None:
    with interruptible(), lazy.Supervisor(specs) as supervisor:
        configurations = supervisor.open(prepares=False)
    if as_json:
        show_json([_data(backend) for backend in configurations])
        return
    if brief:
        _show_table(configurations)
        return
    for backend in configurations:
        _show(backend)


def _show_table(configurations: Sequence[Configuration]) -> None:
    """A row for each backend that works here, and a sentence about the others."""
    work = [backend for backend in configurations if not backend.unavailable]
    number = f"{len(work)} of {len(configurations)} backends work here"
    show(wrapped(f"{number}; harness backends NAME describes one", indent=0))
    rows = [
        (
            str(backend.spec),
            description.paradigm,
            ", ".join(f"{n} {v or ''}".strip() for n, v in description.distributions.items()),
        )
        for backend in work
        if (description := backend.description)
    ]
    show(aligned([("backend", "how it solves", "library"), *rows]))
    if absent := [str(backend.spec) for backend in configurations if backend.unavailable]:
        install = "harness backends install NAME installs"
        show(wrapped(f"not available here ({install}): {', '.join(absent)}", indent=0))
    if own := environments.installed_environments():
        folders = [environment.folder for environment in own]
        size = f"{environments.disk_bytes(folders) / 1e6:,.0f} MB"
        versions = ", ".join(str(environment.spec) for environment in own)
        show(wrapped(f"in environments of their own ({size}): {versions}", indent=0))


def _data(backend: Configuration) -> object:
    description = backend.description
    return lazy.BackendData(
        name=str(backend.spec),
        paradigm=description.paradigm if description else None,
        available=not backend.unavailable,
        reason=backend.unavailable or None,
        remedy=backend.remedy or None,
        distributions=description.distributions if description else {},
        environments=[
            str(environment.spec)
            for environment in environments.installed_environments()
            if environment.backend == backend.spec.locator
        ],
        capabilities=description.capabilities.in_words(description.takes) if description else [],
        options=description.options if description else (),
    )


_MEANINGS: Final = {
    "ignores the count limit": "counts all solutions, however many there are",
    "may give up": "ends some trials without an answer before their time limit",
    "compared only if named": "check and * leave it out unless --backend names it",
}
"""What the words of limitations mean, for `harness backends`."""


def _show(backend: Configuration) -> None:
    description = backend.description
    remedy = f"; {backend.remedy}" if backend.remedy else ""
    if description is None:
        show(wrapped(f"{backend.spec}: not available: {backend.unavailable}{remedy}", 2, first=0))
        return
    distributions = description.distributions.items()
    versions = ", ".join(f"{name} {version or 'missing'}" for name, version in distributions)
    paradigm = f"{description.paradigm}{f' ({versions})' if versions else ''}"
    show(wrapped(f"{backend.spec}: {paradigm}", 2, first=0))
    if backend.unavailable:
        line = wrapped(f"not available: {backend.unavailable}{remedy}", indent=2)
        show(theme_of().styled(line, Style.QUIET))
    if description.takes:
        *others, last = (r for r in Restriction if r in description.takes)
        names = f"{', '.join(others)} and {last}" if others else last
        show(wrapped(f"takes {names}", indent=2))
    if Capability.PROVES in description.capabilities:
        show(wrapped("proves numbers of solutions: harness prove", indent=2))
    for limitation in description.capabilities.limitations:
        show(wrapped(f"{limitation}: {_MEANINGS[limitation]}", 4, first=2))
    for environment in environments.installed_environments():
        if environment.backend == backend.spec.locator:
            show(wrapped(f"installed: {environment.in_words}", 4, first=2))
    for option in description.options:
        default = str(option.default).lower() if option.type == "bool" else option.default
        show(f"  {option.name}={default}")
        show(wrapped(option.help))
        if option.choices:
            show(wrapped(f"one of {', '.join(option.choices)}"))
