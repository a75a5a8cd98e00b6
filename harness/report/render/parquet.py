"""Frames as Parquet, with the exact dtypes of their columns."""

from pathlib import Path
from typing import Final

import pandas as pd

from harness.errors import InputError, unwritable

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
