"""Charts of a run: what they show, how they look, and on paper."""

import json
import re
from collections.abc import Iterator
from itertools import combinations
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pandas as pd
import pytest
import vl_convert

from harness.analysis.run import Run
from harness.extensions.page.charts import ChartFormat, files, scatter, theme
from harness.extensions.page.charts.catalogue import CHARTS, charts_of
from harness.extensions.page.charts.chart import Chart, ChartKind
from harness.extensions.page.charts.files import render
from harness.extensions.page.charts.scatter import CHANGES
from harness.extensions.page.charts.theme import ChartDrawing
from tests.extensions.page.colours import VISIONS, ciede2000, contrast, seen_as
from tests.full_runs import full_trials
from tests.trials import Trials

MARKS = re.compile(r'class="mark-(?:line|symbol|rect|area|rule|text|tick)[^"]*role-mark')


def parts(spec: Any) -> Iterator[dict[str, Any]]:
    if isinstance(spec, dict):
        yield spec
        for value in spec.values():
            yield from parts(value)
    elif isinstance(spec, list):
        for value in spec:
            yield from parts(value)


def first(run: Run, kind: ChartKind[Run]) -> Chart:
    return next(charts_of(run, kind))


def chart(run: Run, name: str) -> Chart:
    return first(run, kind_named(name))


def kind_named(name: str) -> ChartKind[Run]:
    return next(kind for kind in CHARTS if kind.name == name)


QUICK = ("cactus", "heat")
EVERY_KIND = [
    pytest.param(kind, id=kind.name, marks=() if kind.name in QUICK else pytest.mark.long)
    for kind in CHARTS
]


@pytest.mark.parametrize("kind", EVERY_KIND)
def test_every_chart_is_valid_and_drawn_as_its_specification(
    full: Run, kind: ChartKind[Run]
) -> None:
    chart = first(full, kind)
    altair_chart = chart.draw("a title")
    spec = altair_chart.to_dict(validate=True)
    assert spec["data"] == {"name": theme.ROWS}
    assert spec["datasets"].keys() == {theme.ROWS}
    assert spec["datasets"][theme.ROWS]
    assert not [part for part in parts(spec) if "url" in part]
    svgs = [
        # The numbers of clips and gradients go on from chart to chart.
        re.sub(r"(clip|gradient_)\d+", r"\1", render(form, ChartFormat.SVG).decode())
        for form in (altair_chart, chart.specification("a title"))
    ]
    assert svgs[0] == svgs[1]
    ElementTree.fromstring(svgs[0])
    assert MARKS.search(svgs[0])
    assert "a title" in svgs[0]


@pytest.mark.parametrize("kind", [*CHARTS, *CHANGES], ids=lambda kind: kind.name)
def test_texts_of_a_kind_are_complete(kind: ChartKind[Any]) -> None:
    assert not kind.title.endswith(("?", "."))
    assert kind.description.endswith(".")
    assert kind.requires in kind.missing_reason()


def test_a_chart_can_be_a_png_and_a_pdf(full: Run) -> None:
    spec = first(full, CHARTS[0]).specification()
    assert render(spec, ChartFormat.PNG).startswith(b"\x89PNG")
    assert render(spec, ChartFormat.PDF).startswith(b"%PDF")


def test_a_backend_has_the_same_colour_in_all_charts(full: Run) -> None:
    scales = []
    for kind in CHARTS:
        spec = first(full, kind).specification()
        for part in parts(spec):
            scale = part.get("scale")
            if part.get("field") == "backend" and isinstance(scale, dict) and "range" in scale:
                colours = [c for c in scale["range"] if str(c).startswith("#")]
                if colours:
                    scales.append((tuple(scale["domain"]), tuple(colours)))
    assert len(scales) >= 7
    colour_of = dict(zip(("one", "six", "two"), theme.PALETTE, strict=False))
    for names, palette in scales:
        assert palette == tuple(colour_of[name] for name in names)
    assert {name for names, _ in scales for name in names} == set(colour_of)


