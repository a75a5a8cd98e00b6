"""The colours of backends: distinct for every colour vision, on light and dark pages."""

from itertools import combinations
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from harness.report.charts import theme
from tests.report.colours import VISIONS, ciede2000, contrast, seen_as

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


@pytest.mark.parametrize(("one", "other", "difference"), KNOWN)
def test_the_difference_of_colours_is_that_of_the_published_pairs(
    one: tuple[float, ...], other: tuple[float, ...], difference: float
) -> None:
    assert ciede2000(one, other) == pytest.approx(difference, abs=5e-5)
    assert ciede2000(other, one) == pytest.approx(difference, abs=5e-5)


@pytest.mark.parametrize("vision", VISIONS)
def test_any_two_colours_differ(vision: str) -> None:
    assert len(theme.PALETTE) == 12
    seen = [seen_as(colour, vision) for colour in theme.PALETTE]
    differences = [ciede2000(*pair) for pair in combinations(seen, 2)]
    assert min(differences) >= LEAST
    assert min(ciede2000(*pair) for pair in combinations(seen[:4], 2)) >= 1.6 * LEAST


@pytest.mark.parametrize("vision", VISIONS)
def test_any_colour_differs_from_both_pages_and_from_reference_lines(vision: str) -> None:
    for colour in theme.PALETTE:
        of_colour = seen_as(colour, vision)
        for paper in PAPERS:
            assert ciede2000(of_colour, seen_as(paper, vision)) >= 2 * LEAST, colour
        assert ciede2000(of_colour, seen_as(theme.MUTED, vision)) >= 0.9 * LEAST, colour


@pytest.mark.parametrize("paper", PAPERS)
def test_every_colour_has_contrast_to_the_light_and_the_dark_page(paper: str) -> None:
    style = (Path(theme.__file__).parents[1] / "page" / "page.css").read_text()
    assert f"--paper: {paper}" in style
    for colour in theme.PALETTE:
        assert contrast(colour, paper) >= 3, colour


def categories(number: int, rows: int | None = None) -> pd.DataFrame:
    names = [f"b{n:02d}" for n in range(number)]
    return pd.DataFrame({"backend": pd.Categorical(names[:rows], categories=names)})


def scale_of(channel: Any) -> Any:
    return channel["scale"]


def test_twelve_backends_differ_in_colour_and_in_dash_and_in_shape() -> None:
    frame = categories(12)
    for channel in (theme.colour(frame), theme.dash(frame), theme.shape(frame)):
        looks = list(map(str, scale_of(channel)["range"]))
        assert len(set(looks)) == 12


def test_a_backend_without_rows_leaves_the_looks_of_the_others() -> None:
    frame = categories(5)
    scale = scale_of(theme.colour(frame.drop(index=1)))
    assert scale["domain"] == ["b00", "b02", "b03", "b04"]
    assert scale["range"] == [theme.PALETTE[n] for n in (0, 2, 3, 4)]


def test_up_to_twelve_of_many_backends_have_colours_of_their_own() -> None:
    chosen = scale_of(theme.colour(categories(30).iloc[[3, 13, 15, 27]]))
    assert chosen["range"] == list(theme.PALETTE[:4])
    # Thirteen have labels or panels instead, so none looks like another by accident.
    many = scale_of(theme.colour(categories(30, 13)))
    assert set(many["range"]) == {theme.PALETTE[0]}
