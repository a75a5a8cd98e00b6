"""Completion of the command line in bash, zsh and fish.

A script for the shell calls ``harness __complete`` for each completion. The values of an option
or argument come from its completer, see `harness.cli.completers`.
"""

import re
import shlex
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from harness.cli.commands import list_flags
from harness.cli.options import choice_argument
from harness.cli.terminal import show


@dataclass(frozen=True, slots=True)
class Candidate:
    """A word that can stand next."""

    value: str
    help: str = ""

    @property
    def is_whole(self) -> bool:
        """Whether the word is complete; a folder is only the beginning of one."""
        return not self.value.endswith("/")


# Words of a command line as a shell has them, and candidates as it takes them.


_BREAKS = re.compile("[:=]")
"""Characters at which readline begins a word, besides spaces and the signs of pipes."""
_PLAIN = re.compile(r"[\w@%+,./:=^~-]+", re.ASCII)

_COMMAND_ENDS = re.compile(
    r"""\\. | '[^']*(?:'|$) | "(?:\\.|[^"\\])*(?:"|\\?$) | ([;|&])""", re.VERBOSE | re.DOTALL
)
"""What is escaped or quoted, and as a group the character between two commands."""


def split(line: str) -> tuple[list[str], str]:
    """The words of a line up to the cursor, and the last one, which may be empty.

    Quotes may be open; what is after ``;``, ``|`` or ``&`` counts.
    """
    begin = max((at.end() for at in _COMMAND_ENDS.finditer(line) if at[1]), default=0)
    lexer = shlex.shlex(line[begin:], posix=True, punctuation_chars=False)
    lexer.whitespace_split = True
    lexer.commenters = ""
    words: list[str] = []
    try:
        words.extend(lexer)
    except ValueError:  # an open quote or a backslash at the end
        return words, lexer.token
    return (words, "") if not words or line[-1].isspace() else (words[:-1], words[-1])


def for_bash(found: Iterable[Candidate], begun: str) -> Iterator[str]:
    """Each candidate as readline inserts it, with a space after a whole word.

    Readline replaces what is after the last ``:`` or ``=`` of the word only.
    """
    kept = max((at.end() for at in _BREAKS.finditer(begun)), default=0)
    for candidate in found:
        text = candidate.value[kept:]
        yield f"{_quoted(text)}{' ' if candidate.is_whole else ''}"


def with_help(found: Iterable[Candidate]) -> Iterator[str]:
    """Each candidate with its help after a tab, in one line; for zsh and fish."""
    for candidate in found:
        text = " ".join(candidate.help.split())
        yield f"{candidate.value}\t{text}" if text else candidate.value


def _quoted(text: str) -> str:
    """`text` with a backslash before each character that has a meaning in bash."""
    if _PLAIN.fullmatch(text):
        return text
    return "".join(c if _PLAIN.fullmatch(c) else f"\\{c}" for c in text)


# The words that can stand next on a command line.


def candidates(root: Any, words: Sequence[str], begun: str) -> list[Candidate]:
    """The words that can follow `words` and begin with `begun`, each once.

    Args:
        root: the group of all commands, as Typer makes it.
        words: the words before, without the name of the program.
        begun: the begun word, possibly empty.
    """
    command, path, words = _command(root, words)
    context = typer.Context(command, resilient_parsing=True)
    context.args = words
    found = list(_candidates(context, path, begun))
    unique = {candidate.value: candidate for candidate in found}
    return [c for c in unique.values() if c.value.startswith(begun)]


def _command(root: Any, words: Sequence[str]) -> tuple[Any, str, list[str]]:
    """The command that `words` name, its name, and the words after it."""
    command, path, rest = root, list[str](), list(words)
    while hasattr(command, "commands"):
        named = next((at for at, word in enumerate(rest) if not word.startswith("-")), None)
        if named is None or rest[named] not in command.commands:
            break
        path.append(rest[named])
        command, rest = command.commands[rest[named]], rest[named + 1 :]
    return command, " ".join(path), rest


def _candidates(context: typer.Context, path: str, begun: str) -> Iterator[Candidate]:
    command, words = context.command, context.args
    parameters: list[Any] = command.get_params(context)
    options = {
        flag: parameter
        for parameter in parameters
        if parameter.param_type_name == "option"
        for flag in parameter.opts
    }
    if begun.startswith("--") and "=" in begun:
        flag, _, value = begun.partition("=")
        if flag in options:
            for candidate in _values(context, options[flag], value):
                yield Candidate(f"{flag}={candidate.value}", candidate.help)
        return
    last = words[-1] if words else ""
    if last in options and not options[last].is_flag:
        yield from _values(context, options[last], begun)
        return
    if begun.startswith("-"):
        for option in options.values():
            is_new = option.multiple or not set(option.opts) & set(words)
            if is_new and not option.hidden:
                flag = max(option.opts, key=len)
                yield Candidate(begun if begun in option.opts else flag, option.help or "")
        return
    flags = [word for word in words if word.startswith("-")]
    if flags and flags[-1] in list_flags(path):
        yield from _values(context, options[flags[-1]], begun)
        return
    is_unknown = any(not word.startswith("-") for word in words)
    for name, sub in getattr(command, "commands", {}).items():
        if not sub.hidden and not is_unknown:
            yield Candidate(name, (sub.help or "").partition("\n")[0])
    for argument in _free_arguments(command, options, words):
        yield from _values(context, argument, begun)


def _values(context: typer.Context, parameter: Any, begun: str) -> Iterator[Candidate]:
    """The values of an option or argument, by its completer."""
    for item in parameter.shell_complete(context, begun):
        if item.type == "plain":  # others ask the shell for files
            yield Candidate(item.value, item.help or "")


def _free_arguments(command: Any, options: dict[str, Any], words: Sequence[str]) -> Iterator[Any]:
    """The argument that the next word would be, if the command takes another one."""
    given, takes_value = 0, False
    for word in words:
        if takes_value:
            takes_value = False
        elif word in options:
            takes_value = not options[word].is_flag
        elif not word.startswith("--"):
            given += 1
    for argument in command.params:
        if argument.param_type_name == "argument":
            if argument.nargs == -1 or not given:
                yield argument
                return
            given -= 1


# `harness completion`: the scripts for the shells, and what they call.


class Shell(StrEnum):
    """Shells with completion."""

    BASH = "bash"
    ZSH = "zsh"
    FISH = "fish"


def completion(
    shell: Annotated[Shell, choice_argument(Shell, "SHELL", "bash, zsh or fish.")],
) -> None:
    """Print the script that completes commands, options and their values in a shell.

    The first lines of the script name the file to add it to.
    """
    path = Path(__file__).with_name(f"harness.{shell}")
    show(path.read_text(encoding="utf-8"), end="")


def complete(root: Any, arguments: Sequence[str]) -> None:
    """Print the candidates for a command line, a line each.

    Args:
        root: the group of all commands, as Typer makes it.
        arguments: ``bash`` and the line up to the cursor; or another shell, ``--`` and the
            words after the name of the program, with the begun one.
    """
    shell, rest = "".join(arguments[:1]), list(arguments[1:])
    if shell == Shell.BASH:
        words, begun = split("".join(rest[:1]))
        lines = for_bash(candidates(root, words[1:], begun), begun)
    else:
        *words, begun = rest[1:] or [""]
        lines = with_help(candidates(root, words, begun))
    sys.stdout.writelines(f"{line}\n" for line in lines)
