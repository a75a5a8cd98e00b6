"""The command line: one module a group of commands, nothing but words and files.

Exit codes: 0 done, 1 a finding (a wrong answer, a disagreement, no answer), 2 bad
input, told in one line, 3 results cannot be written, 130 interrupted.
"""

import os
import sys
from typing import NoReturn

import typer
from typer.exceptions import TyperException

from harness.cli import ask, check, datasets, doctor, inspect, reports
from harness.cli import backends as backends_
from harness.cli import run as run_
from harness.cli.options import spread
from harness.errors import InputError, StorageError

app = typer.Typer(
    name="harness",
    help="Runs interchangeable Sudoku solvers under equal conditions: who is right, who is fast?",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command("run")(run_.run)
app.command("check")(check.check)
app.command("report")(reports.report)
app.command("charts")(reports.charts)
app.command("compare")(reports.compare)
app.command("export")(reports.export)
app.command("merge")(reports.merge)
app.command("solve")(ask.solve)
app.command("count")(ask.count)
app.command("inspect")(inspect.inspect)
app.command("doctor")(doctor.doctor)
app.add_typer(backends_.app, name="backends")
app.add_typer(datasets.app, name="datasets")


@app.callback(invoke_without_command=True)
def _root(
    version: bool = typer.Option(False, "--version", help="Print the version and exit."),
) -> None:
    if version:
        from harness.records.environment import harness_version

        typer.echo(f"harness {harness_version()}")
        raise typer.Exit


def main(arguments: list[str] | None = None) -> NoReturn:
    """Run the command that `arguments`, by default those of the process, ask for."""
    words = spread(sys.argv[1:] if arguments is None else arguments)
    try:
        code = app(words, prog_name="harness", standalone_mode=False)
    except InputError as error:
        code = _complain(str(error))
    except TyperException as error:
        code = _complain(error.format_message())
    except StorageError as error:
        code = _complain(str(error), 3)
    except KeyboardInterrupt:
        code = 130
    except BrokenPipeError:
        # Whoever read our output has seen enough, as `head` does.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = 1
    sys.exit(code or 0)


def _complain(message: str, code: int = 2) -> int:
    line = " ".join(message.split())
    print(f"harness: {line}", file=sys.stderr)  # noqa: T201
    return code
