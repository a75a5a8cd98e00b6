"""Texts read by detection of their format, for the tests of real samples."""

from harness.puzzles import check
from harness.puzzles.formats import ParsedPuzzle, ReadSettings, TextSource
from harness.puzzles.formats.format import Head
from harness.puzzles.formats.reading import detect_format


def read(text: str, file_name: str = "sample") -> list[ParsedPuzzle]:
    """The puzzles of a file with this text and name, in the detected format."""
    source = TextSource.of_text(text, file_name)
    return list(detect_format(Head.from_source(source), file_name).read(source, ReadSettings()))


def read_single(text: str, file_name: str = "sample") -> ParsedPuzzle:
    """The single puzzle of a file, whose givens do not contradict each other."""
    (parsed,) = read(text, file_name)
    assert not check(parsed.puzzle).duplicates
    return parsed


def format_of(text: str, file_name: str = "sample") -> str:
    return detect_format(Head.from_source(TextSource.of_text(text, file_name)), file_name).name
