"""What a kind of charts is, and how its rows become pictures."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final, Generic, TypeVar

import pandas as pd

from harness.analysis.results import COMPARISON_GROUP
from harness.report.charts import theme
from harness.report.charts.theme import Drawing
from harness.report.tables.table import is_missing

Source = TypeVar("Source")
"""What the rows are taken from: a run, or a comparison of two."""

ROWS: Final = 6000
"""About how many rows the charts of a kind have together, however large the run is."""


def _always(_: pd.DataFrame) -> bool:
    return True


@dataclass(frozen=True, slots=True)
class ChartKind(Generic[Source]):
    """Charts that answer one question, one for each comparison group or each two of its backends."""

    name: str
    title: str
    answers: str
    """The question, and how the chart is read."""
    frame: Callable[[Source, int], pd.DataFrame]
    """The rows of all charts; the number is that of points of a backend in one of them."""
    chart: Callable[[pd.DataFrame], Drawing]
    needs: str
    """What its source must have for it, said where it has not."""
    worth: Callable[[pd.DataFrame], bool] = _always
    """Whether the rows of one chart show anything."""
    by: tuple[str, ...] = tuple(COMPARISON_GROUP)
    """The columns whose values are the same within a chart."""

    def pictures(
        self, source: Source, names: Mapping[str, str], curves: int, rows: int = ROWS
    ) -> Iterator["Chart"]:
        """The charts that have something to show.

        Args:
            source: what is shown.
            names: the shown names of all backends, by label.
            curves: how many backends the charts have together.
            rows: about how many rows they may have together.
        """
        table = self.frame(source, min(500, max(40, rows // max(1, curves))))
        if table.empty:
            return
        for column in {"backend", "other", "faster"} & set(table.columns):
            table = theme.named(table, names, column)
        by = list(self.by)
        for key, part in table.groupby(by, dropna=False, observed=True, sort=True):
            if self.worth(part):
                plain = (None if is_missing(value) else value for value in key)
                yield Chart(self, dict(zip(by, plain, strict=True)), part)

    def reason(self) -> str:
        """Why there is no chart of it."""
        return f"nothing to show: it needs {self.needs}"


@dataclass(frozen=True, slots=True)
class Chart:
    """One chart."""

    kind: ChartKind[Any]
    key: Mapping[str, Any]
    """What is the same for all its rows: dataset, task, start and the rest of a comparison group, or
    some of them; for two backends against each other their shown names as well."""
    frame: pd.DataFrame
    """Its rows, backends with their shown names as categories."""

    def draw(self, title: str = "") -> Drawing:
        """The chart, which draws itself in a notebook too."""
        return theme.described(self.kind.chart(self.frame), title)
