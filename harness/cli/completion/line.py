"""Words of a command line as a shell has them, and candidates as it takes them."""

import re
import shlex
from collections.abc import Iterable, Iterator

from harness.cli.completion.values import Candidate

_BREAKS = re.compile("[:=]")
"""Characters at which readline begins a word, besides spaces and those of pipes."""
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
        yield f"{_quoted(text)}{' ' * candidate.whole}"


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
