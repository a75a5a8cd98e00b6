"""Options of a sweep on the command line, and the sums over the sweeps of a command."""

import inspect
import shlex
import sys
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, Final

import typer

from harness.cli import lazy
from harness.cli.completers import backend_names, datasets, files
from harness.cli.options import CommandFunction, declared_option, show_json, taking
from harness.errors import located
from harness.runs.sweep import Option, Sweep, SweepChanges, options_of, read_sweeps

# Options of a sweep on the command line, made from the class `Sweep`.


SWEEP_OPTIONS: Final = options_of(Sweep)
_COMPLETERS: Final = {"backends": backend_names, "datasets": datasets}
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
    shown = option.default_text if default is None else option.text_of(default)
    parts = [text or option.help, several, f" [default: {shown}]" if shown else ""]
    return declared_option(option, " ".join(filter(None, parts)), _COMPLETERS.get(name))


SweepFileArgument = Annotated[
    Path | None,
    typer.Argument(
        metavar="SWEEP.toml",
        help="Sweep file in TOML; options override it.",
        autocompletion=files(".toml"),
    ),
]
ShapeOption = Annotated[str | None, sweep_option("shape")]


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
    chosen = [SWEEP_OPTIONS[name] for name in names or SWEEP_OPTIONS]
    shown = {option.name: option.default_text for option in chosen} | dict(defaults or {})

    def changes(**values: object) -> SweepChanges:
        return {name: value for name, value in values.items() if value not in (None, [])}

    parameters = [_parameter(option, shown[option.name]) for option in chosen]
    return taking("changes", parameters, changes)


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
    with flags_in_errors():
        return read_sweeps(file, changes) if file else [Sweep.of(changes)]


def flags_in_errors() -> AbstractContextManager[None]:
    """Replace the name of an option in an error by its name on the command line."""
    flags = {name: option.flag for name, option in SWEEP_OPTIONS.items()}
    return located(lambda where: flags.get(where, where))


def _parameter(option: Option, default: str) -> inspect.Parameter:
    kind: Any = list[option.scalar] if option.is_list else option.scalar  # type: ignore[name-defined]
    return inspect.Parameter(
        option.name,
        inspect.Parameter.KEYWORD_ONLY,
        default=None,
        annotation=Annotated[
            kind | None,
            sweep_option(
                option.name, default=default, several="One or more." if option.is_list else ""
            ),
        ],
    )


def same_command() -> str:
    """The command that goes on where this one ends."""
    return shlex.join(["harness", *(word for word in sys.argv[1:] if word != "--fresh")])


# The sums over the sweeps of a command, and the document that `--json` prints of them.


@dataclass
class SweepTotals:
    """The sums over the sweeps of a command."""

    folder: Path
    trials: int = 0
    """Planned trials."""
    done: int = 0
    done_before: int = 0
    """Trials that earlier commands have run."""
    duplicates: dict[str, int] = field(default_factory=dict)
    """Duplicate puzzles of each dataset."""

    def add(
        self, progress: "lazy.LiveProgress", duplicates: Mapping[str, int] | None = None
    ) -> None:
        """Add a sweep."""
        self.trials += progress.planned_trials
        self.done += progress.done
        self.done_before += progress.done_before
        self.duplicates |= duplicates or {}

    def show_json(
        self,
        *,
        interrupted: bool = False,
        report: "lazy.documents.Reported | None" = None,
        certified: "lazy.documents.CertifiedRunData | None" = None,
    ) -> None:
        """Print the document of the command."""
        document = lazy.documents.Finished(
            folder=str(self.folder),
            interrupted=interrupted,
            trials=self.trials,
            done=self.done,
            done_before=self.done_before,
            duplicates=self.duplicates,
            certificates=certified,
            report=report,
        )
        show_json(document)
