"""Raters: plugins and programs that give a puzzle a number for its difficulty.

    harness datasets rate FILE --by sukakuexplainer.toml --out rated.csv

docs/difficulty.md lists the keys of the file.

The harness declares its own raters in the entry-point group ``harness.raters``, like any other
package.
"""

import re
import shutil
import sys
from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import redirect_stdout
from dataclasses import dataclass
from math import isfinite
from numbers import Integral, Real
from pathlib import Path
from typing import ClassVar, Final

from harness.base.child import OutputTooLongError, describe_exit, output_of
from harness.base.errors import HarnessError, InputError, failures_described, not_among, one_of
from harness.base.plugins import Plugin, plugins, version_of
from harness.base.text import last_line, short_repr
from harness.contract import ProgramFile, last_number, program_in, run_lines
from harness.puzzles import Puzzle

# The interface of a rater.


class Rater(ABC):
    """Gives a puzzle a number for its difficulty: the larger, the more difficult.

    A rater is made without arguments. `__init__` imports the library that it needs; the module
    can be imported without the library.
    """

    name: ClassVar[str]
    """The name that ``--by`` takes."""
    meaning: ClassVar[str]
    """What the number means, in one sentence."""
    distributions: ClassVar[tuple[str, ...]] = ()
    """The packages that must be installed."""

    @abstractmethod
    def rate(self, puzzle: Puzzle) -> float | None:
        """The difficulty of `puzzle`, an integer or a float.

        Args:
            puzzle: a puzzle of any shape, with any number of solutions.

        Returns:
            None if the rater does not rate this puzzle.
        """


# Calls of raters: third parties may have written them, so their exceptions become messages.


def rating_of(rater: Rater, puzzle: Puzzle) -> int | float | None:
    """The rating of `puzzle` as an integer or a float of Python.

    What the rater prints goes to the standard error output.

    Args:
        rater: any rater.
        puzzle: the puzzle.

    Raises:
        InputError: the rater raises an exception, or returns no finite number.
    """
    with failures_described(f"the rater {rater.name} fails"), redirect_stdout(sys.stderr):
        value: object = rater.rate(puzzle)
    if value is None:
        return None
    if not isinstance(value, bool) and isinstance(value, Real) and _is_finite(value):
        return int(value) if isinstance(value, Integral) else float(value)
    raise InputError(
        f"the rater {rater.name} returns {short_repr(value)}", expected="a finite number, or None"
    )


def _is_finite(value: Real) -> bool:
    """Whether a number is finite as a float, which the largest integers are not."""
    try:
        return isfinite(value)
    except OverflowError:
        return False


def text_of_rating(rating: float) -> str:
    """A rating as the field of a record: ``4``, ``2.5``, with at most 6 decimals."""
    return str(rating) if isinstance(rating, int) else repr(round(rating, 6))


# Programs as raters: they print a number for a puzzle.


