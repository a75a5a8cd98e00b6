"""Tables for LaTeX as files: one for each table, one for all, or a document."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from harness.cli.folders import put
from harness.errors import InputError, OptionError

if TYPE_CHECKING:  # help does not load what analyses and renders
    from harness.report.render.latex import Fragment

DocumentOption = Annotated[
    bool,
    typer.Option(
        "--document", help="With --format latex: write a document that compiles, not its tables."
    ),
]


def check_document(document: bool, form: str) -> None:
    """Check that ``--document`` is given with ``--format latex`` only.

    Args:
        document: whether ``--document`` is given.
        form: the value of ``--format``.

    Raises:
        OptionError: another format has no document.
    """
    if document and form != "latex":
        raise OptionError(f"--format {form} has no document", expected="--format latex")


def put_fragments(fragments: "Sequence[Fragment]", out: Path | None) -> None:
    """Write tables for LaTeX and report their files.

    Args:
        fragments: the tables.
        out: None for the terminal, a file ``FILE.tex`` for all tables, or a folder for a file
            of each.

    Raises:
        InputError: there is no table, or a file cannot be written.
    """
    if not fragments:
        raise InputError("no table has content", expected="other tables or --format text")
    text = "\n".join(fragment.text for fragment in fragments)
    if out is None:
        typer.echo(text, nl=False)
        return
    if out.suffix == ".tex":
        put(text, out)
        return
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        reason = f"cannot be made: {error.strerror}"
        expected = "a folder for a file of each table, or FILE.tex for one file"
        raise InputError(reason, where=str(out), expected=expected) from None
    for fragment in fragments:
        path = out / f"{fragment.name}.tex"
        put(fragment.text, path)
        typer.echo(path)
