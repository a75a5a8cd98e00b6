"""Findings as annotations of GitHub Actions: ``::error file=puzzles.txt,line=3::...``.

https://docs.github.com/actions/reference/workflow-commands-for-github-actions
"""

from dataclasses import dataclass

from harness.report.formatting import printable


@dataclass(frozen=True, slots=True)
class Annotation:
    """An error at a place, or of the whole job if `file` is empty."""

    title: str
    message: str
    """One or more lines."""
    file: str = ""
    line: int | None = None


def annotation(item: Annotation) -> str:
    r"""The line that makes GitHub show `item`.

    Per cent signs, line ends and, in the place and the title, colons and commas are escaped
    as GitHub reads them; other control characters become escapes such as ``\x1b``. So no
    text can end the command or begin another one.
    """
    properties = {
        "file": item.file,
        "line": "" if item.line is None else str(item.line),
        "title": item.title,
    }
    given = ",".join(f"{name}={_property(text)}" for name, text in properties.items() if text)
    message = "\n".join(map(printable, item.message.splitlines()))
    return f"::error {given}::{_escaped(message)}"


def _property(text: str) -> str:
    return _escaped(printable(text)).replace(":", "%3A").replace(",", "%2C")


def _escaped(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
