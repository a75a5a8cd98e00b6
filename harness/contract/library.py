"""Library files, and shared libraries as backends: a function in C solves puzzles and counts.

    harness solve PUZZLE --backend tdoku.toml

A library file names a shared library and a function with the signature of tdoku's solvers
(Tom Dillon, https://github.com/t-dillon/tdoku), which other fast solvers share:

    size_t function(const char *puzzle, size_t limit, uint32_t configuration,
                    char *solution, size_t *guesses)

It returns the number of solutions, up to the limit, and writes a solution if the limit is 1.
docs/programs.md lists the keys. A batch is a loop over such calls. With Numba installed,
the loop is machine code, so that the rate of a batch is the rate of the library.
"""

import ctypes
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Final

from harness.base.errors import InputError
from harness.base.files import parse_toml, read_file_text
from harness.contract import command
from harness.contract.answers import Answer, Count, ManyAnswers, ManyCounts, PhaseTimer, Stats
from harness.contract.backend import (
    Restriction,
    Unavailable,
    Unsupported,
    batch_of,
    require_solutions,
    require_symbols,
)
from harness.contract.options import Options
from harness.contract.receipts import receipt_of
from harness.puzzles import Puzzle, Shape, line_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Calls = tuple[NDArray[np.int64], NDArray[np.uint8], Stats]

