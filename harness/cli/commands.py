"""The commands of `harness`, each imported when it is needed."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Final

import typer

from harness.cli.help import Command, Group
from harness.cli.list_flags import ONE_OR_MORE
from harness.cli.options import with_quiet


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a command is: a function of a module, or the application of a group of commands."""

    module: str
    function: str
    epilog: str = ""
    prints_progress: bool = True
    """Whether it has the option ``--quiet``; a group of commands adds it itself."""


_PLACES: Final[Mapping[str, _Place]] = {
    "run": _Place("harness.cli.run", "run", ONE_OR_MORE),
    "check": _Place("harness.cli.check", "check", ONE_OR_MORE),
    "report": _Place("harness.cli.report", "report"),
    "charts": _Place("harness.cli.charts", "charts", ONE_OR_MORE),
    "compare": _Place("harness.cli.compare", "compare"),
    "trend": _Place("harness.cli.trend", "trend"),
    "export": _Place("harness.cli.export", "export"),
    "shard": _Place("harness.cli.sharding", "shard", ONE_OR_MORE),
    "merge": _Place("harness.cli.export", "merge"),
    "solve": _Place("harness.cli.solve", "solve"),
    "count": _Place("harness.cli.solve", "count"),
    "verify": _Place("harness.cli.verify", "verify"),
    "hint": _Place("harness.cli.hint", "hint"),
    "inspect": _Place("harness.cli.inspect", "inspect"),
    "generate": _Place("harness.cli.generate", "generate"),
    "model": _Place("harness.cli.model", "model"),
    "doctor": _Place("harness.cli.doctor", "doctor"),
    "workbench": _Place("harness.cli.workbench", "workbench"),
    "read-image": _Place("harness.cli.read_image", "read_image"),
    "completion": _Place("harness.cli.completion.scripts", "completion", prints_progress=False),
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
    command = with_quiet(found) if place.prints_progress else found
    app.command(name, cls=Command, epilog=place.epilog)(command)
    return typer.main.get_command(app)
