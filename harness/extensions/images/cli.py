"""`harness read-image`: the puzzle of a photograph, a scan or a screenshot."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from harness.base.errors import InputError
from harness.base.files import read_beyond
from harness.base.text import existing_path, number_of
from harness.cli import lazy
from harness.cli.completers import backend_names, formats
from harness.cli.options import JsonOption, show_json, value_option
from harness.cli.terminal import notice, show
from harness.puzzles import Puzzle, Shape
from harness.puzzles.formats import ParsedPuzzle, format_named
from harness.records import Task
from harness.runs import question_of

if TYPE_CHECKING:
    from harness.extensions.images.documents import ImageRead
    from harness.extensions.images.reading import Count


def read_image(
    file: Annotated[
        str,
        typer.Argument(
            metavar="FILE",
            help="An image: PNG, JPEG, WebP, BMP, GIF or TIFF; - for standard input.",
        ),
    ],
    shape: Annotated[
        Shape | None,
        value_option(
            "--shape",
            "SHAPE",
            "Shape of the board, such as 9x9 or 6x6+diagonal. By default recognized by its lines.",
            Shape.parse,
        ),
    ] = None,
    format_name: Annotated[
        str,
        value_option(
            "--to",
            "FORMAT",
            "Format of the puzzle to print, such as line, grid or sdk. "
            "An unknown name prints all names.",
            completer=formats,
        ),
    ] = "line",
    backend: Annotated[
        str | None,
        value_option(
            "--backend",
            "SPEC",
            "Backend that counts solutions. [default: native-jit, or native without Numba]",
            completer=backend_names,
        ),
    ] = None,
    entries: Annotated[
        bool,
        typer.Option(
            "--entries",
            help="Print two puzzles for a half-solved one: the printed givens alone, and with the "
            "handwritten entries. The exit code is that of the second: compare the givens.",
        ),
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Read a puzzle from an image: the likeliest reading that has exactly one solution.

    Exit code 1: the reading is uncertain, or no likely reading has exactly one solution, so that
    the likeliest of all is printed.
    """
    from harness.extensions.images.fence import require_installed, scan_fenced
    from harness.extensions.images.reading import read

    to = format_named(format_name)
    require_installed()
    name = "standard input" if file == "-" else file
    scan = scan_fenced(_content(file, name), shape, name)
    with _counting(backend) as count:
        reading = read(scan, count, name=file)
    for line in _notices(reading):
        notice(line)
    if entries:
        notice(
            "entries and givens are distinguished less reliably than values: "
            "compare the givens with the image"
        )
    if as_json:
        show_json(reading)
    else:
        puzzles = [reading.printed, reading.board] if entries else [reading.board]
        parsed = [ParsedPuzzle(puzzle, name, str(at)) for at, puzzle in enumerate(puzzles, 1)]
        reason = to.can_hold(parsed[0])
        if reason is not None:
            raise InputError(f"the format {to.name} {reason}", where=name, expected="--to line")
        show("".join(to.write(parsed)), end="")
    if not reading.certain:
        raise typer.Exit(1)


def _content(file: str, name: str) -> bytes:
    """The bytes of a file; of a file that is too large, only a few more than allowed.

    Raises:
        InputError: the file cannot be read.
    """
    from harness.extensions.images.scan import MOST_BYTES

    if file == "-":
        return read_beyond(sys.stdin.buffer, MOST_BYTES)
    path: Path = existing_path(file)
    try:
        with path.open("rb") as stream:
            return read_beyond(stream, MOST_BYTES)
    except OSError as error:
        problem = f"cannot be read: {error.strerror or error}"
        raise InputError(problem, where=name, expected="an image file") from None
    except ValueError:  # a null character in the name
        raise InputError("no such file", where=name, expected="an image file") from None


@contextmanager
def _counting(backend: str | None) -> "Iterator[Count]":
    """A function that counts solutions with a backend, in its fenced process."""
    from harness.puzzles.search import COMPILES

    # Ten seconds for counting the solutions of one reading.
    question = question_of(Task.COUNT, max_solutions=2, timeout=10.0)
    name = backend or ("native-jit" if COMPILES else "native")
    with lazy.Session(warm_up=False, notice=notice) as session:

        def count(puzzle: Puzzle, limit: int) -> int | None:
            assert limit == question.limit
            (reply,) = session.ask(puzzle, name, question)
            return reply.count if reply.verdict.answered else None

        yield count


def _notices(reading: "ImageRead") -> Iterator[str]:
    """Lines on what a person should check."""
    if not reading.shape_is_clear:
        shape = reading.board.shape
        yield f"{shape} is assumed: the lines of the board show no boxes; --shape selects another"
    for cell in reading.doubtful:
        choices = [
            f"{likely.value} ({likely.probability:.2f})"
            for likely in cell.likely
            if likely is cell.likely[0] or likely.probability >= 0.005
        ]
        chosen = f", read as {cell.value}" if cell.changed else ""
        doubt = ", uncertain" if cell.uncertain else ""
        yield f"{cell.cell}: {' or '.join(choices)}{chosen}{doubt}"
    if changes := sum(cell.changed for cell in reading.doubtful):
        number = number_of(changes, "cell")
        yield f"{number} changed: the likeliest reading has {_solutions(reading)}"
    if uncertain := sum(cell.uncertain for cell in reading.doubtful):
        number = number_of(uncertain, "cell")
        yield f"the reading is uncertain in {number}: compare them with the image"
    elif reading.unique and not reading.certain:
        yield "the reading is uncertain: compare it with the image"
    if not reading.unique:
        yield f"{reading.reason}; the likeliest one has {_solutions(reading)}"


def _solutions(reading: "ImageRead") -> str:
    number = reading.first_solutions
    if number is None:
        return "an unknown number of solutions"
    return "more than one solution" if number > 1 else ("no solution", "one solution")[number]
