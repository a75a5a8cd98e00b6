"""Arguments and options of commands that read the folders of runs, and where they write.

These commands read records and start no processes.
"""

from pathlib import Path
from typing import Annotated

import typer

from harness.cli.terminal import show
from harness.errors import InputError

FolderArgument = Annotated[Path, typer.Argument(metavar="DIR", help="Folder of a run.")]
FoldersArgument = Annotated[
    list[Path],
    typer.Argument(metavar="DIR", help="Folders of runs; several are reported as one run."),
]
OutOption = Annotated[
    Path | None,
    typer.Option("--out", metavar="FILE", help="Write to this file instead of the terminal."),
]
AcrossOption = Annotated[
    bool,
    typer.Option("--across-machines", help="Compare wall times across different machines."),
]


def put(content: str, out: Path | None) -> None:
    """Write `content` to the file `out`, or to standard output.

    Raises:
        InputError: the file cannot be written.
    """
    if out is None:
        show(content, end="")
        return
    try:
        out.write_text(content, encoding="utf-8")
    except OSError as error:
        raise InputError(f"cannot be written: {error.strerror}", where=str(out)) from None
