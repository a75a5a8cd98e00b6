"""Options that several commands share, and those taken from the class `Sweep`."""

import inspect
import textwrap
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import wraps
from pathlib import Path
from typing import Annotated, Any, Final

import typer
from typer.exceptions import TyperException

from harness.errors import OptionError
from harness.experiment.option import Option, options_of
from harness.experiment.sweep import Sweep, SweepChanges
from harness.puzzles.shape import Shape

SWEEP_OPTIONS: Final = options_of(Sweep)

_GREEDY: Final = {
    "run": ("--dataset", "--backend", "--task", "--start"),
    "check": ("--dataset", "--backend", "--task"),
}


def sweep_option(name: str, default: str = "") -> Any:
    """Make the command-line option for an option of a sweep, for use in `Annotated`.

    Args:
        name: the name of the option in `Sweep`.
        default: default to show in the help if the parameter's own default is None.
    """
    option = SWEEP_OPTIONS[name]
    text = f"{option.help}  [default: {default}]" if default else option.help
    return typer.Option(option.flag, metavar=option.metavar, help=text)


def usage_message(error: TyperException) -> str:
    """The message of an error of Typer; that of a sweep's option names the valid values."""
    message = error.format_message().replace("Value error, ", "")
    flags = getattr(getattr(error, "param", None), "opts", ())
    option = next((o for o in SWEEP_OPTIONS.values() if o.flag in flags), None)
    place, reason, _ = message.partition("Input should be")
    return f"{place}expected {option.expected}" if option and reason else message


ShapeOption = Annotated[str | None, sweep_option("shape")]
SkipOption = Annotated[
    bool, typer.Option("--skip-unavailable", help="Leave out backends that are unavailable.")
]
JobsOption = Annotated[
    int,
    typer.Option(
        "--jobs",
        metavar="N",
        help="Number of trials that run at the same time, each on its own core.",
    ),
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON.")]

Command = Callable[..., None]


def with_sweep_options(
    *names: str, defaults: Mapping[str, str] | None = None
) -> Callable[[Command], Command]:
    """Add options of a sweep to a command, in place of its parameter `changes`.

    The command receives in `changes` the options that the user set, by name.

    Args:
        names: options of `Sweep`; all if left out.
        defaults: defaults shown in the help instead of those of `Sweep`, for options
            that the command sets itself.
    """
    chosen = [SWEEP_OPTIONS[name] for name in names or SWEEP_OPTIONS]
    shown = {option.name: option.default_text for option in chosen} | dict(defaults or {})

    def decorate(command: Command) -> Command:
        own = inspect.signature(command, eval_str=True).parameters
        parameters: list[inspect.Parameter] = []
        for parameter in own.values():
            if parameter.name == "changes":
                parameters += [_parameter(option, shown[option.name]) for option in chosen]
            else:
                parameters.append(parameter)

        @wraps(command)
        def with_options(**values: object) -> None:
            given = {option.name: values.pop(option.name) for option in chosen}
            changes = {name: value for name, value in given.items() if value not in (None, [])}
            command(changes=changes, **values)

        with_options.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
        with_options.__annotations__ = {p.name: p.annotation for p in parameters}
        return with_options

    return decorate


def sweep_of(changes: SweepChanges) -> Sweep:
    """Make the sweep of the options that the user set.

    Raises:
        OptionError: an option is invalid; `where` is its name on the command line.
    """
    with flags_in_errors():
        return Sweep.of(changes)


def sweeps_of(changes: SweepChanges, file: Path | None = None) -> list[Sweep]:
    """Make the sweeps of the options that the user set, on top of those in `file`.

    Raises:
        OptionError: an option is invalid; `where` is its name on the command line, or in
            the file.
    """
    from harness.experiment.sweep_file import read_sweeps

    with flags_in_errors():
        return read_sweeps(file, changes) if file else [Sweep.of(changes)]


@contextmanager
def flags_in_errors() -> Iterator[None]:
    """Replace the name of an option in an error by its name on the command line."""
    try:
        yield
    except OptionError as error:
        option = SWEEP_OPTIONS.get(error.where)
        raise error.at(option.flag if option else error.where) from None


def shape_of(spec: str | None) -> Shape | None:
    """Return the shape called `spec`; None for None.

    Raises:
        InputError: no shape has this name.
    """
    return None if spec is None else Shape.parse(spec)


def notice(what: str) -> None:
    """Report a slow preparation of a backend on standard error."""
    typer.echo(what, err=True)


def wrapped(text: str, indent: int = 6) -> str:
    """Wrap `text` into lines of at most 80 columns, all indented."""
    margin = " " * indent
    return textwrap.fill(
        text, 80, initial_indent=margin, subsequent_indent=margin, break_on_hyphens=False
    )


def repeat_flags(arguments: Sequence[str]) -> list[str]:
    """Rewrite ``--dataset a b`` as ``--dataset a --dataset b`` for commands that allow it."""
    if not arguments or arguments[0] not in _GREEDY:
        return list(arguments)
    return [arguments[0], *_repeat_flags(arguments[1:], _GREEDY[arguments[0]])]


def _repeat_flags(arguments: Sequence[str], greedy: Sequence[str]) -> Iterator[str]:
    flag, values = None, 0
    for argument in arguments:
        if argument.startswith("-") and argument != "-":
            flag, values = (argument if argument in greedy else None), 0
        elif flag:
            values += 1
            if values > 1:
                yield flag
        yield argument


def _parameter(option: Option, default: str) -> inspect.Parameter:
    kind: Any = list[option.scalar] if option.is_list else option.scalar  # type: ignore[name-defined]
    return inspect.Parameter(
        option.name,
        inspect.Parameter.KEYWORD_ONLY,
        default=None,
        annotation=Annotated[kind | None, sweep_option(option.name, default)],
    )
