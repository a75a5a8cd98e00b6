"""A progress bar for a command that goes through puzzles."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from harness.cli.terminal import console_of, is_quiet, is_terminal


@contextmanager
def counting(what: str, total: int | None = None) -> Iterator[Callable[[object], None]]:
    """A function to call for each puzzle, which advances a bar on a terminal.

    The bar is on standard error and disappears at the end.

    Args:
        what: what is done, for instance ``generating``.
        total: the number of puzzles; None if it is unknown.
    """
    if is_quiet() or not is_terminal(sys.stderr):
        yield lambda _: None
        return
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        ProgressColumn,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    columns: list[ProgressColumn] = [TextColumn(what)]
    if total is None:
        columns += [TextColumn("{task.completed:,.0f} puzzles"), TimeElapsedColumn()]
    else:
        columns += [BarColumn(), MofNCompleteColumn(), TimeRemainingColumn()]
    with Progress(*columns, console=console_of(sys.stderr), transient=True) as progress:
        task = progress.add_task(what, total=total)
        yield lambda _: progress.advance(task)
