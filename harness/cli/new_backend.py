"""`harness backends new`: a backend to fill in."""

import shlex
from pathlib import Path
from typing import Annotated

import typer

from harness.conformance.skeletons import Kind, class_name_of, write_file, write_package


def new(
    name: Annotated[str, typer.Argument(metavar="NAME", help="What it will be called.")],
    path: Annotated[
        Path, typer.Option("--path", metavar="DIR", help="Where to write it.")
    ] = Path(),
    kind: Annotated[
        Kind,
        typer.Option("--kind", help="A search of its own, a model for a solver, or a program."),
    ] = Kind.SEARCH,
    package: Annotated[
        bool, typer.Option("--package", help="A package that can be installed, with its test.")
    ] = False,
) -> None:
    """Write a backend that keeps the contract as it stands, to be filled in."""
    if package:
        written = write_package(name, path, kind)
        backend = f"{written}/src/sudoku_{name.replace('-', '_')}/backend.py"
        steps = [f"pip install -e {shlex.quote(str(written))}", f"harness backends test {name}"]
    else:
        written = write_file(name, path, kind)
        backend = str(written)
        locator = backend if kind is Kind.COMMAND else f"{backend}:{class_name_of(name)}"
        steps = [
            f"harness backends test {shlex.quote(backend)}",
            f"harness run --dataset seeds --backend native {shlex.quote(locator)}",
        ]
    typer.echo(f"written: {written}\n")
    typer.echo(f'"Fill in" marks what to fill in, in\n  {backend}\nand then')
    for step in steps:
        typer.echo(f"  {step}")
