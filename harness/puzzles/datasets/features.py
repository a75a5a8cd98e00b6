"""The declared features: the one table of what can be known about a puzzle, by name.

Conditions (`harness.puzzles.datasets.where`) and the columns of `harness export --features` follow
from `FEATURES`. A value is computed only when it is needed; None stands for a missing value.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from math import isfinite
from typing import TYPE_CHECKING, Any, Final

from harness.base.errors import InputError, failures_described
from harness.base.plugins import Plugin, plugins
from harness.base.text import short_repr
from harness.puzzles.constraints import KINDS
from harness.puzzles.formats import warn
from harness.puzzles.puzzle import Instance, Puzzle
from harness.puzzles.solution_count import SolutionCount
from harness.puzzles.symmetry import Symmetry, symmetries_of

if TYPE_CHECKING:
    from harness.puzzles.formats import ParsedPuzzle

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
    def from_record(record: "Instance | ParsedPuzzle", dataset: str = "") -> "Described":
        """The description of a `record` of this `dataset`."""
        count, source = record.expected_count, record.source
        return Described(record.puzzle, record.name, dataset, count, source, record.fields)


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
    """The texts that can occur; empty if any can."""
    column: bool = False
    """Whether `harness export` can add it as a column. The others are columns of every trial,
    or only the file of the dataset has them."""


def number_in(entry: Described, name: str) -> float | None:
    """The number in a field of a puzzle; None if the field is missing or is not a number."""
    text = entry.fields.get(name, "")
    number = float(text) if _NUMERAL.fullmatch(text) else None
    return number if number is not None and isfinite(number) else None


def search_feature(
    name: str,
    kind: FeatureType,
    meaning: str,
    search: Callable[[Puzzle], object],
    choices: tuple[str, ...] = (),
    *,
    optional: bool = True,
) -> Feature:
    """A feature that a search finds, and that `harness export` can add as a column.

    Args:
        name: its name.
        kind: the type of its values.
        meaning: its meaning in a sentence.
        search: computes the value of a puzzle.
        choices: all values, if there are few.
        optional: whether the value may be missing.
    """
    return Feature(
        name, kind, meaning, lambda entry: search(entry.puzzle), optional, choices, column=True
    )


def _fact(name: str, *limits: int) -> Callable[[Puzzle], object]:
    """A function of `facts`, imported when it is called: parsing a condition needs no search."""

    def search(puzzle: Puzzle) -> object:
        from harness.puzzles.datasets import facts

        return getattr(facts, name)(puzzle, *limits)

    return search


def _kinds(entry: Described) -> list[str]:
    return [constraint.kind for constraint in entry.puzzle.shape.constraints]


_NUMBER, _TEXT = FeatureType.NUMBER, FeatureType.TEXT
_DECLARED: Final = (
    Feature("dataset", _TEXT, "Name of the dataset.", lambda entry: entry.dataset),
    Feature("name", _TEXT, "Name of the puzzle in its dataset.", lambda entry: entry.name),
    Feature(
        "source",
        _TEXT,
        "Where the puzzle comes from, if its file states it.",
        lambda entry: entry.source,
        optional=True,
    ),
    Feature(
        "shape",
        FeatureType.SHAPE,
        "Shape; equal by any of its names.",
        lambda entry: entry.puzzle.shape,
    ),
    Feature(
        "size",
        _NUMBER,
        "Number of rows N, and of values.",
        lambda entry: entry.puzzle.shape.size,
        column=True,
    ),
    Feature("cells", _NUMBER, "Number of cells.", lambda entry: len(entry.puzzle.givens)),
    Feature("clues", _NUMBER, "Number of givens.", lambda entry: entry.puzzle.clues),
    search_feature(
        "candidates",
        _NUMBER,
        "Number of candidates of all blank cells.",
        _fact("candidates_of"),
        optional=False,
    ),
    Feature(
        "pencilmarks",
        FeatureType.BOOLEAN,
        "Whether pencilmarks restrict its candidates.",
        lambda entry: entry.puzzle.pencilmarks is not None,
        column=True,
    ),
    Feature(
        "constraints",
        _NUMBER,
        "Number of constraints besides the houses.",
        lambda entry: len(entry.puzzle.shape.constraints),
        column=True,
    ),
    Feature(
        "kinds",
        FeatureType.TEXTS,
        "Kinds of its constraints.",
        lambda entry: tuple(dict.fromkeys(_kinds(entry))),
        choices=tuple(KINDS),
        column=True,
    ),
    Feature(
        "cages",
        _NUMBER,
        "Number of killer cages.",
        lambda entry: _kinds(entry).count("killer"),
        column=True,
    ),
    Feature(
        "solutions",
        _NUMBER,
        "Number of solutions that the dataset gives, or the smallest possible number.",
        lambda entry: None if entry.expected_count is None else entry.expected_count.least,
        optional=True,
    ),
    Feature(
        "rating",
        _NUMBER,
        "Field `rating` of its file, if that is a number.",
        lambda entry: number_in(entry, "rating"),
        optional=True,
    ),
    Feature(
        "symmetries",
        FeatureType.TEXTS,
        "Symmetries of the pattern of givens.",
        lambda entry: tuple(map(str, symmetries_of(entry.puzzle))),
        choices=tuple(map(str, Symmetry)),
        column=True,
    ),
    search_feature(
        "guesses",
        _NUMBER,
        "Guesses of the internal search for two solutions with naked and hidden singles, and with "
        f"constraints; missing if it takes more than {_NODES:,} nodes.",
        _fact("guesses_of", _NODES),
    ),
    search_feature(
        "automorphisms",
        _NUMBER,
        "Number of symmetries that change only the values of the puzzle.",
        _fact("automorphisms_of"),
    ),
    search_feature(
        "minimal",
        FeatureType.BOOLEAN,
        "Whether each given is needed; missing as for `guesses`.",
        _fact("is_minimal", _NODES),
    ),
)


class _Features(Mapping[str, Feature]):
    """The features of this module, and those of the entry points ``harness.features``.

    The feature of an extension is imported when it is used.
    """

    def __init__(self) -> None:
        self._known = {feature.name: feature for feature in _DECLARED}

    def __getitem__(self, name: str) -> Feature:
        if name not in self._known:
            plugin = next((entry for entry in plugins(_GROUP) if entry.name == name), None)
            if plugin is None:
                raise KeyError(name)
            self._known[name] = _load(plugin)
        return self._known[name]

    def __iter__(self) -> Iterator[str]:
        """The names of the features, without those that cannot be loaded: a warning names each.

        Without an extension, its features are not features.
        """
        own = {feature.name: None for feature in _DECLARED}
        yield from own
        for plugin in plugins(_GROUP):
            if plugin.name in own or (plugin.is_built_in and plugin.is_absent):
                continue
            try:
                self[plugin.name]
            except InputError as error:
                warn(str(error))
            else:
                yield plugin.name

    def __len__(self) -> int:
        return sum(1 for _ in self)


def _load(plugin: Plugin) -> Feature:
    """The feature of an entry point; an error in the code of another package becomes a message.

    Raises:
        InputError: its module cannot be imported, or has no feature.
    """
    expected = "a harness.puzzles.datasets.Feature"
    feature: Feature = plugin.load(
        "feature", expected, InputError, lambda result: isinstance(result, Feature)
    )
    if plugin.is_built_in:
        return feature
    subject = f"the feature {plugin.name!r} of the package {plugin.package}"

    def value(entry: Described) -> object:
        with failures_described(f"{subject} failed"):
            result = feature.value(entry)
        if result is None or isinstance(result, _TYPES[feature.kind]):
            return result
        raise InputError(f"{subject} is {short_repr(result)}", expected=feature.kind)

    return replace(feature, value=value)


_TYPES: Final[Mapping[FeatureType, Any]] = {
    FeatureType.NUMBER: int | float,
    FeatureType.TEXT: str,
    FeatureType.SHAPE: object,
    FeatureType.TEXTS: tuple | list,
    FeatureType.BOOLEAN: bool,
}
_GROUP: Final = "harness.features"
FEATURES: Final[Mapping[str, Feature]] = _Features()
"""All features by name."""
