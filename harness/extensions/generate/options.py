"""What to generate, checked. Importing this module loads no search."""

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from typing import TYPE_CHECKING, Final

from harness.base.errors import OptionError, not_among
from harness.base.text import shortened
from harness.extensions.generate.constraints import DRAWN, GENERATED, UNMARKED
from harness.puzzles import LETTERED, Grid, Shape, Symmetry
from harness.puzzles.constraints import KINDS, Constraint

if TYPE_CHECKING:
    from harness.puzzles.search import Prng

MOST_SOLUTIONS: Final = 100_000
_MOST_PUZZLES: Final = 10_000_000
_FEWEST: Final = {"4x4": 4, "9x9": 17}
"""The fewest clues of a puzzle with one solution: 17 by McGuire, Tugemann and Civario, "There is
no 16-clue Sudoku" (Experimental Mathematics 23, 2014)."""


class Model(StrEnum):
    """Models of random puzzles whose number of solutions is left to chance."""

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
                fewest, most = number, number
            else:
                fewest, most = _bounds(text)
        except (ValueError, ZeroDivisionError):
            raise OptionError(f"invalid value {text!r}", where="clues", expected=expected) from None
        if 0 <= most < fewest <= cells:
            expected = f"{most}-{fewest}"
        if not 0 <= fewest <= most <= cells:
            raise OptionError(f"invalid value {text!r}", where="clues", expected=expected)
        return Clues(fewest, most)

    def distance(self, clues: int) -> int:
        """How far a number of clues is from this range; 0 within it."""
        return max(self.fewest - clues, clues - self.most, 0)

    def random_number(self, random: "Prng") -> int:
        """A random number of this range."""
        return self.fewest + random.below(self.most - self.fewest + 1)


@dataclass(frozen=True, slots=True)
class Constraints:
    """Kinds of constraints that a puzzle has, and how many of each."""

    kinds: tuple[str, ...]
    """Each of them occurs."""
    fewest: int = 1
    most: int | None = None
    """Bounds on the number of each kind that is drawn; see `draw_constraints` for the default."""

    @staticmethod
    def parse(kinds: Iterable[str], number: str | None) -> "Constraints":
        """Constraints of these kinds; their number is None, ``4`` or a range such as ``3-5``.

        Raises:
            OptionError: a kind cannot be generated, or the number has another form.
        """
        names = {kind.lower() for kind in kinds}
        for name in sorted(names.difference(GENERATED)):
            problem = f"{name} cannot be generated"
            if name not in KINDS:
                problem = f"unknown kind {shortened(name, 40)!r}"
            raise not_among(OptionError, problem, name, GENERATED, where="kind")
        choice = tuple(sorted(names, key=[*KINDS].index))
        if number is None:
            return Constraints(choice)
        for kind in choice:
            if kind in UNMARKED:
                expected = "none, since all marks are drawn"
                raise OptionError(f"a number of {kind}", where="constraints", expected=expected)
        try:
            fewest, most = _bounds(number)
        except ValueError:
            fewest = most = 0
        if not 1 <= fewest <= most:
            expected = "a number from 1, or a range such as 3-5"
            raise OptionError(f"invalid value {number!r}", where="constraints", expected=expected)
        return Constraints(choice, fewest, most)

    def missing(self, constraints: Iterable[Constraint]) -> str:
        """A kind that has too few of these constraints; empty if there is none."""
        numbers = Counter(constraint.kind for constraint in constraints)
        for kind in self.kinds:
            if numbers[kind] < (self.fewest if kind in DRAWN else 1):
                return kind
        return ""


