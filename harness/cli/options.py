"""Options that several commands share, and commands made with them."""

import inspect
import re
from collections.abc import Callable, Iterable
from enum import StrEnum
from functools import wraps
from itertools import chain
from typing import Annotated, Any, Final

import typer
from typer.exceptions import TyperException

from harness.cli import lazy
from harness.cli.completers import Completer, files
from harness.cli.terminal import set_quiet, show
from harness.errors import InputError, OptionError
from harness.interruption import Interrupted
from harness.puzzles.shape import Shape
from harness.runs.sweep import Option, parse_choice

_WIDEST_METAVAR: Final = 30
"""Characters of a metavar that fit into a terminal of 40 columns."""

_SECONDS: Final = {"s": 1, "m": 60, "min": 60, "h": 3600}


def declared_option(option: Option, text: str, completer: Completer | None = None) -> Any:
    """Make the command-line option for a declared one, for use in `Annotated`.

    Args:
        option: the option; its declaration checks the values.
        text: help of the option.
        completer: offers values to a shell; by default those that the metavar lists.
    """
    choices = option.metavar.split("|") if "|" in option.metavar else []
    return typer.Option(
        option.flag,
        metavar=option.metavar,
        help=text,
        show_default=False,
        parser=_parser(option.flag, option.parsed),
        autocompletion=completer or (lambda: choices),
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
        autocompletion=lambda: list(kind),
    )


def value_option(
    flag: str,
    metavar: str,
    text: str,
    parse: Callable[[str], object] | None = None,
    completer: Completer | None = None,
) -> Any:
    """Make an option with a value, for use in `Annotated`; `parse` checks and converts it."""
    return typer.Option(
        flag,
        metavar=metavar,
        help=text,
        parser=_parser(flag, parse) if parse else None,
        autocompletion=completer,
    )


def file_option(flag: str, metavar: str, text: str) -> Any:
    """Make an option whose value is a file or a folder, for use in `Annotated`."""
    return value_option(flag, metavar, text, completer=files())


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


def seconds_of(text: str) -> float:
    """The seconds of a time such as ``90s``, ``1.5m``, ``5min`` or ``1h``; 0 for other texts."""
    match = re.fullmatch(r"([0-9]{1,9}(?:\.[0-9]{1,6})?)(s|m|min|h)", text.strip().lower())
    return float(match[1]) * _SECONDS[match[2]] if match else 0.0


def choice_argument(kind: type[StrEnum], metavar: str, text: str) -> Any:
    """Make an argument whose values are the members of `kind`, for use in `Annotated`."""
    return typer.Argument(
        metavar=metavar,
        help=text,
        parser=_parser(metavar, lambda value: parse_choice(kind, value, metavar)),
        autocompletion=lambda: list(kind),
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


CommandFunction = Callable[..., None]


def parameters_of(command: CommandFunction) -> list[inspect.Parameter]:
    """The parameters of a command, with their annotations evaluated."""
    return list(inspect.signature(command, eval_str=True).parameters.values())


def declared_with(
    command: CommandFunction, parameters: Iterable[inspect.Parameter]
) -> CommandFunction:
    """`command` with these parameters in place of its own, for Typer."""
    listed = list(parameters)
    command.__signature__ = inspect.Signature(listed)  # type: ignore[attr-defined]
    command.__annotations__ = {parameter.name: parameter.annotation for parameter in listed}
    return command


def taking(
    name: str, options: Iterable[inspect.Parameter], make: Callable[..., object]
) -> Callable[[CommandFunction], CommandFunction]:
    """Add options to a command in place of its parameter `name`.

    Args:
        name: the parameter.
        options: the options.
        make: makes the value of the parameter of the values of the options, by their names.
    """
    chosen = list(options)

    def decorate(command: CommandFunction) -> CommandFunction:
        @wraps(command)
        def with_options(*args: object, **values: object) -> None:
            made = {
                option.name: values.pop(option.name) for option in chosen if option.name in values
            }
            command(*args, **{name: make(**made)}, **values)

        parameters = [chosen if p.name == name else [p] for p in parameters_of(command)]
        return declared_with(with_options, chain.from_iterable(parameters))

    return decorate


def with_group(**groups: type) -> Callable[[CommandFunction], CommandFunction]:
    """Add the fields of a dataclass as options to a command, in place of a parameter for all."""
    ((name, kind),) = groups.items()
    fields = [p.replace(kind=p.KEYWORD_ONLY) for p in parameters_of(kind)]
    return taking(name, fields, kind)


def sharing(others: CommandFunction, *without: str) -> Callable[[CommandFunction], CommandFunction]:
    """Add the parameters of the function `others` to a command, in place of its ``**options``.

    Args:
        others: the function that the command calls with its options.
        without: parameters of `others` that the command sets itself.
    """

    def decorate(command: CommandFunction) -> CommandFunction:
        *own, _ = parameters_of(command)
        left_out = {*without, *(parameter.name for parameter in own)}
        shared = [p for p in parameters_of(others) if p.name not in left_out]
        return declared_with(command, [*own, *shared])

    return decorate


def with_quiet(command: CommandFunction) -> CommandFunction:
    """A command with the option ``--quiet``, and with the exit code of an interruption."""
    quiet = inspect.Parameter(
        "quiet", inspect.Parameter.KEYWORD_ONLY, default=False, annotation=QuietOption
    )

    @wraps(command)
    def quiet_command(*, quiet: bool, **values: object) -> None:
        if quiet:
            set_quiet(quiet=True)
        try:
            command(**values)
        except Interrupted as interruption:  # Typer gives every KeyboardInterrupt the code 130
            raise typer.Exit(interruption.code) from None

    return declared_with(quiet_command, [*parameters_of(command), quiet])


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


def show_json(document: object) -> None:
    """Print the document of ``--json``."""
    show(lazy.documents.json(document), end="")


def shape_of(spec: str | None) -> Shape | None:
    """Return the shape called `spec`; None for None.

    Raises:
        InputError: no shape has this name.
    """
    return None if spec is None else Shape.parse(spec)
