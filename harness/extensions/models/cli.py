"""`harness model`: a puzzle as a file for other solvers."""

from functools import cache
from typing import Annotated

from harness.base.errors import OptionError, PuzzleError, one_of
from harness.cli.folders import OutOption, put
from harness.cli.options import ShapeOption, shape_of, value_option
from harness.cli.puzzle_argument import PuzzleArgument, PuzzleSource
from harness.contract import Model, model_named, model_names


@cache
def _models() -> dict[str, Model]:
    return {name: model_named(name) for name in model_names()}


FormatOption = Annotated[
    str,
    value_option(
        "--to",
        "FORMAT",
        "Format of the model; by default the format of the suffix of --out. "
        + "; ".join(f"{name}: {form.title}" for name, form in _models().items())
        + ".",
        completer=lambda: [(name, form.title) for name, form in _models().items()],
    ),
]


def model(
    puzzle: PuzzleArgument,
    to: FormatOption = "",
    out: OutOption = None,
    shape: ShapeOption = None,
) -> None:
    """Write the constraints of a puzzle for another solver: CNF, LP, MiniZinc and more."""
    of_suffix = {form.suffix: form for form in reversed(_models().values())}
    form = model_named(to) if to else of_suffix.get(out.suffix.lower()) if out else None
    if form is None:
        where = "--to" if out is None else f"--out {out}"
        problem = "missing" if out is None else "no format has this suffix"
        raise OptionError(problem, where=where, expected=f"--to {one_of(model_names())}")
    instances = PuzzleSource.parse(puzzle).read(shape_of(shape))
    if len(instances) != 1:
        raise PuzzleError(f"{len(instances)} puzzles", where=puzzle, expected="one puzzle")
    put("".join(f"{line}\n" for line in form.lines(instances[0].puzzle, ())), out)
