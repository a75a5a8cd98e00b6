"""`harness backends test`: whether a backend keeps the contract."""

import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated

import typer

from harness.cli.options import JsonOption
from harness.cli.sweep_options import sweep_option
from harness.cli.terminal import console_of, is_quiet, is_terminal, notice, show
from harness.errors import (
    BackendUnavailableError,
    OptionError,
)

if TYPE_CHECKING:
    from harness.conformance.examination import Finding


def examine(
    backend: Annotated[
        str,
        typer.Argument(
            metavar="SPEC_OR_FILE", help="cnf, cnf[solver=glucose4], file.py or program.toml."
        ),
    ],
    shape: Annotated[
        list[str] | None,
        typer.Option(
            "--shape",
            metavar="SHAPE",
            help="Only this shape. One or more, each after its own --shape.",
        ),
    ] = None,
    only: Annotated[
        str,
        typer.Option("--only", metavar="TEXT", help="Only parts whose title contains this text."),
    ] = "",
    thorough: Annotated[
        bool,
        typer.Option(
            "--thorough",
            help="All cells, more calls and more shapes, however long a slow backend takes. By "
            "default a series of questions ends after 2 s.",
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
    """Test a backend against the contract. Exit code 1: a broken clause."""
    from harness.conformance import report
    from harness.conformance.examiner import ExaminationOptions, examine_isolated
    from harness.conformance.shapes import SHAPES, THOROUGH_SHAPES
    from harness.contract.backend import Unavailable
    from harness.experiment.selection import single_spec

    if memory < 1:
        raise OptionError(
            f"invalid value {memory}",
            where="--memory",
            expected="a whole number of MiB, at least 1",
        )
    spec = single_spec(backend)
    options = ExaminationOptions(
        tuple(shape or (THOROUGH_SHAPES if thorough else SHAPES)), only, thorough, timeout, memory
    )
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
