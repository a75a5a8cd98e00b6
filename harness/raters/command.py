"""Programs as raters: they print a number for a puzzle.

    harness datasets rate FILE --by sukakuexplainer.toml --out rated.csv

docs/difficulty.md lists the keys of the file.
"""

import re
import shutil
from pathlib import Path
from typing import Final

import msgspec

from harness.contract.command import FOLDER, PUZZLE
from harness.errors import InputError
from harness.files import parse_toml, read_file_text
from harness.puzzles.puzzle import Puzzle
from harness.puzzles.shape import Shape
from harness.raters.program import Ended, output_of
from harness.raters.rater import Rater
from harness.text import last_line

SUFFIX: Final = ".toml"
"""The suffix of a command file."""
_NUMBER: Final = re.compile(r"[-+]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_BETWEEN: Final = re.compile(r"[\s=:;/|()\[\]{}]+")
"""What separates the terms of an output."""
_LONGEST_TIMEOUT: Final = 86_400.0


class RatingFile(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """The contents of a command file; each attribute is a key."""

    rate: list[str]
    """Program and arguments; without ``{puzzle}`` the program reads its input."""
    number: str = ""
    """A regular expression whose first group is the number; by default the last
    term with a digit is the number."""
    blank: str = "."
    """The symbol of a blank cell."""
    shapes: list[str] = msgspec.field(default_factory=lambda: ["9x9"])
    """The supported shapes; ``*`` for all."""
    unknown: list[str] = []
    """Texts that mean "not rated" in the output."""
    meaning: str = "the number that a program prints"
    """What the number means."""
    timeout: float = 60.0
    """Seconds after which the program is killed, and the puzzle is not rated."""
    remedy: str = ""
    """How to install the program."""


def read_rating_file(path: Path) -> RatingFile:
    """Read the command file at `path`.

    Raises:
        InputError: the file cannot be read, or a key is unknown, missing or wrong.
    """
    where = str(path)
    data = parse_toml(read_file_text(path), where)
    try:
        file = msgspec.convert(data, RatingFile)
    except msgspec.ValidationError as error:
        keys = ", ".join(RatingFile.__struct_fields__)
        problem = str(error).replace("`", "")
        raise InputError(problem, where=where, expected=f"keys among {keys}") from None
    if not file.rate or not all(file.rate):
        raise InputError("rate is empty", where=where, expected='rate = ["program"]')
    if len(file.blank) != 1 or (file.blank.isalnum() and file.blank != "0"):
        expected = "one symbol that is no value"
        raise InputError(f"blank is {file.blank!r}", where=where, expected=expected)
    if not 0 < file.timeout <= _LONGEST_TIMEOUT:
        expected = f"seconds above 0, up to {_LONGEST_TIMEOUT:,.0f}"
        raise InputError(f"timeout is {file.timeout}", where=where, expected=expected)
    if not all(file.unknown):
        raise InputError("unknown has an empty text", where=where, expected="texts")
    try:
        groups = re.compile(file.number).groups
    except re.error as error:
        raise InputError(f"number: {error}", where=where, expected=_EXPRESSION) from None
    if file.number and not groups:
        raise InputError("number has no group", where=where, expected=_EXPRESSION)
    for shape in file.shapes:
        if shape != "*":
            _parsed(shape, where)
    return file


_EXPRESSION: Final = "a regular expression with a group, such as 'ER=([0-9.]+)'"


def _parsed(shape: str, where: str) -> Shape:
    try:
        return Shape.parse(shape)
    except InputError as error:
        raise error.at(f"{where}: shapes") from None


def _number(text: str) -> float:
    """The number that a text denotes, an integer if it has no other characters than digits."""
    return int(text) if text.isascii() and text.isdigit() and len(text) < 16 else float(text)


class CommandRater(Rater):
    """A program; `name` is that of its command file."""

    def __init__(self, path: Path) -> None:
        self._file = read_rating_file(path)
        self._folder = path.parent.absolute()
        self.name = path.stem  # type: ignore[misc]
        self.meaning = self._file.meaning  # type: ignore[misc]
        program = self._file.rate[0]
        self._program = str(self._folder / program) if "/" in program else program
        if shutil.which(self._program) is None:
            raise InputError(
                f"program {program} not found", where=str(path), expected=self._file.remedy
            )
        self._shapes = [Shape.parse(shape) for shape in self._file.shapes if shape != "*"]

    def rate(self, puzzle: Puzzle) -> float | None:
        """The number that the program prints.

        Raises:
            InputError: it prints none, or too much, or fails.
        """
        file = self._file
        if "*" not in file.shapes and puzzle.shape not in self._shapes:
            return None
        line = puzzle.line.replace(".", file.blank)
        arguments = [
            argument.replace(FOLDER, str(self._folder)).replace(PUZZLE, line)
            for argument in file.rate[1:]
        ]
        text = "" if any(PUZZLE in a for a in file.rate) else f"{line}\n"
        ended = output_of([self._program, *arguments], text, file.timeout)
        if ended is None or any(text in ended.output for text in file.unknown):
            return None
        if ended.code:
            raise self._refused(f"ends with exit code {ended.code}", ended)
        try:
            return _number(self._number_in(ended.output))
        except ValueError:
            raise self._refused("prints no number", ended) from None

    def _number_in(self, output: str) -> str:
        """The text of the number in an output; empty if there is none."""
        if self._file.number:
            found = re.search(self._file.number, output)
            return (found and found[1]) or ""
        terms = (term.strip("\"'").rstrip(".,!%*") for term in reversed(_BETWEEN.split(output)))
        last = next((term for term in terms if any(map(str.isdigit, term))), "")
        return last if _NUMBER.fullmatch(last) else ""

    def _refused(self, what: str, ended: Ended) -> InputError:
        printed = last_line(ended.errors if ended.code else "") or last_line(ended.output)
        return InputError(f"the program of {self.name} {what}: {printed or 'no output'}")
