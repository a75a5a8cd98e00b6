"""`harness generate`: puzzles from a seed."""

import shlex
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Annotated

import typer

from harness.base.errors import OptionError, located
from harness.base.interruption import interruptible
from harness.base.text import number_of
from harness.cli import lazy
from harness.cli.folders import OutOption, put
from harness.cli.options import (
    choice_option,
    number_option,
    value_option,
    with_group,
)
from harness.cli.terminal import notice
from harness.extensions.generate.constraints import GENERATED
from harness.extensions.generate.levels import with_level
from harness.extensions.generate.options import Clues, Constraints, GenerationRequest, Model
from harness.extensions.reasoning.ladder import Level
from harness.puzzles import Shape, Symmetry

if TYPE_CHECKING:
    from harness.extensions.generate.request import Generated

# `harness generate`: puzzles of a shape, generated from a seed.


@dataclass(frozen=True)
class _Conditions:
    """The options that describe the puzzles, as the user wrote them."""

    shape: Annotated[
        Shape,
        value_option("--shape", "SHAPE", "Shape, such as 16x16 or 6x6+diagonal.", Shape.parse),
    ] = "9x9"  # type: ignore[assignment]
    count: Annotated[int, number_option("--count", "Number of puzzles.", 1)] = 1
    seed: Annotated[
        int,
        number_option("--seed", "Random seed of the puzzles.", 0),
    ] = 0
    clues: Annotated[
        str | None,
        value_option(
            "--clues",
            "N",
            "Number of clues: 24, a range such as 22-26, or a share of the cells such as 45%. "
            "By default, clues are removed until each remaining one is needed.",
        ),
    ] = None
    minimal: Annotated[
        bool,
        typer.Option("--minimal", help="Each clue is needed: without it there are more solutions."),
    ] = False
    level: Annotated[
        Level | None,
        choice_option(
            Level,
            "--level",
            "Minimum level of difficulty, with one solution; `harness datasets rate --by level` "
            "shows which are harder.",
        ),
    ] = None
    solutions: Annotated[
        int,
        number_option(
            "--solutions",
            "Exact number of solutions. With 0 there is none, which only search can show.",
            0,
        ),
    ] = 1
    symmetry: Annotated[
        Symmetry | None,
        choice_option(Symmetry, "--symmetry", "Symmetry of the pattern of clues."),
    ] = None
    model: Annotated[
        Model | None,
        choice_option(
            Model,
            "--model",
            "Random puzzles, possibly with several solutions: holes keeps random cells of a "
            "complete grid; qcp places random values without conflicts, so there may be no "
            "solution.",
        ),
    ] = None
    hard: Annotated[
        int,
        number_option(
            "--hard", "Number of changes to try in search of a harder puzzle.", 0, metavar="STEPS"
        ),
    ] = 0
    pencilmarks: Annotated[
        bool,
        typer.Option(
            "--pencilmarks", help="Restrict candidates instead of placing givens (sukaku)."
        ),
    ] = False
    kind: Annotated[
        list[str] | None,
        value_option(
            "--kind",
            "KIND",
            "Kind of constraints that the puzzles have, such as killer or thermometer. Repeatable.",
            completer=lambda: [*GENERATED],
        ),
    ] = None
    constraints: Annotated[
        str | None,
        value_option(
            "--constraints",
            "N",
            "Number of constraints of each kind: 4, or a range such as 3-5. By default, N lines "
            "in a grid of size N, cages that cover the grid, and all dots and outside clues.",
        ),
    ] = None

    def request(self) -> GenerationRequest:
        """The request for these puzzles, without their level.

        Raises:
            OptionError: a condition is invalid, or excludes another one.
        """
        if self.constraints and not self.kind:
            raise OptionError("a number without a kind", where="constraints", expected="--kind too")
        options = vars(self) | {
            "clues": None if self.clues is None else Clues.parse(self.clues, self.shape),
            "constraints": Constraints.parse(self.kind, self.constraints) if self.kind else None,
        }
        del options["level"], options["kind"]
        return GenerationRequest(**options)

    def header(self) -> list[str]:
        """Two lines: the command that makes the same puzzles; the version and the seed."""
        words = ["harness generate", f"--shape {shlex.quote(self.shape.definition)}"]
        for option in fields(self):
            value = getattr(self, option.name)
            if value != option.default and option.name not in ("shape", "count", "seed"):
                values = value if isinstance(value, list) else ["" if value is True else value]
                words += (f"--{option.name} {value}".strip() for value in values)
        words += f"--count {self.count}", f"--seed {self.seed}"
        return [" ".join(words), f"harness {lazy.harness_version()}, seed {self.seed}"]


@with_group(conditions=_Conditions)
def generate(*, conditions: _Conditions, out: OutOption = None) -> None:
    """Generate puzzles. A seed gives the same puzzles on every machine.

    Writes lines, or records if the name of --out ends in .toml or .json.
    """
    from harness.extensions.generate.request import SUFFIXES, text_of
    from harness.extensions.generate.request import generate as generate_puzzles

    with located(lambda where: f"--{where}"):
        request = conditions.request()
        if conditions.level is not None:
            request = with_level(request, conditions.level)
    suffix = "" if out is None else out.suffix.lower()
    if suffix not in SUFFIXES:
        raise OptionError(
            f"{out} has the suffix of another format",
            where="--out",
            expected="lines in .txt, or records in .toml or .json",
        )
    modules = "harness.cli.progress", "harness.extensions.generate.request"
    with interruptible(*modules), lazy.counting("generating", request.count) as watch:
        puzzles = _watch(generate_puzzles(request), watch)
        header = conditions.header()
        put("".join(text_of(puzzles, suffix, header, request.pencilmarks)), out)
    if out is not None:
        notice(f"{out}: {number_of(request.count, 'puzzle')} of {request.shape}")


def _watch(
    puzzles: "Iterable[Generated]", watch: Callable[[object], None]
) -> "Iterator[Generated]":
    for puzzle in puzzles:
        watch(puzzle)
        yield puzzle
