"""Chart kinds, and the charts of a kind."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final, Generic, TypeVar

import numpy as np
import numpy.typing as npt
import pandas as pd

from harness.analysis.measures import columns as col
from harness.extensions.page.charts import theme
from harness.extensions.page.charts.theme import ChartDrawing, Spec, small_multiples
from harness.report import is_missing

if TYPE_CHECKING:
    import altair as alt

ALL_DATASETS: Final = tuple(name for name in col.COMPARISON_GROUP if name != "dataset")
"""The columns that group the rows of all datasets into one chart."""

Source = TypeVar("Source")
"""What a chart shows: a run, a comparison of two runs, or a trend."""

ROWS: Final = 6000
"""Approximate maximum number of rows of all charts of one kind together."""

_FEWEST_POINTS: Final = 40
_MOST_POINTS: Final = 500
"""Bounds on the points of a backend in one chart."""


def evenly(count: int, most: int) -> npt.NDArray[np.intp]:
    """At most `most` of `count` positions, evenly spread, with the first and the last."""
    return np.unique(np.linspace(0, count - 1, min(count, most)).astype(np.intp))


def chart_frame(rows: Iterable[Mapping[str, Any]]) -> pd.DataFrame:
    """The rows of charts as a frame, with the declared dtypes of a comparison group."""
    frame = pd.DataFrame(list(rows))
    return frame if frame.empty else frame.astype({c.name: c.dtype for c in col.BACKEND_COLUMNS})


@dataclass(frozen=True, slots=True, kw_only=True)
class ChartKind(Generic[Source]):
    """A kind of chart, drawn once for each comparison group or pair of backends."""

    name: str
    title: str
    description: str
    """What the chart shows and how to read it."""
    curves: Callable[[Source], int]
    """The numbers of backends of all charts added up."""
    frame: Callable[[Source, int], pd.DataFrame]
    """Compute the rows of all charts; the number bounds the points of a backend in one chart."""
    draw: Callable[[pd.DataFrame], ChartDrawing]
    requires: str
    """What a source must contain for this chart."""
    has_content: col.Condition = col.always
    """Whether the rows of one chart are worth drawing."""
    by: tuple[str, ...] = tuple(col.COMPARISON_GROUP)
    """The columns that have a single value within a chart."""
    overlaid: bool = False
    """Whether backends are overlaid and distinguished by colour; too many get panels."""
    notes: Callable[[Source, Mapping[str, Any], pd.DataFrame], Sequence[str]] = lambda *_: ()
    """Compute what a reader of the chart with this key and these rows must know, in lines."""

    def charts(
        self, source: Source, names: Mapping[str, str], rows: int = ROWS
    ) -> Iterator["Chart"]:
        """Yield the charts that have content.

        Args:
            source: the run, comparison or trend to show.
            names: the display name of each backend, by label.
            rows: the approximate maximum number of rows of all charts together.
        """
        points = min(_MOST_POINTS, max(_FEWEST_POINTS, rows // max(1, self.curves(source))))
        table = self.frame(source, points)
        if table.empty:
            return
        for column in {"backend", "other", "faster"} & set(table.columns):
            table = theme.with_display_names(table, names, column)
        by = list(self.by)
        for values, part in table.groupby(by, dropna=False, observed=True, sort=True):
            if self.has_content(part):
                plain = (None if is_missing(value) else value for value in values)
                key = dict(zip(by, plain, strict=True))
                yield Chart(self, key, part, tuple(self.notes(source, key, part)))

    def missing_reason(self) -> str:
        """Explain why a source has no chart of this kind."""
        return f"requires {self.requires}"


@dataclass(frozen=True, slots=True)
class Chart:
    """One chart of a kind."""

    kind: ChartKind[Any]
    key: Mapping[str, Any]
    """The values of the columns `ChartKind.by`; backends appear with their display names."""
    frame: pd.DataFrame
    """The rows; backends are categories of display names."""

    notes: tuple[str, ...] = ()
    """What a reader must know, for example which backends are disqualified."""

    @property
    def has_panels(self) -> bool:
        """Whether each backend gets a panel, because there are more backends than colours."""
        return self.kind.overlaid and len(theme.present(self.frame)) > len(theme.PALETTE)

    def drawing(self, *, panels: bool | None = None) -> ChartDrawing:
        """The chart without a title, and with its rows apart from its specification.

        Args:
            panels: whether each backend gets a panel; None for `has_panels`.
        """
        drawing = self.kind.draw(self.frame)
        if self.has_panels if panels is None else panels:
            drawing = replace(drawing, spec=small_multiples(drawing.spec))
        return drawing

    def specification(
        self, title: str = "", subtitle: str = "", *, panels: bool | None = None
    ) -> Spec:
        """The chart as a Vega-Lite specification, with its rows.

        Args:
            title: the title; the notes of the chart are below it.
            subtitle: a line between title and notes.
            panels: whether each backend gets a panel; None for `has_panels`.
        """
        spec = self.drawing(panels=panels).complete()
        return theme.with_style(spec, title, [*theme.lines(subtitle), *self.notes])

    def draw(
        self, title: str = "", subtitle: str = "", *, panels: bool | None = None
    ) -> "alt.Chart | alt.LayerChart | alt.FacetChart | alt.VConcatChart":
        """The `specification` as an altair chart, which displays itself in a notebook."""
        import altair as alt

        return alt.Chart.from_dict(self.specification(title, subtitle, panels=panels))
