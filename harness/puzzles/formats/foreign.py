"""Formats of other packages: an error in their code becomes a message."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace

from harness.errors import HarnessError, PuzzleError
from harness.puzzles.formats.format import Format, Head, Reading
from harness.puzzles.formats.source import ParsedPuzzle
from harness.puzzles.formats.stream import Source
from harness.text import described, short_repr


def guarded(found: Format, package: str) -> Format:
    """`found` of the package called `package`, whose errors name the format.

    Its `read`, `write` and `can_hold` raise `PuzzleError` for every exception and for a value
    of a wrong type; its `detect` recognizes no file with which it fails.
    """

    @contextmanager
    def described_errors(where: str, expected: str) -> Iterator[None]:
        try:
            yield
        except HarnessError:
            raise
        except (Exception, SystemExit) as error:
            raise failure(described(error), where, expected) from error

    def failure(what: str, where: str, expected: str) -> PuzzleError:
        what = f"the format {found.name!r} of the package {package} failed: {what}"
        return PuzzleError(what, where=where, expected=expected)

    def read(source: Source, reading: Reading) -> Iterator[ParsedPuzzle]:
        expected = "puzzles, or a PuzzleError with file, line and column"
        with described_errors(source.name, expected):
            for parsed in found.read(source, reading):
                if not isinstance(parsed, ParsedPuzzle):
                    raise failure(f"it read {short_repr(parsed)}", source.name, expected)
                yield parsed

    def write(puzzles: Iterable[ParsedPuzzle]) -> Iterator[str]:
        expected = "pieces of text"
        with described_errors("", expected):
            for piece in found.write(puzzles):
                if not isinstance(piece, str):
                    raise failure(f"it wrote {short_repr(piece)}", "", expected)
                yield piece

    def can_hold(parsed: ParsedPuzzle) -> str | None:
        expected = "None, or a reason as text"
        with described_errors(parsed.place, expected):
            reason = found.can_hold(parsed)
            if not isinstance(reason, str | None):
                raise failure(f"can_hold returned {short_repr(reason)}", parsed.place, expected)
            return reason

    def detect(head: Head) -> bool:
        try:
            return bool(found.detect(head))
        except (Exception, SystemExit):  # noqa: BLE001  other formats read the file
            return False

    return replace(found, read=read, write=write, can_hold=can_hold, detect=detect)
