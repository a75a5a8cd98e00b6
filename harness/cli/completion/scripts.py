"""`harness completion`: the scripts for the shells, and what they call."""

import sys
from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

from harness.cli.completion.candidates import candidates
from harness.cli.completion.line import for_bash, split, with_help
from harness.cli.options import choice_argument
from harness.cli.terminal import show


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