def test_kinds_without_data_are_reported_with_the_reason(trials_of: Trials, tmp_path: Path) -> None:
    alone = Run(Path(), trials_of({"a": [0.1, 0.2]}))
    chart_files = list(files.write(alone, tmp_path, ChartFormat.SVG))
    file_names = {"cactus": "cactus-d-solve-cold.svg", "times": "times-d-solve-cold.svg"}
    assert {file.kind: file.path.name for file in chart_files if file.path} == file_names
    assert {path.name for path in tmp_path.iterdir()} == set(file_names.values())
    missing = {file.kind: file.missing_reason for file in chart_files if not file.path}
    assert missing == {
        kind.name: kind.missing_reason() for kind in CHARTS if kind.name not in file_names
    }


def test_a_backend_with_a_wrong_answer_is_in_no_curve_and_no_pair(trials_of: Trials) -> None:
    times = {"a": [0.1, 0.2, 0.3], "b": [0.1, 0.1, "wrong"], "c": [0.2, 0.3, 0.4]}
    parts = [trials_of(times), trials_of(times, shape="9x9", puzzle="." * 81, dataset="e")]
    run = Run(Path(), pd.concat(parts, ignore_index=True))
    for kind in CHARTS:
        if kind.name in ("cactus", "profile", "scatter", "scaling"):
            for drawn in charts_of(run, kind):
                assert "b" not in set(drawn.frame["backend"])
                assert drawn.key.get("other") != "b"
    assert "b" not in set(chart(run, "heat").frame["backend"])


def test_numbers_of_search_steps_have_separators(trials_of: Trials, tmp_path: Path) -> None:
    nodes = {"stats": lambda n: f'{{"nodes": {10 ** (n + 1)}}}'}
    run = Run(Path(), trials_of({"a": [0.1] * 6}, **nodes))
    (chart_file,) = files.write(run, tmp_path, ChartFormat.SVG, files.Selection(kinds=["nodes"]))
    assert chart_file.path is not None
    assert ">10,000</text>" in chart_file.path.read_text(encoding="utf-8")


def test_failures_lie_on_rails_beyond_the_limit(full: Run) -> None:
    frame = pd.concat([chart.frame for chart in charts_of(full, kind_named("scatter"))])
    frame = frame.astype({"backend": "string", "faster": "string"})
    ends = pd.concat([frame[["x", "x_s"]], frame[["y", "y_s"]].set_axis(["x", "x_s"], axis=1)])
    range_of = ends.groupby("x")["x_s"].agg(["min", "max"])
    assert tuple(range_of.loc["timeout"]) == (20.0, 20.0)
    assert tuple(range_of.loc["out_of_memory"]) == (40.0, 40.0)
    assert float(range_of["max"]["solved"]) < 10
    wins = frame[(frame["x"] == "solved") & (frame["y"] == "timeout")]
    assert len(wins)
    assert (wins["faster"] == wins["backend"]).all()


def test_the_share_answered_is_shown_by_clue_density_where_there_is_no_transition(
    full: Run,
) -> None:
    charts = list(charts_of(full, kind_named("density")))
    transitions = list(charts_of(full, kind_named("transition")))
    groups = {(chart.key["dataset"], chart.key["start"]) for chart in charts}
    assert groups == {("small", "cold"), ("small", "warm")}
    assert {chart.key["dataset"] for chart in transitions} == {"dense"}
    frame = charts[0].frame
    assert set(frame["density"]) == {clues / 16 for clues in range(1, 7)}
    assert set(frame["instances"]) == {4}
    # "two" has a timeout in every sixth instance, "one" has none.
    answers = frame.groupby("backend", observed=True)["answered"].apply(list)
    assert answers["one"] == [1.0] * 6
    assert answers["two"] == [0.75, 0.75, 1.0, 0.75, 0.75, 1.0]
    medians = frame[frame["backend"] == "one"]["median_s"]
    assert medians.is_monotonic_increasing


def test_bins_with_fewer_than_three_instances_are_left_out(trials_of: Trials) -> None:
    clues = [1, 1, 1, 2, 2, 2, 3, 3, 3, 4, 4, 4, 5, 5]
    puzzles = {"shape": "4x4", "puzzle": "1" + "." * 15, "clues": lambda number: clues[number]}
    times = [0.1] * len(clues)
    run = Run(Path(), trials_of({"a": times}, **puzzles))
    assert set(first(run, kind_named("density")).frame["density"]) == {n / 16 for n in range(1, 5)}
    fewer = Run(Path(), trials_of({"a": times[:-3]}, **puzzles))
    assert not list(charts_of(fewer, kind_named("density")))


