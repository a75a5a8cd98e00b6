"""Frames for programs as CSV, values unrounded, safe to open in a spreadsheet."""

import csv as csv_
from collections.abc import Iterable
from io import StringIO
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pandas as pd

FORMULA: Final = r"^\s*[=+\-@]|^[\t\r\n]"
"""Matches texts that a spreadsheet reads as a formula."""
_ROWS: Final = 50_000
"""How many rows have their cells joined at a time."""


def csv(frame: pd.DataFrame, *, exact: tuple[str, ...] = ()) -> str:
    """The frame as CSV with a header, texts quoted if necessary.

    A text that a spreadsheet would read as a formula, because it begins with ``=``, ``+``,
    ``-`` or ``@`` after any white space, or with a tab or a line end, gets an apostrophe in
    front, which spreadsheets hide (OWASP, "CSV injection"). Quoting alone is not enough:
    spreadsheets evaluate a quoted cell as well. Numbers stay unchanged.

    Args:
        frame: the frame, written without its index.
        exact: columns of text to write unchanged, since they cannot contain a formula.
    """
    safe = neutral(frame, exact=exact)
    parts = [_line(map(str, safe))]
    for begin in range(0, len(safe), _ROWS):
        some = safe.iloc[begin : begin + _ROWS]
        rows = zip(*(_cells(some[name]) for name in some), strict=True)
        parts.append("".join(f"{','.join(row)}\n" for row in rows))
    return "".join(parts)


def _cells(column: "pd.Series[Any]") -> npt.NDArray[np.object_]:
    """The text of each value as a cell; each different text is quoted once."""
    if column.dtype == np.float64:  # few are equal, and 0 is not -0
        texts = ["" if value != value else repr(value) for value in column.tolist()]
        return np.array(texts, dtype=object)
    codes, uniques = pd.factorize(column)
    return np.array([*(_line((value, ""))[:-2] for value in uniques.tolist()), ""], object)[codes]


def _line(values: Iterable[object]) -> str:
    csv_.writer(file := StringIO(), lineterminator="\n").writerow(values)
    return file.getvalue()


def neutral(frame: pd.DataFrame, *, exact: tuple[str, ...] = ()) -> pd.DataFrame:
    """`frame` with an apostrophe in front of every text that could be a formula; see `csv`."""
    columns = {}
    for name in frame.columns:
        column = frame[name]
        if name in exact or pd.api.types.is_numeric_dtype(column.dtype):
            continue
        # Most texts are repeated, so each different text is checked once.
        if pd.api.types.infer_dtype(column, skipna=True) == "integer":  # beyond 64 bits
            continue
        texts = pd.Series(column.dropna().unique(), dtype="object").astype("string")
        suspect = set(texts[texts.str.contains(FORMULA, regex=True)])
        if suspect:
            columns[str(name)] = column.astype("string").map(
                lambda text, suspect=suspect: f"'{text}" if text in suspect else text,
                na_action="ignore",
            )
    return frame.assign(**columns)
