"""Formats of numbers and names, and colours of text."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from math import isnan
from typing import Final

from harness.base.errors import PuzzleError
from harness.base.text import shortened
from harness.puzzles import Shape, name_by_kinds
from harness.records import without_folders

# Colours of text for a terminal.


class Style(StrEnum):
    """What a text means, which decides how a terminal shows it. The values are styles of rich."""

    PLAIN = ""
    GOOD = "green"
    BAD = "bold red"
    """A wrong answer, a failure, a regression."""
    WARNING = "yellow"
    GIVEN = "bold"
    """A value that the puzzle gives."""
    FOUND = "cyan"
    """A value that a solver found."""
    QUIET = "dim"


_CODES: Final = {
    Style.GOOD: "32",
    Style.BAD: "1;31",
    Style.WARNING: "33",
    Style.GIVEN: "1",
    Style.FOUND: "36",
    Style.QUIET: "2",
}


@dataclass(frozen=True, slots=True)
class Theme:
    """The colours and characters of a terminal. The default is for a file: plain Unicode text."""

    colour: bool = False
    unicode: bool = True

    def styled(self, text: str, style: Style) -> str:
        """`text` in the colours of `style`, if the terminal has colours."""
        if not self.colour or not text or style is Style.PLAIN:
            return text
        return f"\x1b[{_CODES[style]}m{text}\x1b[0m"


PLAIN: Final = Theme()


# Formats of numbers and names; values are rounded only here.


def duration(seconds: float | None, *, is_bound: bool = False) -> str:
    """Three significant digits with a unit: ``424µs``, ``1.23ms``, ``>10.0s``.

    `is_bound` marks a lower bound.
    """
    if seconds is None or isnan(seconds):
        return "-"
    if seconds < 0:
        return _negative(duration(-seconds))
    units = (("µs", 1e-6), ("ms", 1e-3))
    unit, size = next((u for u in units if seconds < 999.5 * u[1]), ("s", 1.0))
    return f"{'>' if is_bound else ''}{_three_digits(seconds / size)}{unit}"


def span(seconds: float | None) -> str:
    """A long time for a person: ``12 s``, ``25 min``, ``3.5 h``, ``12 days``; else `duration`."""
    if seconds is None or isnan(seconds):
        return "-"
    for limit, size, unit in ((90, 1, "s"), (5400, 60, "min"), (172_800, 3600, "h")):
        if seconds < limit:
            if unit == "s" and seconds < 10:
                return duration(seconds) if seconds else "0 s"
            return f"{seconds / size:.{1 if unit == 'h' else 0}f} {unit}"
    return f"{seconds / 86_400:,.0f} days"


def ratio(value: float) -> str:
    """A ratio with three significant digits: ``3.10x``, ``-`` if it is missing."""
    if isnan(value):
        return "-"
    if value < 0.0995:
        return f"{value + 0.0:.2g}x"  # -0.0 + 0.0 is 0.0
    return f"{_three_digits(value) if value < 999.5 else f'{value:.0f}'}x"


def multiple(value: float) -> str:
    """How many times as long, for a sentence: ``4.81``, ``0.013``, ``1.2e+09``."""
    return f"{value:.2g}" if value > 1e6 else ratio(value).removesuffix("x")


def interval(low: float, high: float) -> str:
    """Both ends of an interval of a ratio: ``2.90x-3.41x``."""
    return "-" if isnan(low) or isnan(high) else f"{ratio(low)}-{ratio(high)}"


def number_range(low: float, high: float) -> str:
    """Both ends of an interval of a number: ``1.20 to 3.41``, ``>1.20`` without an upper end."""
    if isnan(low):
        return "-"
    return f">{amount(low)}" if isnan(high) else f"{amount(low)} to {amount(high)}"


def probability(p: float) -> str:
    """A p value: ``0.034``, ``<0.001``."""
    if isnan(p):
        return "-"
    return "<0.001" if p < 0.001 else f"{p:.3f}"


def share(value: float) -> str:
    """A share as per cent: ``97.3 %``, ``121.0 %``; 100 % and 0 % only for exactly 1 and 0.

    A share that would be rounded to 0 or 100 % has a sign of comparison: ``>99.9 %``.
    """
    if isnan(value):
        return "-"
    if value in (0, 1):
        return f"{abs(value):.0%}".replace("%", " %")
    text = f"{100 * value:.1f} %"
    if text in ("0.0 %", "-0.0 %"):
        return "<0.1 %" if value > 0 else ">-0.1 %"
    if text == "100.0 %":
        return ">99.9 %" if value < 1 else ">100 %"
    return text


def amount(value: float) -> str:
    """Three significant digits of a number without a unit, ``-`` if it is missing."""
    if isnan(value):
        return "-"
    if abs(value) >= 999.5:
        return f"{value:,.0f}"
    return _three_digits(value) if value >= 0 else _negative(_three_digits(-value))


def shape_name(definition: str) -> str:
    """The short name of a shape: ``9x9``, and ``jigsaw9-cb69dc`` instead of 81 regions.

    The name of a shape with constraints has their kinds: ``9x9+killer``.

    Args:
        definition: as in a run; returned as it is if this version does not know it.
    """
    try:
        if ";" in definition:
            return name_by_kinds(definition)
        return Shape.parse(definition).spec
    except PuzzleError:
        return definition


def backend_name(label: str) -> str:
    """The label of a backend without the folders of a path."""
    return without_folders(label)


def shown_backend(label: str) -> str:
    """The label of a backend for a sentence: without folders, and shortened."""
    return shortened(backend_name(label))


def file_name(parts: Iterable[str], names: set[str]) -> str:
    """A name of letters, digits and dashes for any texts: ``ranks-seeds-solve-cold``.

    If `names` already has that name, a number is appended. The result is added to `names`.
    """
    slugs = (re.sub(r"[^a-z0-9]+", "-", part.lower()).strip("-")[:40] for part in parts)
    name = unique = "-".join(filter(None, slugs))
    number = 1
    while unique in names:
        number += 1
        unique = f"{name}-{number}"
    names.add(unique)
    return unique


def _negative(text: str) -> str:
    """The negative of a number in `text`; zero has no sign."""
    return f"-{text}" if any(digit in "123456789" for digit in text) else text


def _three_digits(value: float) -> str:
    if value < 9.995:
        return f"{abs(value):.2f}"
    return f"{value:.1f}" if value < 99.95 else f"{value:.0f}"
