"""`harness backends`: list, new and test; `environments` has install, uninstall and prune."""

import shlex
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Final

import typer

from harness.base.errors import BackendUnavailableError, OptionError
from harness.base.interruption import interruptible
from harness.cli import lazy
from harness.cli.commands import Catalogue, NarrowCommand
from harness.cli.completers import backend_names
from harness.cli.options import (
    JsonOption,
    show_json,
    sweep_option,
    value_option,
    with_common_options,
)
from harness.cli.terminal import aligned, console_of, notice, show, theme_of, wrapped
from harness.contract import environments, registry
from harness.contract.backend import (
    Capability,
    Unavailable,
    capabilities_in_words,
    limitations_in_words,
    puzzles_in_words,
)
from harness.contract.options import BackendSpec
from harness.extensions.versions.cli import described, install, prune, uninstall
from harness.records.question import Configuration
from harness.report.formatting import Style
from harness.runs.sweep import parse_choice

# `harness backends new`: a backend to complete.


def new(
    name: Annotated[str, typer.Argument(metavar="NAME", help="Name of the new backend.")],
    path: Annotated[
        Path,
        value_option("--path", "DIR", "Folder to write to."),
    ] = Path(),
    kind: Annotated[
        str,
        value_option(
            "--kind",
            "search|model|command|library",
            "A search of your own, a model for a solver library, a program or a C library to call.",
            completer=lambda: [*lazy.skeletons.SkeletonKind],
        ),
    ] = "search",
    package: Annotated[
        bool, typer.Option("--package", help="Write an installable package with a test.")
    ] = False,
) -> None:
    """Write a backend that keeps the contract, with places to fill in."""
    chosen = parse_choice(lazy.skeletons.SkeletonKind, kind, "--kind")
    if package:
        written = lazy.skeletons.write_package(name, path, chosen)
        backend = f"{written}/src/sudoku_{name.replace('-', '_')}/backend.py"
        places = [backend, f"{written}/README.md", f"{written}/.github/workflows/entry.yml"]
        steps = [f"pip install -e {shlex.quote(str(written))}", f"harness backends test {name}"]
    else:
        written = lazy.skeletons.write_file(name, path, chosen)
        places = [backend := str(written)]
        steps = [
            f"harness backends test {shlex.quote(backend)}",
            f"harness run --dataset seeds --backend native {shlex.quote(backend)}",
        ]
    typer.echo(f"written: {written}\n")
    typer.echo("\n  ".join(['Complete the places marked "Fill in" in', *places]))
    typer.echo("\n  ".join(["then run", *steps]))


# `harness backends test`: whether a backend keeps the contract.


def examine(
    backend: Annotated[
        str,
        typer.Argument(
            metavar="SPEC_OR_FILE",
            help="cnf, cnf[solver=glucose4], file.py or program.toml.",
            autocompletion=backend_names,
        ),
    ],
    shape: Annotated[
        list[str] | None,
        value_option(
            "--shape", "SHAPE", "Only this shape. One or more, each after its own --shape."
        ),
    ] = None,
    only: Annotated[
        str,
        value_option("--only", "TEXT", "Only parts whose title contains this text."),
    ] = "",
    thorough: Annotated[
        bool,
        typer.Option(
            "--thorough",
            help="All cells, more calls and more shapes, however long a slow backend takes. By "
            "default a series of questions ends early if it takes more than 6 times --timeout.",
        ),
    ] = False,
    timeout: Annotated[
        float,
        sweep_option("timeout", default=10.0, text="Wall time limit of a question in seconds."),
    ] = 10.0,
    memory: Annotated[
        int,
        sweep_option(
            "memory", default=4096, text="Memory limit of the process in MiB, at least 1."
        ),
    ] = 4096,
    as_json: JsonOption = False,
) -> None:
    """Test a backend against the contract.

    Exit code 1: a broken clause, or questions that were not answered in time or left out.

    backends test examines a single backend; check compares backends with each other.
    """
    if memory < 1:
        raise OptionError(
            f"invalid value {memory}",
            where="--memory",
            expected="a whole number of MiB, at least 1",
        )
    spec = lazy.single_spec(backend)
    options = lazy.ExaminationOptions(shape, only, thorough, timeout, memory)
    try:
        with interruptible():
            findings = list(_with_status(lazy.examine_isolated(spec, options, notice)))
    except Unavailable as error:
        remedy = f"; {error.remedy}" if error.remedy else ""
        raise BackendUnavailableError(
            f"backend {spec} is not available: {error.reason}{remedy}"
        ) from error
    if not findings:
        raise OptionError(
            f"no part of the suite has {only!r} in its title",
            where="--only",
            expected="text such as 'count'",
        )
    report = lazy.conformance_report
    if as_json:
        show_json(report.data(spec, findings))
    else:
        for line in report.lines(spec, findings, options):
            show(line)
    if not report.is_kept(findings):
        raise typer.Exit(1)


