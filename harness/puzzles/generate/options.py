"""What to generate, checked. Reading the options loads no search."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from typing import Final

from harness.errors import OptionError
from harness.puzzles.puzzle import Grid
from harness.puzzles.shape import Shape
from harness.puzzles.symmetry import Symmetry

MOST_SOLUTIONS: Final = 100_000
MOST_PUZZLES: Final = 10_000_000
_FEWEST: Final = {"4x4": 4, "9x9": 17}
"""Clues that a puzzle with one solution needs: 17 by McGuire, Tugemann and Civario, "There is
no 16-clue Sudoku" (Experimental Mathematics 23, 2014)."""


class Model(StrEnum):
    """Random puzzles whose number of solutions is left to chance."""

    HOLES = "holes"
    QCP = "qcp"


@dataclass(frozen=True, slots=True)
class Clues:
    """A number of clues, or a range of numbers."""

    fewest: int
    most: int

    @staticmethod
    def parse(text: str, shape: Shape) -> "Clues":
        """The clues that `text` gives: ``24``, ``22-26`` or ``45%`` of the cells.

        Raises:
            OptionError: the text has another form, or no puzzle of `shape` has as many.
        """
        cells = shape.size**2
        expected = f"a number from 0 to {cells}, a range such as 22-26, or a share such as 45%"
        try:
            if text.endswith("%"):
                number = round(Fraction(text[:-1]) * cells / 100)
                clues = Clues(number, number)
            else:
                first, _, last = text.partition("-")
                clues = Clues(_whole(first), _whole(last or first))
        except (ValueError, ZeroDivisionError):
            raise OptionError(f"invalid value {text!r}", where="clues", expected=expected) from None
        if 0 <= clues.most < clues.fewest <= cells:
            expected = f"{clues.most}-{clues.fewest}"
        if not 0 <= clues.fewest <= clues.most <= cells:
            raise OptionError(f"invalid value {text!r}", where="clues", expected=expected)
        return clues


@dataclass(frozen=True, slots=True)
class StopRule:
    """Ends the removal of clues, for example because some rules no longer solve the puzzle."""

    holds: Callable[[Grid], bool]
    """Whether the removal ends with these givens."""
    otherwise: str
    """What is true of a minimal puzzle for which it does not hold, for messages."""


@dataclass(frozen=True, slots=True)
class GenerationRequest:
    """What to generate.

    Raises:
        OptionError: an option is out of range, or two options exclude each other.
    """

    shape: Shape
    count: int = 1
    """The number of puzzles."""
    seed: int = 0
    clues: Clues | None = None
    """Bounds on the number of clues; by default no clue can be removed."""
    minimal: bool = False
    """Whether each clue must be needed."""
    solutions: int = 1
    """The exact number of solutions."""
    symmetry: Symmetry | None = None
    """The symmetry of the pattern of clues."""
    model: Model | None = None
    """A model with random clues, in place of a number of solutions."""
    hard: int = 0
    """Steps of the search for harder puzzles; 0 for none."""
    stop: StopRule | None = None
    """Ends the removal of clues; by default no clue can be removed."""
    pencilmarks: bool = False
    """Whether candidates are restricted, in place of givens."""

    def __post_init__(self) -> None:
        _require(1 <= self.count <= MOST_PUZZLES, "count", self.count, f"1 to {MOST_PUZZLES:,}")
        _require(self.hard >= 0, "hard", self.hard, "a number of steps")
        _require(
            0 <= self.solutions <= MOST_SOLUTIONS,
            "solutions",
            self.solutions,
            f"0 to {MOST_SOLUTIONS:,}",
        )
        if self.pencilmarks:
            others = ("clues", "solutions", "symmetry", "model", "hard", "stop")
            self.exclude("pencilmarks", others)
        if self.model is not None:
            if self.clues is None:
                raise OptionError(
                    "missing",
                    where="clues",
                    expected=f"a number of clues for the model {self.model}",
                )
            self.exclude(f"model {self.model}", ("minimal", "hard", "solutions", "stop"))
            if self.model is Model.QCP:
                self.exclude(f"model {self.model}", ("symmetry",))
        if self.solutions == 0:
            self.exclude("solutions 0", ("symmetry", "hard"))
        if self.hard:
            self.exclude(f"hard {self.hard}", ("solutions",))
        if self.stop:
            self.exclude("stop", ("clues", "minimal", "solutions", "hard"))
        fewest = _FEWEST.get(self.shape.spec)
        if fewest and self.clues and self.solutions == 1 and self.model is None:
            _require(
                self.clues.most >= fewest,
                "clues",
                self.clues.most,
                f"at least {fewest}, since puzzles of {self.shape} with fewer clues have more "
                "than one solution",
            )

    def exclude(self, option: str, others: tuple[str, ...]) -> None:
        """Check that no option is set that cannot be combined with `option`.

        Args:
            option: an option and its value.
            others: the names of attributes.

        Raises:
            OptionError: one of them does not have its default.
        """
        for other in others:
            if getattr(self, other) != self.__dataclass_fields__[other].default:
                raise OptionError(
                    f"cannot be combined with {option}", where=other, expected="one of them"
                )


def _whole(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) <= 6):
        raise ValueError
    return int(text)


def _require(holds: bool, name: str, value: object, expected: str) -> None:
    if not holds:
        raise OptionError(f"invalid value {value}", where=name, expected=expected)
