"""The images of a site: charts in its pages, and badges for the pages of programs."""

from dataclasses import replace
from functools import cache
from html import escape
from typing import Final

from harness.analysis import Run
from harness.base.text import printable, shortened
from harness.extensions.page.charts import theme
from harness.extensions.page.charts.catalogue import CHARTS, charts_of
from harness.extensions.page.charts.chart import Chart, ChartKind
from harness.extensions.page.charts.files import chart_title, inline
from harness.extensions.page.fragments import scrolling
from harness.extensions.site.records import SiteRecord
from harness.records import Task

_CURVES: Final = 8
"""Maximum number of backends of a chart with curves: the best ones."""


def charts_section(record: SiteRecord, *kinds: str, dataset: str = "") -> str:
    """A chart of each kind that a record has, of one dataset or of all; empty without charts."""
    drawings: list[str] = []
    for name in kinds:
        charts = [c for c in _charts_of(record, name) if c.key.get("dataset", "") == dataset]
        if charts:
            chart = min(charts, key=lambda c: (c.key["task"] != Task.SOLVE, c.key["start"]))
            notes = _kind(name).notes(record.run, chart.key, chart.frame)
            chart = replace(_of_best(record, chart), notes=tuple(notes))
            drawings.append(_figure(chart, f"c{len(drawings)}"))
    return (
        f'<h2>Charts</h2>\n<div id="chart-grid">\n{"".join(drawings)}</div>\n' if drawings else ""
    )


def _kind(name: str) -> ChartKind[Run]:
    (kind,) = (kind for kind in CHARTS if kind.name == name)
    return kind


@cache
def _charts_of(record: SiteRecord, name: str) -> list[Chart]:
    """The charts of a kind without notes, which only drawn charts need."""
    return list(charts_of(record.run, replace(_kind(name), notes=lambda *_: ())))


def _of_best(record: SiteRecord, chart: Chart) -> Chart:
    """The chart; one with curves has those of the best backends only."""
    if not chart.kind.overlaid:
        return chart
    ranks = record.run.ranks()
    for name in {"dataset", "task", "start"} & chart.key.keys():
        ranks = ranks[ranks[name] == chart.key[name]]
    mean_ranks = ranks.groupby("backend")["rank"].mean().sort_values(kind="stable")
    names = theme.display_names(record.run.backends)
    best = [names[str(label)] for label in mean_ranks.index[:_CURVES]]
    return replace(chart, frame=chart.frame[chart.frame["backend"].isin(best)])


def _figure(chart: Chart, ids: str) -> str:
    """A chart with its title, its question and its description."""
    title, question = chart.kind.title, chart_title(chart, with_host=False)
    drawing = scrolling(inline(chart, ids), title, "chart")
    about = printable(" ".join([*chart.notes, chart.kind.description]))
    return (
        f"<figure><h3>{escape(title)}</h3>\n"
        f'<p class="chart-title"><bdi>{escape(question)}</bdi></p>\n'
        f"{drawing}<figcaption>{escape(about)}</figcaption></figure>\n"
    )


# Badges.


_LETTER: Final = 6.6
"""The mean width of a letter at 11 pixels."""
_MARGIN: Final = 8
_LONGEST: Final = 48
_BADGE: Final = """\
<svg xmlns="http://www.w3.org/2000/svg" width="{whole}" height="20" role="img" aria-label="{name}">
<title>{name}</title>
<rect width="{whole}" height="20" rx="3" fill="#24292f"/>
<path d="M{left} 0h{inner}a3 3 0 0 1 3 3v14a3 3 0 0 1-3 3h-{inner}z" fill="{colour}"/>
<g fill="#fff" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11" text-anchor="middle">
<text x="{first}" y="14">{what}</text>
<text x="{second}" y="14">{place}</text>
</g>
</svg>
"""


def badge(subject: str, place: str, *, wins: bool) -> str:
    """An image with the dataset and question on the left and the place on the right."""
    subject, place = printable(shortened(subject, _LONGEST)), printable(place)
    left_width, right_width = (
        round(_LETTER * len(text) + 2 * _MARGIN) for text in (subject, place)
    )
    return _BADGE.format(
        whole=left_width + right_width,
        left=left_width,
        inner=right_width - 3,
        first=left_width / 2,
        second=left_width + right_width / 2,
        what=escape(subject),
        place=escape(place),
        name=escape(f"{place} on {subject}"),
        colour="#1a7f37" if wins else "#0a58ca",
    )
