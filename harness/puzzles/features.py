"""The declared features: the one table of what can be known of a puzzle by name.

Conditions (`harness.puzzles.where`) and the columns of `harness export --features` follow
from `FEATURES`. A value is computed only when it is needed; None stands for a missing value.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from math import isfinite
from typing import Final, Protocol

from harness.extensions.reasoning.ladder import LEVELS, RULE_NAMES
from harness.puzzles.kinds import KINDS
from harness.puzzles.puzzle import Puzzle
from harness.puzzles.solution_count import SolutionCount
from harness.puzzles.symmetry import Symmetry, symmetries_of

_NUMERAL: Final = re.compile(r"[+-]?(\d{1,4000}(\.\d*)?|\.\d+)([eE][+-]?\d{1,9})?", re.ASCII)
"""A number as files have it."""
_NODES: Final = 1_000_000
"""The node limit of a search."""


class FeatureType(StrEnum):
    """The types of features, in words."""

    NUMBER = "a number"
    TEXT = "a text"
    SHAPE = "a shape"
    TEXTS = "a list of texts"
    BOOLEAN = "true or false"


class Record(Protocol):
    """A puzzle with the information of its file; `Instance` and `ParsedPuzzle` are records."""

    @property
    def name(self) -> str:
        """The name of the puzzle in its dataset."""

    @property
    def puzzle(self) -> Puzzle:
        """The puzzle itself."""

    @property
    def expected_count(self) -> SolutionCount | None:
        """The known number of solutions."""

    @property
    def source(self) -> str | None:
        """Where the puzzle comes from."""

    @property
    def fields(self) -> Mapping[str, str]:
        """Further information by name, such as ``rating``."""


@dataclass(frozen=True, slots=True)
class Described:
    """What features are computed from."""

    puzzle: Puzzle
    name: str = ""
    dataset: str = ""
    expected_count: SolutionCount | None = None
    source: str | None = None
    fields: Mapping[str, str] = field(default_factory=dict, hash=False)

    @staticmethod
    def of(record: Record, dataset: str = "") -> "Described":
        """The description of a `record` of this `dataset`."""
        return Described(
            record.puzzle,
            record.name,
            dataset,
            record.expected_count,
            record.source,
            record.fields,
        )


@dataclass(frozen=True, slots=True)
class Feature:
    """A feature of a puzzle."""

    name: str
    kind: FeatureType
    meaning: str
    value: Callable[[Described], object] = field(compare=False)
    optional: bool = False
    """Whether the value may be missing."""
    choices: tuple[str, ...] = ()
    """The texts that can occur; empty for any."""
    column: bool = False
    """Whether `harness export` can add it as a column. The others are columns of every trial,
    or only the file of the dataset has them."""


def number_in(of: Described, name: str) -> float | None:
    """The number in a field of the puzzle's file; None if it has no such field or no number."""
    text = of.fields.get(name, "")
    number = float(text) if _NUMERAL.fullmatch(text) else None
    return number if number is not None and isfinite(number) else None


def _searched(
    name: str,
    kind: FeatureType,
    meaning: str,
    choices: tuple[str, ...] = (),
    *,
    optional: bool = True,
) -> Feature:
    """A feature that a search finds, and that `harness export` can add as a column."""
    return Feature(
        name, kind, meaning, lambda of: _found(name, of.puzzle), optional, choices, column=True
    )


def _found(name: str, puzzle: Puzzle) -> object:
    """The value of a feature that a search finds.

    A condition is parsed without the search and its compiler, so they are imported here.
    """
    from harness.extensions.reasoning import rating
    from harness.puzzles import facts

    match name:
        case "candidates":
            return facts.candidates_of(puzzle)
        case "guesses":
            return facts.guesses_of(puzzle, _NODES)
        case "automorphisms":
            return facts.automorphisms_of(puzzle)
        case "minimal":
            return facts.is_minimal(puzzle, _NODES)
        case "hardest_rule":
            return rating.hardest_rule(puzzle)
        case "level":
            level = rating.level_of(puzzle)
            return None if level is None else str(level)
        case "backdoor":
            return rating.backdoor_size(puzzle)
        case _:
            rules = {"none": rating.NO_RULES, "naked": rating.NAKED, "hidden": rating.HIDDEN}
            return rating.nodes_of(puzzle, rules[name.removeprefix("nodes_")])


