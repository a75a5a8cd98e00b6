"""What the page of a run and that of two runs both have."""

from collections.abc import Sequence
from typing import Final

from markupsafe import Markup

from harness.analysis.run import Run
from harness.report.render.html import fragments
from harness.report.tables.table import Section

_ROWS: Final = 1_500
"""About how many rows the tables of a page have together; CSV has all of them."""
_ROWS_EACH: Final = 200
_LEAST_EACH: Final = 20


def tables(sections: Sequence[Section]) -> Markup:
    """The tables of a page, the long ones cut so that all together have a bounded size."""
    lengths = [len(table.frame) for section in sections for table in section.tables]
    most = next(
        (
            n
            for n in range(_ROWS_EACH, _LEAST_EACH, -10)
            if sum(min(n, m) for m in lengths) <= _ROWS
        ),
        _LEAST_EACH,
    )
    return Markup(fragments(sections, most))  # noqa: S704  escaped there


def moment(run: Run) -> str:
    """When its first trial ended; empty where that is not known."""
    ended = run.trials["ended_at"].dropna()
    return f"{str(ended.min())[:16].replace('T', ' ')} UTC" if len(ended) else ""


def some(names: Sequence[str], most: int = 8) -> str:
    """The first of the names, and how many more there are."""
    left = len(names) - most
    return ", ".join(names[:most]) + (f" and {left} more" if left > 0 else "")
