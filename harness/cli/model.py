"""`harness model`: a puzzle as a file for other solvers."""

from typing import Annotated, Final

import typer

from harness.cli.folders import OutOption, put
from harness.cli.options import shape_of
from harness.cli.puzzle_argument import PuzzleArgument, read_puzzles
from harness.cli.sweep_options import ShapeOption
from harness.errors import OptionError, PuzzleError, one_of
from harness.puzzles.models.format import FORMATS, ModelFormat, model_format

_OF_SUFFIX: Final = {format_.suffix: format_ for format_ in reversed(list(FORMATS.values()))}
FormatOption = Annotated[
    str,
    typer.Option(
        "--to",
        metavar="FORMAT",
        help="Format, by default that of the name of --out. "
        + "; ".join(f"{name}: {format_.title}" for name, format_ in FORMATS.items())
        + ".",
    ),
]


def model(
    puzzle: PuzzleArgument,
    to: FormatOption = "",
    out: OutOption = None,
    shape: ShapeOption = None,
) -> None:
    """Write the constraints of a puzzle for another solver: CNF, LP, MiniZinc and more."""
    if to:
        chosen: ModelFormat | None = model_format(to)
    else:
        chosen = _OF_SUFFIX.get(out.suffix.lower()) if out else None
    if chosen is None:
        where = "--to" if out is None else f"--out {out}"
        what = "missing" if out is None else "the name has no suffix of a format"
        raise OptionError(what, where=where, expected=f"--to {one_of(list(FORMATS))}")
    instances = read_puzzles(puzzle, shape_of(shape))
    if len(instances) != 1:
        raise PuzzleError(f"{len(instances)} puzzles", where=puzzle, expected="one puzzle")
    put("".join(f"{line}\n" for line in chosen.lines(instances[0].puzzle)), out)
