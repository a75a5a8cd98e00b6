"""Formats of numbers and names."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.report.formatting import (
    amount,
    backend_name,
    duration,
    probability,
    ratio,
    shape_name,
    share,
    span,
)
from harness.text import number_of


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0.0, "0.00us"),
        (1.234e-6, "1.23us"),
        (0.000424, "424us"),
        (0.0009994, "999us"),
        (0.0009996, "1.00ms"),
        (0.01234, "12.3ms"),
        (0.09996, "100ms"),
        (1.0, "1.00s"),
        (9.996, "10.0s"),
        (99.96, "100s"),
        (12345.6, "12346s"),
        (None, "-"),
        (float("nan"), "-"),
    ],
)
def test_durations_have_three_digits_and_a_unit(seconds: float | None, text: str) -> None:
    assert duration(seconds) == text


def test_a_lower_bound_is_marked() -> None:
    assert duration(10.0, bound=True) == ">10.0s"


def test_ratios() -> None:
    assert [ratio(r) for r in (1.0, 12.34, 123.4, 1234.5, float("nan"))] == [
        *("1.00x", "12.3x", "123x", "1234x", "-")
    ]


def test_a_path_is_left_out_of_a_label() -> None:
    assert backend_name("/a/b/own.py:Mine[depth=3]") == "own.py:Mine[depth=3]"
    assert backend_name("cnf[solver=glucose4]") == "cnf[solver=glucose4]"
    assert backend_name("cnf[proof=/tmp/x]") == "cnf[proof=/tmp/x]"


def test_a_shape_has_its_short_name() -> None:
    jigsaw = (
        "jigsaw:112222233122124335111124335144444335674774535677775555677899999688888999666668889"
    )
    assert shape_name(jigsaw) == "jigsaw9-cb69dc"
    assert shape_name(f"{jigsaw}+diagonal") == "jigsaw9-cb69dc+diagonal"
    for name in ("9x9", "6x6+diagonal", "latin7", "a shape of a later version"):
        assert shape_name(name) == name


def test_plurals() -> None:
    assert [number_of(n, "puzzle") for n in (0, 1, 1465)] == [
        "0 puzzles",
        "1 puzzle",
        "1,465 puzzles",
    ]


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.0, "0 %"),
        (1.0, "100 %"),
        (0.973, "97.3 %"),
        (0.999, "99.9 %"),
        (0.99949, "99.9 %"),
        (0.9996, ">99.9 %"),
        (1 - 1e-12, ">99.9 %"),
        (0.0005, "0.1 %"),
        (0.0004, "<0.1 %"),
        (1e-12, "<0.1 %"),
        (1.0003, ">100 %"),
        (1.21, "121.0 %"),
        (2.61, "261.0 %"),
        (-0.21, "-21.0 %"),
        (-1e-9, ">-0.1 %"),
        (float("nan"), "-"),
    ],
)
def test_a_share_is_shown_as_it_is(value: float, text: str) -> None:
    assert share(value) == text


def test_a_negative_duration_keeps_its_sign() -> None:
    assert duration(-1651.0) == "-1651s"
    assert duration(-0.0015) == "-1.50ms"


@given(st.one_of(st.floats(-1, 1), st.floats(-1e-6, 1e-6), st.just(-0.0)))
def test_zero_has_no_sign_in_any_format(value: float) -> None:
    for form in (duration, span, amount, ratio, share, probability):
        text = form(value)
        number = re.fullmatch(r"-(0|0\.0+)( ?\D+)?", text)
        assert number is None, (form.__name__, text)
    assert duration(-value).lstrip("-") == duration(value).lstrip("-")
    assert amount(-value).lstrip("-") == amount(value).lstrip("-")


def test_a_negative_time_keeps_its_sign() -> None:
    assert [duration(s) for s in (-1e-17, -0.0, -6e-9, -0.5)] == [
        *("0.00us", "0.00us", "-0.01us", "-500ms")
    ]
