"""Digits that are drawn with a mouse or a finger."""

from math import cos, pi, sin

import pytest

from harness.extensions.images.classifier import read_strokes

Stroke = list[tuple[float, float]]


def arc(x: float, y: float, radius: float, begin: float, end: float) -> Stroke:
    """A part of a circle, between angles in parts of a turn, clockwise from the right."""
    angles = [2 * pi * (begin + (end - begin) * step / 24) for step in range(25)]
    return [(x + radius * cos(a), y + radius * sin(a)) for a in angles]


DRAWN: dict[int, list[Stroke]] = {
    1: [[(0.42, 0.3), (0.52, 0.2), (0.52, 0.8)]],
    2: [[*arc(0.5, 0.36, 0.16, 0.5, 1.08), (0.34, 0.8), (0.68, 0.8)]],
    3: [[*arc(0.48, 0.35, 0.15, 0.55, 1.25), *arc(0.48, 0.65, 0.17, 0.75, 1.42)]],
    4: [[(0.55, 0.2), (0.32, 0.6), (0.7, 0.6)], [(0.58, 0.4), (0.58, 0.82)]],
    5: [[(0.64, 0.2), (0.38, 0.2), (0.36, 0.46), *arc(0.48, 0.62, 0.17, 0.65, 1.4)]],
    6: [[(0.58, 0.2), (0.42, 0.4), (0.35, 0.6), *arc(0.49, 0.65, 0.15, 0.5, 1.5)]],
    7: [[(0.32, 0.2), (0.68, 0.2), (0.46, 0.8)]],
    8: [[*arc(0.5, 0.35, 0.14, 0.25, 1.25), *arc(0.5, 0.65, 0.16, 0.75, 1.75)]],
    9: [[*arc(0.5, 0.36, 0.15, 0.0, 1.0), (0.64, 0.5), (0.58, 0.82)]],
}


@pytest.mark.parametrize("digit", DRAWN)
def test_a_drawn_digit_is_read(digit: int) -> None:
    reading = read_strokes(DRAWN[digit])
    assert len(reading) == 10
    assert max(range(10), key=reading.__getitem__) == digit
    assert sum(reading) == pytest.approx(1, abs=0.01)


def test_position_and_scale_do_not_matter() -> None:
    strokes = [[(0.3 * x + 10, 0.3 * y - 4) for x, y in stroke] for stroke in DRAWN[4]]
    assert read_strokes(strokes) == pytest.approx(read_strokes(DRAWN[4]), abs=0.05)


@pytest.mark.parametrize("strokes", [[], [[]], [[(0.5, 0.5)]], [[(0.5, 0.5), (0.51, 0.51)]]])
def test_nothing_and_a_dot_are_a_blank(strokes: list[Stroke]) -> None:
    assert read_strokes(strokes, 4) == [1, 0, 0, 0, 0]
