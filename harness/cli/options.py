"""Options that several commands share."""

import inspect
from collections.abc import Callable
from enum import StrEnum
from functools import wraps
from typing import Annotated, Any, Final

import typer
from typer.exceptions import TyperException

from harness.cli.terminal import set_quiet
from harness.errors import InputError, OptionError
from harness.puzzles.shape import Shape
from harness.runs.sweep import Option, parse_choice

_WIDEST_METAVAR: Final = 30
"""Characters of a metavar that fit into a terminal of 40 columns."""


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
    """Make an option whose values are the members of `kind`, for use in `Annotated`.

    Args:
        kind: the values.
        flag: the name of the option.
        text: help of the option, one sentence; a long list of values becomes part of it.
    """
    choices = "|".join(kind)
    if len(choices) > _WIDEST_METAVAR:
        choices, text = "NAME", f"{text.removesuffix('.')}: {', '.join(kind)}."
    return typer.Option(
        flag,
        metavar=choices,
        help=text,
        parser=_parser(flag, lambda value: parse_choice(kind, value, flag)),
    )


def parsed_option(flag: str, metavar: str, text: str, parse: Callable[[str], object]) -> Any:
    """Make an option whose value `parse` checks and converts, for use in `Annotated`."""
    return typer.Option(flag, metavar=metavar, help=text, parser=_parser(flag, parse))


def whole_number(flag: str, least: int, most: int = 10**18 - 1) -> Callable[[str], int]:
    """A parser of a whole number from `least` to `most`, the value of the option `flag`."""

    def parse(text: str) -> int:
        sign = text.startswith("-")
        is_number = text[sign:].isascii() and text[sign:].isdigit() and len(text) <= 18
        if is_number and least <= int(text) <= most:
            return int(text)
        expected = f"a whole number from {least}"
        if most < 10**18 - 1:
            expected += f" to {most}"
        elif len(text) > 18:
            expected += ", with at most 18 digits"
        raise OptionError(f"invalid value {text!r}", where=flag, expected=expected)

    return parse


def choice_argument(kind: type[StrEnum], metavar: str, text: str) -> Any:
    """Make an argument whose values are the members of `kind`, for use in `Annotated`."""
    return typer.Argument(
        metavar=metavar,
        help=text,
        parser=_parser(metavar, lambda value: parse_choice(kind, value, metavar)),
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


Command = Callable[..., None]


def with_quiet(command: Command) -> Command:
    """Add the option ``--quiet`` to a command."""
    parameters = list(inspect.signature(command, eval_str=True).parameters.values())
    quiet = inspect.Parameter(
        "quiet", inspect.Parameter.KEYWORD_ONLY, default=False, annotation=QuietOption
    )

    @wraps(command)
    def with_option(*, quiet: bool, **values: object) -> None:
        if quiet:
            set_quiet(quiet=True)
        command(**values)

    with_option.__signature__ = inspect.Signature([*parameters, quiet])  # type: ignore[attr-defined]
    with_option.__annotations__ = {p.name: p.annotation for p in [*parameters, quiet]}
    return with_option


QuietOption = Annotated[
    bool,
    typer.Option("--quiet", "-q", help="Print results, warnings and errors only, no progress."),
]
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
