"""Screenshots of applications, and pages and screens that are photographed."""

import numpy as np
import pytest
from PIL import Image

from benchmarks.scenes import APPLICATIONS, SCENES, screenshot
from harness.base.errors import InputError
from harness.extensions.images.board import AnyArray
from harness.extensions.images.documents import ImageRead
from harness.extensions.images.reading import read
from harness.extensions.images.scanning import scaled, scan_of
from tests.extensions.images.drawn import PUZZLE, cases, count

SHORT = "light, candidates"


def reading_of(image: AnyArray) -> ImageRead:
    """What is read of an image, grey or coloured."""
    grey = np.asarray(Image.fromarray(image).convert("L"))
    return read(scan_of(scaled(grey)), count)


@pytest.mark.parametrize("name", cases(SHORT, *sorted(APPLICATIONS.keys() - {SHORT})))
def test_a_screenshot_is_read_without_candidates_header_and_keypad(name: str) -> None:
    random = np.random.default_rng(3)
    assert reading_of(screenshot(APPLICATIONS[name], PUZZLE, [], random).image).board == PUZZLE


@pytest.mark.long
@pytest.mark.parametrize("name", list(SCENES))
def test_a_difficult_photograph_is_read_or_doubtful(name: str) -> None:
    random = np.random.default_rng(4)
    right = 0
    for _ in range(4):
        try:
            reading = reading_of(SCENES[name](PUZZLE, [], random).image)
        except InputError:
            continue
        right += reading.board == PUZZLE
        assert reading.board == PUZZLE or not reading.certain
    assert right >= 3
