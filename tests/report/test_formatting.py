"""Formats of numbers and names."""

import pytest

from harness.report.formatting import backend_name, duration, number_of, ratio, share


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
