"""`harness backends new`: a backend to complete."""

import shlex
from pathlib import Path
from typing import Annotated

import typer


def new(
    name: Annotated[str, typer.Argument(metavar="NAME", help="Name of the new backend.")],
    path: Annotated[
        Path, typer.Option("--path", metavar="DIR", help="Folder to write to.")
    ] = Path(),
    kind: Annotated[
        str,
        typer.Option(
            "--kind",
            metavar="search|model|command",
            help="A search of your own, a model for a solver library, or a program to call.",
        ),
    ] = "search",
    package: Annotated[
        bool, typer.Option("--package", help="Write an installable package with a test.")
    ] = False,
) -> None:
    """Write a backend that keeps the contract, with places to fill in."""
    from harness.conformance.skeletons import Kind, write_file, write_package
    from harness.experiment.option import parse_choice

    chosen = parse_choice(Kind, kind, "--kind")
    if package:
        written = write_package(name, path, chosen)
        backend = f"{written}/src/sudoku_{name.replace('-', '_')}/backend.py"
        steps = [f"pip install -e {shlex.quote(str(written))}", f"harness backends test {name}"]
    else:
        written = write_file(name, path, chosen)
        backend = str(written)
        steps = [
            f"harness backends test {shlex.quote(backend)}",
            f"harness run --dataset seeds --backend native {shlex.quote(backend)}",
        ]
    typer.echo(f"written: {written}\n")
    typer.echo(f'Complete the places marked "Fill in" in\n  {backend}\nthen run')
    for step in steps:
        typer.echo(f"  {step}")
