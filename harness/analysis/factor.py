"""Factors: the one condition that differs between both sides of a comparison."""

import json
import math
import re
from dataclasses import dataclass
from typing import Any, Final

import pandas as pd

from harness.analysis.measures import columns as col
from harness.base.errors import InputError

SCRAMBLE: Final = "scramble"
_COLUMNS: Final = {
    SCRAMBLE: "scramble",
    "start": "start",
    "timeout": "timeout_s",
    "cpu": "cpu_limit_s",
    "memory": "memory_limit_mib",
}
"""The columns of trials that are factors, by the names of their options."""
SEED: Final = "scramble_seed"
"""The column with the scramble of each trial, if scrambles are the factor."""


@dataclass(frozen=True, slots=True)
class Factor:
    """A factor with its values on both sides of a comparison."""

    name: str
    """An option of `harness run` or of a backend, or ``version``."""
    values: tuple[str, ...]
    """The value before, then the values after."""

    @property
    def key(self) -> list[str]:
        """The columns in which the results of a pair agree."""
        return [column for column in col.RESULT_KEY if column != _COLUMNS.get(self.name)]

    @property
    def spec(self) -> str:
        """The factor as ``--factor`` takes it."""
        return f"{self.name}={','.join(self.values)}"

    def __str__(self) -> str:
        """Both sides in words: ``scramble none before, 5 after``."""
        return f"{self.name} {self.values[0]} before, {', '.join(self.values[1:])} after"


def sides(
    before: pd.DataFrame, after: pd.DataFrame, spec: str
) -> tuple[Factor, pd.DataFrame, pd.DataFrame]:
    """The trials of both sides, with the same labels and the same names of puzzles.

    A side of ``scramble`` may have several seeds; the time of a puzzle is then the geometric mean
    over them, because every seed leads to another search. Trials without the factor, such as those
    of a backend that lacks the option, are on neither side.

    Args:
        before: the trials of a run.
        after: those of a later run, or the same trials.
        spec: the name of a factor, or ``NAME=BEFORE,AFTER`` if it has more than two values.

    Raises:
        InputError: the trials do not have two values of the factor, or not the values in `spec`.
    """
    name, _, choice = spec.partition("=")
    (old, old_values), (new, new_values) = (_with_values(t, name) for t in (before, after))
    present = list(dict.fromkeys([*_in_order(old_values), *_in_order(new_values)]))
    values = choice.split(",") if choice else present
    if len(values) < 2 or (len(values) > 2 and name != SCRAMBLE) or not {*values} <= {*present}:
        raise InputError(
            f"--factor {spec}: the trials have {', '.join(present) or f'no {name}'}",
            expected=f"two values, such as --factor {name}=BEFORE,AFTER, of "
            f"{', '.join(_COLUMNS)}, version or an option of a backend",
        )
    frames = old[old_values == values[0]], new[new_values.isin(values[1:])]
    return Factor(name, tuple(values)), *frames


def _with_values(trials: pd.DataFrame, name: str) -> tuple[pd.DataFrame, "pd.Series[str]"]:
    """The trials with equal keys for all values of a factor, and its value in each trial."""
    if name in _COLUMNS:
        values = trials[_COLUMNS[name]].map(_text, na_action=None)
        if name == SCRAMBLE:
            puzzle = trials["original"].fillna(trials["puzzle"])
            names = trials["name"] + " " + puzzle
            trials = trials.assign(scramble="", puzzle_id=names, **{SEED: trials["scramble"]})
        return trials, values
    rows = trials[["backend", "options"]].drop_duplicates("backend")
    pairs = {label: _of_backend(str(label), text, name) for label, text in rows.to_numpy()}
    base, values = (
        trials["backend"].map({label: pair[place] for label, pair in pairs.items()})
        for place in (0, 1)
    )
    return trials.assign(backend=base.astype("string")), values


def _of_backend(label: str, options: str, name: str) -> tuple[str, str | None]:
    """The label without the factor, and the value of the factor; None if the backend lacks it."""
    if name == "version":
        version = re.search(r"@([^\[#]+)", label)
        return re.sub(r"@[^\[#]+", "", label), version[1] if version else "installed"
    value = json.loads(options).get(name)
    without = re.sub(rf"(?<=[\[,]){re.escape(name)}=[^,\]]*,?", "", label)
    base = re.sub(r",?\]$", "]", without).removesuffix("[]")
    return base, None if value is None else _text(value)


def _text(value: Any) -> str:
    if pd.isna(value) or value in ("", 0):
        return "none"
    return f"{value:g}" if isinstance(value, float) else str(value)


def _in_order(values: "pd.Series[str]") -> list[str]:
    """The different values: ``none``, then numbers from the least, then texts."""

    def place(value: str) -> tuple[bool, float, str]:
        is_number = re.fullmatch(r"-?\d+(\.\d+)?", value)
        return value != "none", float(value) if is_number else math.inf, value

    return sorted(values.dropna().unique(), key=place)
