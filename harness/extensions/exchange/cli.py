"""`harness import`: results of BenchExec as a run."""

from pathlib import Path
from typing import Annotated

import typer

from harness.cli.options import sweep_option, value_option


def import_(
    files: Annotated[list[Path], typer.Argument(metavar="FILE", help="XML files of BenchExec.")],
    out: Annotated[Path, value_option("--out", "DIR", "Folder of the new run.")],
    datasets: Annotated[list[str] | None, sweep_option("datasets", several="One or more.")] = None,
) -> None:
    """Import results of BenchExec as a run, which `report` and `compare` read.

    The results are those of `harness export --format benchexec`, or of any tool on files with the
    names of puzzles of --dataset, such as Inkala_2010.cnf. A tool's status true or false answers
    whether the puzzle has a solution: a count with the limit 1.
    """
    from harness.extensions.exchange.results import import_results

    typer.echo(import_results(files, out, datasets))
