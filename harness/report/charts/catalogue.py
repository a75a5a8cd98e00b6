"""The charts that a run has."""

from collections.abc import Iterator
from typing import Final

from harness.analysis.results import COMPARISON_GROUP
from harness.analysis.run import Run
from harness.report.charts import (
    cactus,
    heat,
    nodes,
    phases,
    profile,
    scaling,
    scatter,
    stability,
    theme,
    times,
    transition,
)
from harness.report.charts.chart import ROWS, Chart, ChartKind

__all__ = ["CHARTS", "Chart", "ChartKind", "pictures"]

_OVER_DATASETS: Final = tuple(name for name in COMPARISON_GROUP if name != "dataset")

CHARTS: Final[tuple[ChartKind[Run], ...]] = (
    ChartKind(
        *("cactus", "How many puzzles within a time?"),
        "Puzzles answered within a time each. Higher and further left is better.",
        cactus.frame,
        cactus.chart,
        "a backend that answered a puzzle and gave no wrong answer",
    ),
    ChartKind(
        *("profile", "How often close to the fastest?"),
        "The share of puzzles that a backend answers within a factor of the fastest on each "
        "(Dolan and Moré). A third backend can change the order of two.",
        profile.frame,
        profile.chart,
        "two backends without a wrong answer",
        profile.worth,
    ),
    ChartKind(
        *("scatter", "Two backends, puzzle by puzzle"),
        "Each point is a puzzle, in the colour of the faster one. Lines mark equal times and "
        "factors of 2 and 10; failures stand on rails beyond the limit.",
        scatter.frame,
        scatter.chart,
        "two backends that were asked about the same puzzle",
        by=(*COMPARISON_GROUP, "backend", "other"),
    ),
    ChartKind(
        *("times", "How are times spread?"),
        "Box: quartiles and median of answered puzzles; whisker: 5 % to 95 %; points: single "
        "puzzles, some of them where there are many.",
        times.frame,
        times.chart,
        "a trial",
    ),
    ChartKind(
        *("phases", "Where does the time go?"),
        "Share of each phase in the mean time of a right answer, which stands beside it. "
        "Other is what the backend does not account for.",
        lambda run, _: phases.frame(run),
        phases.chart,
        "a backend that tells its phases",
        phases.worth,
    ),
    ChartKind(
        *("heat", "Who is good at which dataset?"),
        "PAR-2 on each dataset; the darker, the further behind the best of that dataset.",
        lambda run, _: heat.frame(run),
        heat.chart,
        "two datasets and two backends",
        heat.worth,
        _OVER_DATASETS,
    ),
    ChartKind(
        *("scaling", "How do times grow with size?"),
        "Geometric means of times, shifted by 1 ms, failures at the limit, over all datasets.",
        lambda run, _: scaling.frame(run),
        scaling.chart,
        "puzzles of two sizes",
        scaling.worth,
        _OVER_DATASETS,
    ),
    ChartKind(
        *("transition", "Hardest where solutions end?"),
        "Above: the share of puzzles that have a solution. Below: median times, failures at the "
        "limit. Both by the share of cells that are given.",
        lambda run, _: transition.frame(run),
        transition.chart,
        "a dataset in which puzzles of some densities have a solution and of others have none",
    ),
    ChartKind(
        *("nodes", "Much search, or slow steps?"),
        "Time against the size of the search, both logarithmic. What is counted differs by "
        "backend, so slopes can be compared and positions cannot.",
        nodes.frame,
        nodes.chart,
        "a backend that tells the size of its search",
        nodes.worth,
    ),
    ChartKind(
        *("stability", "Can the times be repeated?"),
        "The share of puzzles whose repetitions spread by at most so much. Further left is "
        "steadier; beyond the dashed line a puzzle counts as unstable.",
        stability.frame,
        stability.chart,
        "trials that were repeated",
    ),
)
"""All kinds, in the order in which they are shown."""


def pictures(run: Run, kind: ChartKind[Run], rows: int = ROWS) -> Iterator[Chart]:
    """The charts of a kind that have something to show, with about so many rows together."""
    curves = len(run.pairwise() if "other" in kind.by else run.summary())
    return kind.pictures(run, theme.names_of(run.backends), curves, rows)
