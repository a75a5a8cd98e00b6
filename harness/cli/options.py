"""Options that several commands share, and how their words are read."""

import textwrap
from collections.abc import Iterator, Sequence
from typing import Annotated, Final

import typer

from harness.puzzles.shape import Shape

_GREEDY: Final = {
    "run": ("--dataset", "--backend", "--task", "--start"),
    "check": ("--dataset", "--backend", "--task"),
}

ShapeOption = Annotated[
    str | None,
    typer.Option("--shape", metavar="SPEC", help="9x9, box5x2, latin7 ...; else from the length."),
]
BackendOption = Annotated[
    list[str] | None,
    typer.Option(
        "--backend", metavar="SPEC", help="cnf, cnf[solver=glucose4], file.py:Class, program.toml"
    ),
]
DatasetOption = Annotated[
    list[str] | None,
    typer.Option("--dataset", metavar="NAME_OR_FILE", help="A shipped dataset or a puzzle file."),
]
SkipOption = Annotated[
    bool, typer.Option("--skip-unavailable", help="Go on without backends that cannot be used.")
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON.")]


def shape_of(spec: str | None) -> Shape | None:
    """The shape called `spec`, None where none was asked for.

    Raises:
        InputError: there is no such shape.
    """
    return None if spec is None else Shape.parse(spec)


def notice(what: str) -> None:
    """Tell whoever waits what it is that takes so long."""
    typer.echo(what, err=True)


def wrapped(text: str, indent: int = 6) -> str:
    """`text` in lines of at most 80 columns, all of them indented."""
    margin = " " * indent
    return textwrap.fill(
        text, 80, initial_indent=margin, subsequent_indent=margin, break_on_hyphens=False
    )


def spread(words: Sequence[str]) -> list[str]:
    """`words` with ``--dataset a b`` written as ``--dataset a --dataset b``."""
    if not words or words[0] not in _GREEDY:
        return list(words)
    return [words[0], *_spread(words[1:], _GREEDY[words[0]])]


def _spread(words: Sequence[str], greedy: Sequence[str]) -> Iterator[str]:
    option, values = None, 0
    for word in words:
        if word.startswith("-") and word != "-":
            option, values = (word if word in greedy else None), 0
        elif option:
            values += 1
            if values > 1:
                yield option
        yield word
