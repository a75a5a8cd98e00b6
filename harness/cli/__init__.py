"""The command line: one module for each group of commands.

Exit codes: 0 success, 1 a finding (docs/sweeps.md lists those of each command), 2 invalid
input, with a one-line message, 3 a full or broken disk, 130 interrupted.

A command imports other rooms through `harness.cli.lazy`, so that help starts quickly and commands
that read results load no code for processes.
"""

import os
import re
import sys
from collections.abc import Sequence
from typing import Any, Final, NoReturn

import typer
from typer.exceptions import TyperException

from harness.base.errors import InputError, StorageError, command_line, suggestion
from harness.base.interruption import INTERRUPTED, Interrupted
from harness.base.text import printable
from harness.cli import lazy, terminal
from harness.cli.commands import Root, help_width, repeat_completed_flags, repeat_flags
from harness.cli.terminal import set_quiet

app = typer.Typer(
    name="harness",
    cls=Root,
    help="Run interchangeable Sudoku solvers under equal conditions; report correctness and speed.",
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


@app.callback(invoke_without_command=True)
def _root(
    context: typer.Context,
    version: bool = typer.Option(False, "--version", "-V", help="Print the version and exit."),
    quiet: bool = typer.Option(False, "--quiet", "-q", help="Print no progress and no notices."),
) -> None:
    set_quiet(quiet=quiet)
    if version:
        typer.echo(f"harness {lazy.harness_version()}")
        raise typer.Exit
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


def main(arguments: list[str] | None = None) -> NoReturn:
    """Run a command, by default with the arguments of the process, and exit with its code."""
    terminal.prepare()
    words = sys.argv[1:] if arguments is None else arguments
    end = words.index("--") if "--" in words else len(words)
    quiet = [word for word in words[:end] if word in ("--quiet", "-q")]  # anywhere in a command
    words = repeat_flags([*(word for word in words[:end] if word not in quiet), *words[end:]])
    if words[:1] == ["help"]:
        words = [*words[1:], "--help"]
    if "_HARNESS_COMPLETE" in os.environ:  # a shell asks what can stand next
        repeat_completed_flags()
    with command_line():
        code = _run(quiet, words)
    sys.exit(code or 0)


def _run(quiet: Sequence[str], words: list[str]) -> int | None:
    """Run a command, with options of the program before it; returns its exit code, None for 0."""
    try:
        command, width = [*quiet, *words], help_width()
        code: int | None = app(
            command, prog_name="harness", standalone_mode=False, terminal_width=width
        )
        sys.stdout.flush()
        return code
    except InputError as error:
        return _fail(str(error))
    except TyperException as error:
        return _fail(_message(error, words))
    except StorageError as error:
        return _fail(str(error), 3)
    except Interrupted as interruption:
        return interruption.code
    except KeyboardInterrupt:
        return INTERRUPTED
    except ModuleNotFoundError as error:
        if not (error.name or "").startswith("harness.extensions"):
            raise
        return _fail(f"the command needs {error.name}, which is not installed")
    except BrokenPipeError:  # the reader of the output closed it, as `head` does
        terminal.discard(sys.stdout)
        return 1
    except OSError as error:
        if isinstance(error, FileNotFoundError) and error.filename is None:
            return _fail("the working folder no longer exists")
        if error.filename is None:
            terminal.discard(sys.stdout)
            return _fail(f"output: cannot be written: {error.strerror or error}", 3)
        return _fail(f"{error.filename}: {error.strerror or error}", 3)


_SYNONYMS: Final = {
    "--core": "--jobs",
    "--difficulty": "--level",
    "--format": "--to",
    "--limit": "--max-solutions",
    "--max": "--max-solutions",
    "--number": "--count",
    "--overwrite": "--replace",
    "--puzzle": "--dataset",
    "--size": "--shape",
    "--solver": "--backend",
    "--thread": "--jobs",
    "--worker": "--jobs",
}
"""What people call an option, in the singular, and the name of the option."""
_MOST_NAMED: Final = 6
"""Maximum number of commands that a message names because they have an option."""


def _message(error: TyperException, words: Sequence[str]) -> str:
    """The message of an error of Typer, with similar names or with what is missing."""
    context: Any = getattr(error, "ctx", None)
    option: str | None = getattr(error, "option_name", None)
    if option and context and hasattr(error, "possibilities"):  # there is no such option
        return f"{error.message}{_instead(option, context)}"
    extra = re.match(r"Got unexpected extra argument\(s\) \((\S+?)[ )]", error.message)
    if extra and context and extra[1] in words:
        return f"{error.message}{_in_place(extra[1], words, context)}"
    parameter: Any = getattr(error, "param", None)
    if parameter is not None and not error.message:  # a missing argument or option
        text = str(parameter.help or "a value").partition(". ")[0].removesuffix(".")
        is_option = parameter.param_type_name == "option"
        name = parameter.opts[0] if is_option else parameter.metavar or parameter.name.upper()
        flag = f"{name} {parameter.metavar}: " if is_option else ""
        return f"missing {name}; expected {flag}{text[:1].lower()}{text[1:]}"
    return error.format_message()


def _in_place(word: str, words: Sequence[str], context: Any) -> str:
    """What a word that a command does not take may mean."""
    from harness.cli.puzzle_argument import PuzzleSource  # only an error needs it

    flag = next((w for w in reversed(words[: words.index(word)]) if w.startswith("-")), "")
    several = {name for p in context.command.params if p.multiple for name in p.opts}
    if flag in several or ("--dataset" in several and PuzzleSource.parse(word).address):
        return f"; expected {flag if flag in several else '--dataset'} {word}"
    is_show = context.parent and context.info_name not in words  # the command for names in a group
    if is_show and (similar := suggestion(words[1], context.parent.command.commands)):
        return similar
    pieces = (piece.strip("{}") for piece in context.command.collect_usage_pieces(context))
    return f"; expected {' '.join([context.command_path, *pieces])}"


def _instead(option: str, context: Any) -> str:
    """What an option that a command does not have may mean."""
    every = [flag for parameter in context.command.params for flag in parameter.opts]
    takes_puzzle = any("PUZZLE" in str(p.metavar) for p in context.command.params)
    if takes_puzzle and re.fullmatch(r"-[\d.]|--[-\d.]+", option):
        return "; expected -- before a puzzle that begins with -"
    flags = [flag for flag in every if flag.startswith("--")]
    same = [flag for flag in flags if not option.startswith("--") and flag[1:3] == option]
    synonym = _SYNONYMS.get(option.removesuffix("s"))
    if similar := [flag for flag in (*same, synonym) if flag in flags]:
        return f" (did you mean {' or '.join(map(repr, similar))}?)"
    if option.lstrip("-") in every:
        return "; its value is given without an option"
    home = context.parent or context
    commands = {name: home.command.get_command(home, name) for name in home.command.commands}
    others = [
        name for name, command in commands.items() if any(option in p.opts for p in command.params)
    ]
    if others:
        more = " and others" if len(others) > _MOST_NAMED else ""
        return f"; an option of {home.command_path} {', '.join(others[:_MOST_NAMED])}{more}"
    # --time-limit begins as --timeout
    return suggestion(option, flags) or suggestion(option[:5], flags)


def _fail(message: str, code: int = 2) -> int:
    line = " ".join(message.split())
    try:
        print(f"harness: {printable(line)}", file=sys.stderr)  # noqa: T201
    except OSError:  # standard error is full or closed; the exit code remains
        terminal.discard(sys.stderr)
    return code
