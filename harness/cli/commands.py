"""The commands of `harness`, each imported when it is needed, and their help."""

import os
import re
import shutil
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Annotated, Any, ClassVar, Final, Protocol

import typer
from typer.core import TyperCommand, TyperGroup

from harness.base.errors import InputError, failures_described
from harness.base.plugins import DISTRIBUTION, Plugin, plugins
from harness.cli.options import with_common_options

# Help that shows every sentence whole, at any width of the terminal.


_WIDEST: Final = 80
_NARROWEST: Final = 20


class _Formatter(Protocol):
    """The part of Typer's formatter of help texts that this module uses."""

    width: int

    def section(self, name: str) -> AbstractContextManager[None]: ...

    def write_dl(self, rows: Sequence[tuple[str, str]], col_max: int = 30) -> None: ...


def help_width() -> int:
    """The number of columns of a help text in this terminal."""
    return max(min(shutil.get_terminal_size().columns, _WIDEST) - 2, _NARROWEST)


class NarrowCommand(TyperCommand):
    """A command whose help gives narrow terminals narrow columns, and explains lists of values."""

    def __init__(self, *arguments: Any, **attributes: Any) -> None:
        super().__init__(*arguments, **attributes)
        if any(map(_takes_words, self.params)):
            self.epilog = ONE_OR_MORE

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write the arguments and the options."""
        _write_parameters(self, ctx, formatter)


class Group(TyperGroup):
    """A group of commands whose help has the first sentence of each, whole."""

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write the options and the commands."""
        _write_parameters(self, ctx, formatter)
        self.format_commands(ctx, formatter)

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write the name and the first sentence of the help of each command."""
        commands = {name: self.get_command(ctx, name) for name in self.list_commands(ctx)}
        rows = [
            (name, re.split(r"(?<=\.)\s", " ".join((command.help or "").split()))[0])
            for name, command in commands.items()
            if command and not command.hidden
        ]
        _write("Commands", rows, formatter)


class Catalogue(Group):
    """A group of commands in which any other word is an argument of the command `default`."""

    default: ClassVar[str] = "show"

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """The command that the first word names, or else the default one with all words."""
        if self.get_command(ctx, args[0]) is None:
            args = [self.default, *args]
        return super().resolve_command(ctx, args)


def _write_parameters(command: TyperCommand | TyperGroup, ctx: Any, formatter: _Formatter) -> None:
    arguments: list[tuple[str, str]] = []
    options: list[tuple[str, str]] = []
    for parameter in command.get_params(ctx):
        record = parameter.get_help_record(ctx)
        if record:
            if parameter.param_type_name == "argument":
                name, text = record
                # Typer adds the type in Python: ``DIR <list[Path]>``.
                arguments.append((re.sub(r" <.*>$", "", name), text))
            else:
                options.append(record)
    _write("Arguments", arguments, formatter)
    _write("Options", options, formatter)


def _write(title: str, rows: Sequence[tuple[str, str]], formatter: _Formatter) -> None:
    if rows:
        with formatter.section(title):
            formatter.write_dl(rows, col_max=min(30, formatter.width // 3))


# Options that take all words up to the next option: ``--dataset A B``.


ONE_OR_MORE: Final = (
    'An option with "one or more" values takes them as --dataset A B or --dataset A --dataset B.'
)
"""What the help of a command with such options says about them."""


def list_flags(words: Sequence[str]) -> Collection[str]:
    """The options that take several words, of the command with which these words begin."""
    command: Any = COMMANDS.get(words[0]) if words else None
    commands = getattr(command, "commands", {})
    name = words[1] if words[1:] and words[1] in commands else getattr(command, "default", "")
    command = commands.get(name, command)
    return [
        flag
        for parameter in getattr(command, "params", ())
        if _takes_words(parameter)
        for flag in parameter.opts
    ]


def _takes_words(parameter: Any) -> bool:
    """Whether the help of an option says that it takes several words."""
    return "One or more." in (getattr(parameter, "help", "") or "")


def repeat_flags(arguments: Sequence[str]) -> list[str]:
    """Rewrite ``--dataset a b`` as ``--dataset a --dataset b`` for commands that allow it."""
    lists = list_flags(arguments)
    return [*arguments[:1], *_repeat_flags(arguments[1:], lists)]


def repeat_completed_flags() -> None:
    """Rewrite the words up to the cursor as `repeat_flags` does, where Typer reads them."""
    in_bash = "COMP_WORDS" in os.environ
    variable, separator = ("COMP_WORDS", "\n") if in_bash else ("_TYPER_COMPLETE_ARGS", " ")
    program, *words = os.environ.get(variable, "").split(separator)
    words = repeat_flags(words[: int(os.environ.get("COMP_CWORD", len(words)))])
    os.environ |= {variable: separator.join([program, *words]), "COMP_CWORD": str(len(words))}
    os.environ["TERMINAL_WIDTH"] = "1000"  # fish would take each wrapped line for a word


def _repeat_flags(arguments: Sequence[str], lists: Collection[str]) -> Iterator[str]:
    flag, values = None, 0
    for argument in arguments:
        if argument.startswith("-") and argument != "-":
            flag, values = (argument if argument in lists else None), 0
        elif flag:
            values += 1
            if values > 1:
                yield flag
        yield argument


# The commands of `harness`, each imported when it is needed.


EXTENSIONS: Final = "harness.commands"
"""The entry points of commands: ``fuzz``, or ``backends.test`` for one in a group.

