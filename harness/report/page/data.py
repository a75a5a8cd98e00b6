"""What the scripts of a page read: charts, trials and what can be chosen, as JSON."""

import json
from collections.abc import Mapping, Sequence
from typing import Any, Final

import pandas as pd

from harness.analysis.instances import CONTEST
from harness.analysis.run import Run
from harness.contract.verdict import Verdict
from harness.report.charts import look
from harness.report.charts.families import FAMILIES, Family, Picture, pictures, reason
from harness.report.charts.files import title
from harness.report.figures import number_of
from harness.report.page.trials import Chosen, packed
from harness.report.render.html import plain

MOST_PICTURES: Final = 60
"""Charts of one family that a page has; `harness charts` draws all."""

_FEW: Final = 0.5
"""A column of texts is stored as numbers and a list where it has fewer different ones."""


def data(run: Run, chosen: Chosen) -> dict[str, Any]:
    """Everything that the scripts of the page know."""
    names = look.names_of(run.backends)
    specs: list[str] = []
    families = [_family(run, family, specs) for family in FAMILIES]
    summary = run.summary()
    return {
        "choices": {
            "dataset": sorted({plain(name) for name in summary["dataset"].unique()}),
            "task": sorted(map(str, summary["task"].unique())),
            "start": sorted(map(str, summary["start"].unique())),
            "verdict": [str(v) for v in Verdict if summary[str(v)].any()],
            "backend": [
                {"value": plain(label), "name": name, "colour": look.PALETTE[n % len(look.PALETTE)]}
                for n, (label, name) in enumerate(names.items())
            ],
        },
        "specs": [json.loads(spec) for spec in specs],
        "families": families,
        "trials": packed(chosen.trials, names, len(run.hosts) > 1),
    }


def embedded(value: Any) -> str:
    """JSON that may stand in a ``<script>``: nothing in it ends the element or a line."""
    text = json.dumps(value, ensure_ascii=True, separators=(",", ":"), allow_nan=False)
    return text.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e")


def _family(run: Run, family: Family, specs: list[str]) -> dict[str, Any]:
    shown: list[dict[str, Any]] = []
    left_out = 0
    for picture in pictures(run, family):
        if len(shown) < MOST_PICTURES:
            shown.append(_picture(picture, specs, len(run.hosts) > 1))
        else:
            left_out += 1
    more = f"{number_of(left_out, 'more chart')}: harness charts" if left_out else ""
    return {
        "name": family.name,
        "title": family.title,
        "answers": family.answers,
        "pictures": shown,
        "note": more if shown else reason(family),
    }


def _picture(picture: Picture, specs: list[str], several_hosts: bool) -> dict[str, Any]:
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
            if name in CONTEST and name in picture.key
        },
        "pair": pair,
        "columns": _columns(rows),
    }


def _apart(picture: Picture) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """The description of a chart without its rows, and the rows, which it calls by name."""
    spec = picture.draw().to_dict(validate=False)
    rows: list[dict[str, Any]] = []
    parts: list[Any] = [spec]
    while parts:
        part = parts.pop()
        if isinstance(part, list):
            parts += part
        elif isinstance(part, dict):
            if part.get("name") == look.ROWS and "values" in part:
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
