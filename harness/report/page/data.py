"""The data of the scripts of a page: filters, charts and trials, as JSON."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, Final

import pandas as pd

from harness.analysis.results import COMPARISON_GROUP
from harness.analysis.run import Run
from harness.analysis.times import TIME
from harness.records.verdict import Verdict
from harness.report.charts import theme
from harness.report.charts.catalogue import CHARTS, charts_of
from harness.report.charts.chart import ROWS, Chart, ChartKind
from harness.report.charts.files import chart_title
from harness.report.charts.vega import Drawing
from harness.report.page.times import TimeViews
from harness.report.page.trials import Sample, packed
from harness.report.render.html import plain
from harness.text import number_of

MOST_CHARTS: Final = 60
"""The most charts of a kind on a page; `harness charts` draws all of them."""

_DISTINCT_SHARE: Final = 0.5
"""A column of texts with a smaller share of distinct values is stored as codes and levels."""


def run_data(times: TimeViews[Run], sample: Sample) -> dict[str, Any]:
    """The data of the page of a run."""
    run = times.views[0].shown
    names = theme.display_names(run.backends)
    several_hosts = len(run.hosts) > 1
    summary = run.summary()
    rows = ROWS // len(times.views)
    kinds = [
        (kind, [(view.value, charts_of(view.shown, kind, rows)) for view in views])
        for kind in CHARTS
        for views in [times.views if TIME in kind.by else times.views[:1]]
    ]
    return {
        "filters": filter_values(summary, ("dataset", "task", "start"))
        | {"verdict": [str(v) for v in Verdict if summary[str(v)].any()]},
        "backends": backend_filters(names),
        "times": times.switch,
        **chart_data(kinds, several_hosts),
        "trials": packed(sample.trials, names, several_hosts),
    }


def filter_values(frame: pd.DataFrame, columns: Sequence[str]) -> dict[str, list[str]]:
    """The values that each column can be filtered by."""
    return {name: sorted({plain(value) for value in frame[name].unique()}) for name in columns}


def backend_filters(names: Mapping[str, str]) -> list[dict[str, str]]:
    """The label and display name of each backend."""
    return [{"value": plain(label), "name": name} for label, name in names.items()]


def chart_data(
    kinds: Iterable[tuple[ChartKind[Any], Sequence[tuple[str, Iterator[Chart]]]]],
    several_hosts: bool,
) -> dict[str, Any]:
    """The charts of each kind; charts with equal descriptions share one.

    Args:
        kinds: each kind with its charts for each time of the page.
        several_hosts: whether to name the machine of a chart.
    """
    specs: dict[str, int] = {}
    described = [_kind(kind, charts, specs, several_hosts) for kind, charts in kinds]
    return {
        "specs": [json.loads(spec) for spec in specs],
        "kinds": described,
        "looks": {"color": theme.PALETTE, "strokeDash": theme.DASHES, "shape": theme.SHAPES},
    }


def embedded(value: Any) -> str:
    """JSON without characters that could end a ``<script>`` element or a line."""
    text = json.dumps(value, ensure_ascii=True, separators=(",", ":"), allow_nan=False)
    return text.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e")


def _kind(
    kind: ChartKind[Any],
    by_time: Sequence[tuple[str, Iterator[Chart]]],
    specs: dict[str, int],
    several_hosts: bool,
) -> dict[str, Any]:
    shown = [
        _chart(chart, time, specs, several_hosts)
        for time, charts in by_time
        for chart in islice(charts, MOST_CHARTS)
    ]
    omitted = sum(1 for _ in by_time[0][1])
    more = f"{number_of(omitted, 'more chart')}: run harness charts" if omitted else ""
    return {
        "name": kind.name,
        "title": kind.title,
        "description": kind.description,
        "charts": shown,
        "note": more if shown else kind.missing_reason(),
    }


def _chart(chart: Chart, time: str, specs: dict[str, int], several_hosts: bool) -> dict[str, Any]:
    drawing = chart.drawing(panels=False)
    panels = chart.drawing(panels=True) if chart.has_panels else None
    pair = [str(chart.key[name]) for name in ("backend", "other") if name in chart.key]
    backends = f"{pair[0]} and {pair[1]}; " if pair else ""
    return {
        "spec": _index(drawing, specs),
        "panels": None if panels is None else _index(panels, specs),
        # The title is the same for all times: the selected chart stays selected.
        "title": f"{backends}{chart_title(chart, several_hosts, with_time=False)}",
        "key": {
            name: plain(chart.key[name])
            for name in ("dataset", "task", "start")
            if name in COMPARISON_GROUP and name in chart.key
        }
        | ({TIME: time} if TIME in chart.key else {}),
        "pair": pair,
        "notes": list(chart.notes),
        "columns": {name: _packed(values) for name, values in drawing.columns().items()},
    }


def _index(drawing: Drawing, specs: dict[str, int]) -> int:
    """The number of the specification in `specs`, where it is added if it is new."""
    text = json.dumps(_without_backends(theme.styled(drawing.template(), "")))
    return specs.setdefault(text, len(specs))


def _without_backends(part: Any) -> Any:
    """A part of a specification whose scales have no backends.

    The page fills in those that are selected.
    """
    if isinstance(part, list):
        return [_without_backends(element) for element in part]
    if not isinstance(part, dict):
        return part
    found = {name: _without_backends(value) for name, value in part.items()}
    if found.get("field") == "backend" and "range" in found.get("scale", {}):
        found["scale"] = {"range": []}
        if found.get("legend"):
            found["legend"].pop("columns", None)
    return found


def _packed(values: list[Any]) -> Any:
    """A column; repeated texts as codes and levels."""
    texts = [value for value in values if isinstance(value, str)]
    if not texts or len(set(texts)) >= _DISTINCT_SHARE * len(values):
        return values
    levels = {value: code for code, value in enumerate(dict.fromkeys(values))}
    return {"levels": list(levels), "codes": [levels[value] for value in values]}
