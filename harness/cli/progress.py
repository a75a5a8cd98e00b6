"""Displays of progress on a terminal: a drawing, a line, or a bar, which disappear at the end.

Without a terminal, and with ``--quiet``, nothing is drawn.
"""

import sys
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import monotonic
from typing import ClassVar, Final, Self

from rich.console import Console, RenderableType
from rich.live import Live
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)
from rich.spinner import Spinner
from rich.text import Text

from harness.cli.terminal import console_of, is_quiet, is_terminal


class Display(ABC):
    """A drawing on a terminal that follows what happens; use it as a context manager.

    Args:
        console: the console of standard error.
    """

    stays_if_interrupted: ClassVar[bool] = False
    moves: ClassVar[bool] = False
    """Whether it is drawn again without an event, for a spinner."""

    def __init__(self, console: Console) -> None:
        self.console: Final = console
        self._live: Live | None = None
        if is_terminal(console.file) and not is_quiet():
            self._live = Live(console=console, auto_refresh=self.moves, transient=True)
        self._drawn = monotonic()

    def __enter__(self) -> Self:
        if self._live:
            self._live.start()
            self.draw(at_once=True)
        return self

    def __exit__(self, error: object, *more: object) -> None:
        if self._live:
            self._live.transient = error is None or not self.stays_if_interrupted
            self.draw(at_once=True)
            self._live.stop()

    def draw(self, *, at_once: bool = False) -> None:
        """Draw the present state, unless it was drawn a fifth of a second ago."""
        if self._live and (at_once or monotonic() > self._drawn + 0.2):
            self._drawn = monotonic()
            self._live.update(self.drawing(), refresh=True)

    @abstractmethod
    def drawing(self) -> RenderableType:
        """The present state."""


class StatusLine(Display):
    """A line of text with a spinner."""

    moves = True

    def __init__(self, console: Console, text: str) -> None:
        super().__init__(console)
        self._spinner: Final = Spinner("dots", text)

    def say(self, text: str, *, at_once: bool = True) -> None:
        """Show another text, which has no markup."""
        self._spinner.update(text=Text(text))
        self.draw(at_once=at_once)

    def drawing(self) -> Spinner:
        """The spinner with its text."""
        return self._spinner


@contextmanager
def counting(activity: str, total: int | None = None) -> Iterator[Callable[[object], None]]:
    """A function to call for each puzzle, which advances a bar on a terminal.

    The bar is on standard error and disappears at the end.

    Args:
        activity: what is done, for example ``generating``.
        total: the number of puzzles; None if it is unknown.
    """
    if is_quiet() or not is_terminal(sys.stderr):
        yield lambda _: None
        return
    columns: list[ProgressColumn] = [TextColumn(activity)]
    if total is None:
        columns += [TextColumn("{task.completed:,.0f} puzzles"), TimeElapsedColumn()]
    else:
        columns += [BarColumn(), MofNCompleteColumn(), TimeRemainingColumn()]
    with Progress(*columns, console=console_of(sys.stderr), transient=True) as progress:
        task = progress.add_task(activity, total=total)
        yield lambda _: progress.advance(task)
