"""The command line: one module for each group of commands.

Exit codes: 0 success, 1 a finding (a wrong answer, a disagreement, no answer), 2 invalid
input, with a message of one line, 3 results cannot be written, 130 interrupted.

Commands import what they need when they run: help starts fast, and commands that read
results load no process code.
"""

import sys
from typing import NoReturn

import typer
from typer.exceptions import TyperException

from harness.cli import backends as backends_
from harness.cli import check, datasets, doctor, inspect, reports, solve, standard_streams
from harness.cli import run as run_
from harness.cli import trend as trend_
from harness.cli.options import repeat_flags, usage_message
from harness.errors import InputError, Interrupted, StorageError
from harness.interruption import INTERRUPTED
from harness.text import printable

app = typer.Typer(
    name="harness",
    help="Run interchangeable Sudoku solvers under equal conditions; report correctness and speed.",
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
app.command("trend")(trend_.trend)
app.command("export")(reports.export)
app.command("merge")(reports.merge)
app.command("solve")(solve.solve)
app.command("count")(solve.count)
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
    """Run a command, by default with the arguments of the process, and exit with its code."""
    standard_streams.prepare()
    given = repeat_flags(sys.argv[1:] if arguments is None else arguments)
    try:
        code = app(given, prog_name="harness", standalone_mode=False)
        if sys.stdout is not None:
            sys.stdout.flush()
    except InputError as error:
        code = _fail(str(error))
    except TyperException as error:
        code = _fail(usage_message(error))
    except StorageError as error:
        code = _fail(str(error), 3)
    except Interrupted as interruption:
        code = interruption.code
    except KeyboardInterrupt:
        code = INTERRUPTED
    except BrokenPipeError:  # the reader of the output closed it, as `head` does
        standard_streams.discard(sys.stdout)
        code = 1
    except OSError as error:
        if error.filename is None:
            standard_streams.discard(sys.stdout)
            code = _fail(f"output: cannot be written: {error.strerror or error}", 3)
        else:
            code = _fail(f"{error.filename}: {error.strerror or error}", 3)
    sys.exit(code or 0)


def _fail(message: str, code: int = 2) -> int:
    line = " ".join(message.split())
    try:
        print(f"harness: {printable(line)}", file=sys.stderr)  # noqa: T201
    except OSError:  # standard error is full or closed; the exit code remains
        standard_streams.discard(sys.stderr)
    return code
