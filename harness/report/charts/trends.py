"""Chart of a trend: a value of each configuration over the runs, with its steps marked."""

from typing import Any, Final

import altair as alt
import pandas as pd

from harness.analysis.changes import FASTER, FASTER_UNEQUAL, SLOWER, SLOWER_UNEQUAL
from harness.analysis.measure import Kind
from harness.analysis.series import SERIES_GROUP, series_key
from harness.analysis.trend import Trend
from harness.analysis.trend_tables import MACHINE_CHANGED, TrendMeasure
from harness.report.charts import theme
from harness.report.charts.chart import Chart, ChartKind
from harness.report.charts.files import chart_title
from harness.report.charts.small_multiples import small_multiples
from harness.report.charts.theme import Drawing
from harness.report.formatting import printable, ratio, shortened

_LONGEST: Final = 20
_MARKS: Final = {
    SLOWER: "triangle-up",
    FASTER: "triangle-down",
    SLOWER_UNEQUAL: "cross",
    FASTER_UNEQUAL: "square",
    MACHINE_CHANGED: "diamond",
}
_SHOWN: Final = ["backend", "place", "run", "started", "value", "step", "mark", "machine"]


def kind_of(measure: TrendMeasure) -> ChartKind[Trend]:
    """The kind of chart that shows this value."""
    return ChartKind(
        name="trend",
        title=f"{measure.title} over the runs",
        description=f"{measure.title} of each backend in each run, over the instances that all "
        "runs have in common. Marks are steps of its times, with the factor of time after over "
        "time before. Dashed: the machine changed.",
        frame=lambda trend, _: frame(trend),
        draw=lambda rows: draw(rows, measure),
        requires="three runs with a common instance",
        by=tuple(SERIES_GROUP),
        overlaid=True,
    )


def charts(trend: Trend) -> list[Chart]:
    """The charts of a trend, one for each comparison group."""
    labels = sorted(map(str, trend.values["backend"].unique()))
    kind = kind_of(trend.measure)
    return list(kind.charts(trend, theme.display_names(labels), len(labels)))


def drawing(trend: Trend) -> Drawing:
    """All charts of a trend as one, below each other, as for a file."""
    parts = []
    for number, chart in enumerate(charts(trend)):
        part = draw(chart.frame, trend.measure, f"{theme.ROWS}-{number}")
        part = small_multiples(part) if chart.has_panels else part
        parts.append(part.properties(title=chart_title(chart, with_host=False)))
    return theme.styled(parts[0] if len(parts) == 1 else alt.vconcat(*parts), "")


def frame(trend: Trend) -> pd.DataFrame:
    """One row for each configuration and run that has a value."""
    steps = {(row["run"], series_key(row)): row for row in trend.steps.to_dict("records")}
    runs = {row["run"]: row for row in trend.runs.to_dict("records")}
    rows: list[dict[Any, Any]] = []
    for row in trend.values.to_dict("records"):
        step, run = steps.get((row["run"], series_key(row))), runs[row["run"]]
        name = printable(shortened(str(run["folder"]).rpartition("/")[2], _LONGEST))
        rows.append(
            {
                **row,
                "place": row["run"],
                "run": f"{row['run']} {name}",
                "started": run["started"],
                "value": row[trend.measure.column],
                "step": step["change"] if step else "",
                "mark": ratio(step["factor"]) if step else "",
                "machine": bool(run["machine_changed"]),
            }
        )
    table = pd.DataFrame(rows)
    return table[table["value"].notna()].astype({"value": "float64"})


def draw(rows: pd.DataFrame, measure: TrendMeasure, name: str = theme.ROWS) -> Drawing:
    """Draw a line for each backend, a mark at each step, a rule where the machine changed."""
    order = list(rows.sort_values("place")["run"].drop_duplicates())
    x = alt.X("run:N", title=None, sort=order).axis(labelAngle=-35, labelLimit=140)
    if measure.kind is Kind.COUNT:
        y = alt.Y("value:Q", title=f"instances {measure.title}", scale=alt.Scale(zero=True))
    elif measure.kind is Kind.SECONDS:
        axis = theme.time_axis(f"{measure.title}, {theme.time_of(rows)}")
        y = alt.Y("value:Q", scale=theme.log_scale(padding=12), axis=axis)
    else:
        y = alt.Y("value:Q", title=measure.title, scale=theme.log_scale(padding=12))
    data = alt.Chart(theme.inline_data(rows[_SHOWN], name))
    value = alt.Tooltip("value:Q", title=measure.title, format=".3~r")
    if measure.kind is Kind.SECONDS:
        data = data.transform_calculate(**theme.durations("value"))
        value = theme.duration_tooltip("value", measure.title)
    base = data.encode(x=x)
    lines = base.encode(y=y, color=theme.colour(rows))
    line = lines.mark_line(strokeWidth=2).encode(strokeDash=theme.dash(rows))
    point = lines.mark_point(filled=True, size=40, opacity=1).encode(
        tooltip=[
            alt.Tooltip("backend:N"),
            alt.Tooltip("run:N"),
            alt.Tooltip("started:N"),
            alt.Tooltip("step:N"),
            value,
        ]
    )
    steps = lines.transform_filter("datum.step !== ''")
    marks = {step: mark for step, mark in _MARKS.items() if (rows["step"] == step).any()}
    shapes = alt.Scale(domain=list(marks), range=list(marks.values()))
    legend = alt.Legend(symbolFillColor=theme.MUTED, symbolStrokeColor=theme.MUTED)
    mark = steps.mark_point(filled=True, size=170, opacity=1).encode(
        shape=alt.Shape("step:N", title=None, scale=shapes, legend=legend if marks else None)
    )
    factor = steps.mark_text(align="left", dx=9, dy=-9, fontSize=11).encode(text=alt.Text("mark:N"))
    rule = base.transform_filter("datum.machine").mark_rule(color=theme.MUTED, strokeDash=[4, 3])
    return alt.layer(rule, line, point, mark, factor, width=theme.WIDTH, height=theme.HEIGHT)
