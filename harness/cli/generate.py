"""`harness generate` and `harness model`: puzzles from a seed, and puzzles for other solvers."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated, Final

import typer

from harness.cli.folders import OutOption, put
from harness.cli.options import choice_option, parsed_option, shape_of, whole_number
from harness.cli.progress import counting
from harness.cli.puzzle_argument import PuzzleArgument, read_puzzles
from harness.cli.sweep_options import ShapeOption
from harness.cli.terminal import interruptible, notice, write_whole
from harness.errors import Interrupted, OptionError, PuzzleError, one_of
from harness.puzzles.generate.options import Clues, GenerationRequest, Model
from harness.puzzles.models import FORMATS, ModelFormat, model_format
from harness.puzzles.shape import Shape
from harness.puzzles.symmetry import Symmetry
from harness.reasoning.ladder import Level, with_level
from harness.text import number_of

if TYPE_CHECKING:
    from harness.puzzles.generate.request import Generated


# `harness generate`: puzzles of a shape, generated from a seed.


def generate(
    shape: Annotated[
        Shape,
        parsed_option("--shape", "SHAPE", "Shape, such as 16x16 or 6x6+diagonal.", Shape.parse),
    ] = "9x9",  # type: ignore[assignment]
    count: Annotated[
        int, parsed_option("--count", "N", "Number of puzzles.", whole_number("--count", 1))
    ] = 1,
    seed: Annotated[
        int,
        parsed_option(
            "--seed",
            "N",
            "Random seed of the puzzles.",
            whole_number("--seed", 0),
        ),
    ] = 0,
    clues: Annotated[
        str | None,
        typer.Option(
            "--clues",
            metavar="N",
            help="Number of clues: 24, a range such as 22-26, or a share of the cells such as 45%. "
            "By default, clues are removed until each remaining one is needed.",
        ),
    ] = None,
    minimal: Annotated[
        bool,
        typer.Option("--minimal", help="Each clue is needed: without it there are more solutions."),
    ] = False,
    level: Annotated[
        Level | None,
        choice_option(Level, "--level", "Level of difficulty, with one solution."),
    ] = None,
    solutions: Annotated[
        int,
        parsed_option(
            "--solutions",
            "N",
            "Exact number of solutions. With 0 there is none, but only search can show it.",
            whole_number("--solutions", 0),
        ),
    ] = 1,
    symmetry: Annotated[
        Symmetry | None,
        choice_option(Symmetry, "--symmetry", "Symmetry of the pattern of clues."),
    ] = None,
    model: Annotated[
        Model | None,
        choice_option(
            Model,
            "--model",
            "Random puzzles, perhaps with several solutions: holes keeps random cells of a "
            "complete grid; qcp places random values without conflicts, so there may be no "
            "solution.",
        ),
    ] = None,
    hard: Annotated[
        int,
        parsed_option(
            "--hard",
            "STEPS",
            "Number of changes to try in search of a harder puzzle.",
            whole_number("--hard", 0),
        ),
    ] = 0,
    pencilmarks: Annotated[
        bool,
        typer.Option("--pencilmarks", help="Restrict candidates, in place of givens (sukaku)."),
    ] = False,
    out: OutOption = None,
) -> None:
    """Generate puzzles. A seed gives the same puzzles on every machine.

    Writes lines, or records if the name of --out ends in .toml or .json.
    """
    from harness.puzzles.generate.request import generate as generated
    from harness.puzzles.generate.request import text_of
    from harness.runs.run import signals_as_interrupts

    with _flags_in_errors():
        request = GenerationRequest(
            shape=shape,
            count=count,
            seed=seed,
            clues=None if clues is None else Clues.parse(clues, shape),
            minimal=minimal,
            solutions=solutions,
            symmetry=symmetry,
            model=model,
            hard=hard,
            pencilmarks=pencilmarks,
        )
        made = request if level is None else with_level(request, level)
    suffix = "" if out is None else out.suffix.lower()
    try:
        with interruptible(), signals_as_interrupts(), counting("generating", count) as watch:
            puzzles = _watched(generated(made), watch)
            write_whole(text_of(puzzles, shape, suffix, _header(request, clues, level)), out)
    except Interrupted as interruption:
        raise typer.Exit(interruption.code) from None
    if out is not None:
        notice(f"{out}: {number_of(count, 'puzzle')} of {shape}")


@contextmanager
def _flags_in_errors() -> Iterator[None]:
    """Name the flag in an error of an option."""
    try:
        yield
    except OptionError as error:
        raise error.at(f"--{error.where}") from None


def _header(request: GenerationRequest, clues: str | None, level: Level | None) -> list[str]:
    """The command that makes the same puzzles, the version and the seed."""
    from harness.records.environment import harness_version

    words = ["harness generate", f"--shape {request.shape.definition}"]
    words += ["--minimal"] * request.minimal
    words += [f"--clues {clues}"] * (clues is not None)
    words += [f"--level {level}"] * (level is not None)
    words += [f"--solutions {request.solutions}"] * (request.solutions != 1)
    words += [f"--symmetry {request.symmetry}"] * (request.symmetry is not None)
    words += [f"--model {request.model}"] * (request.model is not None)
    words += [f"--hard {request.hard}"] * (request.hard != 0)
    words += ["--pencilmarks"] * request.pencilmarks
    words += [f"--count {request.count}", f"--seed {request.seed}"]
    return [" ".join(words), f"harness {harness_version()}, seed {request.seed}"]


def _watched(
    puzzles: "Iterable[Generated]", watch: Callable[[object], None]
) -> "Iterator[Generated]":
    for generated in puzzles:
        watch(generated)
        yield generated


# `harness model`: a puzzle as a file for other solvers.


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
