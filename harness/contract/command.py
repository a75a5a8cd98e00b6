"""A program as a backend: it reads puzzle lines and writes solutions or numbers.

    harness solve PUZZLE --backend qqwing.toml

The file says how to call it and what its lines mean; docs/commands.md lists the
keys. A call is a process of its own, or for a batch one process for all puzzles.
What the program prints is believed no more than what another backend returns.
"""

import re
import shutil
import subprocess
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Final, get_type_hints

from harness.contract.backend import Answer, Backend, Count, PhaseTimer, Unavailable, Unsupported
from harness.contract.options import Options
from harness.contract.status import Status
from harness.errors import InputError, one_of
from harness.puzzles.puzzle import Grid, Puzzle
from harness.puzzles.shape import Shape
from harness.puzzles.symbols import value_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from harness.contract.batch import ManyAnswers

SUFFIX: Final = ".toml"
PUZZLE: Final = "{puzzle}"
"""Stands in an argument for the puzzle, in a program that does not read it from its input."""
LIMIT: Final = "{limit}"
"""Stands in an argument for the limit of a count."""

FOLDER: Final = "{folder}"
"""Stands in an argument for the folder of the file: a worker has a folder of its own."""


@dataclass(frozen=True, slots=True)
class CommandFile:
    """What the TOML file says; every field is a key of it."""

    solve: tuple[str, ...] = ()
    """Program and arguments that print a solution; without it the program only counts."""
    count: tuple[str, ...] = ()
    """Program and arguments that print a number; without it `solve` is asked again and again."""
    paradigm: str = "command"
    blank: str = "."
    """The symbol of a blank cell in the line that it reads."""
    none: tuple[str, ...] = ()
    """Texts one of which is in the line that says: there is no solution."""
    one: tuple[str, ...] = ()
    """Texts one of which says, where solutions are counted: there is one."""
    unknown: tuple[str, ...] = ()
    """Texts one of which is in the line that says: I gave up."""
    shapes: tuple[str, ...] = ("9x9",)
    """The shapes that it can be asked about; with ``*`` all."""
    batch: bool = False
    """Whether it answers several lines of input with as many lines, in their order."""
    complete: bool = True
    """Whether it answers every puzzle, given time."""
    remedy: str = ""
    """How to get the program, for whoever does not have it."""


def read_command_file(path: Path) -> CommandFile:
    """The file at `path`.

    Raises:
        InputError: it cannot be read, a key is unknown or of a wrong type, or one is missing.
    """
    where = str(path)
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"cannot be read: {error}", where=where) from None
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"no TOML: {error}", where=where) from None
    types = get_type_hints(CommandFile)
    for key in data:
        if key not in types:
            known = one_of([field.name for field in fields(CommandFile)])
            raise InputError(f"no key {key!r} in a command file", where=where, expected=known)
    file = CommandFile(**{key: _value(key, v, types[key], where) for key, v in data.items()})
    for words in (file.solve, file.count):
        if file.batch and any(PUZZLE in word for word in words):
            raise InputError(f"batch with {PUZZLE}", where=where, expected="lines on its input")
    if not (file.solve or file.count):
        raise InputError("neither solve nor count", where=where, expected='solve = ["program"]')
    if len(file.blank) != 1:
        raise InputError(f"blank {file.blank!r}", where=where, expected="one symbol")
    for shape in file.shapes:
        if shape != "*":
            try:
                Shape.parse(shape)
            except InputError as error:
                raise error.at(f"{where}: shapes") from None
    return file


def _value(key: str, value: Any, type_: Any, where: str) -> Any:
    if type_ in (bool, str):
        if type(value) is not type_:
            expected = "true or false" if type_ is bool else "a text"
            raise InputError(f"{key} {value!r}", where=where, expected=expected)
        return value
    if not isinstance(value, list) or not all(isinstance(v, str) and v for v in value):
        raise InputError(f"{key} {value!r}", where=where, expected="a list of texts")
    if not value:
        raise InputError(f"{key} is empty", where=where, expected="at least one text")
    return tuple(value)


