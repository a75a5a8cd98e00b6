"""What the scripts of a page read: charts, trials and what can be chosen, as JSON."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, Final

import pandas as pd

from harness.analysis.results import COMPARISON_GROUP
from harness.analysis.run import Run
from harness.records.verdict import Verdict
from harness.report.charts import theme
from harness.report.charts.catalogue import CHARTS, pictures
from harness.report.charts.chart import Chart, ChartKind
from harness.report.charts.files import title
from harness.report.formatting import number_of
from harness.report.page.trials import Chosen, packed
from harness.report.render.html import plain

MOST_PICTURES: Final = 60
"""Charts of one kind that a page has; `harness charts` draws all."""

_FEW: Final = 0.5
"""A column of texts is stored as numbers and a list where it has fewer different ones."""


def data(run: Run, chosen: Chosen) -> dict[str, Any]:
    """Everything that the scripts of a run's page know."""
    names = theme.names_of(run.backends)
    several = len(run.hosts) > 1
    summary = run.summary()
    kinds = [(kind, pictures(run, kind)) for kind in CHARTS]
    return {
        "choices": choices(summary, ("dataset", "task", "start"))
        | {"verdict": [str(v) for v in Verdict if summary[str(v)].any()]},
        "backends": backends(names),
        **charts(kinds, several),
        "trials": packed(chosen.trials, names, several),
    }


def choices(frame: pd.DataFrame, names: Sequence[str]) -> dict[str, list[str]]:
    """What can be chosen of a dataset, a task and so on, by the columns of these `names`."""
    return {name: sorted({plain(value) for value in frame[name].unique()}) for name in names}


def backends(names: Mapping[str, str]) -> list[dict[str, str]]:
    """The backends that can be chosen, each with its shown name and colour."""
    return [
        {"value": plain(label), "name": name, "colour": theme.PALETTE[n % len(theme.PALETTE)]}
        for n, (label, name) in enumerate(names.items())
    ]


def charts(
    kinds: Iterable[tuple[ChartKind[Any], Iterator[Chart]]], several_hosts: bool
) -> dict[str, Any]:
    """The charts of each kind; descriptions that are the same stand there once."""
    specs: list[str] = []
    told = [_family(kind, found, specs, several_hosts) for kind, found in kinds]
    return {"specs": [json.loads(spec) for spec in specs], "kinds": told}


def embedded(value: Any) -> str:
    """JSON that may stand in a ``<script>``: nothing in it ends the element or a line."""
    text = json.dumps(value, ensure_ascii=True, separators=(",", ":"), allow_nan=False)
    return text.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e")


def _family(
    kind: ChartKind[Any], found: Iterator[Chart], specs: list[str], several_hosts: bool
) -> dict[str, Any]:
    shown = [_picture(picture, specs, several_hosts) for picture in islice(found, MOST_PICTURES)]
    left_out = sum(1 for _ in found)
    more = f"{number_of(left_out, 'more chart')}: harness charts" if left_out else ""
    return {
        "name": kind.name,
        "title": kind.title,
        "answers": kind.answers,
        "pictures": shown,
        "note": more if shown else kind.reason(),
    }


def _picture(picture: Chart, specs: list[str], several_hosts: bool) -> dict[str, Any]:
    spec, rows = _apart(picture)
    text = json.dumps(spec)
    if text not in specs:
        specs.append(text)
    pair = [str(picture.key[name]) for name in ("backend", "other") if name in picture.key]
    against = f"{pair[0]} and {pair[1]}; " if pair else ""
    return {
        "spec": specs.index(text),
        "title": f"{against}{title(picture, several_hosts)}",
        "key": {
            name: plain(picture.key[name])
            for name in ("dataset", "task", "start")
            if name in COMPARISON_GROUP and name in picture.key
        },
        "pair": pair,
        "columns": _columns(rows),
    }


def _apart(picture: Chart) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """The description of a chart without its rows, and the rows, which it calls by name."""
    spec = picture.draw().to_dict(validate=False)
    rows: list[dict[str, Any]] = []
    parts: list[Any] = [spec]
    while parts:
        part = parts.pop()
        if isinstance(part, list):
            parts += part
        elif isinstance(part, dict):
            if part.get("name") == theme.ROWS and "values" in part:
                rows = json.loads(part.pop("values"))
            parts += part.values()
    return spec, rows


def _columns(rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The rows by columns; texts that come again as numbers into a list."""
    found: dict[str, Any] = {}
    for name in rows[0]:
        values = [row[name] for row in rows]
        texts = [value for value in values if isinstance(value, str)]
        if texts and len(set(texts)) < _FEW * len(values):
            codes, levels = pd.factorize(pd.Series(values, dtype="object"))
            found[name] = {"levels": list(levels), "codes": codes.tolist()}
        else:
            found[name] = values
    return found
