"""The page of a trend over several runs."""

import shlex

from harness.analysis.inference import ALPHA, DEFAULT
from harness.analysis.trend import Trend
from harness.records.time_kind import TimeKind
from harness.report.charts import theme
from harness.report.charts.trends import kind_of
from harness.report.formatting import printable, shortened
from harness.report.page.data import backend_filters, chart_data, filter_values
from harness.report.page.document import document
from harness.report.page.environment import run_environment
from harness.report.page.libraries import chart_libraries
from harness.report.page.parts import tables
from harness.report.page.times import TimeView, TimeViews
from harness.report.table import is_missing
from harness.report.tables import trend as trend_tables


def html(found: Trend, *, as_given: bool = False) -> str:
    """Render a trend as the text of an HTML file; see `document`.

    Args:
        found: the trend.
        as_given: whether the order of the runs was given; part of the command that the page
            shows.
    """
    chart_libraries()
    folders = [str(folder) for folder in found.runs["folder"]]
    names = theme.display_names(sorted(map(str, found.values["backend"].unique())))
    starts = [str(start) for start in found.runs["started"] if not is_missing(start)]
    command = ["harness", "trend", *folders, "--measure", found.measure.name, "--format", "html"]
    time = found.sources[-1].time
    times = TimeViews([TimeView(str(time), time.noun, found)])
    if time is not TimeKind.WALL:
        command += ["--time", str(time)]
    if found.criterion != DEFAULT:
        command += ["--least-factor", f"{found.criterion.least_factor:g}"]
    context = {
        "count": len(folders),
        "first": printable(shortened(folders[0])),
        "last": printable(shortened(folders[-1])),
        "time": f"{starts[0]} to {starts[-1]} UTC" if starts else "",
        "slowed": found.slowed,
        "verdict": printable(trend_tables.verdict(found)),
        "notes": list(map(printable, found.notes)),
        "meaningful": f"{found.criterion.least_factor:g}",
        "alpha": f"{ALPHA:g}",
        "display_names": names,
        "times": times,
        "tables": tables(times, lambda shown: trend_tables.sections(shown, trend_tables.TABLES)),
        "environments": [
            ("first run", run_environment(found.sources[0])),
            ("last run", run_environment(found.sources[-1])),
        ],
        "command": shlex.join([*command, *["--as-given"] * as_given]),
    }
    kind = kind_of(found.measure)
    charts = kind.charts(found, names, len(names))
    data = {
        "filters": filter_values(found.values, ("dataset", "task", "start"))
        | {"change": sorted(map(str, found.steps["change"].unique()))},
        "backends": backend_filters(names),
        "times": times.switch,
        **chart_data([(kind, [(str(time), charts)])], several_hosts=False),
    }
    return document("trend.html.j2", data, context)
