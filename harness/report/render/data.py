"""Frames for programs: CSV and Parquet."""

from pathlib import Path
from typing import Final

import pandas as pd

from harness.errors import InputError, unwritable

# Frames as CSV, values unrounded, safe to open in a spreadsheet.


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


# Frames as Parquet, with the exact dtypes of their columns.


INSTALL: Final = 'pip install "pyarrow>=16"'
"""What the extra ``[parquet]`` installs; no registry has the harness with its extras."""


def write_parquet(frame: pd.DataFrame, path: Path) -> None:
    """Write the frame, without its index, to the file at `path`.

    `pandas.read_parquet` gives the same frame back, except for columns of Python objects:
    Parquet has no type for integers beyond 64 bits, so such a column becomes text.

    Raises:
        InputError: pyarrow is not installed, or the file cannot be written.
    """
    try:
        import pyarrow  # noqa: F401  the error of pandas does not say how to install it
    except ImportError:
        raise InputError("Parquet needs pyarrow", where="--format", expected=INSTALL) from None
    objects = {str(name): "string" for name in frame if frame[name].dtype == object}
    try:
        frame.astype(objects).to_parquet(path, engine="pyarrow", index=False)
    except OSError as error:
        raise unwritable(path, error) from None
