"""Options that several commands share."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated, Any

import typer
from msgspec import Meta
from typer.exceptions import TyperException

from harness.errors import InputError
from harness.experiment.option import Option, options_of, parse_choice
from harness.experiment.sweep import MOST_JOBS
from harness.puzzles.shape import Shape


def declared_option(option: Option, text: str) -> Any:
    """Make the command-line option for a declared one, for use in `Annotated`.

    Args:
        option: the option; its declaration checks the values.
        text: help of the option.
    """
    return typer.Option(
        option.flag,
        metavar=option.metavar,
        help=text,
        show_default=False,
        parser=_parser(option.flag, option.parsed),
    )


def choice_option(kind: type[StrEnum], flag: str, text: str) -> Any:
    """Make an option whose values are the members of `kind`, for use in `Annotated`."""
    return typer.Option(
        flag,
        metavar="|".join(kind),
        help=text,
        parser=_parser(flag, lambda value: parse_choice(kind, value, flag)),
    )


def _parser(flag: str, parse: Callable[[str], object]) -> Callable[[object], object]:
    """A parser for Typer, which also calls it for defaults.

    Typer rewords every `ValueError` of a parser, so an invalid value becomes another error
    with the message of the first.
    """

    def parsed(value: object) -> object:
        if not isinstance(value, str):
            return value
        try:
            return parse(value)
        except InputError as error:
            raise TyperException(str(error.at(flag))) from None

    return parsed


@dataclass(frozen=True)
class _Execution:
    """Options of a command that runs a sweep, which are no options of the sweep."""

    jobs: Annotated[
        int,
        Meta(
            ge=1,
            le=MOST_JOBS,
            description="Number of trials that run at the same time, each on its own core.",
            extra={"metavar": "N"},
        ),
    ] = 1


_JOBS = options_of(_Execution)["jobs"]

JobsOption = Annotated[int, declared_option(_JOBS, f"{_JOBS.help}  [default: 1]")]
SkipOption = Annotated[
    bool, typer.Option("--skip-unavailable", help="Leave out backends that are unavailable.")
]
JsonOption = Annotated[
    bool, typer.Option("--json", help="Print one JSON document on standard output.")
]


def shape_of(spec: str | None) -> Shape | None:
    """Return the shape called `spec`; None for None.

    Raises:
        InputError: no shape has this name.
    """
    return None if spec is None else Shape.parse(spec)
