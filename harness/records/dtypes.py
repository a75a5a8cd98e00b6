"""Columns of pandas frames whose integers may be beyond 64 bits.

pandas has no dtype for such integers. A column of them is ``Int64`` as long as all fit, and
otherwise an object column of Python's integers, with ``pd.NA`` for a missing one. Both compare,
group and export exactly.
"""

from collections.abc import Iterable, Mapping
from typing import Any, Final

import pandas as pd
from pandas.api.types import pandas_dtype

from harness.integers import LARGEST_OF_64_BITS, fits_64_bits

_LARGEST_EXACT: Final = 2**53
"""The largest integer up to which floats hold every integer."""


def integers(values: Iterable[Any]) -> "pd.Series[Any]":
    """The integers, or their digits as text, as a column; None and ``pd.NA`` are missing."""
    exact = [int(value) if isinstance(value, str) else value for value in values]
    if all(_is_missing(value) or fits_64_bits(value) for value in exact):
        return pd.Series(pd.array(exact, dtype="Int64"))
    return pd.Series([pd.NA if _is_missing(v) else v for v in exact], dtype="object")


def is_inexact(column: "pd.Series[Any]") -> bool:
    """Whether pandas may have changed integers: beside a missing one it makes floats of them."""
    if str(column.dtype) == "float64":
        return bool((column.abs() >= _LARGEST_EXACT).any())
    return str(column.dtype) != "int64"


def within_64_bits(column: "pd.Series[Any]") -> "pd.Series[Any]":
    """The column as ``Int64``; an integer beyond 64 bits is the largest or the smallest one."""
    if str(column.dtype) != "object":
        return column
    most = LARGEST_OF_64_BITS
    bounded = [v if _is_missing(v) else max(-most, min(v, most)) for v in column]
    return pd.Series(pd.array(bounded, dtype="Int64"), index=column.index)


def with_dtypes(frame: pd.DataFrame, dtypes: Mapping[str, str]) -> pd.DataFrame:
    """The frame with these dtypes; integers beyond 64 bits stay objects in an ``Int64`` column."""
    large = [
        name
        for name, dtype in dtypes.items()
        if dtype == "Int64" and name in frame and str(frame[name].dtype) == "object"
    ]
    columns = {
        name: integers(frame[name]).set_axis(frame.index)
        if name in large
        else frame[name].astype(pandas_dtype(dtype))
        for name, dtype in dtypes.items()
        if frame[name].dtype != pandas_dtype(dtype)
    }
    return frame.assign(**columns)


def _is_missing(value: object) -> bool:
    return value is None or value is pd.NA or value != value
