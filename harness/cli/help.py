"""Help that shows every sentence whole, at any width of the terminal."""

import re
import shutil
from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import Any, Final, Protocol

from typer.core import TyperCommand, TyperGroup

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


class Command(TyperCommand):
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
