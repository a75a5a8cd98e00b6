"""Numbers as people read them; rounding happens here and nowhere else."""

from math import isnan
from pathlib import PurePath


def duration(seconds: float | None, *, bound: bool = False) -> str:
    """Three significant digits with a unit: ``424us``, ``1.23ms``, ``>10.0s``.

    `bound` says that it took at least so long.
    """
    if seconds is None or isnan(seconds):
        return "-"
    for unit, size in (("us", 1e-6), ("ms", 1e-3), ("s", 1.0)):
        if seconds < 999.5 * size or unit == "s":
            return f"{'>' if bound else ''}{_three_digits(seconds / size)}{unit}"
    raise AssertionError


def ratio(value: float) -> str:
    """How many times as much, ``-`` where it is not told."""
    return "-" if isnan(value) else f"{_three_digits(value) if value < 999.5 else f'{value:.0f}'}x"


def backend_name(label: str) -> str:
    """The label of a backend with the folders of a path left out."""
    place, colon, rest = label.partition(".py:")
    return f"{PurePath(place).name}{colon}{rest}"


def number_of(number: int, thing: str) -> str:
    """``1 puzzle``, ``2 puzzles``."""
    return f"{number:,} {thing}{'' if number == 1 else 's'}"


def _three_digits(value: float) -> str:
    if value < 9.995:
        return f"{value:.2f}"
    return f"{value:.1f}" if value < 99.95 else f"{value:.0f}"
