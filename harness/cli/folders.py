"""Arguments and options of commands that read the folders of runs, and where they write.

These commands read records and start no processes.
"""

import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from harness.base.errors import invalid
from harness.base.files import replace_file
from harness.base.text import encodable, printable
from harness.cli import lazy
from harness.cli.completers import runs
from harness.cli.options import WRITTEN, choice_option, value_option
from harness.cli.terminal import notice, show, theme_of, width
from harness.cli.views import has_view
from harness.records import TimeKind
from harness.records.folder import refuse_special_file

FolderArgument = Annotated[
    Path, typer.Argument(metavar="DIR", help="Folder of a run.", autocompletion=runs)
]
FoldersArgument = Annotated[
    list[Path],
    typer.Argument(
        metavar="DIR", help="Folders of runs; several are reported as one run.", autocompletion=runs
    ),
]
OutOption = Annotated[
    Path | None,
    value_option("--out", "FILE", "Write to this file instead of the terminal."),
    WRITTEN,
]
AcrossOption = Annotated[
    bool, typer.Option("--across-machines", help="Compare times across different machines.")
]
TimeOption = Annotated[
    TimeKind,
    choice_option(
        TimeKind, "--time", "Time of tables and charts: wall time, or CPU time with children."
    ),
]


def _least_factor(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        raise invalid("--least-factor", text, lazy.Criterion.LEAST_FACTOR_EXPECTED) from None
    return lazy.Criterion.parse(value).least_factor


LeastFactorOption = Annotated[
    float | None,
    value_option(
        "--least-factor",
        "FACTOR",
        "Smallest factor between times that counts as a difference, from 1; by default 1.1. With 1 "
        "every significant difference counts.",
        _least_factor,
    ),
]
RequireCompleteOption = Annotated[
    bool,
    typer.Option(
        "--require-complete",
        help="Exit with code 1 if trials are missing, or if that is not recorded.",
    ),
]


def note(run: "lazy.Run") -> None:
    """Report on standard error what an unfinished run lacks."""
    if run.progress.headline:
        typer.echo(run.progress.headline, err=True)


def show_answer(run: "lazy.Run", folder: Path) -> None:
    """Print the answer of a run that has ended, and the commands that show more of it."""
    show(lazy.answer.text(run, width(), theme_of()))
    show(f"results: {folder}; next:\n{next_steps([folder])}")


def next_steps(folders: Sequence[Path], options: Sequence[str] = ()) -> str:
    """Commands that show more of the runs in these folders, with these options."""
    report = f"harness report {shlex.join([*map(str, folders), *options])}"
    steps = {f"{report} --table pairwise": "or another table", f"{report} --all": "all tables"}
    if has_view("report", "html") and not (folders[0] / "report.html").exists():
        steps[f"{report} --format html"] = "a page with charts"
    widest = max(map(len, steps))
    if widest + 24 > width():
        return "\n".join(f"  {step}" for step in steps)
    return "\n".join(f"  {step:{widest}}  {purpose}" for step, purpose in steps.items())


def beside_the_run(folder: Path, name: str) -> Path:
    """The path of a page in the folder of a run, which may come from a stranger.

    Raises:
        RunError: there is a link or another special file, which is not written to.
    """
    refuse_special_file(folder / name)
    return folder / name


def put(content: str | bytes, out: Path | None) -> None:
    """Write `content` to the file `out`, completely or not at all, or to standard output.

    Raises:
        InputError: the file cannot be written.
    """
    if out is None and isinstance(content, str):
        show(content, end="")
        return
    data = encodable(content).encode() if isinstance(content, str) else content
    if out is None:
        typer.echo(data, nl=False)
        return
    replace_file(out, data)


def require_drawing_file(out: Path) -> None:
    """Check that ``--svg`` names a file that can be created, before a search begins.

    Raises:
        InputError: it is a folder, ``-`` or empty, or its folder does not exist.
    """
    if str(out) in ("-", "."):
        raise invalid("--svg", "", "the name of a file, such as drawing.svg")
    if out.is_dir():
        raise invalid("--svg", str(out), "a file, not a folder")
    if not out.parent.is_dir():
        raise invalid("--svg", str(out), "a file in a folder that exists")


def put_drawing(drawing: str, out: Path, name: str) -> None:
    """Write a drawing to the file of ``--svg``, and report it.

    Args:
        drawing: the text of the SVG.
        out: the file.
        name: the name of the puzzle in the report.

    Raises:
        InputError: the file is a folder or cannot be written.
    """
    require_drawing_file(out)
    put(drawing, out)
    notice(f"{out}: drawing of puzzle {printable(name)}")
