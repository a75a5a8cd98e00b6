"""Options: how they are declared, those that several commands share, and commands with them."""

import inspect
import re
import shlex
import sys
from collections.abc import Callable, Iterable, Mapping
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass, field
from enum import StrEnum
from functools import partial, wraps
from itertools import chain
from pathlib import Path
from typing import Annotated, Any, Final

import typer
from typer.exceptions import TyperException

from harness.base.errors import InputError, OptionError, located, with_home
from harness.base.interruption import Interrupted
from harness.cli import lazy
from harness.cli.completers import Completer, backend_names, datasets
from harness.cli.terminal import show
from harness.puzzles import Shape
from harness.puzzles.formats import Symbols
from harness.records import Task
from harness.runs import Option, Sweep, SweepChanges, options_of, parse_choice

# Options and arguments, each declared with its check and its completer.


_WIDEST_METAVAR: Final = 30
"""Maximum number of characters of a metavar that fit into a terminal of 40 columns."""


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
    parse = partial(parse_choice, kind, name=flag)
    return value_option(flag, choices, text, parse, lambda: list(kind))


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


def number_option(
    flag: str, text: str, least: int, most: int = 10**18 - 1, *, metavar: str = "N"
) -> Any:
    """Make an option with a whole number from `least` to `most`, for use in `Annotated`."""

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

    return value_option(flag, metavar, text, parse)


def seconds_of(text: str) -> float:
    """The seconds of a time such as ``90s``, ``1.5m``, ``5min`` or ``1h``; 0 for other texts."""
    match = re.fullmatch(r"([0-9]{1,9}(?:\.[0-9]{1,6})?)(s|m|min|h)", text.strip().lower())
    seconds = {"s": 1, "m": 60, "min": 60, "h": 3600}
    return float(match[1]) * seconds[match[2]] if match else 0.0


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


# Commands with groups of options.


CommandFunction = Callable[..., None]


def parameters_of(command: CommandFunction) -> list[inspect.Parameter]:
    """The parameters of a command, with their annotations evaluated."""
    return list(inspect.signature(command, eval_str=True).parameters.values())


def declared_with(
    command: CommandFunction, parameters: Iterable[inspect.Parameter]
) -> CommandFunction:
    """`command` with these parameters in place of its own, for Typer."""
    signature = list(parameters)
    command.__signature__ = inspect.Signature(signature)  # type: ignore[attr-defined]
    command.__annotations__ = {parameter.name: parameter.annotation for parameter in signature}
    return command


def taking(
    name: str, options: Iterable[inspect.Parameter], make: Callable[..., object]
) -> Callable[[CommandFunction], CommandFunction]:
    """Add options to a command in place of its parameter `name`.

    Args:
        name: the parameter.
        options: the options.
        make: makes the value of the parameter from the values of the options, by their names.
    """
    additions = list(options)
    names = {option.name for option in additions}

    def decorate(command: CommandFunction) -> CommandFunction:
        @wraps(command)
        def with_options(*args: object, **values: object) -> None:
            group = {option: values.pop(option) for option in names & values.keys()}
            command(*args, **{name: make(**group)}, **values)

        parameters = [additions if p.name == name else [p] for p in parameters_of(command)]
        return declared_with(with_options, chain.from_iterable(parameters))

    return decorate


def with_group(**groups: type) -> Callable[[CommandFunction], CommandFunction]:
    """Add the fields of a dataclass as options to a command, in place of one parameter."""
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
        additions = [p for p in parameters_of(others) if p.name not in left_out]
        return declared_with(command, [*own, *additions])

    return decorate


NO_PATHS: Final = ("licence", "only", "origin", "where")
"""The parameters of commands whose values are free text, which may begin with a ``~``."""


def with_common_options(command: CommandFunction) -> CommandFunction:
    """A command that overwrites no file, expands ``~``, and has the exit code of an interruption.

    If the command has parameters marked as `WRITTEN`, it takes ``--replace``. Without that option
    the command refuses, before it begins, to overwrite a file. A ``~`` at the beginning of a path
    is the home of a user.
    """
    own = parameters_of(command)
    outputs = [p.name for p in own if WRITTEN in getattr(p.annotation, "__metadata__", ())]

    @wraps(command)
    def common_command(**values: object) -> None:
        values = {n: v if n in NO_PATHS else with_home(v) for n, v in values.items()}
        if outputs and not values.pop("replace", False):  # others may have a --replace of their own
            for target in map(values.get, outputs):
                # A path that cannot be checked is an error when it is written.
                with suppress(OSError):
                    if target not in (None, "-") and Path(str(target)).is_file():
                        expected = "--replace, or another file"
                        raise OptionError("the file exists", where=str(target), expected=expected)
        try:
            command(**values)
        except Interrupted as interruption:  # Typer gives every KeyboardInterrupt the code 130
            raise typer.Exit(interruption.code) from None

    keyword = inspect.Parameter.KEYWORD_ONLY
    option = typer.Option("--replace", help="Replace a file that exists.", show_default=False)
    annotation = Annotated[bool, option]
    replace = inspect.Parameter("replace", keyword, default=False, annotation=annotation)
    return declared_with(common_command, [*own, *([replace] if outputs else [])])


# Options of most commands.