def _with_status(findings: "Iterator[lazy.Finding]") -> "Iterator[lazy.Finding]":
    """The same findings, with a status line on a terminal while they arrive."""
    with lazy.StatusLine(console_of(sys.stderr), "importing the backend") as status:
        for number, finding in enumerate(findings, 1):
            status.say(f"{number} parts tested; last: {finding.part}")
            yield finding


# `harness backends`: the backends, their availability and their options.


def describe(
    names: Annotated[
        list[str],
        typer.Argument(metavar="SPEC_OR_FILE", help="Backends.", autocompletion=backend_names),
    ],
    as_json: JsonOption = False,
) -> None:
    """Describe backends: their libraries, limitations and options."""
    _show_opened([lazy.single_spec(name) for name in names], brief=False, as_json=as_json)


app = typer.Typer(cls=Catalogue, help="List the backends, their availability and their options.")
app.command("show", cls=NarrowCommand)(with_common_options(describe))
app.command("new", cls=NarrowCommand)(with_common_options(new))
app.command("test", cls=NarrowCommand)(with_common_options(examine))
app.command("install", cls=NarrowCommand)(with_common_options(install))
app.command("uninstall", cls=NarrowCommand)(with_common_options(uninstall))
app.command("prune", cls=NarrowCommand)(with_common_options(prune))


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
        opened = supervisor.open(prepares=False)
    if as_json:
        show_json([_data(backend) for backend in opened])
        return
    if brief:
        _show_table(opened)
        return
    for backend in opened:
        _show(backend)


def _show_table(opened: Sequence[Configuration]) -> None:
    """The backends that work here in a row each, the others in a sentence."""
    work = [backend for backend in opened if not backend.unavailable]
    number = f"{len(work)} of {len(opened)} backends work here"
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
    if absent := [str(backend.spec) for backend in opened if backend.unavailable]:
        install = "harness backends install NAME installs"
        show(wrapped(f"not available here ({install}): {', '.join(absent)}", indent=0))
    if found := environments.installed():
        size = f"{lazy.installation.disk_bytes([one.folder for one in found]) / 1e6:,.0f} MB"
        versions = ", ".join(str(environment.spec) for environment in found)
        show(wrapped(f"in environments of their own ({size}): {versions}", indent=0))


def _data(backend: Configuration) -> object:
    description = backend.description
    options = description.options if description else ()
    return lazy.documents.BackendData(
        name=str(backend.spec),
        paradigm=description.paradigm if description else None,
        available=not backend.unavailable,
        reason=backend.unavailable or None,
        remedy=backend.remedy or None,
        distributions=description.distributions if description else {},
        environments=[
            str(one.spec) for one in environments.installed() if one.backend == backend.spec.locator
        ],
        capabilities=capabilities_in_words(description.capabilities) if description else [],
        options=[
            lazy.documents.BackendOptionData(**asdict(option) | {"choices": [*option.choices]})
            for option in options
        ],
    )


_MEANINGS: Final = {
    "pencilmarks": "pencilmarks (restricted candidates)",
    "pairs": "pairs of cells that must differ",
    "relations": "relations of two cells",
    "sums": "sums",
    "value counts": "numbers of values",
    "automata": "automata along cells",
    "ignores the count limit": "counts all solutions, however many there are",
    "may give up": "ends some trials without an answer before their time limit",
    "compared only if named": "check and * leave it out unless --backend names it",
}
"""What the words of capabilities mean, for `harness backends`."""


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
    if taken := puzzles_in_words(description.capabilities):
        *others, last = map(_MEANINGS.__getitem__, taken)
        listed = f"{', '.join(others)} and {last}" if others else last
        show(wrapped(f"takes {listed}", indent=2))
    if Capability.PROVES in description.capabilities:
        show(wrapped("proves numbers of solutions: harness solve --certify", indent=2))
    for limitation in limitations_in_words(description.capabilities):
        show(wrapped(f"{limitation}: {_MEANINGS[limitation]}", 4, first=2))
    for environment in environments.installed():
        if environment.backend == backend.spec.locator:
            size = lazy.installation.disk_bytes([environment.folder])
            show(wrapped(f"installed: {described(environment, size)}", 4, first=2))
    for option in description.options:
        default = str(option.default).lower() if option.type == "bool" else option.default
        show(f"  {option.name}={default}")
        show(wrapped(option.help))
        if option.choices:
            show(wrapped(f"one of {', '.join(option.choices)}"))
