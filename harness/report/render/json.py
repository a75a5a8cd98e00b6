"""Documents as JSON: numbers are numbers, and what is missing is null."""

import json as json_
from collections.abc import Mapping, Sequence
from math import isfinite
from typing import Any

import msgspec

Cell = str | int | float | bool | None
"""A value of a table; a float is finite."""


def json(document: Any) -> str:
    """`document` as JSON in lines, with a line end.

    JSON has no NaN and no infinity; they become null. Integers of any size stay integers.
    """
    data = finite(msgspec.to_builtins(document))
    return json_.dumps(data, indent=2, allow_nan=False) + "\n"


def finite(data: Any) -> Any:
    """`data`, made of objects of JSON, with None for floats that are not finite."""
    if isinstance(data, float):
        return data if isfinite(data) else None
    if isinstance(data, Mapping):
        return {key: finite(value) for key, value in data.items()}
    if isinstance(data, Sequence) and not isinstance(data, str):
        return [finite(value) for value in data]
    return data
