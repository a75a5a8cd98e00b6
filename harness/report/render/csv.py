"""Frames as CSV, figures unrounded, harmless to a spreadsheet."""

from typing import Final

import pandas as pd

FORMULA: Final = r"^\s*[=+\-@]|^[\t\r\n]"
"""What makes a spreadsheet read a text as a formula."""


def csv(frame: pd.DataFrame, *, exact: tuple[str, ...] = ()) -> str:
    """The frame as CSV with a header, texts quoted where they must be.

    A text that a spreadsheet would read as a formula, one that begins with
    ``=``, ``+``, ``-`` or ``@`` after any white space, or with a tab or a line
    end, is written with an apostrophe before it, which spreadsheets do not
    show. (OWASP, "CSV injection". Quoting alone does not help: a quoted cell is
    evaluated as well.) Numbers are not touched.

    Args:
        frame: what is written, without its index.
        exact: columns of text that are written as they are, as nothing in them
            can be a formula.
    """
    return str(neutral(frame, exact=exact).to_csv(index=False, lineterminator="\n"))


def neutral(frame: pd.DataFrame, *, exact: tuple[str, ...] = ()) -> pd.DataFrame:
    """`frame` with an apostrophe before every text that could be a formula; see `csv`."""
    changed = {}
    for name in frame.columns:
        column = frame[name]
        if name in exact or pd.api.types.is_numeric_dtype(column.dtype):
            continue
        # Few texts are different, so that each is looked at once.
        texts = pd.Series(column.dropna().unique(), dtype="object").astype("string")
        suspect = set(texts[texts.str.contains(FORMULA, regex=True)])
        if suspect:
            changed[str(name)] = column.astype("string").map(
                lambda text, suspect=suspect: f"'{text}" if text in suspect else text,
                na_action="ignore",
            )
    return frame.assign(**changed)
