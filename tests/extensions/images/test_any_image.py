"""Images of anything, and damaged ones: a scan or an error of one line, and nothing else."""

from contextlib import suppress

import cv2
import numpy as np
import pytest
from numpy.random import Generator

from benchmarks.damaged import DAMAGES, damaged_file, outcomes
from harness.base.errors import InputError
from harness.extensions.images.board import Grey
from harness.extensions.images.scanning import scan, scan_of
from tests.extensions.images.drawn import count


def anything(random: Generator) -> Grey:
    """Lines, rectangles, grids and noise."""
    height, width = (int(side) for side in random.integers(24, 420, 2))
    image = np.full((height, width), int(random.integers(256)), dtype=np.uint8)
    for _ in range(int(random.integers(0, 30))):
        ends = [(int(random.integers(-50, width + 50)), int(random.integers(-50, height + 50)))]
        ends.append((int(random.integers(-50, width + 50)), int(random.integers(-50, height + 50))))
        colour, thickness = int(random.integers(256)), int(random.integers(1, 9))
        draw = (cv2.line, cv2.rectangle)[int(random.integers(2))]
        draw(image, ends[0], ends[1], colour, thickness)
    if random.random() < 0.5:
        step, first = int(random.integers(3, 60)), int(random.integers(0, 30))
        image[first::step] = int(random.integers(256))
        image[:, first::step] = int(random.integers(256))
    if random.random() < 0.4:
        image += random.integers(0, 40, image.shape).astype(np.uint8)
    return image


@pytest.mark.parametrize(
    ("seed", "images"),
    [(0, 1), pytest.param(1, 60, marks=[pytest.mark.long, pytest.mark.timeout(900)])],
)
def test_any_image_is_scanned_or_refused(seed: int, images: int) -> None:
    random = np.random.default_rng(seed)
    errors = []
    for _ in range(images):
        try:
            result = scan_of(anything(random))
        except InputError as error:
            errors.append(str(error))
        else:
            assert len(result.probabilities) in {16, 36, 64, 81, 100, 144, 256, 625}
    assert errors
    assert not [message for message in errors if "\n" in message]


def test_an_image_of_each_damage_is_read_or_refused() -> None:
    for number in range(0, len(DAMAGES), 6):
        with suppress(InputError):
            scan(damaged_file(number).data)


@pytest.mark.long
@pytest.mark.timeout(900)
def test_no_damaged_image_crashes_or_hangs_the_process_that_reads_it() -> None:
    numbers = outcomes(range(300), 2, count, seed=1)
    assert set(numbers) == set(DAMAGES)
    assert not any(outcome.broken for outcome in numbers.values())
    assert sum(outcome.refused for outcome in numbers.values()) > 60
