"""The commands of `harness`, each imported when it is needed, and their help."""

import os
import re
import shutil
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Final, Protocol

import typer
from typer.core import TyperCommand, TyperGroup

from harness.base.errors import meant
from harness.cli.options import SWEEP_OPTIONS, TRACE, TraceView, with_common_options

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
    """A command whose help gives narrow terminals narrow columns."""

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
    """A group of commands in which a name stands for the command ``show`` with this name."""

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """The command that the first word names, or else ``show`` with all words."""
        if self.get_command(ctx, args[0]) is None:
            args = ["show", *args]
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


# Options that take all words up to the next option, ``--dataset A B``, or perhaps none.


ONE_OR_MORE: Final = (
    'An option with "one or more" values takes them as --dataset A B or --dataset A --dataset B.'
)
"""What the help of a command with such options says of them."""

_TRACED: Final = ("solve", "count")
_OF_SWEEPS: Final = ("run", "shard", "check")
_OTHERS: Final[Mapping[str, Collection[str]]] = {
    "export": ("--features",),
    "charts": ("--chart", "--dataset", "--backend"),
}


def list_flags(command: str) -> Collection[str]:
    """The options of a command that take several words."""
    if command in _OF_SWEEPS:
        return [option.flag for option in SWEEP_OPTIONS.values() if option.is_list]
    return _OTHERS.get(command, ())


def repeat_flags(arguments: Sequence[str]) -> list[str]:
    """Rewrite ``--dataset a b`` as ``--dataset a --dataset b`` for commands that allow it."""
    lists = list_flags(arguments[0]) if arguments else ()
    return [*arguments[:1], *_repeat_flags(arguments[1:], lists)]


def repeat_completed_flags() -> None:
    """Rewrite the words up to the cursor in the same way, where Typer reads them."""
    in_bash = "COMP_WORDS" in os.environ
    variable, separator = ("COMP_WORDS", "\n") if in_bash else ("_TYPER_COMPLETE_ARGS", " ")
    program, *words = os.environ.get(variable, "").split(separator)
    words = repeat_flags(words[: int(os.environ.get("COMP_CWORD", len(words)))])
    os.environ |= {variable: separator.join([program, *words]), "COMP_CWORD": str(len(words))}
    os.environ["TERMINAL_WIDTH"] = "1000"  # a line of its own would be a word in fish


def with_views(arguments: Sequence[str]) -> list[str]:
    """Give ``--trace`` its view: the next word if it is one, otherwise the default.

    A word that is none is the puzzle, unless that stands before ``--trace``.
    """
    if not arguments or arguments[0] not in _TRACED or TRACE not in arguments:
        return list(arguments)
    at = arguments.index(TRACE)
    following = arguments[at + 1] if at + 1 < len(arguments) else "-"
    is_view = following in {*TraceView} or bool(meant(following, TraceView))
    has_puzzle = at > 1 and not arguments[1].startswith("-")
    if is_view or (has_puzzle and not following.startswith("-")):
        rest = with_views([arguments[0], *arguments[at + 2 :]])[1:]
        return [*arguments[:at], f"{TRACE}={following}", *rest]
    rest = with_views([arguments[0], *arguments[at + 1 :]])[1:]
    return [*arguments[:at], f"{TRACE}={TraceView.WORDS}", *rest]


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


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a command is: a function of a module, or the application of a group of commands."""

    module: str
    function: str
    epilog: str = ""


_PLACES: Final[Mapping[str, _Place]] = {
    "demo": _Place("harness.cli.run", "demo"),
    "run": _Place("harness.cli.run", "run", ONE_OR_MORE),
    "check": _Place("harness.cli.check", "check", ONE_OR_MORE),
    "report": _Place("harness.cli.report", "report"),
    "charts": _Place("harness.cli.report", "charts", ONE_OR_MORE),
    "site": _Place("harness.cli.report", "site"),
    "compare": _Place("harness.cli.compare", "compare"),
    "trend": _Place("harness.cli.compare", "trend"),
    "export": _Place("harness.cli.export", "export"),
    "shard": _Place("harness.extensions.cluster.cli.shard", "shard", ONE_OR_MORE),
    "merge": _Place("harness.cli.export", "merge"),
    "solve": _Place("harness.cli.solve", "solve"),
    "count": _Place("harness.cli.solve", "count"),
    "verify": _Place("harness.extensions.certificates.cli.verify", "verify"),
    "hint": _Place("harness.extensions.reasoning.cli.hint", "hint"),
    "inspect": _Place("harness.extensions.reasoning.cli.hint", "inspect"),
    "generate": _Place("harness.extensions.generate.cli", "generate"),
    "model": _Place("harness.extensions.generate.cli", "model"),
    "doctor": _Place("harness.cli.doctor", "doctor"),
    "workbench": _Place("harness.extensions.workbench.cli", "workbench"),
    "read-image": _Place("harness.extensions.images.cli", "read_image"),
    "backends": _Place("harness.cli.backends", "app"),
    "datasets": _Place("harness.cli.datasets", "app"),
}
"""The place of each command, in the order of the help."""


class Root(Group):
    """The group of all commands."""

    def __init__(self, **attributes: Any) -> None:
        super().__init__(**attributes | {"commands": _Commands()})


class _Commands(Mapping[str, Any]):
    """The commands by name; a command is imported when it is first looked up."""

    def __init__(self) -> None:
        self._imported: dict[str, Any] = {}

    def __getitem__(self, name: str) -> Any:
        if name not in self._imported:
            self._imported[name] = _imported(name, _PLACES[name])
        return self._imported[name]

    def __iter__(self) -> Iterator[str]:
        return iter(_PLACES)

    def __len__(self) -> int:
        return len(_PLACES)


def _imported(name: str, place: _Place) -> Any:
    found = getattr(import_module(place.module), place.function)
    app = typer.Typer(add_completion=False, rich_markup_mode=None)
    if isinstance(found, typer.Typer):
        app.add_typer(found, name=name)
        group: Any = typer.main.get_command(app)
        return group.commands[name]
    app.command(name, cls=NarrowCommand, epilog=place.epilog)(with_common_options(found))
    return typer.main.get_command(app)
