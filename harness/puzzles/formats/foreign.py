"""Formats of other packages: an error in their code becomes a message."""

from collections.abc import Iterator
from dataclasses import replace

from harness.errors import HarnessError, PuzzleError
from harness.puzzles.formats.format import Format, Head, Reading
from harness.puzzles.formats.source import ParsedPuzzle
from harness.puzzles.formats.stream import Source
from harness.text import described


def guarded(found: Format, package: str) -> Format:
    """`found` of the package called `package`, whose errors name the format and the file.

    Its `read` raises `PuzzleError` for every exception, and its `detect` recognizes no file
    with which it fails.
    """

    def read(source: Source, reading: Reading) -> Iterator[ParsedPuzzle]:
        try:
            yield from found.read(source, reading)
        except HarnessError:
            raise
        except Exception as error:
            raise PuzzleError(
                f"the format {found.name!r} of the package {package} failed: {described(error)}",
                where=source.name,
                expected="puzzles, or a PuzzleError with file, line and column",
            ) from error

    def detect(head: Head) -> bool:
        try:
            return found.detect(head)
        except Exception:  # noqa: BLE001  other formats read the file
            return False

    return replace(found, read=read, detect=detect)
