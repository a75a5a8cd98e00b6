"""The document of `harness trend --json`."""

from collections.abc import Sequence

from harness.extensions.page.trend_of_runs import Trend
from harness.report.documents import Document
from harness.report.run_documents import Row, rows


class Trended(Document):
    """The values of three or more runs over time."""

    folders: list[str]
    """Folders of the runs, in their order."""
    slowed: bool
    """Whether the last step of a backend on an equal machine is a slowdown, or the last run has a
    wrong answer."""
    notes: list[str]
    """What a reader needs to know before any value, unfinished runs first."""
    tables: dict[str, list[Row]]
    """The rows of `trends`, `steps`, `runs` and `values`."""


def trended(trend: Trend, names: Sequence[str]) -> Trended:
    """The trend with these tables."""
    return Trended(
        folders=[*dict.fromkeys(str(run.folder) for run in trend.sources)],
        slowed=trend.slowed,
        notes=[*trend.notes],
        tables={name: rows(trend.frame(name)) for name in names},
    )
