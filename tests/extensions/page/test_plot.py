"""Cactus plots for a terminal: right places, marks and labels, within the width."""

from collections.abc import Callable
from pathlib import Path

import pandas as pd
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.cells import cell_len

from harness.analysis.run import Run
from harness.report.render.text import SEVERAL, Curve, plot
from harness.report.tables import LETTERS, cactus

Trials = Callable[..., pd.DataFrame]


def test_a_curve_is_drawn_step_by_step() -> None:
    curve = [(0.001, 1), (0.01, 2), (0.1, 4)]
    assert plot({"A": curve}, 4, 30, height=4) == [
        "              all 4 instances",
        "4 +-------------------------A",
        "3 +                         A",
        "2 +            AAAAAAAAAAAAAA",
        "1 +AAAAAAAAAAAAA",
        "0 ++-----+-----+-----+------+",
        "  1ms   3ms  10ms  30ms 100ms",
        "instances answered within a time each",
    ]


def test_a_place_of_several_curves_is_marked() -> None:
    curves: dict[str, Curve] = {"A": [(0.001, 1), (0.1, 2)], "B": [(0.001, 1), (0.01, 2)]}
    lines = plot(curves, 2, 40, height=2)
    assert lines[2].count(SEVERAL) > 10
    assert "B" in lines[1]
    assert lines[1].endswith("A")


steps = st.lists(st.tuples(st.floats(1e-7, 1e4), st.integers(1, 40)), min_size=1, max_size=30).map(
    lambda pairs: [(t, n + 1) for n, t in enumerate(sorted({t for t, _ in pairs}))]
)


@settings(deadline=None)
@given(curves=st.dictionaries(st.sampled_from(LETTERS), steps, min_size=1, max_size=8),
       width=st.integers(40, 160))  # fmt: skip
def test_every_curve_ends_in_the_row_of_its_number(curves: dict[str, Curve], width: int) -> None:
    total = max(count for curve in curves.values() for _, count in curve)
    height = 16
    lines = plot(curves, total, width, height)
    assert all(len(line) <= width for line in lines[: height + 3])
    body = lines[1 : height + 1]
    for mark, curve in curves.items():
        rows = [n for n, line in enumerate(body) if set(line) & {mark, SEVERAL}]
        highest = -(-curve[-1][1] * height // total)
        assert min(rows) <= height - highest
        own = [n for n, line in enumerate(body) if mark in line]
        assert not own or min(own) >= height - highest


def test_letters_are_those_of_the_run_in_every_plot(trials_of: Trials) -> None:
    parts = [
        trials_of({"a": [0.1, 0.2], "b": [0.1, "timeout"], "c": [0.2, "wrong"]}),
        trials_of({"b": [0.1, 0.2], "none": ["timeout"] * 2, "z\x1b[31m": [1.0, 2.0]}, dataset="e"),
    ]
    plot = cactus(Run(Path(), pd.concat(parts, ignore_index=True)), 80)
    assert "A a (2)   B b (1)" in plot
    assert "Disqualified for wrong answers: c (1 instance)" in plot
    assert "B b (2)   E z\\x1b[31m (2)" in plot
    assert "No instance answered: none" in plot
    assert "\x1b" not in plot
    assert max(map(cell_len, plot.splitlines())) <= 80


def test_many_and_long_names_fit_the_width(trials_of: Trials) -> None:
    names = [f"{'long name ' * 20}{n}" for n in range(len(LETTERS) + 2)]
    run = Run(Path(), trials_of({name: [0.001 * (n + 1)] for n, name in enumerate(names)}))
    for width in (40, 80, 200):
        plot = cactus(run, width)
        assert max(len(line) for line in plot.splitlines()[1:]) <= max(width, 50)
        assert "Not drawn: long name" in plot


def test_a_group_in_which_nobody_answers_has_no_plot(trials_of: Trials) -> None:
    plot = cactus(Run(Path(), trials_of({"a": ["timeout"], "b": ["wrong"]})), 80)
    assert plot.splitlines() == [
        "-- Cactus plot: d: solve, cold start, wall time, limit 10 s",
        "Disqualified for wrong answers: b (1 instance)",
        "No instance answered: a",
    ]
