"""The charts of two runs compared: by how much times changed, and on which puzzles."""

from typing import Any, Final

import altair as alt
import pandas as pd

from harness.analysis.changes import SAME
from harness.analysis.comparison import Comparison
from harness.analysis.inference import MEANINGFUL
from harness.analysis.results import COMPARISON_GROUP
from harness.report.charts import scatter, theme
from harness.report.charts.chart import ChartKind
from harness.report.charts.theme import Drawing
from harness.report.formatting import printable, shortened

_OVER_DATASETS: Final = tuple(name for name in COMPARISON_GROUP if name != "dataset")
_LONGEST: Final = 24


def factors(found: Comparison, _: int) -> pd.DataFrame:
    """The rows of `time_changes`; the factor is its own interval where there is none."""
    times = found.times
    several = times["dataset"].nunique() > 1
    return times.assign(
        place=times["dataset"].map(_place).astype("string") if several else "",
        low=times["factor_low"].fillna(times["factor"]),
        high=times["factor_high"].fillna(times["factor"]),
    )


def factor_chart(frame: pd.DataFrame) -> Drawing:
    """The factor of each backend and dataset with its interval; pale where it is not real.

    Lines mark no change, and the least factor that counts as one.
    """
    rows = frame.assign(told=frame["backend"].astype("string").str.cat(frame["place"]))
    order = list(rows.sort_values("factor", ascending=False)["told"])
    shown = ["backend", "told", "change", "factor", "low", "high", "instances"]
    least = min(float(frame["low"].min()), 1 / MEANINGFUL) / 1.02
    most = max(float(frame["high"].max()), MEANINGFUL) * 1.02
    scale = theme.log_scale(domain=[least, most])
    axis = alt.Axis(
        title="time after / time before",
        labelExpr="format(datum.value, '.3~r') + 'x'",
        tickCount=6,
        labelOverlap="greedy",
    )
    sure = alt.condition(f"datum.change == '{SAME}'", alt.value(0.45), alt.value(1.0))
    base = alt.Chart(theme.data_of(rows[shown])).encode(
        y=alt.Y("told:N", title=None, sort=order, axis=alt.Axis(labelLimit=260)),
        color=theme.colour(frame, legend=False),
        opacity=sure,
    )
    interval = base.mark_rule(strokeWidth=2).encode(
        x=alt.X("low:Q", scale=scale, axis=axis), x2="high:Q"
    )
    point = base.mark_point(filled=True, size=70).encode(
        x=alt.X("factor:Q", scale=scale, axis=axis),
        shape=theme.shape(frame).legend(None),
        tooltip=[
            alt.Tooltip("told:N", title="backend"),
            "change:N",
            *(alt.Tooltip(f"{name}:Q", format=".3r") for name in ("factor", "low", "high")),
            alt.Tooltip("instances:Q", title="puzzles"),
        ],
    )
    return alt.layer(*_lines(), interval, point).properties(width=theme.WIDTH, height=alt.Step(26))


def _lines() -> list[alt.Chart]:
    """No change, and where a change begins to count."""
    marks = [{"at": 1.0, "kind": "none"}]
    marks += [{"at": at, "kind": "least"} for at in (MEANINGFUL, 1 / MEANINGFUL)]
    dashes = alt.Scale(domain=["none", "least"], range=[[1, 0], [4, 3]])
    rule = alt.Chart(alt.InlineData(values=marks)).mark_rule(color=theme.QUIET)
    return [rule.encode(x="at:Q", strokeDash=alt.StrokeDash("kind:N", legend=None, scale=dashes))]


def _place(dataset: str) -> str:
    return f", {printable(shortened(dataset, _LONGEST))}"


def puzzles(found: Comparison, points: int) -> pd.DataFrame:
    """Each puzzle before and after, `points` of a backend and comparison group at most, failures first."""
    parts: list[pd.DataFrame] = []
    by = [*COMPARISON_GROUP, "backend"]
    for _, part in found.pairs.groupby(by, dropna=False, observed=True, sort=False):
        failed = ~(part["answered_before"] & part["answered_after"])
        parts.append(scatter.chosen(part, failed, points))
    table = pd.concat(parts, ignore_index=True) if parts else found.pairs
    at: dict[str, Any] = {"x": table["before"], "y": table["after"]}
    for axis, side in (("x_s", "before"), ("y_s", "after")):
        rails = scatter.rails(table[side], 1.0) * table["timeout_s"]
        at[axis] = table[f"{side}_s"].where(table[f"answered_{side}"], rails)
    return table[[*by, "name"]].assign(**at)


def puzzle_chart(frame: pd.DataFrame) -> Drawing:
    """The time of each puzzle before and after; above the diagonal it takes longer now."""
    return scatter.against(frame, "time before", "time after")


CHANGES: Final[tuple[ChartKind[Comparison], ...]] = (
    ChartKind(
        *("factors", "By how much did times change?"),
        "Geometric means over puzzles with 95 % bootstrap intervals, to the right slower. "
        f"Dashed: a factor of {MEANINGFUL:g}; pale: not called different.",
        factors,
        factor_chart,
        "a backend without a wrong answer in either run",
        by=_OVER_DATASETS,
    ),
    ChartKind(
        *("puzzles", "On which puzzles?"),
        "Each point is a puzzle; above the diagonal it takes longer than before. Lines mark "
        "factors of 2 and 10; failures stand on rails beyond the limit.",
        puzzles,
        puzzle_chart,
        "puzzles that both runs have",
    ),
)
"""The charts of a comparison, in the order in which they are shown."""