def test_rows_are_bounded_for_many_backends(trials_of: Trials) -> None:
    times = {f"b{n:02d}": [0.001 * (m + n + 1) for m in range(100)] for n in range(12)}
    run = Run(Path(), trials_of(times))
    for kind in CHARTS:
        rows = sum(len(chart.frame) for chart in charts_of(run, kind, rows=400))
        assert rows <= 850, kind.name


@pytest.mark.parametrize("kind", CHARTS, ids=lambda kind: kind.name)
def test_a_hostile_name_is_only_text_in_a_chart(hostile_run: Run, kind: ChartKind[Run]) -> None:
    chart = first(hostile_run, kind)
    svg = render(chart.specification(files.chart_title(chart, True)), ChartFormat.SVG).decode()
    root = ElementTree.fromstring(svg)
    assert MARKS.search(svg)
    tags = {element.tag.rpartition("}")[2] for element in root.iter()}
    assert not tags & {"script", "image", "a", "foreignObject"}
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f\u202a-\u202e\u2066-\u2069]", svg)
    assert max(len(text) for text in root.itertext()) < 500


def test_names_of_files_are_letters_digits_and_dashes(trials_of: Trials, tmp_path: Path) -> None:
    names = {"../../up": [0.1], "\u202e<b>": [0.2]}
    run = Run(Path(), trials_of(names, dataset="../..//etc/passwd"))
    list(files.write(run, tmp_path / "made", ChartFormat.SVG, files.Selection(kinds=["times"])))
    assert [path.name for path in tmp_path.iterdir()] == ["made"]
    file_names = [path.name for path in (tmp_path / "made").iterdir()]
    assert file_names
    assert all(re.fullmatch(r"[a-z0-9-]+\.svg", name) for name in file_names)


def test_different_labels_have_different_display_names() -> None:
    labels = ["/x/made.py:Made", "/y/made.py:Made", "x" * 5000 + "a", "x" * 5000 + "b", "cnf"]
    names = theme.display_names(labels)
    assert len(set(names.values())) == len(labels)
    assert names["cnf"] == "cnf"
    assert all(len(name) <= 45 for name in names.values())


@pytest.mark.long
@pytest.mark.parametrize("kind", CHARTS, ids=lambda kind: kind.name)
def test_expressions_contain_names_only_as_quoted_text(
    trials_of: Trials, kind: ChartKind[Run]
) -> None:
    name = 'zqz" + alert(1) + "\\u0022'
    run = Run(Path(), full_trials(trials_of, name))
    chart = first(run, kind)
    spec = chart.specification(files.chart_title(chart, True))
    vega = vl_convert.vegalite_to_vega(spec, vl_version=theme.VERSION)
    assert "zqz" in json.dumps(vega)
    code = ("signal", "expr", "test", "update", "init")
    texts = [p[key] for p in parts(vega) for key in code if isinstance(p.get(key), str)]
    assert texts
    for backend in ("one", "two", "six"):
        texts = [text.replace(json.dumps(f"{backend}{name}"), "") for text in texts]
    assert not [text for text in texts if "zqz" in text]


def test_rows_are_json_values() -> None:
    rows = pd.DataFrame(
        {
            "backend": pd.Categorical(["a", None], categories=["a", "b"]),
            "name": ["x\u202ey", "n" * 5000],
            "time_s": [0.123456, np.nan],
            "other_s": [np.inf, -np.inf],
            "count": pd.array([3, None], dtype="Int64"),
            "mark": [True, False],
            "dataset": ["left", "out"],
        }
    )
    columns = ChartDrawing({}, rows).columns()
    names = columns.pop("name")
    assert columns == {
        "backend": ["a", None],
        "time_s": [0.1235, None],
        "other_s": [None, None],
        "count": [3, None],
        "mark": [True, False],
    }
    assert "\u202e" not in names[0]
    assert len(names[1]) < 1000


