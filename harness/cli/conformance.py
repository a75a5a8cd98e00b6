"""`harness backends test`: whether a backend keeps the contract."""

import ast
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from harness.cli.options import JsonOption
from harness.cli.sweep_options import sweep_option
from harness.cli.terminal import console_of, is_quiet, is_terminal, notice, show
from harness.errors import (
    BackendUnavailableError,
    InputError,
    OptionError,
    UnknownBackendError,
    one_of,
)

if TYPE_CHECKING:
    from harness.conformance.examination import Finding
    from harness.contract.spec import BackendSpec


def examine(
    backend: Annotated[
        str,
        typer.Argument(
            metavar="SPEC_OR_FILE", help="cnf, cnf[solver=glucose4], file.py:Class or program.toml."
        ),
    ],
    shape: Annotated[
        list[str] | None,
        typer.Option("--shape", metavar="SHAPE", help="Only this shape; may be repeated."),
    ] = None,
    only: Annotated[
        str,
        typer.Option("--only", metavar="TEXT", help="Only parts whose title contains this text."),
    ] = "",
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
    """Test a backend against the contract. Exit code 1: a broken clause."""
    from harness.conformance import report
    from harness.conformance.examiner import ExaminationOptions, examine_isolated
    from harness.conformance.questions import SHAPES
    from harness.contract.backend import Unavailable

    if memory < 1:
        raise OptionError(
            f"invalid value {memory}",
            where="--memory",
            expected="a whole number of MiB, at least 1",
        )
    spec = spec_of(backend)
    options = ExaminationOptions(tuple(shape or SHAPES), only, timeout, memory)
    try:
        findings = list(_with_status(examine_isolated(spec, options, notice)))
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
    if as_json:
        from harness.report.render.json import json

        show(json(report.data(spec, findings)), end="")
    else:
        for line in report.lines(spec, findings):
            show(line)
    if not report.is_kept(findings) and (not only or any(f.breaches for f in findings)):
        raise typer.Exit(1)


def _with_status(findings: "Iterator[Finding]") -> "Iterator[Finding]":
    """The same findings, with a status line on a terminal while they arrive."""
    from rich.text import Text

    console = console_of(sys.stderr)
    if not is_terminal(sys.stderr) or is_quiet():
        yield from findings
        return
    with console.status("importing the backend") as status:
        for number, finding in enumerate(findings, 1):
            status.update(Text(f"{number} parts tested; last: {finding.part}"))
            yield finding


def spec_of(text: str) -> "BackendSpec":
    """Return the backend that `text` names; a file with one backend needs no class name.

    Raises:
        InputError: the backend does not exist, or `text` names several.
    """
    from harness.contract import registry
    from harness.contract.spec import BackendSpec, parse_specs

    specs = parse_specs(text)
    if len(specs) != 1:
        raise InputError(f"{text} names {len(specs)} backends", expected="one backend")
    (spec,) = specs
    locator = spec.locator
    if locator.endswith(".py") and Path(locator).is_file():
        locator = f"{locator}:{_only_backend_in(Path(locator))}"
    return BackendSpec(registry.resolve(locator), spec.settings)


def _only_backend_in(path: Path) -> str:
    """The name of the only class with a method `solve`, found without importing the file."""
    try:
        tree = ast.parse(path.read_bytes())
    except (SyntaxError, ValueError) as error:
        raise UnknownBackendError(f"invalid Python: {error}", where=str(path)) from error
    found = [
        node.name
        for node in tree.body
        if isinstance(node, ast.ClassDef)
        and any(isinstance(part, ast.FunctionDef) and part.name == "solve" for part in node.body)
    ]
    if len(found) != 1:
        expected = one_of([f"{path}:{name}" for name in found]) if found else f"{path}:Class"
        raise UnknownBackendError(
            f"{path} has {len(found)} classes with a method solve", expected=expected
        )
    return found[0]