class Command(Backend):
    """A program that is called for every question; `command_class` makes one of a file."""

    file: ClassVar[CommandFile]
    folder: ClassVar[Path]
    """Of the file: a program named with a slash is seen from there."""

    @classmethod
    def load(cls, options: Options) -> None:
        """See whether the programs are here.

        Raises:
            Unavailable: one is not.
        """
        for words in filter(None, (cls.file.solve, cls.file.count)):
            if shutil.which(cls.program(words)) is None:
                raise Unavailable(f"there is no program {words[0]}", cls.file.remedy)

    @classmethod
    def program(cls, words: Sequence[str]) -> str:
        """The program of these words, as it is called."""
        return str(cls.folder / words[0]) if "/" in words[0] else words[0]

    def __init__(self, shape: Shape, options: Options) -> None:
        able = self.file.shapes
        if "*" not in able and shape not in map(Shape.parse, able):
            raise Unsupported(f"{self.name} takes {', '.join(able)} only")

    def solve(self, puzzle: Puzzle) -> Answer:
        """What it says of this puzzle."""
        timer = PhaseTimer()
        line = self._line(puzzle)
        timer.search()
        said = self._ask(self._words_to_solve(), [line], 1)
        timer.decode()
        status, grid = self._read_answer(said)
        return Answer(status, grid, {}, timer.stop())

    def count(self, puzzle: Puzzle, limit: int) -> Count:
        """The number that it prints for this puzzle, up to `limit`."""
        if not self.file.count:
            return super().count(puzzle, limit)
        timer = PhaseTimer()
        line = self._line(puzzle)
        timer.search()
        said = self._ask(self.file.count, [line], limit)
        timer.decode()
        number, exact = self._read_number(said, limit)
        return Count(number, exact, phases=timer.stop())

    def solve_many(self, puzzles: "NDArray[np.uint8]") -> "ManyAnswers":
        """What it says of all these puzzles: in one process, where it answers line by line."""
        if not self.file.batch or not len(puzzles):
            return super().solve_many(puzzles)
        import numpy as np

        from harness.contract.batch import ManyAnswers, checked

        given = checked(puzzles, self.shape)
        words = self._words_to_solve()
        lines = [self._line(Puzzle(self.shape, tuple(row))) for row in given.tolist()]
        said = self._ask(words, lines, 1).splitlines()
        if len(said) != len(lines):
            raise ValueError(f"{self.name} answers {len(lines)} lines with {len(said)}")
        grids = np.zeros_like(given)
        solved, proven = np.zeros(len(given), np.bool_), np.zeros(len(given), np.bool_)
        for number, (status, grid) in enumerate(map(self._read_answer, said)):
            proven[number] = status is Status.UNSATISFIABLE
            if grid is not None:
                grids[number], solved[number] = grid, True
        return ManyAnswers.of(solved, proven, grids)

    def _words_to_solve(self) -> tuple[str, ...]:
        if not self.file.solve:
            raise Unsupported(f"{self.name} only counts")
        return self.file.solve

    def _line(self, puzzle: Puzzle) -> str:
        return puzzle.line.replace(".", self.file.blank)

    def _ask(self, words: Sequence[str], lines: Sequence[str], limit: int) -> str:
        """What the program prints, asked about these lines.

        Raises:
            ChildProcessError: it was ended by a signal, or printed nothing.
        """
        as_argument = any(PUZZLE in word for word in words)
        arguments = [
            word.replace(FOLDER, str(self.folder))
            .replace(LIMIT, str(limit))
            .replace(PUZZLE, lines[0])
            for word in words[1:]
        ]
        ended = subprocess.run(
            [self.program(words), *arguments],
            input="" if as_argument else "".join(f"{line}\n" for line in lines),
            capture_output=True,
            text=True,
            errors="replace",
            check=False,
        )
        if ended.returncode < 0 or not ended.stdout.strip():
            last = ended.stderr.strip().splitlines()[-1:] or ["it said nothing"]
            raise ChildProcessError(f"{words[0]} ended with code {ended.returncode}: {last[0]}")
        return ended.stdout

    def _read_answer(self, said: str) -> tuple[Status, Grid | None]:
        """The status and the grid in what the program printed.

        Raises:
            ValueError: it holds neither a solution nor one of the texts of the file.
        """
        if _holds(said, self.file.unknown):
            return Status.UNKNOWN, None
        if _holds(said, self.file.none):
            return Status.UNSATISFIABLE, None
        grid = _grid(said, self.shape)
        if grid is None:
            raise ValueError(
                f"{self.name} prints no solution, and not that there is none: {said!r}"
            )
        return Status.SOLVED, grid

    def _read_number(self, said: str, limit: int) -> tuple[int, bool]:
        """The number of solutions in what the program printed, and whether that is all."""
        if _holds(said, self.file.unknown):
            return 0, False
        if _holds(said, self.file.none):
            return 0, True
        if _holds(said, self.file.one):
            return 1, limit > 1
        numbers = re.findall(r"\d+", said)
        if not numbers:
            raise ValueError(f"{self.name} prints no number: {said!r}")
        number = min(int(numbers[-1]), limit)
        return number, number < limit


def command_class(path: Path) -> type[Command]:
    """The backend that the file at `path` describes; its name is the file's.

    Raises:
        InputError: the file is no command file.
    """
    file = read_command_file(path)
    members = {
        "__doc__": f"The program {(file.solve or file.count)[0]}.",
        "name": path.stem,
        "paradigm": file.paradigm,
        "solves": bool(file.solve),
        "counts_natively": bool(file.count),
        "batches_natively": file.batch,
        "complete": file.complete,
        "file": file,
        "folder": path.parent,
    }
    return type("Command", (Command,), members)


def _holds(said: str, texts: Sequence[str]) -> bool:
    return any(text in said for text in texts)


def _grid(said: str, shape: Shape) -> Grid | None:
    """The grid in a line of symbols, in symbols over several lines, or in numbers."""
    cells = shape.size**2
    for text in (*said.splitlines(), "".join(said.split())):
        values = tuple(value_of(symbol) or 0 for symbol in text.strip())
        if len(values) == cells and 0 not in values:
            return values
    numbers = tuple(map(int, re.findall(r"\d+", said)))
    return numbers if len(numbers) == cells else None