Each is a function with the parameters of the command, or a `typer.Typer` with a group.
"""
_CORE: Final[Mapping[str, str]] = {
    "demo": "harness.cli.run:demo",
    "run": "harness.cli.run:run",
    "check": "harness.cli.check:check",
    "report": "harness.cli.report:report",
    "compare": "harness.cli.compare:compare",
    "export": "harness.cli.export:export",
    "merge": "harness.cli.export:merge",
    "solve": "harness.cli.solve:solve",
    "count": "harness.cli.solve:count",
    "inspect": "harness.cli.inspect:inspect",
    "doctor": "harness.cli.doctor:doctor",
    "noise": "harness.cli.noise:noise",
    "backends": "harness.cli.backends:app",
    "datasets": "harness.cli.datasets:app",
}
"""The commands of the core and their places, in the order of the help."""


class Root(Group):
    """The group of all commands."""

    def __init__(self, **attributes: Any) -> None:
        super().__init__(**attributes | {"commands": COMMANDS})


class _Commands(Mapping[str, Any]):
    """The commands by name; a command is imported when it is first looked up."""

    def __init__(self) -> None:
        self._imported: dict[str, Any] = {}

    def __getitem__(self, name: str) -> Any:
        if name not in self._imported:
            core = _CORE.get(name)
            plugin = Plugin(name, core, DISTRIBUTION) if core else self._extensions()[name]
            self._imported[name] = _command(name, plugin)
        return self._imported[name]

    def __iter__(self) -> Iterator[str]:
        return iter([*_CORE, *(name for name in self._extensions() if "." not in name)])

    def __len__(self) -> int:
        return sum(1 for _ in self)

    @staticmethod
    def _extensions() -> dict[str, Plugin]:
        return {plugin.name: plugin for plugin in plugins(EXTENSIONS) if plugin.name not in _CORE}


COMMANDS: Final = _Commands()


def add_command(app: typer.Typer, name: str, function: Callable[..., None]) -> None:
    """Add a command with the options that every command has."""
    app.command(name, cls=NarrowCommand)(with_common_options(function))


def _command(name: str, plugin: Plugin) -> Any:
    """The command of a plugin; a group includes the commands that extensions add to it."""
    try:
        function = plugin.load("command", "a function or a typer.Typer", InputError, callable)
        if not isinstance(function, typer.Typer):
            return _command_of(name, function, plugin)
    except InputError as error:
        if plugin.is_built_in and not isinstance(error.__cause__, ModuleNotFoundError):
            raise
        return _absent_command(name, error)
    app = _new_app()
    app.add_typer(function, name=name)
    group: Any = typer.main.get_command(app)
    command = group.commands[name]
    for inner in plugins(EXTENSIONS):
        group_name, _, last = inner.name.partition(".")
        if group_name == name and last and last not in command.commands:  # its own come first
            command.commands[last] = _command(last, inner)
    return command


def _command_of(name: str, function: Callable[..., None], plugin: Plugin) -> Any:
    """The command of a function.

    Raises:
        InputError: it is another package's, and Typer cannot make a command of its parameters.
    """
    app = _new_app()
    problem = f"the command {plugin.name!r} of the package {plugin.package} cannot be made"
    with nullcontext() if plugin.is_built_in else failures_described(problem):
        add_command(app, name, function)
        return typer.main.get_command(app)


def _absent_command(name: str, error: InputError) -> Any:
    """A hidden command, which only reports why it cannot be used."""

    def fail(_: Annotated[list[str] | None, typer.Argument()] = None) -> None:
        raise error

    app = _new_app()
    settings = {"ignore_unknown_options": True, "allow_extra_args": True}
    app.command(name, cls=NarrowCommand, hidden=True, context_settings=settings)(fail)
    return typer.main.get_command(app)


def _new_app() -> typer.Typer:
    return typer.Typer(add_completion=False, rich_markup_mode=None)
