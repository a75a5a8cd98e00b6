"""Frames as rows of plain values, for documents in JSON."""

from math import isfinite
from typing import Any

import pandas as pd

from harness.report.render.json import Cell
from harness.report.table import is_missing


def rows(frame: pd.DataFrame) -> list[dict[str, Cell]]:
    """The rows of a frame, each with the names of all columns; missing values are None."""
    columns = {str(name): [_cell(value) for value in frame[name]] for name in frame.columns}
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


def _cell(value: Any) -> Cell:
    if is_missing(value):
        return None
    plain = value.item() if hasattr(value, "item") else value
    if isinstance(plain, float):
        return plain if isfinite(plain) else None
    return plain if isinstance(plain, str | int) else str(plain)
