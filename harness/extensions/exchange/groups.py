"""Groups of trials that become a file or a folder each, and names of their instances."""

import re
from typing import Any

import pandas as pd

from harness.records import StoreTable, fields_of

QUESTION = [field.name for field in fields_of(StoreTable.QUESTIONS)]
"""The columns that all trials of a question share."""


def groups(trials: pd.DataFrame, columns: list[str]) -> dict[str, pd.DataFrame]:
    """The trials with equal values in `columns`, by a name for files.

    The name is a number and the values that differ between groups; it is empty for one group.
    """
    differing = [name for name in columns if trials[name].nunique(dropna=False) > 1]
    if not differing:
        return {"": trials}
    parts = {}
    for number, (values, part) in enumerate(trials.groupby(differing, sort=False, dropna=False), 1):
        text = "-".join(str(value) for value in values if not pd.isna(value))
        words = re.sub(r"[^\w.]+", "-", text).strip("-")[:100]
        parts[f"{number}-{words}"] = part
    return parts


def instance_names(trials: pd.DataFrame) -> "pd.Series[Any]":
    """A name for the instance of each trial: ``named/3``, with the seed of a scramble ``named/3#7``.

    If several puzzles have the same name, the digest of each follows.
    """
    seeds = "#" + trials["scramble"]
    names = trials["dataset"] + "/" + trials["name"] + seeds.where(trials["scramble"] != "", "")
    is_shared = trials.groupby(names)["puzzle_id"].transform("nunique") > 1
    return names.mask(is_shared, names + "#" + trials["puzzle_id"])
