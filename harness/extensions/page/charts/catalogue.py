"""The chart catalogue: every kind of chart of a run, and its notes."""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any, Final

import numpy as np
import pandas as pd

from harness.analysis import UNSTABLE, Run, cactus
from harness.analysis.measures import columns as col
from harness.base.text import number_of, printable, shortened
from harness.extensions.page.charts import curves, density, distributions, scatter, theme
from harness.extensions.page.charts.chart import ALL_DATASETS, ROWS, Chart, ChartKind

# Notes on a chart of a run: backends that it leaves out, and what its values count.


_LONGEST: Final = 40
_MOST_NAMES: Final = 12


def without_disqualified(run: Run, key: Mapping[str, Any], _: pd.DataFrame) -> list[str]:
    """Lines that name the backends no chart shows, and count the instances they answered wrongly.

    Args:
        run: the run that the chart shows.
        key: the values of the columns that have a single value within the chart.
    """
    if run.eligible is run:
        return []
    names, backends, ranks = theme.display_names(run.backends), [], run.ranks()
    wrong = _of_chart(ranks[ranks["wrong"] > 0], key)
    for backend, rows in wrong.groupby("backend", sort=True):
        count = number_of(int(rows["wrong"].sum()), "instance")
        if "dataset" not in key:
            datasets = sorted(map(str, rows["dataset"].unique()))
            count += f" of {', '.join(printable(shortened(d, _LONGEST)) for d in datasets)}"
        backends.append(f"{names[str(backend)]} ({count})")
    return _name_lines("Disqualified for wrong answers", backends)


def with_counters(run: Run, key: Mapping[str, Any], frame: pd.DataFrame) -> list[str]:
    """`without_disqualified`, and what each backend of the chart counts as search steps."""
    lines = without_disqualified(run, key, frame)
    for counter, names in curves.counters(frame).items():
        lines += _name_lines(f"Steps counted as {counter}", names)
    return lines


def without_curve(run: Run, key: Mapping[str, Any], frame: pd.DataFrame) -> list[str]:
    """`without_disqualified`, and the backends that answered no instance and so have no curve."""
    names, ranks = theme.display_names(run.backends), run.ranks()
    unanswered = _of_chart(ranks[(ranks["wrong"] == 0) & (ranks["answered"] == 0)], key)["backend"]
    lines = _name_lines("No instance answered", sorted({names[str(label)] for label in unanswered}))
    return [*without_disqualified(run, key, frame), *lines]


def _name_lines(heading: str, names: Sequence[str]) -> list[str]:
    """``heading: a, b, c and 2 more`` in lines; none without names."""
    more = f" and {len(names) - _MOST_NAMES} more" if len(names) > _MOST_NAMES else ""
    return theme.lines(f"{heading}: {', '.join(names[:_MOST_NAMES])}{more}" if names else "")


def _of_chart(ranks: pd.DataFrame, key: Mapping[str, Any]) -> pd.DataFrame:
    """The rows of the ranks that belong to a chart; of all datasets if it has no dataset."""
    matches = np.ones(len(ranks), dtype=bool)
    for name in col.COMPARISON_GROUP:
        if len(ranks) and key.get(name) is not None:
            matches &= (ranks[name] == key[name]).to_numpy(dtype=bool, na_value=False)
    return ranks[matches]


# All kinds of charts of a run.


_kind_of_run: Final = partial(
    ChartKind, curves=lambda run: len(run.summary()), notes=without_disqualified
)

