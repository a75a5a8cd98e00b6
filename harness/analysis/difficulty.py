"""Times by the difficulty and other features of puzzles."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pandas as pd

from harness.analysis.measures import (
    TIME_COLUMNS,
    Measure,
    Note,
    answers_left_out_notes,
    single,
    statistics_by,
    with_common_set,
)
from harness.analysis.measures import columns as col
from harness.base.errors import OptionError, not_among
from harness.puzzles import Puzzle, Shape, plain_of
from harness.puzzles.datasets import FEATURES, Described, Feature, FeatureType
from harness.records import DTYPES, Task

# Features of puzzles as columns of trials, computed from the puzzles of the store.


@cache
def feature_columns() -> Mapping[str, Feature]:
    """The features that can be columns, by name."""
    free = FEATURES.keys() - DTYPES.keys()
    return {name: feature for name, feature in FEATURES.items() if name in free and feature.column}


EVERY: Final = "all"
"""Stands for all of `feature_columns`."""

_DTYPES: Final[Mapping[FeatureType, Any]] = {
    FeatureType.NUMBER: "Int64",
    FeatureType.BOOLEAN: "boolean",
    FeatureType.TEXT: "string",
    FeatureType.TEXTS: "string",
}


def parse_feature(name: str, further: str = EVERY, where: str = "features") -> str:
    """Check the name of a feature that can be a column, or one `further` name.

    Args:
        name: the name.
        further: another name that is accepted.
        where: the name of the option, for the error.

    Raises:
        OptionError: no such feature has this name.
    """
    names = (*feature_columns(), further)
    if name not in names:
        raise not_among(OptionError, f"unknown feature {name!r}", name, names, where=where)
    return name


def values_of(trials: pd.DataFrame, feature: Feature) -> dict[str, Any]:
    """The values of a feature by ``puzzle_id``, each computed once.

    If a feature has several texts, they are joined by spaces.

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

    Each value is computed once per puzzle, whatever the number of its trials; see `values_of`.

    Args:
        trials: the columns of `harness.records.fields.DTYPES`.
        names: names of `feature_columns`, or `EVERY`.

    Raises:
        OptionError: there is no such feature.
    """
    for name in names:
        parse_feature(name)
    columns = {
        name: trials["puzzle_id"].map(values_of(trials, feature)).astype(_DTYPES[feature.kind])
        for name, feature in feature_columns().items()
        if name in names or EVERY in names
    }
    return trials.assign(**columns)


# Difficulty as a feature of puzzles: the classes by which `by-difficulty` groups times.


_EACH: Final = 10
"""Maximum number of different numbers that are classes of their own."""
_RANGES: Final = 5
"""The number of classes of more numbers than that."""


@dataclass(frozen=True)
class Difficulty:
    """A feature, and its value for each puzzle of a run."""

    feature: str
    """The name of the feature."""
    values: Mapping[str, Any]
    """The value of the feature by ``puzzle_id``; None for a missing one."""

    @staticmethod
    def of_trials(trials: pd.DataFrame, name: str) -> "Difficulty":
        """The feature called `name` of the puzzles of `trials`, each computed once.

        Raises:
            OptionError: no feature by which times can be grouped has this name.
        """
        parse_feature(name, "clues", "--difficulty")
        return Difficulty(name, values_of(trials, FEATURES[name]))

    def classes(self, puzzles: "pd.Series[Any]") -> tuple[npt.NDArray[np.int64], list[str]]:
        """The position of the class of each row, and the names of all classes.

        Each value is a class, in its order. More than 10 different numbers are in 5 ranges of
        about equal numbers of puzzles. Missing values are the last class.

        Args:
            puzzles: the column ``puzzle_id``, of shape (n,).
        """
        feature, ids = FEATURES[self.feature], puzzles.astype("string")
        row_values = ids.map(self.values)
        different = {self.values.get(puzzle_id) for puzzle_id in ids.unique()} - {None}
        if feature.kind is FeatureType.NUMBER and len(different) > _EACH:
            return self._ranges(row_values, list(map(self.values.get, ids.unique())))
        order = sorted(different, key=lambda value: _rank(feature, value))
        names = [_class_name(feature, value) for value in order]
        positions = {value: place for place, value in enumerate(order)}
        place = [positions.get(value, len(order)) for value in row_values]
        return np.array(place, dtype=np.int64), [*names, f"{self.feature} missing"]

    def _ranges(
        self, row_values: "pd.Series[Any]", values: list[Any]
    ) -> tuple[npt.NDArray[np.int64], list[str]]:
        numbers = np.sort(np.array([v for v in values if v is not None], dtype=np.float64))
        starts = np.unique(numbers[np.arange(_RANGES) * len(numbers) // _RANGES])
        ends = [numbers[numbers < start].max() for start in starts[1:]] + [numbers[-1]]
        names = [
            f"{self.feature} {low:,.0f}" + (f"-{high:,.0f}" if high > low else "")
            for low, high in zip(starts, ends, strict=True)
        ]
        floats = pd.to_numeric(row_values, errors="coerce").to_numpy(
            dtype=np.float64, na_value=np.nan
        )
        place = np.digitize(floats, starts[1:])
        place = np.where(np.isnan(floats), len(names), place)
        return place.astype(np.int64), [*names, f"{self.feature} missing"]


def _rank(feature: Feature, value: Any) -> Any:
    """The sort key of a value: its place among the choices, if the feature has choices."""
    if feature.kind is FeatureType.TEXTS:
        return len(value.split()), value
    return feature.choices.index(value) if value in feature.choices else value


def _class_name(feature: Feature, value: Any) -> str:
    if isinstance(value, bool):
        return f"{'' if value else 'not '}{feature.name}"
    if feature.kind is FeatureType.NUMBER:
        return f"{feature.name} {value:,}"
    return f"{feature.name} {value or 'none'}"


# Measure `by-difficulty`: times by the difficulty of the puzzle.


_GUESSES: Final = {"no guess": 1, "1-9 guesses": 10, "10-99 guesses": 100, "100-999 guesses": 1000}
_SHARES: Final = (0.2, 0.25, 0.3, 0.4)


def by_difficulty(results: pd.DataFrame, difficulty: Difficulty | None = None) -> pd.DataFrame:
    """Summarize the times of each difficulty and backend, easiest first.

    Difficulty is independent of the times that it groups; otherwise a backend that was lucky
    on an instance would look good on it. Difficulty is the number of guesses of one reference
    backend, in a `solve` task if there is one: the backend that answers the most puzzles with a
    counter `guesses`, in any comparison group of the report, or the first of several by name. This
    number depends on neither machine nor clock. It measures difficulty for the reference backend;
    other backends may need other numbers of guesses. The classes are 0, 1 to 9, 10 to 99, 100 to
    999 and more guesses; puzzles that the reference backend did not answer are the last class. If
    no backend reports guesses, the classes are shares of given cells, with borders at 40, 30, 25
    and 20 %, each part of the class above it. With `difficulty`, difficulty is this feature of the
    puzzle instead, and each of its values is a class; more than 10 different numbers are in 5
    ranges of about equal numbers of puzzles, and missing values are the last class. All values are
    over the instances that every eligible backend of the comparison group was run on; only wrong
    answers count on other instances, too. The start `batch` has no classes: a call has puzzles of
    all classes.
    """
    results = single(results)
    if results.empty:
        return BY_DIFFICULTY.frame([])
    reference = None
    if difficulty is None:
        place, names = _difficulties(results)
        reference = reference_backend(results)
    else:
        place, names = difficulty.classes(results["puzzle_id"])
    rows = []
    table = with_common_set(results).assign(place=place)
    for row in statistics_by(table, [*col.COMPARISON_GROUP, "place", "backend"]):
        row |= {"difficulty": names[row["place"]], "reference": reference, "ratio": np.nan}
        row["feature"] = None if difficulty is None else difficulty.feature
        if row["instances"] or row["wrong"]:
            rows.append(row)
    frame = BY_DIFFICULTY.frame(rows)
    place_key = [*col.COMPARISON_GROUP, "place"]
    bad = frame.groupby(col.BACKEND_KEY, dropna=False)["wrong"].transform("sum") > 0
    eligible = frame["par2_s"].mask(bad)
    keys = [frame[name] for name in place_key]
    frame["ratio"] = eligible / eligible.groupby(keys, dropna=False).transform("min")
    return frame.sort_values([*place_key, "ratio", "backend"], kind="stable", ignore_index=True)


def reference_backend(results: pd.DataFrame) -> str | None:
    """The backend whose guesses define difficulty; None if no backend reports any.

    It answers the most puzzles with the counter ``guesses``; ties go to the first by name.
    """
    results = single(results)
    reporting = results[(results["guesses_are"] == "guesses") & results["answered"]]
    if reporting.empty:
        return None
    reporting = reporting.drop_duplicates(["backend", "puzzle_id"])
    numbers = reporting["backend"].astype("string").value_counts()
    return str(min(numbers[numbers == numbers.max()].index))


def _difficulties(results: pd.DataFrame) -> "tuple[np.ndarray[tuple[int], Any], list[str]]":
    """The position of the difficulty of each row, and the names of all difficulties."""
    reference = reference_backend(results)
    if reference is None:
        cells = results["shape"].map(lambda spec: plain_of(spec).size ** 2).to_numpy(np.float64)
        share = results["clues"].to_numpy(dtype=np.float64) / cells
        edges = [f"{edge:.0%}".rstrip("%") for edge in reversed(_SHARES)]
        names = [f"{edges[0]} % given or more"]
        names += [f"{low}-{high} % given" for high, low in pairwise(edges)]
        names.append(f"under {edges[-1]} % given")
        return len(_SHARES) - np.digitize(share, _SHARES), names
    names = [*_GUESSES, "1000 guesses or more", f"no answer from {reference}"]
    rows = results["backend"] == reference
    answers = results[rows & results["answered"]]
    # Counting takes more guesses than solving, so the guesses of a solve task come first.
    first = np.argsort((answers["task"] != Task.SOLVE).to_numpy(), kind="stable")
    answers = answers.iloc[first].drop_duplicates("puzzle_id")
    guesses = answers.set_index(answers["puzzle_id"].astype("string"))["guesses"]
    known_guesses = results["puzzle_id"].astype("string").map(guesses).to_numpy(dtype=np.float64)
    bins = np.digitize(known_guesses, list(_GUESSES.values()))
    return np.where(np.isnan(known_guesses), len(names) - 1, bins), names


def _notes(frame: pd.DataFrame) -> Iterator[Note]:
    yield from answers_left_out_notes(frame)
    reference = frame["reference"].iloc[0]
    feature = frame["feature"].iloc[0]
    if pd.notna(feature):
        yield Note(
            "difficulty: feature {feature} of the puzzle",
            {"feature": (col.ValueKind.TEXT, feature)},
        )
    elif pd.isna(reference):
        yield Note("difficulty: share of given cells, as no backend reports guesses")
    else:
        yield Note(
            "difficulty: number of guesses of {reference}",
            {"reference": (col.ValueKind.BACKEND, [reference])},
        )


BY_DIFFICULTY: Final = Measure(
    title="By difficulty",
    compute=by_difficulty,
    columns=(
        *col.GROUP_COLUMNS,
        col.text(
            "difficulty",
            "Range of guesses, of the share of given cells, or of a feature.",
            "difficulty",
        ),
        col.count("place", "Position of the difficulty, from 0 for the easiest."),
        col.text("reference", "The reference backend; missing if there is none."),
        col.text("feature", "The feature that is difficulty; missing by default."),
        col.BACKEND,
        col.WRONG_SHOWN,
        col.LEFT_OUT,
        *TIME_COLUMNS,
        col.ratio(
            "ratio", "PAR-2 over the lowest of the eligible backends in this difficulty.", "ratio"
        ),
    ),
    order="difficulty backend answered wrong median_s par2_s sgm_1ms_s ratio",
    takes=("results", "difficulty"),
    applies=col.varies("place"),
    notes=_notes,
)
