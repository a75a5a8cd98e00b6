"""Charts as Vega-Lite specifications: dictionaries with the content of their JSON.

See the documentation of Vega-Lite (https://vega.github.io/vega-lite/docs/) for the parts of a
specification.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Any, Final

import pandas as pd

from harness.analysis.results import COMPARISON_GROUP
from harness.report.formatting import printable, shortened
from harness.report.table import is_missing

VERSION: Final = "v6.4"
"""The version of Vega-Lite, as in the names of vl-convert."""
SCHEMA: Final = f"https://vega.github.io/schema/vega-lite/{VERSION}.1.json"

ROWS: Final = "rows"
"""The name of the data set of the rows of a chart."""

Spec = dict[str, Any]
"""A specification, or a part of one: a layer, an axis, a channel of an encoding."""

_DIGITS: Final = 4


@dataclass(frozen=True, slots=True)
class Drawing:
    """A chart: its specification and its rows apart."""

    spec: Spec
    """The views of the rows; `template` and `complete` are whole specifications."""
    rows: pd.DataFrame

    def columns(self) -> dict[str, list[Any]]:
        """The rows as JSON values, column by column.

        Numbers have four digits, and missing values are None. The columns of a comparison group
        are left out: they have one value in a chart.
        """
        names = [name for name in self.rows if name not in COMPARISON_GROUP]
        return {str(name): _plain(self.rows[name]) for name in names}

    def template(self) -> Spec:
        """The specification of the data set `ROWS`, without its rows."""
        return {"$schema": SCHEMA, **self.spec, "data": {"name": ROWS}}

    def complete(self) -> Spec:
        """The specification with its rows."""
        columns = self.columns()
        rows = zip(*columns.values(), strict=True)
        values = [dict(zip(columns, row, strict=True)) for row in rows]
        return self.template() | {"datasets": {ROWS: values}}


def stacked(specs: Sequence[Spec]) -> Spec:
    """Complete specifications of one configuration, below each other."""
    names = [f"{ROWS}-{number}" for number in range(len(specs))]
    datasets = {name: spec["datasets"][ROWS] for name, spec in zip(names, specs, strict=True)}
    whole = {name: specs[0][name] for name in ("$schema", "config")} | {"datasets": datasets}
    parts = [
        _of_data_set(name, {key: spec[key] for key in spec if key not in whole})
        for name, spec in zip(names, specs, strict=True)
    ]
    return whole | {"vconcat": parts}


def _of_data_set(name: str, part: Any) -> Any:
    """A part of a specification whose rows are the data set of this name instead of `ROWS`."""
    if isinstance(part, list):
        return [_of_data_set(name, element) for element in part]
    if isinstance(part, dict):
        is_rows = part == {"name": ROWS}
        return {"name": name} if is_rows else {k: _of_data_set(name, v) for k, v in part.items()}
    return part


def quantitative(field: str, **more: Any) -> Spec:
    """A channel of a column of numbers."""
    return {"field": field, "type": "quantitative", **more}


def nominal(field: str, **more: Any) -> Spec:
    """A channel of a column of names."""
    return {"field": field, "type": "nominal", **more}


def ordinal(field: str, **more: Any) -> Spec:
    """A channel of a column of names with an order."""
    return {"field": field, "type": "ordinal", **more}


def calculated(**expressions: str) -> list[Spec]:
    """Transforms that add columns, by the Vega expressions of their values."""
    return [{"calculate": text, "as": name} for name, text in expressions.items()]


def aggregated(op: str, columns: Mapping[str, str], by: Sequence[str] = ()) -> Spec:
    """A transform to one row for each group of rows.

    Args:
        op: the aggregate, such as ``max``.
        columns: the new name of each column that it is taken of.
        by: the columns whose values are equal in a group.
    """
    found = [{"op": op, "field": name, "as": new} for name, new in columns.items()]
    return {"aggregate": found, "groupby": list(by)}


def _plain(column: "pd.Series[Any]") -> list[Any]:
    """The JSON values of a column."""
    values = column.tolist()
    if column.dtype == "float64":
        return [_rounded(value) for value in values]
    texts = {value: printable(shortened(value)) for value in set(values) if isinstance(value, str)}
    return [texts[value] if isinstance(value, str) else _plain_value(value) for value in values]


def _plain_value(value: Any) -> Any:
    if is_missing(value):
        return None
    if isinstance(value, float):
        return _rounded(value)
    return value.item() if hasattr(value, "item") else value


def _rounded(value: float) -> float | None:
    return float(f"{value:.{_DIGITS}g}") if isfinite(value) else None
