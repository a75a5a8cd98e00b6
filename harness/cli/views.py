"""The formats of `harness report`, `compare` and `export`: their own, and views of all packages."""

from collections.abc import Callable, Sequence
from enum import StrEnum
from typing import Any

from harness.base.errors import OptionError, not_among
from harness.base.plugins import VIEWS, Plugin, load_view, plugins
from harness.cli.options import value_option


class TableFormat(StrEnum):
    """Formats of tables."""

    TEXT = "text"
    MARKDOWN = "markdown"
    CSV = "csv"
    LATEX = "latex"


def views(command: str) -> dict[str, Plugin]:
    """The views of a command by their formats."""
    points = [(plugin.name.partition("."), plugin) for plugin in plugins(VIEWS)]
    return {form: plugin for (name, _, form), plugin in points if name == command}


def formats(command: str, own: type[StrEnum] = TableFormat) -> list[str]:
    """The formats of a command: its `own`, and its views."""
    return [*map(str, own), *views(command)]


def format_option(command: str, own: type[StrEnum] = TableFormat, example: str = "html") -> Any:
    """The option ``--format`` of a command with views, for use in `Annotated`."""

    def parse(text: str) -> str:
        names = formats(command, own)
        if text in names:
            return text
        raise not_among(OptionError, f"unknown format {text!r}", text, names)

    help_text = f"Output format: {', '.join(own)}, or a view such as {example}."
    return value_option("--format", "NAME", help_text, parse, lambda: formats(command, own))


def view(command: str, form: str, tables: Sequence[str] = ()) -> Callable[..., str] | None:
    """The view of a command in a format; None for a format of tables.

    Args:
        command: the command.
        form: the format.
        tables: the names of the tables that are chosen; a view accepts none.

    Raises:
        InputError: the view cannot be used, or tables are chosen.
    """
    if form in [*TableFormat]:
        return None
    if tables:
        reason = f"--format {form} always includes all tables"
        raise OptionError(reason, where="--table", expected="no --table")
    return load_view(f"{command}.{form}")


def has_view(command: str, form: str) -> bool:
    """Whether a command has a view in a format, and the package of the view is installed."""
    plugin = views(command).get(form)
    return plugin is not None and not plugin.is_absent
