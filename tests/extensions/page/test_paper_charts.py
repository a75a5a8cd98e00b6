"""What a paper needs of a chart: numbers of instances, intervals, one style of units, its size."""

import re
import struct
from math import sqrt
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pandas as pd
import pytest
import scipy
import vl_convert

from harness.analysis.run import Run
from harness.base.errors import InputError
from harness.extensions.page.charts import ChartFormat, files, theme
from harness.extensions.page.charts.catalogue import CHARTS, charts_of
from harness.extensions.page.charts.chart import Chart
from harness.extensions.page.charts.density import median_interval, share_interval
from harness.extensions.page.charts.files import Selection, render
from harness.report.formatting import duration
from tests.extensions.page.test_charts import EVERY_KIND, chart
from tests.trials import Trials


def svg(plot: Chart) -> ElementTree.Element:
    spec = plot.specification(files.chart_title(plot, False))
    return ElementTree.fromstring(render(spec, ChartFormat.SVG))


def texts(root: ElementTree.Element) -> list[str]:
    return [text.strip() for text in root.itertext() if text.strip()]


def of_role(root: ElementTree.Element, role: str) -> list[ElementTree.Element]:
    return [e for e in root.iter() if role in (e.get("class") or "").split()]


def legend(root: ElementTree.Element) -> list[str]:
    return [t for group in of_role(root, "role-legend-label") for t in texts(group)]


def marks(root: ElementTree.Element, kind: str) -> list[ElementTree.Element]:
    """The marks of a chart, without those of its axes and legends."""
    groups = [g for g in of_role(root, f"mark-{kind}") if "role-mark" in (g.get("class") or "")]
    return [mark for group in groups for mark in group]


def lines(root: ElementTree.Element) -> list[str]:
    """The paths of the lines of a chart."""
    return [path for mark in marks(root, "line") if (path := mark.get("d"))]


def test_the_fastest_backend_has_a_curve_to_the_end_of_the_axis(trials_of: Trials) -> None:
    root = svg(chart(Run(Path(), trials_of({"a": [0.01, 0.02], "b": [0.02, 0.1]})), "profile"))
    ends = [re.findall(r"[-\d.]+", path) for path in lines(root)]
    assert len(ends) == 2
    assert {float(numbers[-2]) for numbers in ends} == {float(theme.WIDTH)}
    assert all(float(numbers[0]) == 0.0 for numbers in ends)


def test_the_cactus_plot_ends_at_the_number_of_instances(trials_of: Trials) -> None:
    times = {"a": [0.01, 0.02, 0.03, "timeout"], "b": [0.02, 0.1, "timeout", "timeout"]}
    plot = chart(Run(Path(), trials_of(times)), "cactus")
    assert set(plot.frame["instances"]) == {4}
    root = svg(plot)
    assert "4 instances" in texts(root)
    (rule,) = marks(root, "rule")
    assert str(rule.get("transform")).endswith(",0)"), "at the top of the plot"


def test_the_cactus_plot_of_two_instances_has_whole_numbers(trials_of: Trials) -> None:
    root = svg(chart(Run(Path(), trials_of({"a": [0.01, 0.02], "b": [0.02, 0.1]})), "cactus"))
    labels = {t for group in of_role(root, "role-axis-label") for t in texts(group)}
    assert {label for label in labels if not label.endswith("s")} == {"0", "1", "2"}


def test_a_backend_without_an_answer_has_no_legend_entry_but_a_note(trials_of: Trials) -> None:
    times = {"a": [0.01, 0.02], "b": [0.02, 0.1], "none": ["timeout", "timeout"]}
    run = Run(Path(), trials_of(times))
    for name in ("cactus", "profile"):
        root = svg(chart(run, name))
        assert "No instance answered: none" in texts(root)
        if name == "cactus":
            assert legend(root) == ["a", "b"]


@pytest.fixture
def with_a_wrong_answer(full: Run) -> Run:
    """The run `full` with a wrong answer of `six` in the dataset `dense`."""
    trials = full.trials.copy()
    six = trials.index[(trials["backend"] == "six") & (trials["dataset"] == "dense")]
    trials.loc[six[4], "verdict"] = "wrong"
    return Run(full.folder, trials)


