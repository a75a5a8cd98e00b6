"""The data for the scripts of a page: times, filters, charts and trials, as JSON."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, Final, Generic

import numpy as np
import pandas as pd

from harness.analysis import ORDER, Run, command_of
from harness.analysis.measures import RIGHT, number_rows, with_group_columns
from harness.analysis.measures import columns as col
from harness.base.text import number_of, printable, shortened
from harness.extensions.page.charts import theme
from harness.extensions.page.charts.catalogue import CHARTS
from harness.extensions.page.charts.chart import ROWS, Chart, ChartKind, Source
from harness.extensions.page.charts.files import chart_title
from harness.extensions.page.charts.theme import ChartDrawing
from harness.extensions.page.fragments import plain
from harness.puzzles import Shape
from harness.records import Verdict
from harness.report import is_missing
from harness.report.tables import group_title

# The times that a page can show: its tables, charts and key results, once for each.


@dataclass(frozen=True, slots=True)
class TimeView(Generic[Source]):
    """What a page shows while a time is selected."""

    value: str
    """The value of the switch: ``wall``, ``cpu`` or ``reliable``."""
    label: str
    """The label of the switch: ``wall time``."""
    source: Source
    """The run, comparison or trend by this time."""


# The trials of a run that its page lists.


MOST: Final = 20_000
"""A page lists all trials up to this number; of more, failures, outliers and a sample."""
_BYTES_OF_ALL: Final = 4_000_000
_BYTES_OF_SOME: Final = 1_000_000
"""Approximate bytes of the listed trials: of all trials, and of a selection."""
_MOST_FAILURES: Final = 6_000
_MOST_OUTLIERS: Final = 1_000
_SLOWEST: Final = 20
"""The slowest answers of each comparison group and backend that count as outliers."""
_OUTLIER_RATIO: Final = 3.0
"""The ratio to the median of its repetitions from which a trial is an outlier."""
_SAMPLE_SIZE: Final = 4_000
_LONGEST_REASON: Final = 300
_LONGEST_CONSTRAINTS: Final = 3000
_BYTES_OF_TRIAL: Final = 45
"""Approximate size of a trial without its puzzle, solution and reason."""
_QUESTION: Final = [*col.BACKEND_KEY, "spec", "shape"]


def selected_trials(trials: pd.DataFrame, answers: pd.DataFrame) -> tuple[pd.DataFrame, str]:
    """Select all trials, or the failures, outliers and a sample of more than `MOST`.

    An outlier is one of the `_SLOWEST` correct answers of its comparison group and
    backend, or took `_OUTLIER_RATIO` times the median of its repetitions. The
    sample has the first repetitions of random instances. More than
    `_MOST_FAILURES` failures are thinned out evenly, wrong answers and crashes last.
    The list ends where it would exceed its limit of bytes.

    Args:
        trials: the trials of a run.
        answers: the correct answers among them, see `harness.analysis.measures.results.answers`.

    Returns:
        The selected trials, and a description of the selection.
    """
    if len(trials) <= MOST:
        sample = _within(trials, _BYTES_OF_ALL)
        selection = ""
    else:
        parts = [_failures(trials), _outliers(answers), _random(trials)]
        order = pd.Index(np.concatenate(parts)).drop_duplicates()
        sample = _within(trials.loc[order], _BYTES_OF_SOME)
        all_failures = int((~trials["verdict"].isin(RIGHT)).sum())
        listed_failures = int((~sample["verdict"].isin(RIGHT)).sum())
        some = "all" if listed_failures == all_failures else f"{listed_failures:,} of"
        selection = f": {some} {all_failures:,} failures, outliers and a sample of instances"
    if len(sample) == len(trials):
        return sample, f"All {len(trials):,} trials"
    note = f"{len(sample):,} of {len(trials):,} trials{selection}; harness export writes all trials"
    return sample, note


def _failures(trials: pd.DataFrame) -> "np.ndarray[tuple[int], Any]":
    failures = trials[~trials["verdict"].isin(RIGHT)]
    rank = failures["verdict"].map({str(v): n for n, v in enumerate(ORDER)})
    # The first failure of each backend and verdict, then the second of each, and so on.
    turn = failures.groupby(["verdict", "backend"], sort=False).cumcount()
    severe_first = (rank > 1).astype("int64")
    order = np.lexsort((rank.to_numpy(), turn.to_numpy(), severe_first.to_numpy()))
    return failures.index.to_numpy()[order[:_MOST_FAILURES]]


def _outliers(right: pd.DataFrame) -> "np.ndarray[tuple[int], Any]":
    question, result = (number_rows(right, key)[0] for key in (col.BACKEND_KEY, col.RESULT_KEY))
    wall = right["wall_s"]
    slowest = wall.groupby(question).nlargest(_SLOWEST).index.get_level_values(1)
    ratio = wall / wall.groupby(result).transform("median")
    far = ratio[ratio >= _OUTLIER_RATIO].nlargest(_MOST_OUTLIERS).index
    return np.concatenate([slowest.to_numpy(), far.to_numpy()])


def _random(trials: pd.DataFrame) -> "np.ndarray[tuple[int], Any]":
    first = trials[trials["repetition"] == 1]
    codes, puzzles = pd.factorize(first["puzzle_id"])
    position = np.random.default_rng(0).permutation(len(puzzles))[codes]
    return first.index.to_numpy()[np.argsort(position, kind="stable")[:_SAMPLE_SIZE]]


def _within(trials: pd.DataFrame, most: int) -> pd.DataFrame:
    """The first of `trials` that take up at most `most` bytes together."""
    new = ~trials.duplicated(["dataset", "puzzle_id"])
    solution = (
        trials["solution"]
        .str.len()
        .fillna(0)
        .where(~trials.duplicated(["puzzle_id", "solution"]), 0)
    )
    reason = trials["reason"].str.len().fillna(0).clip(upper=_LONGEST_REASON)
    puzzle = trials["puzzle"].str.len() + 2 * trials["shape"].astype("string").str.len() + 40
    size = _BYTES_OF_TRIAL + new * puzzle + solution + reason
    return trials[(size.cumsum() <= most).to_numpy()]


def pack(trials: pd.DataFrame, names: Mapping[str, str], several_hosts: bool) -> dict[str, Any]:
    """The trials as columns, in which indices into lists of distinct values stand for texts.

    Args:
        trials: the selected trials.
        names: the display name of each backend.
        several_hosts: whether to name the machine of a trial.
    """
    trials = with_group_columns(trials)
    question, questions = _distinct(trials, _QUESTION)
    instance, instances = _distinct(trials, ["dataset", "puzzle_id", "name", "puzzle", "shape"])
    solution, solutions = pd.factorize(trials["solution"])
    reason, reasons = pd.factorize(trials["reason"].fillna("").where(trials["reason"] != ""))
    verdict, verdicts = pd.factorize(trials["verdict"])
    shapes = list(dict.fromkeys(row["shape"] for row in instances))
    return {
        "questions": [_question(row, names, several_hosts) for row in questions],
        "instances": {
            "name": [plain(row["name"]) for row in instances],
            "id": [plain(row["puzzle_id"]) for row in instances],
            "line": [str(row["puzzle"]) for row in instances],
            "shape": [shapes.index(row["shape"]) for row in instances],
        },
        "shapes": [_shape(str(spec)) for spec in shapes],
        "solutions": [str(line) for line in solutions],
        "reasons": [printable(shortened(str(text), _LONGEST_REASON)) for text in reasons],
        "verdicts": [str(text) for text in verdicts],
        "right": sorted(RIGHT),
        "trial": {
            "question": question,
            "instance": instance,
            "repetition": trials["repetition"].tolist(),
            "verdict": verdict.tolist(),
            "wall_s": theme.json_values(trials["wall_s"]),
            "cpu_s": theme.json_values(trials["cpu_s"]),
            "count": [_exact(n) for n in trials["count"]],
            "solution": solution.tolist(),
            "reason": reason.tolist(),
        },
    }


def _distinct(
    trials: pd.DataFrame, columns: Sequence[str]
) -> tuple[list[int], list[dict[str, Any]]]:
    """The index of each row into the list of distinct values of `columns`, and that list."""
    number, first = number_rows(trials, columns)
    rows = trials[list(columns)].iloc[first].to_dict("records")
    return number.tolist(), [{str(k): v for k, v in row.items()} for row in rows]


def _question(row: Mapping[str, Any], names: Mapping[str, str], with_host: bool) -> dict[str, Any]:
    task = str(row["task"])
    # The page puts the puzzle between the head and the tail.
    command = command_of({**row, "puzzle": "1"})
    head = f"harness {task} "
    group = {name: row[name] for name in col.COMPARISON_GROUP}
    group[col.TIME] = None  # a trial shows both times
    return {
        "dataset": plain(row["dataset"]),
        "task": task,
        "start": str(row["start"]),
        "backend": names[str(row["backend"])],
        "group": printable(group_title(group, None, with_host)),
        "head": head,
        "tail": printable(command.removeprefix(f"{head}1")),
    }


def _shape(spec: str) -> dict[str, Any]:
    """The size of a shape, the region of each cell, 0 without boxes, and its constraints."""
    shape = Shape.parse(spec)
    constraints = "; ".join(constraint.text(shape.size) for constraint in shape.constraints)
    return {
        "spec": shape.spec if constraints else spec,
        "size": shape.size,
        "regions": [*shape.region_of],
        "constraints": shortened(constraints, _LONGEST_CONSTRAINTS),
    }


def _exact(number: object) -> int | str | None:
    """A count as JavaScript shows it exactly: as text if it is beyond 53 bits."""
    if is_missing(number):
        return None
    return int(str(number)) if abs(int(str(number))) < 2**53 else str(number)


# The data for the scripts of a page: filters, charts and trials, as JSON.


MOST_CHARTS: Final = 60
"""Maximum number of charts of a kind on a page; `harness charts` draws all of them."""


def run_data(views: Sequence[TimeView[Run]], sample: pd.DataFrame) -> dict[str, Any]:
    """The data of the page of a run; `sample` has the trials that it lists."""
    run = views[0].source
    names = theme.display_names(run.backends)
    several_hosts = len(run.hosts) > 1
    summary = run.summary()
    rows = ROWS // len(views)
    verdicts = [str(v) for v in Verdict if summary[str(v)].any()]
    data = page_data(views, names, summary, {"verdict": verdicts}, CHARTS, several_hosts, rows)
    return data | {"trials": pack(sample, names, several_hosts)}


def page_data(
    views: Sequence[TimeView[Source]],
    names: Mapping[str, str],
    frame: pd.DataFrame,
    filters: dict[str, list[str]],
    kinds: Iterable[ChartKind[Source]],
    several_hosts: bool,
    rows: int = ROWS,
) -> dict[str, Any]:
    """The data that every page has.

    Args:
        views: the times of the page; the first one is selected when it opens.
        names: the display name of each backend, by label.
        frame: the rows whose datasets, tasks and starts the page can be filtered by.
        filters: the values of a further filter.
        kinds: the kinds of charts.
        several_hosts: whether to name the machine of a chart.
        rows: the approximate maximum number of rows of the charts of a kind by one time.
    """
    columns = ("dataset", "task", "start")
    values = {name: sorted({plain(value) for value in frame[name].unique()}) for name in columns}
    specs: dict[str, int] = {}
    kinds_of_page = []
    for kind in kinds:
        drawn = views if col.TIME in kind.by else views[:1]
        charts = [(view.value, kind.charts(view.source, names, rows)) for view in drawn]
        entries = [
            _chart(chart, time, specs, several_hosts)
            for time, of_time in charts
            for chart in islice(of_time, MOST_CHARTS)
        ]
        remaining = sum(1 for _ in charts[0][1])
        more = f"{number_of(remaining, 'more chart')}: run harness charts" if remaining else ""
        note = more if entries else kind.missing_reason()
        texts = {"name": kind.name, "title": kind.title, "description": kind.description}
        kinds_of_page.append(texts | {"charts": entries, "note": note})
    return {
        "filters": values | filters,
        "backends": [{"value": plain(label), "name": name} for label, name in names.items()],
        "times": [{"value": view.value, "label": view.label} for view in views],
        "specs": [json.loads(spec) for spec in specs],  # charts with equal descriptions share one
        "kinds": kinds_of_page,
        "looks": {"color": theme.PALETTE, "strokeDash": theme.DASHES, "shape": theme.SHAPES},
    }


def script_json(value: Any) -> str:
    """JSON without characters that could end a ``<script>`` element or a line."""
    text = json.dumps(value, ensure_ascii=True, separators=(",", ":"), allow_nan=False)
    return text.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e")


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
            if name in col.COMPARISON_GROUP and name in chart.key
        }
        | ({col.TIME: time} if col.TIME in chart.key else {}),
        "pair": pair,
        "notes": list(chart.notes),
        "columns": {name: _pack_column(values) for name, values in drawing.columns().items()},
    }


def _index(drawing: ChartDrawing, specs: dict[str, int]) -> int:
    """The number of the specification in `specs`, where it is added if it is new."""
    text = json.dumps(_without_backends(theme.with_style(drawing.template(), "")))
    return specs.setdefault(text, len(specs))


def _without_backends(part: Any) -> Any:
    """A part of a specification whose scales have no backends.

    The page fills in those that are selected.
    """
    if isinstance(part, list):
        return [_without_backends(element) for element in part]
    if not isinstance(part, dict):
        return part
    copy = {name: _without_backends(value) for name, value in part.items()}
    if copy.get("field") == "backend" and "range" in copy.get("scale", {}):
        copy["scale"] = {"range": []}
        if copy.get("legend"):
            copy["legend"].pop("columns", None)
    return copy


def _pack_column(values: list[Any]) -> Any:
    """A column; texts with less than half as many distinct values are codes and levels."""
    texts = [value for value in values if isinstance(value, str)]
    if not texts or len(set(texts)) >= 0.5 * len(values):
        return values
    levels = {value: code for code, value in enumerate(dict.fromkeys(values))}
    return {"levels": list(levels), "codes": [levels[value] for value in values]}