def _nodes(rules: str) -> str:
    return f"Nodes of a search for the first solution {rules}; missing beyond 100,000."


_NUMBER, _TEXT = FeatureType.NUMBER, FeatureType.TEXT
_DECLARED: Final = (
    Feature("dataset", _TEXT, "Name of the dataset.", lambda of: of.dataset),
    Feature("name", _TEXT, "Name of the puzzle in its dataset.", lambda of: of.name),
    Feature(
        "source",
        _TEXT,
        "Where the puzzle comes from, if its file states it.",
        lambda of: of.source,
        optional=True,
    ),
    Feature(
        "shape",
        FeatureType.SHAPE,
        "Shape; equal by any of its names.",
        lambda of: of.puzzle.shape,
    ),
    Feature(
        "size",
        _NUMBER,
        "Number of rows N, and of values.",
        lambda of: of.puzzle.shape.size,
        column=True,
    ),
    Feature("cells", _NUMBER, "Number of cells.", lambda of: len(of.puzzle.givens)),
    Feature("clues", _NUMBER, "Number of givens.", lambda of: of.puzzle.clues),
    _searched("candidates", _NUMBER, "Number of candidates of all blank cells.", optional=False),
    Feature(
        "pencilmarks",
        FeatureType.BOOLEAN,
        "Whether pencilmarks restrict its candidates.",
        lambda of: of.puzzle.pencilmarks is not None,
        column=True,
    ),
    Feature(
        "constraints",
        _NUMBER,
        "Number of constraints beside the houses.",
        lambda of: len(of.puzzle.shape.constraints),
        column=True,
    ),
    Feature(
        "kinds",
        FeatureType.TEXTS,
        "Kinds of its constraints.",
        lambda of: tuple(dict.fromkeys(one.kind for one in of.puzzle.shape.constraints)),
        choices=tuple(KINDS),
        column=True,
    ),
    Feature(
        "cages",
        _NUMBER,
        "Number of killer cages.",
        lambda of: sum(one.kind == "killer" for one in of.puzzle.shape.constraints),
        column=True,
    ),
    Feature(
        "solutions",
        _NUMBER,
        "Number of solutions that the dataset gives, or the least.",
        lambda of: None if of.expected_count is None else of.expected_count.least,
        optional=True,
    ),
    Feature(
        "rating",
        _NUMBER,
        "Field `rating` of its file, if that is a number.",
        lambda of: number_in(of, "rating"),
        optional=True,
    ),
    Feature(
        "symmetries",
        FeatureType.TEXTS,
        "Symmetries of the pattern of givens.",
        lambda of: tuple(map(str, symmetries_of(of.puzzle))),
        choices=tuple(map(str, Symmetry)),
        column=True,
    ),
    _searched(
        "guesses",
        _NUMBER,
        "Guesses of the internal search for two solutions with naked and hidden singles, and with "
        f"constraints; missing if it has more than {_NODES:,} nodes.",
    ),
    _searched(
        "hardest_rule",
        _TEXT,
        "Hardest rule needed: `none` for a complete grid, `search` if all rules do not suffice; "
        "missing without a unique solution.",
        RULE_NAMES,
    ),
    _searched(
        "level",
        _TEXT,
        "Level: the hardest of `naive`, `easy`, `normal` and `hard` whose rules do not finish the "
        "puzzle; missing without a unique solution, and with constraints.",
        tuple(map(str, LEVELS)),
    ),
    _searched(
        "backdoor",
        _NUMBER,
        "Fewest cells whose values let naked and hidden singles, and constraints, finish the "
        "puzzle; missing beyond 3, and without a unique solution.",
    ),
    _searched("nodes_none", _NUMBER, _nodes("without rules")),
    _searched("nodes_naked", _NUMBER, _nodes("with naked singles")),
    _searched("nodes_hidden", _NUMBER, _nodes("with naked and hidden singles")),
    _searched("automorphisms", _NUMBER, "Symmetries that keep the puzzle but for its values."),
    _searched(
        "minimal",
        FeatureType.BOOLEAN,
        "Whether each given is needed; missing as for `guesses`.",
    ),
)

FEATURES: Final[Mapping[str, Feature]] = {feature.name: feature for feature in _DECLARED}
"""All features by name."""
