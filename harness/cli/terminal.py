"""Output for people: notices and wrapped text."""

import textwrap

import typer


def notice(what: str) -> None:
    """Report a slow preparation of a backend on standard error."""
    typer.echo(what, err=True)


def wrapped(text: str, indent: int = 6) -> str:
    """Wrap `text` into lines of at most 80 columns, all indented."""
    margin = " " * indent
    return textwrap.fill(
        text, 80, initial_indent=margin, subsequent_indent=margin, break_on_hyphens=False
    )
