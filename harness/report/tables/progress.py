"""What an unfinished run lacks, for the beginning of a report in any format."""

from collections.abc import Iterator

from harness.analysis.completeness import CONFIGURATIONS
from harness.analysis.run import Run
from harness.report.formatting import backend_name, shortened
from harness.report.table import Section, Table
from harness.report.tables.columns import columns_of

_SCOPE = (
    "All values below are over the trials that are done; values of several backends are over "
    "the instances that all of them were run on."
)


def progress_sections(run: Run) -> list[Section]:
    """The trials of each configuration of an unfinished run; nothing for a finished one."""
    headline = run.progress.headline
    if not headline:
        return []
    if run.progress.finished is None:
        return [Section(headline)]
    frame = run.progress.configurations
    table = Table(CONFIGURATIONS.name, "", columns_of(CONFIGURATIONS, frame), frame)
    return [Section(headline, (table,), (*_without_trials(run), _SCOPE))]


def left_out_notes(run: Run) -> Iterator[str]:
    """A line on each backend that the run was given and left out."""
    for name, reason in run.progress.left_out.items():
        yield f"left out: {shortened(backend_name(name))} is not available: {shortened(reason)}"


def _without_trials(run: Run) -> Iterator[str]:
    frame = run.progress.configurations
    absent = [backend_name(str(b)) for b in frame.loc[frame["done"] == 0, "backend"]]
    if absent:
        yield f"without a trial, and in no table: {', '.join(map(shortened, absent))}"