def test_a_pair_has_the_instances_of_both(trials_of: Trials) -> None:
    """The backend with the lower sum of times is that of the x axis."""
    trials = trials_of({"a": [0.1, 0.2, 0.3, 0.4], "b": [0.3, 0.2, 0.1, 0.05]})
    first, *_, last = trials["puzzle_id"].unique()
    lacking = (trials["backend"] == "b") & (trials["puzzle_id"] == first)
    lacking |= (trials["backend"] == "a") & (trials["puzzle_id"] == last)
    rows = scatter.frame(Run(Path(), trials[~lacking].reset_index(drop=True)), 100)
    assert rows[["x_s", "y_s"]].to_numpy().tolist() == [[0.2, 0.2], [0.1, 0.3]]


PAPERS = ("#ffffff", "#14171a")
"""The light and the dark page."""
LEAST = 10.0
"""The least CIEDE2000 between two colours; 1 is just noticeable side by side."""

# Pairs of Sharma, Wu and Dalal (2005), table 1.
KNOWN = [
    ((50, 2.6772, -79.7751), (50, 0, -82.7485), 2.0425),
    ((50, 3.1571, -77.2803), (50, 0, -82.7485), 2.8615),
    ((50, 0, 0), (50, -1, 2), 2.3669),
    ((50, 2.5, 0), (50, 0, -2.5), 4.3065),
    ((50, 2.5, 0), (73, 25, -18), 27.1492),
    ((60.2574, -34.0099, 36.2677), (60.4626, -34.1751, 39.4387), 1.2644),
    ((2.0776, 0.0795, -1.1350), (0.9033, -0.0636, -0.5514), 0.9082),
]


@pytest.mark.parametrize(("first", "other", "difference"), KNOWN)
def test_the_difference_of_colours_is_that_of_the_published_pairs(
    first: tuple[float, ...], other: tuple[float, ...], difference: float
) -> None:
    assert ciede2000(first, other) == pytest.approx(difference, abs=5e-5)
    assert ciede2000(other, first) == pytest.approx(difference, abs=5e-5)


@pytest.mark.parametrize("vision", VISIONS)
def test_any_two_colours_differ(vision: str) -> None:
    assert len(theme.PALETTE) == 12
    colours = [seen_as(colour, vision) for colour in theme.PALETTE]
    differences = [ciede2000(*pair) for pair in combinations(colours, 2)]
    assert min(differences) >= LEAST
    assert min(ciede2000(*pair) for pair in combinations(colours[:4], 2)) >= 1.6 * LEAST


@pytest.mark.parametrize("vision", VISIONS)
def test_any_colour_differs_from_both_pages_and_from_reference_lines(vision: str) -> None:
    for colour in theme.PALETTE:
        of_colour = seen_as(colour, vision)
        for paper in PAPERS:
            assert ciede2000(of_colour, seen_as(paper, vision)) >= 2 * LEAST, colour
        assert ciede2000(of_colour, seen_as(theme.MUTED, vision)) >= 0.9 * LEAST, colour


@pytest.mark.parametrize("paper", PAPERS)
def test_every_colour_has_contrast_to_the_light_and_the_dark_page(paper: str) -> None:
    style = (Path(theme.__file__).parents[1] / "page.css").read_text()
    assert f"--paper: {paper}" in style
    for colour in theme.PALETTE:
        assert contrast(colour, paper) >= 3, colour


def categories(number: int, rows: int | None = None) -> pd.DataFrame:
    names = [f"b{n:02d}" for n in range(number)]
    return pd.DataFrame({"backend": pd.Categorical(names[:rows], categories=names)})


def test_twelve_backends_differ_in_colour_and_in_dash_and_in_shape() -> None:
    frame = categories(12)
    for channel in (theme.colour(frame), theme.dash(frame), theme.shape(frame)):
        looks = list(map(str, channel["scale"]["range"]))
        assert len(set(looks)) == 12


def test_a_backend_without_rows_leaves_the_looks_of_the_others() -> None:
    frame = categories(5)
    scale = theme.colour(frame.drop(index=1))["scale"]
    assert scale["domain"] == ["b00", "b02", "b03", "b04"]
    assert scale["range"] == [theme.PALETTE[n] for n in (0, 2, 3, 4)]