@pytest.mark.long
@pytest.mark.parametrize("kind", CHARTS, ids=lambda kind: kind.name)
def test_a_disqualified_backend_is_named_once_in_each_chart(
    with_a_wrong_answer: Run, kind: Any
) -> None:
    by_dataset = {plot.key.get("dataset"): plot for plot in charts_of(with_a_wrong_answer, kind)}
    for plot in by_dataset.values():
        labels = [text for text in texts(svg(plot)) if "six" in text]
        if plot.key.get("dataset") == "dense":
            assert labels == ["Disqualified for wrong answers: six (1 instance)"]
        elif plot.key.get("dataset") == "small":
            assert labels or kind.name == "scatter"
            assert not [text for text in labels if "Disqualified" in text]
        else:
            note = "Disqualified for wrong answers: six (1 instance of dense)"
            # The heat map has a row for its other dataset.
            assert labels == ([note, "six"] if kind.name == "heat" else [note])
        assert "without an answer" not in " ".join(labels)


def test_the_run_without_disqualified_backends_keeps_their_other_groups(
    with_a_wrong_answer: Run, full: Run
) -> None:
    eligible_trials = with_a_wrong_answer.eligible.trials
    left_out_trials = full.trials[
        (full.trials["backend"] == "six") & (full.trials["dataset"] == "dense")
    ]
    assert sorted(set(full.trials.index) - set(eligible_trials.index)) == sorted(
        left_out_trials.index
    )
    assert full.eligible is full


def with_size(trials_of: Trials, shapes: dict[str, int]) -> pd.DataFrame:
    parts = [
        trials_of(
            {"a": [0.001 * (n + 1)] * count, "b": [0.002 * (n + 1)] * count},
            dataset=f"d{n}",
            shape=shape,
            puzzle="." * 16,
        )
        for n, (shape, count) in enumerate(shapes.items())
    ]
    return pd.concat(parts, ignore_index=True)


def test_scaling_shows_the_number_of_instances_at_each_shape(trials_of: Trials) -> None:
    shapes = {"4x4": 3, "latin5": 4, "9x9": 5, "16x16": 6, "box5x2": 2, "latin4": 1}
    root = svg(chart(Run(Path(), with_size(trials_of, shapes)), "scaling"))
    labels = texts(root)
    start = labels.index("4x4")
    assert labels[start : start + 12] == [
        *("4x4", "n = 3", "9x9", "n = 5", "16x16", "n = 6"),
        *("box5x2", "n = 2", "latin4", "n = 1", "latin5", "n = 4"),
    ]
    # Lines connect shapes that differ in size alone. Two backends: a line over three shapes and
    # one over two, and a shape alone.
    lengths = sorted(path.count("L") for path in lines(root))
    assert [count for count in lengths if count] == [1, 1, 2, 2]


def wilson(count: int, size: int) -> tuple[float, float]:
    """Wilson's interval from the formula of 1927."""
    z = 1.959963984540054
    share = count / size
    middle = (share + z * z / (2 * size)) / (1 + z * z / size)
    half = z / (1 + z * z / size) * sqrt(share * (1 - share) / size + z * z / (4 * size * size))
    return middle - half, middle + half


def test_the_interval_of_a_share_is_wilsons() -> None:
    assert share_interval(5, 10) == pytest.approx((0.236593, 0.763407), abs=1e-6)
    assert share_interval(0, 20) == pytest.approx((0.0, 0.161125), abs=1e-6)
    assert share_interval(20, 20) == pytest.approx((0.838875, 1.0), abs=1e-6)


@pytest.mark.parametrize("size", [1, 5, 6, 8, 9, 25, 100])
def test_the_interval_of_a_median_has_its_confidence(size: int) -> None:
    values = np.random.default_rng(size).permutation(size).astype(np.float64)
    low, high = median_interval(values)
    if size < 6:
        assert np.isnan([low, high]).all()
        return
    # The ranks of both ends: the interval misses the median if too many values are on one side.
    below = scipy.stats.binom.cdf(low, size, 0.5)
    assert 2 * below <= 0.05
    assert 2 * scipy.stats.binom.cdf(low + 1, size, 0.5) > 0.05, "the shortest such interval"
    assert high == size - 1 - low