_EXPRESSION: Final = "a regular expression with a group, such as 'ER=([0-9.]+)'"
_LONGEST_TIMEOUT: Final = 86_400.0
_MOST_OUTPUT: Final = 2**20
"""Maximum number of bytes that a program may print for a puzzle."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RatingFile(ProgramFile):
    """The contents of a command file of a rater."""

    rate: tuple[str, ...]
    """Program and arguments; without ``{line}`` the program reads the puzzle from its input."""
    number: str = ""
    """A regular expression whose first group is the number; by default the last
    term with a digit."""
    meaning: str = "the number that a program prints"
    """What the number means."""
    timeout: float = 60.0
    """Seconds after which the program is killed, and the puzzle is not rated."""
    unknown: tuple[str, ...] = ()
    """Texts that mean "gave up" in the output."""


def read_rating_file(path: Path) -> RatingFile:
    """Read the command file at `path`.

    Raises:
        InputError: the file cannot be read, or a key is unknown, missing or wrong.
    """
    file, where = RatingFile.read(path), str(path)
    if file.blank.isalnum() and file.blank != "0":
        expected = "one symbol that is not a value"
        raise InputError(f"blank is {file.blank!r}", where=where, expected=expected)
    if not 0 < file.timeout <= _LONGEST_TIMEOUT:
        expected = f"seconds above 0, up to {_LONGEST_TIMEOUT:,.0f}"
        raise InputError(f"timeout is {file.timeout}", where=where, expected=expected)
    try:
        groups = re.compile(file.number).groups
    except re.error as error:
        raise InputError(f"number: {error}", where=where, expected=_EXPRESSION) from None
    if file.number and not groups:
        raise InputError("number has no group", where=where, expected=_EXPRESSION)
    return file


class CommandRater(Rater):
    """A program as a rater; its name is that of its command file."""

    def __init__(self, path: Path) -> None:
        self._file = read_rating_file(path)
        self._folder = path.parent.absolute()
        self.name = path.stem  # type: ignore[misc]
        self.meaning = self._file.meaning  # type: ignore[misc]
        if shutil.which(program_in(self._folder, self._file.rate)) is None:
            fault = f"program {self._file.rate[0]} not found"
            raise InputError(fault, where=str(path), expected=self._file.remedy)

    def rate(self, puzzle: Puzzle) -> float | None:
        """The number that the program prints.

        Raises:
            InputError: the program prints no number or too much, fails or cannot be started.
        """
        file = self._file
        if not file.supports(puzzle.shape):
            return None
        command, data = run_lines(self._folder, file.rate, [puzzle.line.replace(".", file.blank)])
        try:
            end = output_of(command, data, most_bytes=_MOST_OUTPUT, seconds=file.timeout)
        except TimeoutError:
            return None
        except OutputTooLongError:
            fault = f"{command[0]} prints more than {_MOST_OUTPUT // 2**20} MiB"
            raise InputError(fault) from None
        except OSError as error:
            raise InputError(f"{command[0]} cannot be started: {error.strerror}") from None
        output = end.output.decode(errors="replace")
        if any(text in output for text in file.unknown):
            return None
        if end.code:
            raise self._failure(describe_exit(end.code), end.errors, output)
        try:
            return self._number_in(output)
        except ValueError:
            raise self._failure("prints no number", output) from None

    def _number_in(self, output: str) -> float:
        """The number in an output, an integer if it is at most 15 digits.

        Raises:
            ValueError: there is no number.
        """
        text = last_number(output)
        if self._file.number:
            match = re.search(self._file.number, output)
            text = (match and match[1]) or ""
        return int(text) if text.isascii() and text.isdigit() and len(text) < 16 else float(text)

    def _failure(self, fault: str, *outputs: str) -> InputError:
        output = next(filter(None, map(last_line, outputs)), "no output")
        return InputError(f"the program of {self.name} {fault}: {output}")


# Raters by name: those of installed packages, and programs.


GROUP: Final = "harness.raters"


def names() -> list[str]:
    """The names of all raters, available or not."""
    return [plugin.name for plugin in plugins(GROUP)]


@dataclass(frozen=True, slots=True)
class ListedRater:
    """A rater of the difficulty of puzzles."""

    name: str
    """Name for `--by`."""
    meaning: str
    """What its number means; empty if unknown."""
    problem: str
    """Why it cannot be used, with the command that installs it; empty if it can."""
    others: tuple[str, ...] = ()
    """Further packages with a rater of this name, which is not used."""


def listed() -> Iterator[ListedRater]:
    """All raters, each with the reason if it cannot be used here."""
    for plugin in plugins(GROUP):
        try:
            kind = _class_of(plugin)
            missing = _missing(kind)
        except HarnessError as error:
            yield ListedRater(plugin.name, "", str(error), plugin.others)
            continue
        problem = f"pip install {' '.join(missing)}" if missing else ""
        yield ListedRater(plugin.name, kind.meaning, problem, plugin.others)


def rater_named(name: str) -> Rater:
    """The rater with this name, or of the command file with this path.

    Raises:
        InputError: there is no such rater, it needs a package, or it cannot be made.
    """
    if name.endswith(".toml"):
        return CommandRater(Path(name))
    plugin = next((plugin for plugin in plugins(GROUP) if plugin.name == name), None)
    if plugin is None:
        expected = f"{one_of(names())}, or path/to/command.toml"
        raise not_among(InputError, f"unknown rater {name!r}", name, names(), expected=expected)
    kind = _class_of(plugin)
    if missing := _missing(kind):
        raise InputError(
            f"the rater {name} needs {' and '.join(missing)}, which is not installed",
            expected=f"pip install {' '.join(missing)}",
        )
    with failures_described(f"the rater {name} cannot be made"), redirect_stdout(sys.stderr):
        return kind()


def _class_of(plugin: Plugin) -> type[Rater]:
    """The class of an entry point.

    Raises:
        InputError: its module cannot be imported, or has no rater.
    """
    expected = f"a subclass of harness.extensions.reasoning.raters.Rater called {plugin.attribute}"
    rater: type[Rater] = plugin.load(
        "rater",
        expected,
        InputError,
        lambda result: isinstance(result, type) and issubclass(result, Rater),
    )
    if not isinstance(getattr(rater, "meaning", None), str):
        reason = "it declares no meaning"
        raise plugin.refusal("rater", reason, 'meaning = "..."', InputError)
    return rater


def _missing(kind: type[Rater]) -> list[str]:
    """The packages that a rater needs and that are not installed."""
    return [name for name in kind.distributions if version_of(name) is None]
