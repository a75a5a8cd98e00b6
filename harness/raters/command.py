"""Programs as raters: they print a number for a puzzle.

    harness datasets rate FILE --by sukakuexplainer.toml --out rated.csv

docs/difficulty.md lists the keys of the file.
"""

import re
import shutil
import subprocess
from pathlib import Path
from typing import Final

import msgspec

from harness.contract.command import FOLDER, PUZZLE
from harness.errors import InputError
from harness.files import parse_toml, read_file_text
from harness.puzzles.puzzle import Puzzle
from harness.puzzles.shape import Shape
from harness.raters.rater import Rater
from harness.text import last_line

SUFFIX: Final = ".toml"
"""The suffix of a command file."""
_NUMBER: Final = r"(-?\d+(?:\.\d+)?)\s*$"


class RatingFile(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """The contents of a command file; each attribute is a key."""

    rate: list[str]
    """Program and arguments; without ``{puzzle}`` the program reads its input."""
    number: str = _NUMBER
    """A regular expression whose first group is the number; by default the last number."""
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
        raise InputError(str(error), where=where, expected=f"keys among {keys}") from None
    if not file.rate or not all(file.rate):
        raise InputError("rate is empty", where=where, expected='rate = ["program"]')
    if len(file.blank) != 1:
        raise InputError(f"blank is {file.blank!r}", where=where, expected="one symbol")
    if not file.timeout > 0:
        raise InputError(f"timeout is {file.timeout}", where=where, expected="seconds above 0")
    try:
        groups = re.compile(file.number).groups
    except re.error as error:
        raise InputError(f"number: {error}", where=where, expected=_EXPRESSION) from None
    if not groups:
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
            InputError: it prints none.
        """
        file = self._file
        if "*" not in file.shapes and puzzle.shape not in self._shapes:
            return None
        line = puzzle.line.replace(".", file.blank)
        arguments = [
            argument.replace(FOLDER, str(self._folder)).replace(PUZZLE, line)
            for argument in file.rate[1:]
        ]
        try:
            ended = subprocess.run(
                [self._program, *arguments],
                input="" if any(PUZZLE in a for a in file.rate) else f"{line}\n",
                capture_output=True,
                text=True,
                errors="replace",
                check=False,
                timeout=file.timeout,
            )
        except subprocess.TimeoutExpired:
            return None
        except OSError as error:
            raise InputError(f"{file.rate[0]} cannot be started: {error.strerror}") from None
        if any(text in ended.stdout for text in file.unknown):
            return None
        found = re.search(file.number, ended.stdout)
        try:
            return _number(found[1]) if found else self._refuse(ended)
        except ValueError:
            return self._refuse(ended)

    def _refuse(self, ended: "subprocess.CompletedProcess[str]") -> float:
        output = last_line(ended.stdout) or last_line(ended.stderr) or "no output"
        code = f" (exit code {ended.returncode})" if ended.returncode else ""
        raise InputError(f"{self.name} prints no rating{code}: {output}")
