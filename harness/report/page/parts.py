"""Parts that the page of a run and the page of a comparison share."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import chain
from typing import Final

from markupsafe import Markup

from harness.analysis.run import Run
from harness.analysis.times import TIME
from harness.report.page.times import Shown, TimeViews
from harness.report.render.html import fragments
from harness.report.table import Section

_ROWS: Final = 1_500
"""Approximate maximum number of rows of all tables of a time together; CSV has all of them."""
_MOST_ROWS_EACH: Final = 200
_FEWEST_ROWS_EACH: Final = 20


def tables(times: TimeViews[Shown], sections_of: Callable[[Shown], Sequence[Section]]) -> Markup:
    """The tables of a page for all its times as HTML, long ones cut to bound their size.

    Those of the times that are not selected when the page opens are hidden.
    """
    sections, *others = [
        [replace(section, of={**section.of, TIME: view.value}) for section in found]
        for view in times.views
        for found in [sections_of(view.shown)]
    ]
    lengths = [len(table.frame) for section in sections for table in section.tables]
    most = next(
        (
            n
            for n in range(_MOST_ROWS_EACH, _FEWEST_ROWS_EACH, -10)
            if sum(min(n, m) for m in lengths) <= _ROWS
        ),
        _FEWEST_ROWS_EACH,
    )
    text = fragments(sections, most) + fragments(list(chain(*others)), most, hidden=True)
    return Markup(text)  # noqa: S704  fragments are escaped


def first_trial_time(run: Run) -> str:
    """The time at which the first trial of a run ended, in UTC; empty if it is not recorded."""
    ended = run.trials["ended_at"].dropna()
    return f"{str(ended.min())[:16].replace('T', ' ')} UTC" if len(ended) else ""


def listing(names: Sequence[str], most: int = 8) -> str:
    """The first `most` names and the number of further ones."""
    further = len(names) - most
    return ", ".join(names[:most]) + (f" and {further} more" if further > 0 else "")
