"""Parts that the page of a run and the page of a comparison share."""

from collections.abc import Sequence
from typing import Final

from markupsafe import Markup

from harness.analysis.run import Run
from harness.report.render.html import fragments
from harness.report.table import Section

_ROWS: Final = 1_500
"""Approximate maximum number of rows of all tables of a page together; CSV has all of them."""
_MOST_ROWS_EACH: Final = 200
_FEWEST_ROWS_EACH: Final = 20


def tables(sections: Sequence[Section]) -> Markup:
    """The tables of a page as HTML, long ones cut to bound the size of the page."""
    lengths = [len(table.frame) for section in sections for table in section.tables]
    most = next(
        (
            n
            for n in range(_MOST_ROWS_EACH, _FEWEST_ROWS_EACH, -10)
            if sum(min(n, m) for m in lengths) <= _ROWS
        ),
        _FEWEST_ROWS_EACH,
    )
    return Markup(fragments(sections, most))  # noqa: S704  fragments are escaped


def first_trial_time(run: Run) -> str:
    """The time at which the first trial of a run ended, in UTC; empty if it is not recorded."""
    ended = run.trials["ended_at"].dropna()
    return f"{str(ended.min())[:16].replace('T', ' ')} UTC" if len(ended) else ""


def listing(names: Sequence[str], most: int = 8) -> str:
    """The first `most` names and the number of further ones."""
    further = len(names) - most
    return ", ".join(names[:most]) + (f" and {further} more" if further > 0 else "")