_MOST: Final = 2**31 - 1
"""The largest limit that functions get; some store it in 32 bits."""
_UNCOUNTED: Final = 2**64 - 1
"""The number of guesses set before a call; it remains if the function does not count them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LibraryFile(command.ProgramFile):
    """The contents of a library file."""

    library: str
    """The path of the shared library, relative to the folder of the file."""
    function: str
    configuration: int = 0
    """The third argument of the function."""
    solves: bool = True
    """Whether the function writes a solution; if not, the backend only counts."""
    largest_limit: int = _MOST
    """The largest limit that the function heeds; larger limits are unsupported."""
    pencilmarks: bool = False
    """Whether the function reads pencilmarks: per cell, one symbol or blank for each value."""
    paradigm: str = "library"


class Library(command.BackendOfFile):
    """A function in a shared library; `class_of_file` creates a subclass from a library file."""

    file: ClassVar[LibraryFile]
    path: ClassVar[Path]
    """The path of the library."""
    function: ClassVar[Any]
    loop: ClassVar[Callable[..., None]]
    """Calls the function for each puzzle of a batch."""
    counts_natively = True
    batches_natively = True

    @classmethod
    def receipts(cls) -> dict[str, str]:
        """What identifies the library."""
        return receipt_of("library", cls.path)

    @classmethod
    def load(cls, options: Options) -> None:
        """Load the library, and compile the loop over a batch if Numba is installed.

        Raises:
            Unavailable: the library cannot be loaded, or has no such function.
        """
        try:
            function = ctypes.CDLL(str(cls.path))[cls.file.function]
        except OSError as error:
            reason = f"library {cls.path} cannot be loaded: {error}"
            raise Unavailable(reason, cls.file.remedy) from None
        except AttributeError:
            reason = f"library {cls.path} has no function {cls.file.function}"
            raise Unavailable(reason, cls.file.remedy) from None
        pointer, size = ctypes.c_void_p, ctypes.c_size_t
        function.argtypes = [pointer, size, ctypes.c_uint32, pointer, pointer]
        function.restype = size
        cls.function, cls.loop = function, _loop_over(function)

    def __init__(self, shape: Shape, options: Options) -> None:
        super().__init__(shape, options)
        require_symbols(shape, self.name)
        self._symbols = self._text(line_of(bytes(range(256))))

    def solve(self, puzzle: Puzzle) -> Answer:
        """The solution that the function writes."""
        require_solutions(self)
        return self._call(puzzle, 1, reads_solution=True).answer

    def count(self, puzzle: Puzzle, limit: int) -> Count:
        """The number that the function returns, up to `limit`."""
        return self._call(puzzle, self._within(limit))

    def solve_many(self, puzzles: "NDArray[np.uint8]") -> "ManyAnswers":
        """The solution of each puzzle that the function writes."""
        require_solutions(self)
        import numpy as np

        numbers, solutions, stats = self._call_many(puzzles, 1)
        values = bytearray(solutions.tobytes().translate(command.VALUE_OF))
        grids = np.frombuffer(values, np.uint8).reshape(solutions.shape)
        grids[numbers == 0] = 0
        return ManyAnswers.from_flags(numbers != 0, numbers == 0, grids, stats)

    def count_many(self, puzzles: "NDArray[np.uint8]", limit: int) -> "ManyCounts":
        """The number of solutions of each puzzle, up to `limit`."""
        import numpy as np

        limit = self._within(limit)
        numbers, _, stats = self._call_many(puzzles, limit)
        return ManyCounts(numbers, numbers < limit, np.zeros_like(puzzles), stats)

    def _within(self, limit: int) -> int:
        """The limit of a count as the function gets it."""
        limit = min(limit, _MOST)
        if limit > self.file.largest_limit:
            raise Unsupported(f"{self.name} counts up to {self.file.largest_limit} only")
        return limit

    def _call(self, puzzle: Puzzle, limit: int, *, reads_solution: bool = False) -> Count:
        timer = PhaseTimer()
        text = self._text(puzzle.line)
        cells = len(puzzle.givens)
        solution = ctypes.create_string_buffer(2 * cells)  # some functions add a terminator
        guesses = ctypes.c_size_t(_UNCOUNTED)
        timer.search()
        number: int = self.function(
            text, limit, self.file.configuration, solution, ctypes.byref(guesses)
        )
        timer.decode()
        grid = None
        if reads_solution and number:
            grid = tuple(solution.raw[:cells].translate(command.VALUE_OF))
        stats = {} if guesses.value == _UNCOUNTED else {"guesses": guesses.value}
        return Count(number, number < limit, grid, stats, timer.stop())

    def _call_many(self, puzzles: "NDArray[np.uint8]", limit: int) -> "Calls":
        """The number of solutions of each puzzle, the symbols of one, and statistics."""
        import numpy as np

        batch = batch_of(puzzles, self.shape)
        number, cells = batch.shape
        texts, solutions = np.zeros((2, number + 1, cells + 1), np.uint8)  # a spare row, too
        text = batch.tobytes().translate(self._symbols)
        texts[:-1, :-1] = np.frombuffer(text, np.uint8).reshape(batch.shape)
        numbers = np.zeros(number, np.uint64)
        guesses = np.full(number, _UNCOUNTED, np.uint64)
        self.loop(
            texts.ctypes.data,
            limit,
            self.file.configuration,
            solutions.ctypes.data,
            guesses.ctypes.data,
            cells + 1,
            numbers,
        )
        known_guesses = guesses[guesses != _UNCOUNTED]
        stats = {"guesses": int(known_guesses.sum())} if len(known_guesses) else {}
        return numbers.astype(np.int64), solutions[:-1, :-1], stats

    def _text(self, line: str) -> bytes:
        return line.replace(".", self.file.blank).encode()


def _loop_over(function: Any) -> Callable[..., None]:
    """A loop that calls a function for each puzzle of a batch, with addresses as integers."""
    import numpy as np

    from harness.puzzles.search import compile_kernel

    def loop(
        texts: int,
        limit: int,
        configuration: int,
        solutions: int,
        guesses: int,
        width: int,
        numbers: "NDArray[np.uint64]",
    ) -> None:
        for row in range(len(numbers)):
            numbers[row] = function(
                texts + width * row,
                limit,
                configuration,
                solutions + width * row,
                guesses + 8 * row,
            )

    kernel = compile_kernel(loop, None)
    kernel(0, 0, 0, 0, 0, 0, np.zeros(0, np.uint64))
    return staticmethod(kernel)


def _read_library_file(path: Path) -> LibraryFile:
    """Read the library file at `path`.

    Raises:
        InputError: as `ProgramFile.read`, or a number is out of range.
    """
    file, where = LibraryFile.read(path), str(path)
    if not file.blank.isascii():
        raise InputError(f"blank is {file.blank!r}", where=where, expected="an ASCII symbol")
    for key, least, most in (("configuration", 0, 2**32 - 1), ("largest_limit", 1, _MOST)):
        number = getattr(file, key)
        if not least <= number <= most:
            expected = f"a whole number from {least} to {most}"
            raise InputError(f"{key} is {number}", where=where, expected=expected)
    return file


def class_of_file(path: Path) -> type[command.Command] | type[Library]:
    """The backend of the library file or command file at `path`, named after the file.

    Raises:
        InputError: the file is malformed.
    """
    if not {"library", "function"} & set(parse_toml(read_file_text(path), str(path))):
        return command.command_class(path)
    file = _read_library_file(path)
    members = {
        "__doc__": f"The function {file.function} of {file.library}.",
        "name": command.name_of(path.stem),
        "paradigm": file.paradigm,
        "solves": file.solves,
        "takes": {Restriction.PENCILMARKS} if file.pencilmarks else set(),
        "file": file,
        "path": path.parent / file.library.replace(command.FOLDER, str(path.parent)),
    }
    return type("Library", (Library,), members)
