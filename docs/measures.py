"""Writes docs/measures.md: every measure with its definition and its columns.

python docs/measures.py
"""

import re
from collections.abc import Callable, Iterator
from inspect import getdoc
from pathlib import Path
from typing import Any, Final

from harness.analysis.changes import (
    LIMITS,
    PUZZLES,
    STATUS,
    TIMES,
    limit_changes,
    puzzle_changes,
    status_changes,
    time_changes,
)
from harness.analysis.comparison import PAIRS, paired
from harness.analysis.conditions import ENVIRONMENT, environment_changes
from harness.analysis.curves import CACTUS, PROFILE, cactus, performance_profile
from harness.analysis.measure import Layout, Measure
from harness.analysis.measures import MEASURES
from harness.analysis.ranking import POOLED, RANKS
from harness.analysis.results import ANSWERS, GROUP_COLUMNS, RESULTS, answers, results_of
from harness.analysis.trend import trend
from harness.analysis.trend_tables import RUNS, STEPS, TREND_MEASURES, VALUES, trends_layout

PAGE: Final = Path(__file__).with_name("measures.md")

_INTRODUCTION: Final = """\
# Measures and their columns

Written by `python docs/measures.py` from the declarations in `harness/analysis`; do not edit.

A *comparison group* is everything that must be equal for times to be compared: dataset, seed of
the scramble, task with its limit, start, limits of wall time, CPU time and memory, machine, and
kind of time. T is the limit that a failure counts as: that of wall time, or, under CPU time,
that of CPU time if there is one. An *eligible* backend has no wrong answer in the comparison
group. A measure is
computed from the trials of a run or from its results. `--table NAME` and, in Python,
`run.measure(NAME)` take the name of a measure. A CSV has all columns with unrounded values. A
column of type `Int64`, `float64` or `string` may have missing values.
"""

_COMPARISON: Final[tuple[tuple[Layout, Callable[..., Any]], ...]] = (
    (STATUS, status_changes),
    (LIMITS, limit_changes),
    (TIMES, time_changes),
    (PUZZLES, puzzle_changes),
    (ENVIRONMENT, environment_changes),
    (PAIRS, paired),
)
_TREND: Final = (trends_layout(TREND_MEASURES["par2"]), STEPS, RUNS, VALUES)
_OTHERS: Final[tuple[tuple[Layout, Callable[..., Any]], ...]] = (
    (PROFILE, performance_profile),
    (CACTUS, cactus),
    (ANSWERS, answers),
)
_SAME_COLUMNS: Final = {POOLED.name: RANKS.name}

_GROUP_NAMES: Final = {column.name for column in GROUP_COLUMNS}


def page() -> str:
    """The text of the page."""
    return "\n".join(_lines())


def _lines() -> Iterator[str]:
    yield _INTRODUCTION
    yield "## Comparison group\n"
    yield "The columns of a comparison group, which other tables list as one.\n"
    group = Layout(name="", title="", columns=GROUP_COLUMNS)
    yield from _table(group, whole=True)
    yield "## Results\n"
    yield from _section(RESULTS, results_of, heading=False)
    yield "## Measures\n"
    for measure in MEASURES.values():
        yield from _section(measure, measure.compute)
    yield "## Comparison of two runs\n"
    for layout, function in _COMPARISON:
        yield from _section(layout, function)
    yield "## Trends\n"
    yield f"{_definition(trend)}\n"
    for layout in _TREND:
        yield f"### `{layout.name}`\n"
        yield from _table(layout)
    yield "## Curves and answers\n"
    for layout, function in _OTHERS:
        yield from _section(layout, function)


def _section(
    layout: Layout, function: Callable[..., Any], *, heading: bool = True
) -> Iterator[str]:
    if heading:
        yield f"### `{layout.name}`\n"
    yield f"{_definition(function)}\n"
    if isinstance(layout, Measure):
        yield f"Computed from {layout.source.value}; {layout.scope.value}.\n"
    if layout.name in _SAME_COLUMNS:
        yield f"The columns are those of `{_SAME_COLUMNS[layout.name]}`.\n"
    else:
        yield from _table(layout)


def _definition(function: Callable[..., Any]) -> str:
    """The docstring without its sections of arguments, results and errors."""
    text = re.split(r"\n\n(?:Args|Returns|Raises):\n", getdoc(function) or "")[0]
    return text.replace("``", "`")


def _table(layout: Layout, *, whole: bool = False) -> Iterator[str]:
    yield "| column | type | unit | meaning |"
    yield "|---|---|---|---|"
    group = [column.name for column in layout.columns if column.name in _GROUP_NAMES]
    left_out = _GROUP_NAMES - set(group)
    folded = not whole and len(group) > 1
    shown = False
    for column in layout.columns:
        if folded and column.name in _GROUP_NAMES:
            if not shown:
                but = f" without {', '.join(f'`{name}`' for name in sorted(left_out))}"
                yield f"| comparison group | | | See above{but if left_out else ''}. |"
            shown = True
        else:
            meaning = column.meaning.replace("|", "\\|")
            yield f"| `{column.name}` | `{column.dtype}` | {column.unit} | {meaning} |"
    yield ""


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