CHARTS: Final[tuple[ChartKind[Run], ...]] = (
    _kind_of_run(
        name="cactus",
        title="Instances answered over time (cactus plot)",
        description="Number of instances that a backend answers within a given time per "
        "instance. Higher and further left is better. Dashed line: all instances.",
        frame=lambda run, points: cactus(run.results, points=points),
        draw=curves.draw_cactus,
        requires="a backend that answers an instance and gives no wrong answer",
        overlaid=True,
        notes=without_curve,
    ),
    _kind_of_run(
        name="profile",
        title="Performance profile",
        description="Share of instances that a backend answers within a factor of the fastest "
        "time for the instance (Dolan and Moré, 2002). Higher is better. Adding a backend can "
        "change the order of the others.",
        frame=curves.profile_frame,
        draw=curves.draw_profile,
        requires="two backends without a wrong answer",
        has_content=col.varies("backend"),
        overlaid=True,
        notes=without_curve,
    ),
    _kind_of_run(
        name="scatter",
        title="Times of two backends (scatter plot)",
        description="One point per instance, in the colour of the faster backend. Lines mark "
        "equal times and factors of 2 and 10. Failures lie on separate lines beyond the time "
        "limit.",
        frame=scatter.frame,
        draw=scatter.draw,
        requires="two backends that ran on the same instance",
        by=(*col.COMPARISON_GROUP, "backend", "other"),
        curves=lambda run: len(run.pairwise()),
    ),
    _kind_of_run(
        name="times",
        title="Distribution of times",
        description="Answered instances only; the number of the others is beside the box. Box: "
        "median and quartiles. Whiskers: 5th to 95th percentile. Points: single instances, a "
        "sample of them if there are many.",
        frame=distributions.times_frame,
        draw=distributions.draw_times,
        requires="a trial",
    ),
    _kind_of_run(
        name="phases",
        title="Time by phase",
        description="Share of each phase in the mean time of a correct answer, which is written "
        "beside the bar. Other: time that belongs to no reported phase. A bar beyond 100 %: "
        "phases that overlap or run in several threads.",
        frame=lambda run, _: distributions.phases_frame(run),
        draw=distributions.draw_phases,
        requires="a backend that reports phase times",
        by=tuple(col.TRIAL_GROUP),  # always of wall time
    ),
    _kind_of_run(
        name="heat",
        title="PAR-2 by dataset (heat map)",
        description="PAR-2 of each backend on each dataset: mean time with failures at twice the "
        "time limit. Darker: further behind the best backend on the dataset.",
        frame=lambda run, _: distributions.heat_frame(run),
        draw=distributions.draw_heat,
        requires="two datasets and two backends",
        has_content=lambda rows: bool((rows[["dataset", "backend"]].nunique() > 1).all()),
        by=ALL_DATASETS,
    ),
    _kind_of_run(
        name="scaling",
        title="Time by puzzle size",
        description="Shifted geometric mean of times over all datasets (shift 1 ms). Failures "
        "count as the time limit. n: number of instances. Lines connect shapes that differ only "
        "in size.",
        frame=lambda run, _: curves.scaling_frame(run),
        draw=curves.draw_scaling,
        requires="puzzles of two sizes",
        has_content=col.varies("size"),
        by=ALL_DATASETS,
        overlaid=True,
    ),
    _kind_of_run(
        name="transition",
        title="Phase transition",
        description="Top: share of instances that have a solution; n: number of instances. "
        "Bottom: median time, where failures count as the time limit. Both against clue density, "
        "the share of cells that are given, in steps of 2.5 % with three instances or more. "
        "Vertical lines: 95 % intervals (Wilson, 1927; order statistics for the median, from "
        "six instances on).",
        frame=lambda run, _: density.transition_frame(run),
        draw=density.draw_transition,
        requires="a dataset whose instances are mostly satisfiable at one clue density and "
        "mostly unsatisfiable at another",
        overlaid=True,
    ),
    _kind_of_run(
        name="density",
        title="Answers and time by clue density",
        description="Top: share of instances that a backend answers within the time limit. Bottom: "
        "median time, where failures count as the time limit. Both against clue density, the "
        "share of cells that are given, in steps of 2.5 % with three instances or more. Vertical "
        "lines: 95 % intervals (Wilson, 1927; order statistics for the median, from six "
        "instances on).",
        frame=lambda run, _: density.density_frame(run),
        draw=density.draw_density,
        requires="a dataset with instances of at least four clue densities and no phase transition",
        overlaid=True,
    ),
    _kind_of_run(
        name="nodes",
        title="Time by size of the search",
        description="Time against the number of search steps, on logarithmic scales. Backends "
        "count different steps: compare the slopes, not the positions.",
        frame=curves.nodes_frame,
        draw=curves.draw_nodes,
        requires="a backend that reports the size of its search",
        has_content=lambda rows: bool(rows["steps"].max() > 1),
        overlaid=True,
        notes=with_counters,
    ),
    _kind_of_run(
        name="stability",
        title="Spread of repeated times",
        description="Share of instances whose repeated times differ by at most a given share of "
        "their mean. Further left is more stable. Instances at or beyond the dashed line "
        f"({100 * UNSTABLE:g} %) are unstable. A spread below 0.1 % is drawn at 0.1 %.",
        frame=distributions.stability_frame,
        draw=distributions.draw_stability,
        requires="trials with several repetitions",
        overlaid=True,
    ),
)
"""Every kind, in display order."""


def charts_of(
    run: Run,
    kind: ChartKind[Run],
    rows: int = ROWS,
    names: Mapping[str, str] | None = None,
) -> Iterator[Chart]:
    """Yield the charts of one kind that have content.

    Args:
        run: the run to show.
        kind: an element of `CHARTS`.
        rows: the approximate maximum number of rows of all charts together.
        names: the display name of each backend, by label; all of them take colours.
    """
    return kind.charts(run, names or theme.display_names(run.backends), rows)
