"""The answer, charts and tables of a run, and the tables of a comparison of two, for the page.

The cells of tables are texts. The functions run in a process of their own.
"""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from harness.analysis import Run, load
from harness.base.text import printable
from harness.extensions.page.charts.catalogue import CHARTS, charts_of
from harness.extensions.page.charts.files import chart_title, inline
from harness.extensions.workbench.answering import Put
from harness.records import spec_of
from harness.report import ReportTable, Section, answer, plain
from harness.report.tables import comparison_tables as comparison
from harness.report.tables import remarks, sections_of_measures
from harness.report.tables.agreement_tables import agreement_lines

_MOST_ROWS: Final = 200
"""Maximum number of rows of a table."""


def digest_of_run(run: Run) -> dict[str, Any]:
    """The answer of a run, its first charts and its most important tables.

    ``agreement`` is `harness.analysis.claims.Agreement` as in JSON with the first disagreements,
    ``disagreements`` the number of all, and ``lines`` the agreement in sentences. ``specs`` has the
    spec for the label of each configuration; a page puts a question to the spec.
    """
    agreement = run.agreement()
    disagreements = agreement.disagreements
    labels = run.trials[["backend", "spec"]].drop_duplicates("backend")
    specs = {str(row.backend): spec_of(str(row.backend), row.spec) for row in labels.itertuples()}
    notes = [printable(line) for line in remarks(run)]
    sections = [{"title": "", "tables": [], "notes": notes}] if notes else []
    lines = agreement_lines(agreement, 0)
    return {
        "answer": _sections(answer.key_results(run)),
        "charts": [*_charts(run)],
        "sections": [*sections, *_sections(sections_of_measures(run, ("summary",)))],
        "agreement": plain(replace(agreement, disagreements=disagreements[:200])),
        "disagreements": len(disagreements),
        "lines": [printable(line) for line in lines if not line.startswith("...")],
        "specs": specs,
    }


def _charts(run: Run) -> Iterator[dict[str, str]]:
    """The first cactus plot, and the first chart of times, as SVG elements."""
    for kind in CHARTS:
        is_shown = kind.name in ("cactus", "times")
        if is_shown and (chart := next(charts_of(run, kind), None)):
            yield {
                "title": kind.title,
                "question": printable(chart_title(chart, with_host=False)),
                "drawing": inline(chart, kind.name),
                "description": kind.description,
            }


def _sections(sections: Iterable[Section]) -> list[dict[str, Any]]:
    """Tables under headings."""
    return [
        {
            "title": printable(section.title),
            "tables": [_table(table) for table in section.tables],
            "notes": [*map(printable, section.notes)],
        }
        for section in sections
    ]


def _table(table: ReportTable) -> dict[str, Any]:
    """A table; a column is its title, and whether it has numbers."""
    further = len(table.frame) - _MOST_ROWS
    more = [f"... and {further:,} more rows in the HTML report"] if further > 0 else []
    return {
        "title": printable(table.title),
        "columns": [(printable(column.title), column.is_number) for column in table.columns],
        "rows": [cells for _, cells in table.rows(_MOST_ROWS)],
        "notes": [*more, *map(printable, table.notes)],
    }


def put_tables(folders: list[str], put: Put) -> None:
    """Send the tables of the run in one folder, or the verdict and the tables of a comparison.

    Raises:
        InputError: a folder holds no run, or a damaged one.
    """
    first, *others = (load(Path(folder)) for folder in folders)
    if not others:
        put(digest_of_run(first))
        return
    runs = first.compare(*others)
    verdict = printable(comparison.verdict(runs))
    put({"verdict": verdict, "sections": _sections(comparison.sections(runs))})
