"""What `harness trace` shows of a search: a view, as lines, steps or a drawing."""

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Final

import typer

from harness.base.errors import OptionError
from harness.cli.options import WRITTEN, choice_option, value_option, whole_number

DEFAULT_BACKEND: Final = "reasoning"
_LINES: Final = 200
_EVENTS: Final = 10_000


class TraceView(StrEnum):
    """What a trace shows."""

    WORDS = "words"
    """Each event in words."""
    TRACKER = "tracker"
    """TRACKHIST, TRACKER and PAV."""
    BRANCHES = "branches"
    """Each node with its name, outcome and path."""
    TREE = "tree"
    """A drawing of the search tree."""


@dataclass(frozen=True)
class TraceRequest:
    """What the command shows of a search."""

    view: Annotated[
        TraceView, choice_option(TraceView, "--view", "What is shown of the search.")
    ] = TraceView.WORDS
    steps: Annotated[
        bool,
        typer.Option(
            "--steps",
            help="Show each step with its board. A terminal waits for Enter after each.",
        ),
    ] = False
    limit: Annotated[
        int | None,
        value_option(
            "--limit",
            "N",
            "Maximum number of lines, or of steps with --json; 0 for all. "
            f"[default: {_LINES} lines, {_EVENTS:,} steps]",
            whole_number("--limit", 0),
        ),
    ] = None
    svg: Annotated[
        Path | None,
        value_option("--svg", "FILE", "Draw the search tree of --view tree as SVG."),
        WRITTEN,
    ] = None

    def check(self, *, as_json: bool) -> None:
        """Check that one thing is requested.

        Raises:
            OptionError: several are.
        """
        view = "" if self.view is TraceView.WORDS else f"--view {self.view}"
        flags = [*filter(None, ["--steps" * self.steps, view, "--json" * as_json])]
        if len(flags) > 1:
            raise OptionError(f"cannot be combined with {flags[0]}", where=flags[1])
        if self.svg is not None and flags != [f"--view {TraceView.TREE}"]:
            raise OptionError("draws the tree of a search", where="--svg", expected="--view tree")

    @property
    def lines(self) -> int | None:
        """The most lines; None for all."""
        return _LINES if self.limit is None else self.limit or None

    @property
    def events(self) -> int | None:
        """The most events of a document; None for all."""
        return _EVENTS if self.limit is None else self.limit or None