def test_the_transition_shows_numbers_and_intervals(full: Run) -> None:
    plot = chart(full, "transition")
    first = plot.frame.iloc[0]
    assert first["density"] == pytest.approx(14 / 81)
    numbers = [text for text in texts(svg(plot)) if text.startswith("n=")]
    # A number of instances for each clue density, as in the run.
    dense = full.results[full.results["dataset"] == "dense"].drop_duplicates("puzzle_id")
    assert len(numbers) == plot.frame["density"].nunique()
    assert sum(int(text[2:]) for text in numbers) <= len(dense)
    for row in plot.frame.to_dict("records"):
        count = round(float(row["satisfiable"]) * int(row["instances"]))
        expected = wilson(count, int(row["instances"]))
        assert (row["satisfiable_low"], row["satisfiable_high"]) == pytest.approx(expected)
    intervals = plot.frame["median_low_s"].notna().sum()
    assert len(marks(svg(plot), "rule")) == len(numbers) + intervals


def test_durations_of_charts_are_those_of_tables() -> None:
    seconds = [4e-7, 1.5e-6, 9.996e-6, 42.4e-6, 9.995e-4, 0.00123, 0.0999, 0.9994, 1.0, 61.44, 1e4]
    labels = {
        "data": {"values": [{"t": value} for value in seconds]},
        "transform": theme.durations("t"),
        "mark": "text",
        "encoding": {"text": theme.nominal("t_text"), "y": theme.ordinal("t")},
    }
    svg_text = vl_convert.vegalite_to_svg(labels, vl_version=theme.VERSION)
    texts_of_chart = [
        t for mark in marks(ElementTree.fromstring(svg_text), "text") for t in texts(mark)
    ]
    assert sorted(texts_of_chart) == sorted(map(duration, seconds))


def many(trials_of: Trials, number: int) -> Run:
    names = [f"backend{n:02d}" for n in range(number)]
    times = {name: [(0.001 * (n + m + 1),) * 2 for m in range(3)] for n, name in enumerate(names)}
    parts = [trials_of(times), trials_of(times, dataset="e", shape="9x9", puzzle="." * 81)]
    return Run(Path(), pd.concat(parts, ignore_index=True))


OVERLAID = ("profile", "scaling", "stability")
MANY = ("cactus", *(pytest.param(name, marks=pytest.mark.long) for name in OVERLAID))


@pytest.mark.parametrize("name", MANY)
def test_up_to_twelve_backends_have_a_colour_each_and_more_have_a_panel_each(
    trials_of: Trials, name: str
) -> None:
    twelve = svg(chart(many(trials_of, 12), name))
    assert len(set(re.findall(r'stroke="(#\w{6})"', ElementTree.tostring(twelve).decode()))
               & set(theme.PALETTE)) == 12  # fmt: skip
    assert len(legend(twelve)) == 12
    plot = chart(many(trials_of, 13), name)
    assert plot.has_panels
    root = svg(plot)
    assert legend(root) == []
    titles = [t for t in texts(root) if t.startswith("backend")]
    assert titles == [f"backend{n:02d}" for n in range(13)]
    # Each panel has its own curve and those of all backends behind it.
    assert len(lines(root)) == 13 + 13 * 13


def png(content: bytes) -> tuple[int, int, float]:
    """Width and height of a PNG in pixels, and its resolution in pixels per inch."""
    width, height = struct.unpack(">II", content[16:24])
    at = content.index(b"pHYs") + 4
    across, down, unit = struct.unpack(">IIB", content[at : at + 9])
    assert across == down
    assert unit == 1  # pixels per metre
    return width, height, across * 0.0254


def test_a_png_has_the_resolution_and_the_size_of_the_chart(full: Run) -> None:
    dpi = 300
    spec = chart(full, "cactus").specification("title")
    width, height, resolution = png(render(spec, ChartFormat.PNG, dpi=dpi))
    assert resolution == pytest.approx(dpi, abs=0.02)
    root = ElementTree.fromstring(render(spec, ChartFormat.SVG))
    assert width / dpi == pytest.approx(float(str(root.get("width"))) / 72, abs=2 / dpi)
    assert height / dpi == pytest.approx(float(str(root.get("height"))) / 72, abs=2 / dpi)


