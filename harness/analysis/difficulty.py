"""Difficulty as a feature of puzzles: the classes by which `by-difficulty` groups times."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pandas as pd

from harness.analysis.features import COLUMNS, parse_feature_of, values_of
from harness.features.declared import FEATURES, Feature, Kind

NAMES: Final = ("clues", *COLUMNS)
"""The features by which times can be grouped."""
_EACH: Final = 10
"""The most numbers that are a class each."""
_RANGES: Final = 5
"""The classes of more numbers than that."""


@dataclass(frozen=True)
class Difficulty:
    """A feature, and its value for each puzzle of a run."""

    feature: str
    """Its name."""
    values: Mapping[str, Any]
    """Its value by ``puzzle_id``; None for a missing one."""

    @staticmethod
    def of(trials: pd.DataFrame, name: str) -> "Difficulty":
        """The feature called `name` of the puzzles of `trials`, each computed once.

        Raises:
            OptionError: no feature by which times can be grouped has this name.
        """
        parse_feature_of(name, NAMES, "difficulty")
        return Difficulty(name, values_of(trials, FEATURES[name]))

    def classes(self, puzzles: "pd.Series[Any]") -> tuple[npt.NDArray[np.int64], list[str]]:
        """The position of the class of each row, and the names of all classes.

        Each value is a class, in its order. More than 10 different numbers are in 5 ranges of
        about equal numbers of puzzles. Missing values are the last class.

        Args:
            puzzles: the column ``puzzle_id``, of shape (n,).
        """
        feature, ids = FEATURES[self.feature], puzzles.astype("string")
        found = ids.map(self.values)
        different = {self.values.get(one) for one in ids.unique()} - {None}
        if feature.kind is Kind.NUMBER and len(different) > _EACH:
            return self._ranges(found, [self.values.get(one) for one in ids.unique()])
        order = sorted(different, key=lambda value: _rank(feature, value))
        names = [_named(feature, value) for value in order]
        positions = {value: place for place, value in enumerate(order)}
        place = [positions.get(value, len(order)) for value in found]
        return np.array(place, dtype=np.int64), [*names, f"{self.feature} missing"]

    def _ranges(
        self, found: "pd.Series[Any]", values: list[Any]
    ) -> tuple[npt.NDArray[np.int64], list[str]]:
        numbers = np.sort(np.array([v for v in values if v is not None], dtype=np.float64))
        starts = np.unique(numbers[np.arange(_RANGES) * len(numbers) // _RANGES])
        ends = [numbers[numbers < start].max() for start in starts[1:]] + [numbers[-1]]
        names = [
            f"{self.feature} {low:,.0f}" + (f"-{high:,.0f}" if high > low else "")
            for low, high in zip(starts, ends, strict=True)
        ]
        known = pd.to_numeric(found, errors="coerce").to_numpy(dtype=np.float64, na_value=np.nan)
        place = np.digitize(known, starts[1:])
        place = np.where(np.isnan(known), len(names), place)
        return place.astype(np.int64), [*names, f"{self.feature} missing"]


def _rank(feature: Feature, value: Any) -> Any:
    """What values are sorted by: the order of their choices, if the feature has choices."""
    return feature.choices.index(value) if value in feature.choices else value


def _named(feature: Feature, value: Any) -> str:
    if isinstance(value, bool):
        return f"{'' if value else 'not '}{feature.name}"
    if feature.kind is Kind.NUMBER:
        return f"{feature.name} {value:,}"
    return f"{feature.name} {value or 'none'}"
