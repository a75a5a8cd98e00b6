"""The declared features: the one table of what can be known of a puzzle by name.

Conditions (`harness.features.where`) and the columns of `harness export --features` follow
from `FEATURES`. A value is computed only when it is needed; None stands for a missing value.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from math import isfinite
from typing import Final, Protocol

from harness.puzzles.expected_count import ExpectedCount
from harness.puzzles.puzzle import Puzzle
from harness.puzzles.symmetry import Symmetry, symmetries_of
from harness.reasoning.ladder import LEVELS, RULE_NAMES

_NUMBER: Final = re.compile(r"[+-]?(\d{1,4000}(\.\d*)?|\.\d+)([eE][+-]?\d{1,9})?", re.ASCII)
"""A number as files have it."""
_NODES: Final = 1_000_000
"""The node limit of a search."""


class Kind(StrEnum):
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
    def expected_count(self) -> ExpectedCount | None:
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
    expected_count: ExpectedCount | None = None
    source: str | None = None
    fields: Mapping[str, str] = field(default_factory=dict, hash=False)

    @staticmethod
    def of(record: Record, dataset: str = "") -> "Described":
        """The description of a `record` of this `dataset`."""
        return Described(
            *(record.puzzle, record.name, dataset),
            *(record.expected_count, record.source, record.fields),
        )


@dataclass(frozen=True, slots=True)
class Feature:
    """A feature of a puzzle."""

    name: str
    kind: Kind
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
    number = float(text) if _NUMBER.fullmatch(text) else None
    return number if number is not None and isfinite(number) else None


# A condition is parsed without the search and its compiler.


def _candidates(of: Described) -> int:
    from harness.puzzles.facts import candidates_of

    return candidates_of(of.puzzle)


def _guesses(of: Described) -> int | None:
    from harness.puzzles.facts import guesses_of

    return guesses_of(of.puzzle, _NODES)


def _automorphisms(of: Described) -> int | None:
    from harness.puzzles.facts import automorphisms_of

    return automorphisms_of(of.puzzle)


def _is_minimal(of: Described) -> bool | None:
    from harness.puzzles.facts import is_minimal

    return is_minimal(of.puzzle, _NODES)


def _hardest_rule(of: Described) -> str | None:
    from harness.reasoning.rating import hardest_rule

    return hardest_rule(of.puzzle)


def _level(of: Described) -> str | None:
    from harness.reasoning.rating import level_of

    level = level_of(of.puzzle)
    return None if level is None else str(level)


def _backdoor(of: Described) -> int | None:
    from harness.reasoning.rating import backdoor_size

    return backdoor_size(of.puzzle)


def _nodes_none(of: Described) -> int | None:
    from harness.reasoning.rating import nodes_of

    return nodes_of(of.puzzle)


def _nodes_naked(of: Described) -> int | None:
    from harness.reasoning.rating import NAKED, nodes_of

    return nodes_of(of.puzzle, NAKED)


def _nodes_hidden(of: Described) -> int | None:
    from harness.reasoning.rating import HIDDEN, nodes_of

    return nodes_of(of.puzzle, HIDDEN)


_DECLARED: Final = (
    Feature("dataset", Kind.TEXT, "Name of the dataset.", lambda of: of.dataset),
    Feature("name", Kind.TEXT, "Name of the puzzle in its dataset.", lambda of: of.name),
    Feature(
        *("source", Kind.TEXT, "Where the puzzle comes from, if its file states it."),
        lambda of: of.source,
        optional=True,
    ),
    Feature("shape", Kind.SHAPE, "Shape; equal by any of its names.", lambda of: of.puzzle.shape),
    Feature(
        *("size", Kind.NUMBER, "Number of rows N, and of values."),
        lambda of: of.puzzle.shape.size,
        column=True,
    ),
    Feature("cells", Kind.NUMBER, "Number of cells.", lambda of: len(of.puzzle.givens)),
    Feature("clues", Kind.NUMBER, "Number of givens.", lambda of: of.puzzle.clues),
    Feature(
        *("candidates", Kind.NUMBER, "Number of candidates of all blank cells."),
        _candidates,
        column=True,
    ),
    Feature(
        *("pencilmarks", Kind.BOOLEAN, "Whether pencilmarks restrict its candidates."),
        lambda of: of.puzzle.pencilmarks is not None,
        column=True,
    ),
    Feature(
        *("solutions", Kind.NUMBER, "Number of solutions that the dataset gives, or the least."),
        lambda of: None if of.expected_count is None else of.expected_count.count,
        optional=True,
    ),
    Feature(
        *("rating", Kind.NUMBER, "Field `rating` of its file, if that is a number."),
        lambda of: number_in(of, "rating"),
        optional=True,
    ),
    Feature(
        *("symmetries", Kind.TEXTS, "Symmetries of the pattern of givens."),
        lambda of: tuple(map(str, symmetries_of(of.puzzle))),
        choices=tuple(map(str, Symmetry)),
        column=True,
    ),
    Feature(
        "guesses",
        Kind.NUMBER,
        "Guesses of the internal search for two solutions with naked and hidden singles; missing "
        f"if it has more than {_NODES:,} nodes.",
        _guesses,
        optional=True,
        column=True,
    ),
    Feature(
        "hardest_rule",
        Kind.TEXT,
        "Hardest rule needed: `none` for a complete grid, `search` if all rules do not suffice; "
        "missing without a unique solution.",
        _hardest_rule,
        optional=True,
        choices=RULE_NAMES,
        column=True,
    ),
    Feature(
        "level",
        Kind.TEXT,
        "Level: the hardest of `naive`, `easy`, `normal` and `hard` whose rules do not finish the "
        "puzzle; missing without a unique solution.",
        _level,
        optional=True,
        choices=tuple(map(str, LEVELS)),
        column=True,
    ),
    Feature(
        "backdoor",
        Kind.NUMBER,
        "Fewest cells whose values let naked and hidden singles finish the puzzle; missing beyond "
        "3, and without a unique solution.",
        _backdoor,
        optional=True,
        column=True,
    ),
    *(
        Feature(
            f"nodes_{name}",
            Kind.NUMBER,
            f"Nodes of a search for the first solution {rules}; missing beyond 100,000.",
            value,
            optional=True,
            column=True,
        )
        for name, rules, value in (
            ("none", "without rules", _nodes_none),
            ("naked", "with naked singles", _nodes_naked),
            ("hidden", "with naked and hidden singles", _nodes_hidden),
        )
    ),
    Feature(
        *("automorphisms", Kind.NUMBER, "Symmetries that keep the puzzle but for its values."),
        _automorphisms,
        optional=True,
        column=True,
    ),
    Feature(
        *("minimal", Kind.BOOLEAN, "Whether each given is needed; missing as for `guesses`."),
        _is_minimal,
        optional=True,
        column=True,
    ),
)

FEATURES: Final[Mapping[str, Feature]] = {feature.name: feature for feature in _DECLARED}
"""All features by name."""
