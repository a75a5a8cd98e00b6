"""Frames for programs as CSV, values unrounded, safe to open in a spreadsheet."""

from typing import Final

import pandas as pd

FORMULA: Final = r"^\s*[=+\-@]|^[\t\r\n]"
"""Matches texts that a spreadsheet reads as a formula."""


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
    return str(neutral(frame, exact=exact).to_csv(index=False, lineterminator="\n"))


def neutral(frame: pd.DataFrame, *, exact: tuple[str, ...] = ()) -> pd.DataFrame:
    """`frame` with an apostrophe in front of every text that could be a formula; see `csv`."""
    changed = {}
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
            changed[str(name)] = column.astype("string").map(
                lambda text, suspect=suspect: f"'{text}" if text in suspect else text,
                na_action="ignore",
            )
    return frame.assign(**changed)
