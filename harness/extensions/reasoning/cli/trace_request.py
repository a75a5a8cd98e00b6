"""What `harness trace` shows of a search: a view, or its steps."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated, Final

import typer

from harness.base.errors import OptionError
from harness.cli.options import choice_option, number_option

DEFAULT_BACKEND: Final = "reasoning"
MOST_LINES: Final = 200
MOST_EVENTS: Final = 10_000


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

    view: Annotated[TraceView, choice_option(TraceView, "--view", "How the search is shown.")] = (
        TraceView.WORDS
    )
    steps: Annotated[bool, typer.Option("--steps", help="Show each step with its board.")] = False
    limit: Annotated[
        int | None,
        number_option(
            "--limit",
            "Maximum number of lines, or of steps with --steps or --json; 0 for all. "
            f"[default: {MOST_LINES}, or {MOST_EVENTS:,} with --json]",
            0,
        ),
    ] = None

    def check(self, *, as_json: bool) -> None:
        """Check that `--steps`, a view other than words and `--json` are not combined.

        Raises:
            OptionError: two of them are given.
        """
        view = "" if self.view is TraceView.WORDS else f"--view {self.view}"
        flags = [*filter(None, ["--steps" * self.steps, view, "--json" * as_json])]
        if len(flags) > 1:
            raise OptionError(f"cannot be combined with {flags[0]}", where=flags[1])

    def most(self, default: int) -> int | None:
        """Maximum number of lines or steps; None for all."""
        return default if self.limit is None else self.limit or None
