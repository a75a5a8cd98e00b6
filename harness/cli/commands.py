"""The commands of `harness`, each imported when it is needed, and their help."""

import os
import re
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from functools import cache
from typing import Annotated, Any, ClassVar, Final

import typer
from typer.core import TyperCommand, TyperGroup

from harness.base.errors import InputError, failures_described
from harness.base.plugins import DISTRIBUTION, Plugin, plugins
from harness.cli.options import with_common_options

# Help that shows every sentence whole, at any width of the terminal.


_WIDEST: Final = 80
_NARROWEST: Final = 20


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


def _write_parameters(command: TyperCommand | TyperGroup, ctx: Any, formatter: Any) -> None:
    rows: dict[str, list[tuple[str, str]]] = {"argument": [], "option": []}
    for parameter in command.get_params(ctx):
        if record := parameter.get_help_record(ctx):
            rows[parameter.param_type_name].append(record)
    # Typer adds the type in Python to an argument: ``DIR <list[Path]>``.
    arguments = [(re.sub(r" <.*>$", "", name), text) for name, text in rows["argument"]]
    _write("Arguments", arguments, formatter)
    _write("Options", rows["option"], formatter)


def _write(title: str, rows: Sequence[tuple[str, str]], formatter: Any) -> None:
    if rows:
        with formatter.section(title):
            formatter.write_dl(rows, col_max=min(30, formatter.width // 3))


# Options that take all words up to the next option: ``--dataset A B``.


ONE_OR_MORE: Final = (
    'An option with "one or more" values takes them as --dataset A B or --dataset A --dataset B.'
)
"""What the help of a command with such options says about them."""


def _takes_words(parameter: Any) -> bool:
    """Whether the help of an option says that it takes several words."""
    return "One or more." in (getattr(parameter, "help", "") or "")


def repeat_flags(arguments: Sequence[str]) -> list[str]:
    """Rewrite ``--dataset a b`` as ``--dataset a --dataset b`` for commands that allow it."""
    command: Any = COMMANDS.get(arguments[0]) if arguments else None
    commands = getattr(command, "commands", {})
    default = getattr(command, "default", "")
    name = arguments[1] if arguments[1:] and arguments[1] in commands else default
    parameters = getattr(commands.get(name, command), "params", ())
    lists = [flag for p in parameters if _takes_words(p) for flag in p.opts]
    words, flag, values = list(arguments[:1]), None, 0
    for argument in arguments[1:]:
        if argument.startswith("-") and argument != "-":
            flag, values = (argument if argument in lists else None), 0
        elif flag:
            values += 1
            if values > 1:
                words.append(flag)
        words.append(argument)
    return words


def repeat_completed_flags() -> None:
    """Rewrite the words up to the cursor as `repeat_flags` does, where Typer reads them."""
    in_bash = "COMP_WORDS" in os.environ
    variable, separator = ("COMP_WORDS", "\n") if in_bash else ("_TYPER_COMPLETE_ARGS", " ")
    program, *words = os.environ.get(variable, "").split(separator)
    words = repeat_flags(words[: int(os.environ.get("COMP_CWORD", len(words)))])
    os.environ |= {variable: separator.join([program, *words]), "COMP_CWORD": str(len(words))}
    os.environ["TERMINAL_WIDTH"] = "1000"  # fish would take each wrapped line for a word


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
    "backends": "harness.cli.backends:app",
    "datasets": "harness.cli.datasets:app",
}
"""The commands of the core and their places, in the order of the help."""


class _Commands(Mapping[str, Any]):
    """The commands by name; a command is imported when it is first looked up."""

    def __getitem__(self, name: str) -> Any:
        core = _CORE.get(name)
        return _command(
            name, Plugin(name, core, DISTRIBUTION) if core else self._extensions()[name]
        )

    def __iter__(self) -> Iterator[str]:
        return iter([*_CORE, *(name for name in self._extensions() if "." not in name)])

    def __len__(self) -> int:
        return sum(1 for _ in self)

    @staticmethod
    def _extensions() -> dict[str, Plugin]:
        return {plugin.name: plugin for plugin in plugins(EXTENSIONS) if plugin.name not in _CORE}


COMMANDS: Final = _Commands()


class Root(Group):
    """The group of all commands."""

    def __init__(self, **attributes: Any) -> None:
        super().__init__(**attributes | {"commands": COMMANDS})


def add_command(app: typer.Typer, name: str, function: Callable[..., None]) -> None:
    """Add a command with the options that every command has."""
    app.command(name, cls=NarrowCommand)(with_common_options(function))


@cache
def _command(name: str, plugin: Plugin) -> Any:
    """The command of a plugin; a group includes the commands that extensions add to it."""
    app = typer.Typer(add_completion=False, rich_markup_mode=None)
    problem = f"the command {plugin.name!r} of the package {plugin.package} cannot be made"
    try:
        function = plugin.load("command", "a function or a typer.Typer", InputError, callable)
        if not isinstance(function, typer.Typer):
            with nullcontext() if plugin.is_built_in else failures_described(problem):
                add_command(app, name, function)
                return typer.main.get_command(app)
    except InputError as error:
        if plugin.is_built_in and not isinstance(error.__cause__, ModuleNotFoundError):
            raise
        return _absent_command(name, error)
    app.add_typer(function, name=name)
    group: Any = typer.main.get_command(app)
    command = group.commands[name]
    for inner in plugins(EXTENSIONS):
        group_name, _, last = inner.name.partition(".")
        if group_name == name and last and last not in command.commands:  # its own come first
            command.commands[last] = _command(last, inner)
    return command


def _absent_command(name: str, error: InputError) -> Any:
    """A hidden command, which only reports why it cannot be used."""

    def fail(_: Annotated[list[str] | None, typer.Argument()] = None) -> None:
        raise error

    app = typer.Typer(add_completion=False, rich_markup_mode=None)
    settings = {"ignore_unknown_options": True, "allow_extra_args": True}
    app.command(name, cls=NarrowCommand, hidden=True, context_settings=settings)(fail)
    return typer.main.get_command(app)