@dataclass(frozen=True, slots=True)
class StopRule:
    """Ends the removal of clues, for example because some rules no longer solve the puzzle."""

    holds: Callable[[Grid], bool]
    """Whether the removal ends with these givens."""
    otherwise: str
    """For messages: what is true of a minimal puzzle for which the rule does not hold."""


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
    """A model of random clues, instead of an exact number of solutions."""
    hard: int = 0
    """Steps of the search for harder puzzles; 0 for none."""
    stop: StopRule | None = None
    """Ends the removal of clues; by default no clue can be removed."""
    pencilmarks: bool = False
    """Whether candidates are restricted, in place of givens."""
    constraints: Constraints | None = None
    """Constraints in addition to those of the shape."""

    def __post_init__(self) -> None:
        _require(1 <= self.count <= _MOST_PUZZLES, "count", self.count, f"1 to {_MOST_PUZZLES:,}")
        _require(self.hard >= 0, "hard", self.hard, "a number of steps")
        number = self.solutions
        _require(0 <= number <= MOST_SOLUTIONS, "solutions", number, f"0 to {MOST_SOLUTIONS:,}")
        is_large = self.shape.size > LETTERED
        large = "minimal", "hard", "stop", "solutions", "pencilmarks", "constraints"
        model = "minimal", "hard", "solutions", "stop"
        pencilmarks = "clues", "solutions", "symmetry", "model", "hard", "stop"
        for applies, option, others in (
            (self.pencilmarks, "pencilmarks", pencilmarks),
            (self.constraints, "kind", ("solutions", "model", "stop", "pencilmarks")),
            (self.model, f"model {self.model}", model),
            (self.model is Model.QCP, f"model {self.model}", ("symmetry",)),
            (self.solutions == 0, "solutions 0", ("symmetry", "hard")),
            (self.hard, f"hard {self.hard}", ("solutions",)),
            (self.stop, "stop", ("clues", "minimal", "solutions", "hard")),
            (is_large, f"the shape {self.shape}", large),
            (
                is_large and not self.model,
                f"the shape {self.shape} unless there is a model",
                ("symmetry",),
            ),
        ):
            if applies:
                self.exclude(option, others)
        if self.clues is None and (self.model or is_large):
            expected = f"a number of clues for the model {self.model}"
            if is_large:
                expected = f"a share such as 70%, which {self.shape} needs"
            raise OptionError("missing", where="clues", expected=expected)
        fewest = _FEWEST.get(self.shape.spec)
        plain = self.solutions == 1 and self.model is None and self.constraints is None
        if fewest and self.clues and plain:
            _require(
                self.clues.most >= fewest,
                "clues",
                self.clues.most,
                f"at least {fewest}, since puzzles of {self.shape} with fewer clues have more "
                "than one solution",
            )

    @property
    def bounds(self) -> Clues:
        """Bounds on the number of clues: those of `clues`, or all cells of the shape."""
        cells = self.shape.size**2
        clues = self.clues or Clues(0, cells)
        return Clues(clues.fewest, min(clues.most, cells))

    @property
    def is_bounded(self) -> bool:
        """Whether some numbers of clues are excluded."""
        return self.bounds != Clues(0, self.shape.size**2)

    def goal(self, random: "Prng") -> int:
        """The number of clues at which their removal ends; 0 if as many as possible go."""
        return self.bounds.random_number(random) if self.is_bounded and not self.minimal else 0

    def exclude(self, option: str, others: tuple[str, ...]) -> None:
        """Check that no option is set that cannot be combined with `option`.

        Args:
            option: an option and its value.
            others: the names of the attributes that cannot be combined with it.

        Raises:
            OptionError: one of them does not have its default.
        """
        for other in others:
            if getattr(self, other) != self.__dataclass_fields__[other].default:
                where = "kind" if other == "constraints" else other
                problem = f"cannot be combined with {option}"
                raise OptionError(problem, where=where, expected="one of them")


def _bounds(text: str) -> tuple[int, int]:
    first, _, last = text.partition("-")
    return _whole(first), _whole(last or first)


def _whole(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) <= 6):
        raise ValueError
    return int(text)


def _require(holds: bool, name: str, value: object, expected: str) -> None:
    if not holds:
        raise OptionError(f"invalid value {value}", where=name, expected=expected)