WRITTEN: Final = "written"
"""Marks the parameter of a file that a command writes, in `Annotated`."""
SkipOption = Annotated[
    bool, typer.Option("--skip-unavailable", help="Leave out backends that are unavailable.")
]
JsonOption = Annotated[
    bool, typer.Option("--json", help="Print one JSON document on standard output.")
]


def show_json(document: object) -> None:
    """Print the document of ``--json``."""
    show(lazy.json(document), end="")


def shape_of(spec: str | None) -> Shape | None:
    """Return the shape called `spec`; None for None.

    Raises:
        InputError: no shape has this name.
    """
    return None if spec is None else Shape.parse(spec)


# Options of a sweep on the command line, made from the class `Sweep`.


SWEEP_OPTIONS: Final = options_of(Sweep)
_COMPLETERS: Final[Mapping[str, Completer]] = {"backends": backend_names, "datasets": datasets}
assert _COMPLETERS.keys() <= SWEEP_OPTIONS.keys()


def sweep_option(name: str, *, default: object = None, text: str = "", several: str = "") -> Any:
    """Make the command-line option for an option of a sweep, for use in `Annotated`.

    Args:
        name: the name of the option in `Sweep`.
        default: default to show in the help; by default the declared one.
        text: help, by default the declared one.
        several: sentence on several values.
    """
    option = SWEEP_OPTIONS[name]
    default_text = option.default_text if default is None else option.text_of(default)
    parts = [text or option.help, several, f" [default: {default_text}]" if default_text else ""]
    return declared_option(option, " ".join(filter(None, parts)), _COMPLETERS.get(name))


SweepFileArgument = Annotated[
    Path | None,
    typer.Argument(metavar="SWEEP.toml", help="Sweep file in TOML; options override it."),
]
ShapeOption = Annotated[str | None, sweep_option("shape")]
SymbolsOption = Annotated[
    Symbols | None,
    choice_option(
        Symbols, "--symbols", "Symbols of the values; by default inferred from the puzzles."
    ),
]


def with_sweep_options(
    *names: str, defaults: Mapping[str, str] | None = None
) -> Callable[[CommandFunction], CommandFunction]:
    """Add options of a sweep to a command, in place of its parameter `changes`.

    The command receives in `changes` the options that the user set, by name.

    Args:
        names: options of `Sweep`; all if left out.
        defaults: defaults shown in the help instead of the declared ones, for options
            that the command sets itself.
    """
    parameters = []
    for name in names or SWEEP_OPTIONS:
        option = SWEEP_OPTIONS[name]
        kind: Any = list[option.scalar] if option.is_list else option.scalar  # type: ignore[name-defined]
        several = "One or more." if option.is_list else ""
        declared = sweep_option(name, default=(defaults or {}).get(name), several=several)
        annotation = Annotated[kind | None, declared]
        keyword = inspect.Parameter.KEYWORD_ONLY
        parameters.append(inspect.Parameter(name, keyword, default=None, annotation=annotation))

    def changes(**values: object) -> SweepChanges:
        return {name: value for name, value in values.items() if value not in (None, [])}

    return taking("changes", parameters, changes)


def sweep_of(changes: SweepChanges) -> Sweep:
    """Make the sweep of the options that the user set.

    Raises:
        OptionError: an option is invalid; `where` is its name on the command line.
    """
    with flags_in_errors():
        return Sweep.from_options(changes)


def sweeps_of(changes: SweepChanges, file: Path | None = None) -> list[Sweep]:
    """Make the sweeps in `file` with the options that the user set, or one sweep of these options.

    Raises:
        OptionError: an option is invalid; `where` is its name on the command line, or in
            the file.
    """
    with flags_in_errors():
        sweeps = lazy.read_sweeps(file, changes) if file else [Sweep.from_options(changes)]
        if "max_solutions" in changes and not any(Task.COUNT in sweep.tasks for sweep in sweeps):
            problem, expected = "counts nothing: the task is solve", "--task count"
            raise OptionError(problem, where="max_solutions", expected=expected)
        return sweeps


def flags_in_errors() -> AbstractContextManager[None]:
    """Replace the name of an option in an error by its name on the command line."""
    flags = {name: option.flag for name, option in SWEEP_OPTIONS.items()}
    return located(lambda where: flags.get(where, where))


def same_command() -> str:
    """The command that continues where this one ends."""
    return shlex.join(["harness", *(word for word in sys.argv[1:] if word != "--fresh")])


# The sums over the sweeps of a command, which `--json` prints.


@dataclass
class SweepTotals:
    """A run that has ended or was interrupted."""

    folder: Path
    """Folder of the run."""
    interrupted: bool = False
    """Whether Ctrl-C ended the run."""
    trials: int = 0
    """Planned trials."""
    done: int = 0
    """Finished trials, including those of earlier commands."""
    done_before: int = 0
    """Trials that earlier commands had finished."""
    duplicates: dict[str, int] = field(default_factory=dict)
    """For each dataset with duplicates, the puzzles left out."""
    report: "lazy.Reported | None" = None
    """The report; null if interrupted."""

    def add(self, progress: "lazy.LiveProgress") -> None:
        """Add a sweep."""
        self.trials += progress.planned_trials
        self.done += progress.done
        self.done_before += progress.done_before
