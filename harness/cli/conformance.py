"""`harness backends test`: whether a backend keeps the contract."""

import ast
import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from harness.cli.options import JsonOption, notice
from harness.contract.spec import BackendSpec, parse_specs
from harness.errors import InputError, one_of

if TYPE_CHECKING:
    from harness.conformance.examination import Finding

BackendArgument = Annotated[
    str,
    typer.Argument(
        metavar="SPEC_OR_FILE", help="cnf, cnf[solver=glucose4], file.py:Class, program.toml"
    ),
]


def examine(
    backend: BackendArgument,
    shape: Annotated[
        list[str] | None,
        typer.Option("--shape", metavar="SPEC", help="Only this shape; may be repeated."),
    ] = None,
    only: Annotated[
        str, typer.Option("--only", metavar="TEXT", help="Only the parts with this in their title.")
    ] = "",
    timeout: Annotated[
        float, typer.Option("--timeout", metavar="SECONDS", help="Seconds a question.")
    ] = 10.0,
    memory: Annotated[
        int, typer.Option("--memory", metavar="MIB", help="Memory of its process.")
    ] = 4096,
    as_json: JsonOption = False,
) -> None:
    """Ask a backend everything that the contract says; exit code 1 if it breaks a clause."""
    from harness.conformance import report
    from harness.conformance.examiner import ExaminationOptions, examine_isolated
    from harness.conformance.questions import SHAPES
    from harness.contract.backend import Unavailable

    if not 0 < timeout < float("inf"):
        raise InputError(f"no timeout of {timeout:g} s", expected="more than 0 seconds")
    if memory < 1:
        raise InputError(f"no memory of {memory} MiB", expected="at least 1")
    spec = spec_of(backend)
    options = ExaminationOptions(tuple(shape or SHAPES), only, timeout, memory)
    try:
        findings = list(_followed(examine_isolated(spec, options, notice)))
    except Unavailable as error:
        remedy = f"; {error.remedy}" if error.remedy else ""
        raise InputError(f"backend {spec} is not available: {error.reason}{remedy}") from error
    if not findings:
        raise InputError(f"no part has {only!r} in its title", expected="a text that one has")
    if as_json:
        typer.echo(json.dumps(report.data(spec, findings), indent=2))
    else:
        for line in report.lines(spec, findings):
            typer.echo(line)
    if not report.is_kept(findings) and (not only or any(f.breaches for f in findings)):
        raise typer.Exit(1)


def _followed(findings: "Iterator[Finding]") -> "Iterator[Finding]":
    """The same, while whoever waits at a terminal sees how far it has come."""
    from rich.console import Console
    from rich.text import Text

    console = Console(stderr=True)
    if not console.is_terminal:
        yield from findings
        return
    with console.status("being imported") as status:
        for number, finding in enumerate(findings, 1):
            status.update(Text(f"{number} parts examined, the last was {finding.part}"))
            yield finding


def spec_of(text: str) -> BackendSpec:
    """The one backend that `text` names; a file may leave out its class if it has one only.

    Raises:
        InputError: there is no such backend, or there are several.
    """
    from harness.contract import registry

    specs = parse_specs(text)
    if len(specs) != 1:
        raise InputError(f"{text} names {len(specs)} backends", expected="one")
    (spec,) = specs
    locator = spec.locator
    if locator.endswith(".py") and Path(locator).is_file():
        locator = f"{locator}:{_only_backend_in(Path(locator))}"
    return BackendSpec(registry.resolve(locator), spec.settings)


def _only_backend_in(path: Path) -> str:
    """The name of the class that has the `solve` of a backend; nothing is imported here."""
    try:
        tree = ast.parse(path.read_bytes())
    except (SyntaxError, ValueError) as error:
        raise InputError(f"it is no Python: {error}", where=str(path)) from error
    found = [
        node.name
        for node in tree.body
        if isinstance(node, ast.ClassDef)
        and any(isinstance(part, ast.FunctionDef) and part.name == "solve" for part in node.body)
    ]
    if len(found) != 1:
        expected = one_of([f"{path}:{name}" for name in found]) if found else f"{path}:Class"
        raise InputError(f"{path} has {len(found)} classes with solve", expected=expected)
    return found[0]
