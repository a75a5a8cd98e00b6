"""Tables of a run: for the terminal, Markdown, LaTeX and CSV."""

from collections.abc import Iterator, Sequence
from typing import Final

import pandas as pd

from harness.analysis.columns import TIME
from harness.analysis.conditions import disturbances
from harness.analysis.run import Run
from harness.analysis.timing import UNSTABLE
from harness.records.question import TimeKind
from harness.report.formatting import PLAIN, Theme, shown_backend
from harness.report.render import data as csv_
from harness.report.render import markup as latex_
from harness.report.render import markup as markdown_
from harness.report.render import text as text_
from harness.report.render.markup import Fragment
from harness.report.render.text import WIDTH
from harness.report.table import Section
from harness.report.tables import contents
from harness.report.tables.agreement import agreement_lines
from harness.report.tables.contents import ALL, BRIEF, left_out_notes, progress_sections

__all__ = [
    "ALL",
    "BRIEF",
    "WIDTH",
    "agreement_lines",
    "csv",
    "disturbance_lines",
    "empty_lines",
    "latex",
    "latex_document",
    "markdown",
    "remarks",
    "sections",
    "stability_lines",
    "text",
]

_SHOWN: Final = 5
"""Disagreements that the terminal shows; the other formats have all."""


def text(run: Run, width: int = WIDTH, names: Sequence[str] = BRIEF, theme: Theme = PLAIN) -> str:
    """Tables and disagreements for a terminal of `width` columns."""
    return text_.text(sections(run, names, _SHOWN, marks=True), width, theme)


def markdown(run: Run, names: Sequence[str] = BRIEF) -> str:
    """Tables and disagreements for Markdown, with every verdict that occurs."""
    return markdown_.markdown(sections(run, names))


def latex(run: Run, names: Sequence[str] = BRIEF) -> list[Fragment]:
    """Tables for LaTeX, each for a file of its own; see `harness.report.render.markup`."""
    headline = filter(None, [run.progress.headline])
    found = [*progress_sections(run), *contents.sections(run, names)]
    return latex_.latex_fragments(found, (*headline, *remarks(run)))


def latex_document(run: Run, names: Sequence[str] = BRIEF) -> str:
    """Tables and disagreements as a LaTeX document."""
    return latex_.document(sections(run, names))


def csv(run: Run, name: str = "summary") -> str:
    """The frame of one measure, values unrounded; see `harness.report.render.data.csv`.

    Raises:
        InputError: no measure has this name.
    """
    return csv_.csv(run.measure(name))


def remarks(run: Run) -> Iterator[str]:
    """What a reader must know of the values, for a format that has only tables."""
    yield from contents.notes_of(run)
    yield from disturbance_lines(run)


def sections(
    run: Run, names: Sequence[str] = ALL, disagreements: int | None = None, *, marks: bool = False
) -> list[Section]:
    """The sections of a report in any format: tables, then notes and disagreements.

    What an unfinished run lacks, and what disturbed a run, comes before all others.

    Args:
        run: the run to show.
        names: names of tables, from `ALL`.
        disagreements: maximum number of disagreements to list; None for all.
        marks: whether to explain the marks of a narrow terminal table.
    """
    notes = [
        *(_marks(run.summary()) if marks and "summary" in names else ()),
        *contents.notes_of(run),
        *left_out_notes(run),
        *stability_lines(run.stability()),
        *agreement_lines(run.agreement(), disagreements),
    ]
    first = (*disturbance_lines(run), *empty_lines(run, names))
    return [
        *progress_sections(run),
        *([Section("", (), first)] if first else []),
        *contents.sections(run, names),
        Section("", (), tuple(notes)),
    ]


def empty_lines(run: Run, names: Sequence[str]) -> Iterator[str]:
    """A line on each table that was chosen and has nothing to show; none if all were chosen."""
    if set(names) >= set(ALL):
        return
    shown = {table.name for part in contents.sections(run, names) for table in part.tables}
    for name in names:
        if name not in shown:
            hint = "; --format csv has its rows" if len(run.measure(name)) else ""
            yield f"table {name}: nothing to show for this run{hint}"


def disturbance_lines(run: Run) -> Iterator[str]:
    """A line on what disturbed the times of the run, if anything did."""
    found = disturbances(run.invocations)
    if found:
        causes = "; ".join(f"{subject}: {what}" for subject, what in found.items())
        hint = "; compare CPU times: --time cpu" if run.time is TimeKind.WALL else ""
        yield f"times may be unreliable: {causes}{hint}"


def stability_lines(stability: pd.DataFrame) -> Iterator[str]:
    """A line on the unstable results of each backend that has any."""
    for backend, rows in stability.groupby("backend"):
        unstable, results = rows["unstable"].sum(), rows["results"].sum()
        if unstable:
            name, part = shown_backend(str(backend)), f"{unstable:,} of {results:,} results"
            times = f"{TimeKind(rows[TIME].iloc[0]).noun}s of {part}"
            most = f"{100 * UNSTABLE:g} % or more between repetitions"
            yield f"unstable: {name}: {times} differ by {most}"


def _marks(summary: pd.DataFrame) -> Iterator[str]:
    """The meaning of the marks in a narrow table of the summary."""
    bounds = summary[[f"{name}_is_bound" for name in ("median", "mean", "p95", "total")]]
    if bounds.to_numpy().any():
        yield (
            "> marks a lower bound: a trial without a right answer counts as the time limit, "
            "or as twice the limit in PAR-2"
        )
    if (summary["ratio"].isna() & (summary["wrong"] > 0)).any():
        yield "ratio: PAR-2 over the best; missing for a backend with a wrong answer"