@pytest.mark.parametrize("kind", EVERY_KIND)
@pytest.mark.parametrize("inches", [3.5, pytest.param(7.0, marks=pytest.mark.long)])
def test_a_chart_has_the_width_of_a_column_or_a_page(full: Run, kind: Any, inches: float) -> None:
    plot = next(charts_of(full, kind))
    spec = plot.specification(files.chart_title(plot, False))
    content = render(spec, ChartFormat.SVG, width_in=inches)
    root = ElementTree.fromstring(content)
    assert float(str(root.get("width"))) == pytest.approx(72 * inches, abs=4)
    assert b'font-size="11px"' in content


def test_a_chart_that_is_wider_than_requested_is_reported(
    trials_of: Trials, tmp_path: Path
) -> None:
    """A name is never cut, since two could then look the same."""
    for name, is_wide in (("a", False), ("a-backend-with-a-name-" * 3, True)):
        run = Run(Path(), trials_of({name: [0.01, 0.02], "b": [0.02, 0.1]}))
        selection = Selection(kinds=("cactus",))
        (file,) = files.write(run, tmp_path, ChartFormat.SVG, selection, width_in=3.0)
        assert file.path is not None
        width = float(str(ElementTree.parse(file.path).getroot().get("width"))) / 72
        assert (width > 3.03, file.width_in) == (is_wide, width if is_wide else None)
        assert (f"{width:.2f} inches" in str(file)) == is_wide


def test_a_selection_chooses_kinds_datasets_and_backends(full: Run, tmp_path: Path) -> None:
    selection = Selection(kinds=["times", "cactus"], datasets=["small"], backends=["one", "six"])
    chart_files = list(files.write(full, tmp_path, ChartFormat.SVG, selection))
    names = [file.path.name for file in chart_files if file.path]
    assert names == [
        f"{kind}-small-solve-{start}.svg"
        for kind in ("cactus", "times")
        for start in ("cold", "warm")
    ]
    content = (tmp_path / names[0]).read_text()
    assert legend(ElementTree.fromstring(content)) == ["one", "six"]
    assert theme.PALETTE[0] in content
    assert theme.PALETTE[1] in content


def test_a_backend_is_selected_by_its_label_or_with_all_its_configurations(
    trials_of: Trials,
) -> None:
    labels = ["cnf[solver=a]", "cnf[solver=b]#2", "native", "/x/mine.py:Mine"]
    run = Run(Path(), trials_of({label: [0.1, 0.2] for label in labels}))
    for name, selection in (
        ("cnf", labels[:2]),
        ("cnf[solver=b]#2", labels[1:2]),
        ("mine.py:Mine", labels[3:]),
        ("/x/mine.py:Mine", labels[3:]),
    ):
        assert sorted(Selection(backends=[name]).run(run).backends) == sorted(selection)


@pytest.mark.parametrize(
    ("selection", "facts"),
    [
        (Selection(kinds=["cactis"]), ("chart: ", "'cactis'", "did you mean 'cactus'?")),
        (Selection(datasets=["dens"]), ("dataset: ", "'dens'", "did you mean 'dense'?")),
        (Selection(backends=["q"]), ("backend: ", "'q'", "one, six, two")),
        (Selection(backends=["\x1b[31m"]), ("backend: ", "x1b")),
        (Selection(kinds=["heat"], datasets=["small"]), ("nothing to draw", "two datasets")),
        (Selection(kinds=["scatter", "heat"], backends=["one"]), ("no scatter", "no heat")),
    ],
)
def test_a_selection_that_leaves_nothing_is_bad_input(
    full: Run, tmp_path: Path, selection: Selection, facts: tuple[str, ...]
) -> None:
    with pytest.raises(InputError) as caught:
        list(files.write(full, tmp_path, ChartFormat.SVG, selection))
    for fact in facts:
        assert fact in str(caught.value)
    assert str(caught.value).isprintable()
