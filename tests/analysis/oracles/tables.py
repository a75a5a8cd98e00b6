"""Comparison of a table with the rows that an oracle predicts."""

import math
from collections.abc import Iterable, Sequence
from typing import Any

import pandas as pd

Row = dict[str, Any]


def plain(value: Any) -> Any:
    """A value of a frame: None for missing, else a bool, int, float or str."""
    if value is None or value is pd.NA or (isinstance(value, float) and math.isnan(value)):
        return None
    return value.item() if hasattr(value, "item") else value


def rows_of(table: pd.DataFrame) -> list[Row]:
    return [{str(k): plain(v) for k, v in row.items()} for row in table.to_dict("records")]


def agrees(value: Any, expected: Any) -> bool:
    """Equal, floats to 1e-9; or, of a check, accepted."""
    if callable(expected):
        return bool(expected(value))
    if isinstance(expected, float) and isinstance(value, (int, float)):
        return math.isclose(value, expected, rel_tol=1e-9, abs_tol=1e-12)
    return bool(plain(expected) == value)


def differences(
    table: pd.DataFrame, expected: Iterable[Row], key: Sequence[str], without: Sequence[str] = ()
) -> list[str]:
    """What differs: rows by their keys, the set of columns, and every value.

    Args:
        table: the table of the harness.
        expected: the rows of the oracle; a callable in the place of a value checks it.
        key: the columns that identify a row.
        without: columns that another assertion checks.
    """
    actual = rows_of(table.drop(columns=list(without)))
    rows = list(expected)
    by_key = {tuple(row[column] for column in key): row for row in actual}
    expected_rows = {tuple(plain(row[column]) for column in key): row for row in rows}
    assert len(expected_rows) == len(rows), "the oracle has two rows with one key"
    notes = [f"{len(actual)} rows with {len(by_key)} keys"] if len(by_key) < len(actual) else []
    notes += [f"row missing: {place}" for place in expected_rows.keys() - by_key.keys()]
    notes += [f"row without prediction: {place}" for place in by_key.keys() - expected_rows.keys()]
    for place in expected_rows.keys() & by_key.keys():
        own, prediction = by_key[place], expected_rows[place]
        if columns := own.keys() ^ prediction.keys():
            notes.append(f"columns of one side only: {sorted(columns)}")
        notes += [
            f"{place} {column}: found {own[column]!r}, predicted {prediction[column]!r}"
            for column in own.keys() & prediction.keys()
            if not agrees(own[column], prediction[column])
        ]
    return notes
