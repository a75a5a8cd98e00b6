"""`harness backends new` and `test`: a backend to complete, and tests against the contract."""

import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from harness.base.errors import BackendUnavailableError, OptionError
from harness.base.interruption import interruptible
from harness.base.text import number_of
from harness.cli import lazy
from harness.cli.completers import backend_names
from harness.cli.options import (
    JsonOption,
    choice_option,
    number_option,
    show_json,
    sweep_option,
    value_option,
)
from harness.cli.terminal import console_of, notice, show
from harness.contract import Unavailable
from harness.extensions.conformance.skeletons import SkeletonKind, write_file, write_package

if TYPE_CHECKING:
    from harness.extensions.conformance.examination import Finding

# `harness backends new`: a backend to complete.


def new(
    name: Annotated[str, typer.Argument(metavar="NAME", help="Name of the new backend.")],
    path: Annotated[
        Path,
        value_option("--path", "DIR", "Folder to write to."),
    ] = Path(),
    kind: Annotated[
        SkeletonKind,
        choice_option(
            SkeletonKind,
            "--kind",
            "A search of your own, a model for a solver library, a program or a C library to call.",
        ),
    ] = SkeletonKind.SEARCH,
    package: Annotated[
        bool, typer.Option("--package", help="Write an installable package with a test.")
    ] = False,
) -> None:
    """Write a backend that keeps the contract, with places to fill in."""
    if package:
        target = write_package(name, path, kind)
        backend = f"{target}/src/sudoku_{name.replace('-', '_')}/backend.py"
        places = [backend, f"{target}/README.md", f"{target}/.github/workflows/entry.yml"]
        steps = [f"pip install -e {shlex.quote(str(target))}", f"harness backends test {name}"]
    else:
        target = write_file(name, path, kind)
        places = [backend := str(target)]
        steps = [
            f"harness backends test {shlex.quote(backend)}",
            f"harness run --dataset seeds --backend native {shlex.quote(backend)}",
        ]
    typer.echo(f"written: {target}\n")
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
        str, value_option("--only", "TEXT", "Only parts whose title contains this text.")
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
        number_option(
            "--memory", "Memory limit of the process in MiB, at least 1.", 1, 2**40, metavar="MIB"
        ),
    ] = 4096,
    as_json: JsonOption = False,
) -> None:
    """Test a backend against the contract.

    Exit code 1: a broken clause, or questions that were not answered in time or left out.

    backends test examines a single backend; check compares backends with each other.
    """
    from harness.extensions.conformance import report
    from harness.extensions.conformance.examiner import ExaminationOptions, examine_isolated

    spec = lazy.single_spec(backend)
    options = ExaminationOptions(shape, only, thorough, timeout, memory)
    findings: list[Finding] = []
    interruption = None
    try:
        with (
            interruptible(),
            lazy.StatusLine(console_of(sys.stderr), "importing the backend") as status,
        ):
            for finding in examine_isolated(spec, options, notice):
                findings.append(finding)
                status.say(f"{len(findings)} parts tested; last: {finding.part}")
    except KeyboardInterrupt as signal:
        interruption = signal
    except Unavailable as error:
        remedy = f"; {error.remedy}" if error.remedy else ""
        raise BackendUnavailableError(
            f"backend {spec} is not available: {error.reason}{remedy}"
        ) from error
    if not findings and not interruption:
        raise OptionError(
            f"no part of the suite has {only!r} in its title",
            where="--only",
            expected="text such as 'count'",
        )
    if as_json:
        show_json(report.data(spec, findings))
    else:
        *lines, conclusion = report.lines(spec, findings, options)
        for line in lines if interruption else [*lines, conclusion]:
            show(line)
    if interruption:
        notice(
            f"interrupted after {number_of(len(findings), 'part')}: the others were not examined"
        )
        raise interruption
    if not report.is_kept(findings):
        raise typer.Exit(1)
