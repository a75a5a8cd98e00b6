"""Features of puzzles as columns of trials, computed from the puzzles of the store."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

import pandas as pd

from harness.errors import OptionError, meant, one_of
from harness.features.declared import FEATURES, Described, Feature, Kind
from harness.puzzles.puzzle import Puzzle
from harness.puzzles.shape import Shape
from harness.records.fields import DTYPES

COLUMNS: Final[Mapping[str, Feature]] = {
    name: feature for name, feature in FEATURES.items() if feature.column
}
"""The features that can be columns, by name."""
EVERY: Final = "all"
"""Stands for all of `COLUMNS`."""

_DTYPES: Final[Mapping[Kind, Any]] = {
    Kind.NUMBER: "Int64",
    Kind.BOOLEAN: "boolean",
    Kind.TEXT: "string",
    Kind.TEXTS: "string",
}
assert not COLUMNS.keys() & DTYPES.keys()


def parse_feature(name: str) -> str:
    """Check the name of a feature, or `EVERY`.

    Raises:
        OptionError: no feature that can be a column has this name.
    """
    return parse_feature_of(name, (*COLUMNS, EVERY), "features")


def parse_feature_of(name: str, names: Sequence[str], where: str) -> str:
    """Check that a name is one of `names`.

    Args:
        name: the name.
        names: the names of features.
        where: the name of the option, for the error.

    Raises:
        OptionError: it is none of them.
    """
    if name not in names:
        what = f"unknown feature {name!r}{meant(name, names)}"
        raise OptionError(what, where=where, expected=one_of(names))
    return name


def values_of(trials: pd.DataFrame, feature: Feature) -> dict[str, Any]:
    """The values of a feature by ``puzzle_id``, each computed once.

    Several texts are joined by blanks.

    Args:
        trials: the columns of `harness.records.fields.DTYPES`.
        feature: the feature.
    """
    puzzles = trials.drop_duplicates("puzzle_id")[["puzzle_id", "puzzle", "shape"]]
    values: dict[str, Any] = {}
    for puzzle_id, line, shape in puzzles.itertuples(index=False, name=None):
        puzzle = Puzzle.of_line(str(line), Shape.parse(str(shape)))
        value = feature.value(Described(puzzle))
        values[puzzle_id] = " ".join(value) if isinstance(value, tuple) else value
    return values


def with_features(trials: pd.DataFrame, names: Sequence[str]) -> pd.DataFrame:
    """`trials` with a column for each of these features of the puzzles that backends received.

    Each puzzle is computed once, whatever the number of its trials; see `values_of`.

    Args:
        trials: the columns of `harness.records.fields.DTYPES`.
        names: names of `COLUMNS`, or `EVERY`.

    Raises:
        OptionError: there is no such feature.
    """
    for name in names:
        parse_feature(name)
    chosen = {name: feature for name, feature in COLUMNS.items() if name in names or EVERY in names}
    columns = {
        name: trials["puzzle_id"].map(values_of(trials, feature)).astype(_DTYPES[feature.kind])
        for name, feature in chosen.items()
    }
    return trials.assign(**columns)
