"""The options of a trace, which `harness solve` and `harness count` share."""

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Final

import typer

from harness.cli.options import choice_option, file_option, value_option, whole_number
from harness.errors import OptionError

TRACE: Final = "--trace"
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
    """What a command shows of a search."""

    view: Annotated[
        TraceView | None,
        choice_option(
            TraceView,
            TRACE,
            "Show how the backend reasoning searches, in this view. The view may be left out "
            "[default: words].",
        ),
    ] = None
    steps: Annotated[
        bool,
        typer.Option(
            "--steps",
            help="Show each step with its board. A terminal waits for Enter after each.",
        ),
    ] = False
    trace_limit: Annotated[
        int | None,
        value_option(
            "--trace-limit",
            "N",
            "Maximum number of lines of a trace, or of events with --json; 0 for all. "
            f"[default: {_LINES} lines, {_EVENTS:,} events]",
            whole_number("--trace-limit", 0),
        ),
    ] = None
    svg: Annotated[
        Path | None,
        file_option("--svg", "FILE", "Draw the search tree of --trace tree as SVG."),
    ] = None

    def __bool__(self) -> bool:
        """Whether a trace is requested."""
        return self.view is not None or self.steps

    def check(self, *, as_json: bool) -> None:
        """Check that the options fit each other.

        Raises:
            OptionError: they do not.
        """
        if self.trace_limit is not None and not self:
            raise OptionError("needs a trace", where="--trace-limit", expected="--trace")
        if self.steps and as_json:
            raise OptionError(
                "cannot be combined with --json", where="--steps", expected="--trace --json"
            )
        if self.steps and self.view not in (None, TraceView.WORDS):
            raise OptionError(f"cannot be combined with --trace {self.view}", where="--steps")
        if as_json and self.view not in (None, TraceView.WORDS):
            raise OptionError(
                "cannot be combined with --json",
                where=f"--trace {self.view}",
                expected="--trace --json",
            )
        if self.svg is not None and self.view is None:
            raise OptionError("draws the tree of a trace", where="--svg", expected="--trace tree")
        if self.svg is not None and (as_json or self.steps or self.view is not TraceView.TREE):
            raise OptionError(
                "cannot be combined with another view", where="--svg", expected="--trace tree"
            )

    @property
    def lines(self) -> int | None:
        """The most lines; None for all."""
        return _bound(self.trace_limit, _LINES)

    @property
    def events(self) -> int | None:
        """The most events of a document; None for all."""
        return _bound(self.trace_limit, _EVENTS)


def _bound(limit: int | None, default: int) -> int | None:
    return default if limit is None else limit or None
