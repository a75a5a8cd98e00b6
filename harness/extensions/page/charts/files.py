"""Chart files, rendered without a browser or a network connection."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from html import escape
from pathlib import Path
from typing import Protocol

import pandas as pd

from harness.analysis import Run
from harness.analysis.measures import columns as col
from harness.base.errors import InputError, not_among
from harness.base.files import replace_file, writing
from harness.base.text import printable, shortened
from harness.extensions.page.charts import DPI, ChartFormat, theme
from harness.extensions.page.charts.catalogue import CHARTS, charts_of
from harness.extensions.page.charts.chart import Chart, ChartKind
from harness.extensions.page.charts.theme import POINTS, VERSION, Spec, fit_width, width_of
from harness.records import spec_of
from harness.report import backend_name, file_name
from harness.report.tables import group_title

# Selection of charts: their kinds, and the datasets and backends that they show.


@dataclass(frozen=True, slots=True)
class Selection:
    """The charts to draw; an empty field selects everything."""

    kinds: Sequence[str] = ()
    """Names of chart kinds."""
    datasets: Sequence[str] = ()
    backends: Sequence[str] = ()
    """Labels of configurations, or names of backends for all their configurations."""

    def chart_kinds(self) -> list[ChartKind[Run]]:
        """The selected kinds, in display order.

        Raises:
            InputError: a kind does not exist.
        """
        _check("--chart", "chart", self.kinds, [kind.name for kind in CHARTS])
        return [kind for kind in CHARTS if not self.kinds or kind.name in self.kinds]

    def run(self, run: Run) -> Run:
        """The trials of `run` on the selected datasets and backends, as a run.

        Everything in its charts is computed from these trials alone.

        Raises:
            InputError: the run has no trial of a dataset or backend, or of their combination.
        """
        datasets = sorted(map(str, run.trials["dataset"].unique()))
        _check("--dataset", "dataset", self.datasets, datasets)
        labels = self._labels(run)

        def rows_of_both(rows: pd.DataFrame) -> pd.DataFrame:
            if self.datasets:
                rows = rows[rows["dataset"].isin(self.datasets)]
            return rows[rows["backend"].isin(labels)] if self.backends else rows

        trials = rows_of_both(run.trials)
        if trials.empty:
            raise InputError(
                f"no trials of {_name_list(self.backends)} on {_name_list(self.datasets)}",
                expected="backends that were run on these datasets",
            )
        if len(trials) == len(run.trials):
            return run
        return replace(run, trials=trials, planned=rows_of_both(run.planned))

    def _labels(self, run: Run) -> set[str]:
        """The labels of the configurations that each selected name means, alone or as a backend."""
        labels: set[str] = set()
        for name in self.backends:
            same = [b for b in run.backends if name in (b, backend_name(b))]
            of_backend = [b for b in run.backends if re.sub(r"\[.*\]$", "", spec_of(b)) == name]
            if not same and not of_backend:
                _check("--backend", "backend", [name], run.backends)
            labels |= set(same or of_backend)
        return labels


def _check(option: str, thing: str, names: Sequence[str], choices: Sequence[str]) -> None:
    for name in names:
        if name not in choices:
            problem = f"unknown {thing} {_short_name(name)!r}"
            raise not_among(InputError, problem, name, [*map(_short_name, choices)], where=option)


def _name_list(names: Sequence[str]) -> str:
    return ", ".join(map(_short_name, names))


def _short_name(name: str) -> str:
    return printable(shortened(name))


# Chart files, rendered without a browser or a network connection.


@dataclass(frozen=True, slots=True)
class ChartFile:
    """A chart file, or a chart kind that the run has no data for."""

    kind: str
    """The name of the chart kind."""
    path: Path | None
    """The file; None if there is no chart of this kind."""
    missing_reason: str = ""
    width_in: float | None = None
    """The width of the chart in inches if it exceeds the requested width; otherwise None."""

    def __str__(self) -> str:
        if self.path is None:
            return f"no {self.kind}: {self.missing_reason}"
        wide = f"{self.width_in:.2f} inches wide: texts are too long" if self.width_in else ""
        return f"{self.path} ({wide})" if wide else str(self.path)


def write(
    run: Run,
    folder: Path,
    form: ChartFormat,
    selection: Selection = Selection(),
    *,
    dpi: int = DPI,
    width_in: float | None = None,
) -> Iterator[ChartFile]:
    """Write charts of `run` into `folder`; report each file and each kind without a chart.

    A backend has the same colour whatever the selection, if the run has no more backends than
    there are colours.

    Args:
        run: the run to show.
        folder: the folder of the files, made if necessary.
        form: the format of the files.
        selection: what to draw, by default everything.
        dpi: the resolution of PNG files, in pixels per inch.
        width_in: the width of the charts in inches, with axes and legend; None for the width of
            their kind.

    The subtitle of the charts of an unfinished run states what the run lacks.

    Raises:
        InputError: the selection has an unknown name or leaves no chart, or a file cannot be
            written.
    """
    kinds, selected_run = selection.chart_kinds(), selection.run(run)
    names = theme.display_names(run.backends)
    if len(names) > len(theme.PALETTE):
        names = theme.display_names(selected_run.backends)
    missing_kinds = []
    file_names: set[str] = set()
    several_hosts = len(run.hosts) > 1
    subtitle = printable(run.progress.headline)
    for kind in kinds:
        has_charts = False
        for chart in charts_of(selected_run, kind, names=names):
            has_charts = True
            columns = ("dataset", "task", "start", "backend", "other")
            group = [str(chart.key[name]) for name in columns if chart.key.get(name)]
            path = folder / f"{file_name([kind.name, *group], file_names)}.{form}"
            spec = chart.specification(chart_title(chart, several_hosts), subtitle)
            spec = _on_paper(spec, width_in)
            content = render(spec, form, dpi=dpi)
            with writing(str(folder)):
                folder.mkdir(parents=True, exist_ok=True)
            replace_file(path, content)
            yield ChartFile(kind.name, path, width_in=_excessive_width(spec, width_in))
        if not has_charts:
            missing_kinds.append(ChartFile(kind.name, None, kind.missing_reason()))
    if len(missing_kinds) == len(kinds):
        reasons = "; ".join(str(kind) for kind in missing_kinds)
        raise InputError(f"nothing to draw: {reasons}", expected="other charts or data")
    yield from missing_kinds


class AltairChart(Protocol):
    """The part of an altair chart that this module uses."""

    def to_dict(self) -> Spec:
        """The specification of the chart."""
        ...


def render(
    chart: Spec | AltairChart, form: ChartFormat, *, dpi: int = DPI, width_in: float | None = None
) -> bytes:
    """Render a chart on a white background as the content of a file.

    A unit of the chart is a point, 1/72 of an inch. A PNG records its resolution, so that
    programs show it at that size.

    Args:
        chart: the specification of the chart, or an altair chart.
        form: the format of the file.
        dpi: the resolution of a PNG, in pixels per inch.
        width_in: the width in inches, with axes and legend; None for the chart's own width.
    """
    import vl_convert

    spec = _on_paper(chart if isinstance(chart, dict) else chart.to_dict(), width_in)
    match form:
        case ChartFormat.SVG:
            return _svg(spec).encode()
        case ChartFormat.PNG:
            return bytes(vl_convert.vegalite_to_png(spec, vl_version=VERSION, ppi=dpi))
        case ChartFormat.PDF:
            return bytes(vl_convert.vegalite_to_pdf(spec, vl_version=VERSION))


def inline(chart: Chart, ids: str) -> str:
    """A chart as an element of an HTML page, in the colours of the text around it.

    Args:
        chart: the chart.
        ids: the prefix of the ids in the element; a different one for each chart of a page.
    """
    # vl-convert numbers the gradients of all charts of a process, so their ids depend on the order.
    names: dict[str, str] = {}
    svg = re.sub(
        r'(\bid="|url\(#|href="#)([\w-]+)',
        lambda match: f"{match[1]}{names.setdefault(match[2], f'{ids}-{len(names)}')}",
        _svg(chart.specification()),
    )
    # The chart is one image, so its parts have no roles.
    svg = re.sub(r' (role|aria-roledescription)="[^"]*"', "", svg)
    label = escape(chart.kind.title)
    return svg.replace("<svg ", f'<svg role="img" aria-label="{label}" ', 1)


def _on_paper(spec: Spec, width_in: float | None) -> Spec:
    """The chart on a white background, of this width in inches."""
    spec = spec | {"config": spec.get("config", {}) | {"background": "white"}}
    return spec if width_in is None else fit_width(spec, width_in * POINTS, _svg)


def _excessive_width(spec: Spec, width_in: float | None) -> float | None:
    """The width of a chart in inches if it is wider than requested, else None."""
    if width_in is None:
        return None
    actual_in = width_of(_svg(spec)) / POINTS
    two_points_in = 0.03  # less than the width of a letter
    return actual_in if actual_in > width_in + two_points_in else None


def _svg(spec: Spec) -> str:
    import vl_convert

    svg: str = vl_convert.vegalite_to_svg(spec, vl_version=VERSION)
    return svg


def chart_title(chart: Chart, with_host: bool, *, with_time: bool = True) -> str:
    """The comparison group of a chart as text."""
    key = dict.fromkeys(col.COMPARISON_GROUP) | {"dataset": "all datasets"} | dict(chart.key)
    if not with_time:
        key[col.TIME] = None
    return printable(group_title(key, None, with_host))
