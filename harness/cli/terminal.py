"""Output for people: standard streams, colours and notices.

Colours appear on a terminal only. ``NO_COLOR`` and ``TERM=dumb`` turn them off;
``FORCE_COLOR`` turns them on for a pipe; see https://no-color.org and
https://force-color.org.
"""

import os
import sys
import textwrap
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from io import TextIOWrapper
from threading import Timer
from typing import IO, TYPE_CHECKING, Final, TextIO

import typer

from harness.report import Theme

if TYPE_CHECKING:
    from rich.console import Console


# Standard input, output and error, as the user's shell has left them.


def prepare() -> None:
    """Make the streams safe to use, whatever the shell did with them.

    A closed descriptor leads to the null device: otherwise the next file or socket would take
    its number, and a child process would take that for its own stream. Output to a closed stream is
    discarded. A closed standard input stays missing, which is an error where it is read. What a
    stream cannot encode becomes an escape.
    """
    for descriptor in (0, 1, 2):
        try:
            os.fstat(descriptor)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # the lowest free descriptor: this one
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, os.fdopen(os.open(os.devnull, os.O_WRONLY), "w", encoding="utf-8"))
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def discard(stream: TextIO) -> None:
    """Discard what `stream` still holds, so that Python's exit does not fail to write it."""
    with suppress(OSError, ValueError):  # a stream of a test has no descriptor
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, stream.fileno())
        os.close(null)


# Output for people: colours, characters, notices and wrapped text.


_WIDEST: Final = 80
_NARROWEST: Final = 20
"""Bounds on the columns of wrapped text."""
_LEAST_LAST: Final = 18
"""The minimum width of the last column of `aligned`; in a narrower terminal it goes below."""
_quiet = False


def theme_of(stream: IO[str] | None = None) -> Theme:
    """The colours and characters that `stream`, by default standard output, shows."""
    stream = stream or sys.stdout
    forced = os.environ.get("FORCE_COLOR", "0") not in ("", "0")
    colour = not os.environ.get("NO_COLOR") and (forced or is_terminal(stream))
    # Python writes UTF-8 in the locale C too, and sets ``LC_CTYPE`` itself, so the locale that the
    # user set is the first of ``LC_ALL`` and ``LANG``.
    locale = os.environ.get("LC_ALL") or os.environ.get("LANG") or ""
    encoding = (getattr(stream, "encoding", "") or "").lower().replace("-", "")
    return Theme(colour=colour, unicode=encoding == "utf8" and locale not in ("C", "POSIX"))


def console_of(stream: IO[str] | None = None) -> "Console":
    """A console on `stream`, by default standard output, with its colours."""
    from rich.console import Console

    stream = stream or sys.stdout
    theme = theme_of(stream)
    return Console(
        file=stream,
        force_terminal=is_terminal(stream),
        color_system="standard" if theme.colour else None,
        highlight=False,
        markup=False,
        emoji=False,
    )


def width() -> int:
    """The number of columns of the terminal, 80 without one."""
    return console_of().width


def is_terminal(stream: IO[str]) -> bool:
    """Whether a person watches `stream`: a terminal that can move its cursor."""
    return stream.isatty() and os.environ.get("TERM", "").lower() not in ("dumb", "unknown")


def set_quiet(*, quiet: bool) -> None:
    """Choose whether `notice` prints nothing."""
    global _quiet
    _quiet = quiet


def is_quiet() -> bool:
    """Whether only results, warnings and errors are wanted."""
    return _quiet


def show(text: str = "", *, end: str = "\n") -> None:
    """Print a line on standard output; `text` has colours only if `theme_of` has them."""
    if not theme_of().unicode:
        text = text.replace("µ", "u")
    typer.echo(f"{text}{end}", nl=False, color=True)


def notice(message: str) -> None:
    """Print a line on standard error, unless only results and errors are wanted."""
    if not _quiet:
        typer.echo(message, err=True)


_PATIENCE_S: Final = 5.0


@contextmanager
def waiting(activity: str, timeout_s: float) -> Iterator[None]:
    """Print a notice if the block takes more than five seconds.

    Args:
        activity: what the block waits for.
        timeout_s: the limit of ``--timeout``, in seconds.
    """
    text = f"waiting for {activity}, at most {timeout_s:g} s; --timeout SECONDS sets another limit"
    timer = Timer(_PATIENCE_S, notice, [text])
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def wrapped(text: str, indent: int = 6, *, first: int | None = None) -> str:
    """Wrap `text` into lines no wider than 80 columns or the terminal.

    A longer word has a line of its own.

    All lines are indented by `indent`; the first one by `first` if that is given.
    """
    return textwrap.fill(
        text,
        max(_NARROWEST, min(_WIDEST, width())),
        initial_indent=" " * (indent if first is None else first),
        subsequent_indent=" " * indent,
        break_on_hyphens=False,
        break_long_words=False,  # a path or a puzzle can be copied
    )


def aligned(rows: Sequence[Sequence[str]]) -> str:
    """Rows in aligned columns; the last column wraps, or in a narrow terminal goes below."""
    widths = [max(map(len, column)) for column in list(zip(*rows, strict=True))[:-1]]
    indent = sum(widths) + len(widths)
    if min(_WIDEST, width()) - indent < _LEAST_LAST:
        return "\n".join(
            "\n".join([" ".join(cell.strip() for cell in cells), wrapped(last, 2)])
            for *cells, last in rows
        )
    lines = []
    for *cells, last in rows:
        start = "".join(f"{cell:{w}} " for cell, w in zip(cells, widths, strict=True))
        lines.append(start + wrapped(last, indent, first=indent)[indent:])
    return "\n".join(line.rstrip() for line in lines)
