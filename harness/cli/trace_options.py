"""The options of a trace, which `harness solve` and `harness count` share."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Final

import typer

from harness.cli.options import choice_option, parsed_option, whole_number
from harness.errors import OptionError, meant

_FLAG: Final = "--trace"
_COMMANDS: Final = ("solve", "count")
_LINES: Final = 200
_EVENTS: Final = 10_000


class View(StrEnum):
    """What a trace shows."""

    WORDS = "words"
    """Each event in words."""
    TRACKER = "tracker"
    """TRACKHIST, TRACKER and PAV."""
    BRANCHES = "branches"
    """Each node with its name, outcome and path."""
    TREE = "tree"
    """A drawing of the search tree."""


TraceOption = Annotated[
    View | None,
    choice_option(
        View,
        _FLAG,
        "Show how the backend reasoning searches, in this view. The view may be left out "
        "[default: words].",
    ),
]
StepsOption = Annotated[
    bool,
    typer.Option(
        "--steps",
        help="Show each step with its board. A terminal waits for Enter after each.",
    ),
]
TraceLimitOption = Annotated[
    int | None,
    parsed_option(
        "--trace-limit",
        "N",
        f"Most lines of a trace, or events with --json; 0 for all. [default: {_LINES} lines, "
        f"{_EVENTS:,} events]",
        whole_number("--trace-limit", 0),
    ),
]
SvgOption = Annotated[
    Path | None,
    typer.Option("--svg", metavar="FILE", help="Draw the search tree of --trace tree as SVG."),
]


@dataclass(frozen=True)
class TraceRequest:
    """What a command shows of a search."""

    view: View | None = None
    steps: bool = False
    limit: int | None = None
    svg: Path | None = None

    def __bool__(self) -> bool:
        """Whether a trace is requested."""
        return self.view is not None or self.steps

    def check(self, *, as_json: bool) -> None:
        """Check that the options fit each other.

        Raises:
            OptionError: they do not.
        """
        if self.limit is not None and not self:
            raise OptionError("needs a trace", where="--trace-limit", expected="--trace")
        if self.steps and as_json:
            raise OptionError(
                "cannot be combined with --json", where="--steps", expected="--trace --json"
            )
        if self.steps and self.view not in (None, View.WORDS):
            raise OptionError(f"cannot be combined with --trace {self.view}", where="--steps")
        if as_json and self.view not in (None, View.WORDS):
            raise OptionError(
                "cannot be combined with --json",
                where=f"--trace {self.view}",
                expected="--trace --json",
            )
        if self.svg is not None and self.view is None:
            raise OptionError("draws the tree of a trace", where="--svg", expected="--trace tree")
        if self.svg is not None and (as_json or self.steps or self.view is not View.TREE):
            raise OptionError(
                "cannot be combined with another view", where="--svg", expected="--trace tree"
            )

    @property
    def lines(self) -> int | None:
        """The most lines; None for all."""
        return _bound(self.limit, _LINES)

    @property
    def events(self) -> int | None:
        """The most events of a document; None for all."""
        return _bound(self.limit, _EVENTS)


def _bound(limit: int | None, default: int) -> int | None:
    return default if limit is None else limit or None


def with_views(arguments: Sequence[str]) -> list[str]:
    """Give ``--trace`` its view: the next word if it is one, otherwise the default.

    A word that is none is the puzzle, unless that stands before ``--trace``.
    """
    if not arguments or arguments[0] not in _COMMANDS:
        return list(arguments)
    return list(_with_views(arguments[1:], [arguments[0]]))


def _with_views(arguments: Sequence[str], before: list[str]) -> Iterator[str]:
    yield from before
    for at, word in enumerate(arguments):
        if word != _FLAG:
            yield word
            continue
        following = arguments[at + 1] if at + 1 < len(arguments) else "-"
        is_view = following in {*View} or bool(meant(following, View))
        has_puzzle = at > 0 and not arguments[0].startswith("-")
        if is_view or (has_puzzle and not following.startswith("-")):
            yield from _with_views(arguments[at + 2 :], [f"{_FLAG}={following}"])
        else:
            yield from _with_views(arguments[at + 1 :], [f"{_FLAG}={View.WORDS}"])
        return
