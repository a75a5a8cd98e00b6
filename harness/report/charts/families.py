"""The families of charts, and what of them a run has."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

import pandas as pd

from harness.analysis.instances import CONTEST
from harness.analysis.run import Run
from harness.report.charts import (
    cactus,
    heat,
    look,
    nodes,
    phases,
    profile,
    scaling,
    scatter,
    stability,
    times,
    transition,
)
from harness.report.charts.look import Drawing
from harness.report.table import is_missing

_OVER_DATASETS: Final = tuple(name for name in CONTEST if name != "dataset")

ROWS: Final = 6000
"""About how many rows the charts of a family have together, however large the run is."""


def _always(_: pd.DataFrame) -> bool:
    return True


@dataclass(frozen=True, slots=True)
class Family:
    """Charts that answer one question, one for each contest or each two of its backends."""

    name: str
    title: str
    answers: str
    """The question, and how the chart is read."""
    frame: Callable[[Run, int], pd.DataFrame]
    """The rows of all charts; the number is that of points of a backend in one of them."""
    chart: Callable[[pd.DataFrame], Drawing]
    needs: str
    """What a run must have for it, said where it has not."""
    worth: Callable[[pd.DataFrame], bool] = _always
    """Whether the rows of one chart show anything."""
    by: tuple[str, ...] = tuple(CONTEST)
    """The columns whose values are the same within a chart."""


@dataclass(frozen=True, slots=True)
class Picture:
    """One chart of a run."""

    family: Family
    key: Mapping[str, Any]
    """What is the same for all its rows: dataset, task, start and the rest of a contest, or
    some of them; for two backends against each other their shown names as well."""
    frame: pd.DataFrame
    """Its rows, backends with their shown names as categories."""

    def draw(self, title: str = "") -> Drawing:
        """The chart, which draws itself in a notebook too."""
        return look.described(self.family.chart(self.frame), title)


FAMILIES: Final = (
    Family(
        *("cactus", "How many puzzles within a time?"),
        "Puzzles answered within a time each. Higher and further left is better.",
        cactus.frame,
        cactus.chart,
        "a backend that answered a puzzle and gave no wrong answer",
    ),
    Family(
        *("profile", "How often close to the fastest?"),
        "The share of puzzles that a backend answers within a factor of the fastest on each "
        "(Dolan and Moré). A third backend can change the order of two.",
        profile.frame,
        profile.chart,
        "two backends without a wrong answer",
        profile.worth,
    ),
    Family(
        *("scatter", "Two backends, puzzle by puzzle"),
        "Each point is a puzzle, in the colour of the faster one. Lines mark equal times and "
        "factors of 2 and 10; failures stand on rails beyond the limit.",
        scatter.frame,
        scatter.chart,
        "two backends that were asked about the same puzzle",
        by=(*CONTEST, "backend", "other"),
    ),
    Family(
        *("times", "How are times spread?"),
        "Box: quartiles and median of answered puzzles; whisker: 5 % to 95 %; points: single "
        "puzzles, some of them where there are many.",
        times.frame,
        times.chart,
        "a trial",
    ),
    Family(
        *("phases", "Where does the time go?"),
        "Share of each phase in the mean time of a right answer, which stands beside it. "
        "Other is what the backend does not account for.",
        lambda run, _: phases.frame(run),
        phases.chart,
        "a backend that tells its phases",
        phases.worth,
    ),
    Family(
        *("heat", "Who is good at which dataset?"),
        "PAR-2 on each dataset; the darker, the further behind the best of that dataset.",
        lambda run, _: heat.frame(run),
        heat.chart,
        "two datasets and two backends",
        heat.worth,
        _OVER_DATASETS,
    ),
    Family(
        *("scaling", "How do times grow with size?"),
        "Geometric means of times, shifted by 1 ms, failures at the limit, over all datasets.",
        lambda run, _: scaling.frame(run),
        scaling.chart,
        "puzzles of two sizes",
        scaling.worth,
        _OVER_DATASETS,
    ),
    Family(
        *("transition", "Hardest where solutions end?"),
        "Above: the share of puzzles that have a solution. Below: median times, failures at the "
        "limit. Both by the share of cells that are given.",
        lambda run, _: transition.frame(run),
        transition.chart,
        "a dataset in which puzzles of some densities have a solution and of others have none",
    ),
    Family(
        *("nodes", "Much search, or slow steps?"),
        "Time against the size of the search, both logarithmic. What is counted differs by "
        "backend, so slopes can be compared and positions cannot.",
        nodes.frame,
        nodes.chart,
        "a backend that tells the size of its search",
        nodes.worth,
    ),
    Family(
        *("stability", "Can the times be repeated?"),
        "The share of puzzles whose repetitions spread by at most so much. Further left is "
        "steadier; beyond the dashed line a puzzle counts as unstable.",
        stability.frame,
        stability.chart,
        "trials that were repeated",
    ),
)
"""All families, in the order in which they are shown."""


def pictures(run: Run, family: Family, rows: int = ROWS) -> Iterator[Picture]:
    """The charts of a family that have something to show.

    Args:
        run: what is shown.
        family: one of `FAMILIES`.
        rows: about how many rows they may have together.
    """
    names = look.names_of(run.backends)
    curves = max(1, len(run.summary()))
    if "other" in family.by:
        curves = max(1, len(run.pairwise()))
    table = family.frame(run, min(500, max(40, rows // curves)))
    if table.empty:
        return
    for column in {"backend", "other", "faster"} & set(table.columns):
        table = look.named(table, names, column)
    by = list(family.by)
    for key, part in table.groupby(by, dropna=False, observed=True, sort=True):
        if family.worth(part):
            plain = (None if is_missing(value) else value for value in key)
            yield Picture(family, dict(zip(by, plain, strict=True)), part)


def reason(family: Family) -> str:
    """Why a run has no chart of a family."""
    return f"nothing to show: it needs {family.needs}"
