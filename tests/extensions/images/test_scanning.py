"""Whole images to puzzles."""

from contextlib import suppress
from typing import Any

import cv2
import numpy as np
import pytest
from numpy.random import Generator
from PIL import Image

from backends.native import Native
from benchmarks.damaged import DAMAGES, damaged_file, outcomes
from benchmarks.scenes import APPLICATIONS, SCENES, screenshot
from harness.base.errors import InputError
from harness.contract.options import Options
from harness.extensions.images.board import AnyArray, Grey
from harness.extensions.images.classifier import handwriting
from harness.extensions.images.documents import ImageRead
from harness.extensions.images.reading import read
from harness.extensions.images.scan import Scan
from harness.extensions.images.scanning import scaled, scan, scan_of
from harness.puzzles import Puzzle, Shape, load_dataset
from tests.extensions.images.drawn import LOOK, PUZZLE, cases, count, drawn, file_of, some_givens
from training.boards import Rendered
from training.distortions import Distortion


def likeliest(result: Scan) -> Puzzle:
    """The likeliest reading, before any search."""
    values = tuple(max(range(len(row)), key=row.__getitem__) for row in result.probabilities)
    return Puzzle(Shape.parse(result.shape), values)


def puzzle_in(drawing: Rendered) -> Puzzle:
    return likeliest(scan_of(scaled(drawing.image)))


def test_a_file_becomes_a_puzzle() -> None:
    drawing = drawn()
    result = scan(file_of(drawing.image))
    assert likeliest(result) == PUZZLE
    assert (result.is_shape_clear, result.has_letters) == (True, False)
    height, width = drawing.image.shape
    corners = np.array(result.corners) * [width, height]
    assert np.abs(corners - drawing.corners).max() < 4
    for row in result.probabilities:
        assert sum(row) == pytest.approx(1, abs=0.01)


IMAGES: dict[str, tuple[Distortion | None, dict[str, Any]]] = {
    "perspective": (Distortion(angle=8, tilt=25, towards=40), {"text": True}),
    "dark": (None, {"ink": 230, "paper": 25, "line": 150, "thin_line": 70, "margin": 1}),
    "shadow": (Distortion(light=0.5, shadow=0.5, angle=-4), {"text": True}),
    "blur and noise": (Distortion(blur=1.3, noise=8, quality=45), {"text": True}),
    "small": (Distortion(scale=0.6, angle=3), {"text": True}),
    "turned": (Distortion(angle=-12), {}),
    "grey boxes": (None, {"shaded_box": True}),
}


@pytest.mark.parametrize("name", cases(*IMAGES, short=2))
def test_an_image_is_read(name: str) -> None:
    how, look = IMAGES[name]
    assert puzzle_in(drawn(how=how, **look)) == PUZZLE


@pytest.mark.parametrize("turns", cases(2, 1, 3))
def test_an_image_on_its_side_is_turned(turns: int) -> None:
    drawing = drawn()
    result = scan_of(np.ascontiguousarray(np.rot90(drawing.image, turns)))
    assert likeliest(result) == PUZZLE
    x, y = result.corners[0]
    upper_left = [(0.1, 0.1), (0.1, 0.9), (0.9, 0.9), (0.9, 0.1)][turns]
    assert abs(x - upper_left[0]) < 0.1
    assert abs(y - upper_left[1]) < 0.1


@pytest.mark.parametrize("letters", cases(False, True))
def test_values_above_9_are_numerals_or_letters(letters: bool) -> None:
    puzzle = load_dataset("16x16").instances[0].puzzle
    result = scan_of(drawn(puzzle, letters=letters, height=0.5).image)
    assert result.has_letters == letters
    reading = likeliest(result)
    right = sum(a == b for a, b in zip(reading.givens, puzzle.givens, strict=True))
    assert right >= 254


@pytest.mark.long
def test_a_board_without_givens_is_blank() -> None:
    blank = Puzzle(Shape.parse("9x9"), (0,) * 81)
    assert puzzle_in(drawn(blank)) == blank


@pytest.mark.long
def test_the_shape_can_be_given() -> None:
    image = drawn(thin=2, thick=2).image
    assert not scan_of(image).is_shape_clear
    diagonal = Shape.parse("9x9+diagonal")
    result = scan_of(image, diagonal)
    assert (Shape.parse(result.shape), result.is_shape_clear) == (diagonal, True)
    with pytest.raises(InputError, match="expected a shape of at most 25 rows"):
        scan_of(image, Shape.parse("36x36"))


@pytest.mark.long
def test_a_shape_that_is_not_recognised_by_itself_can_be_given() -> None:
    puzzle = some_givens("15x15", 0.3)
    result = scan_of(drawn(puzzle).image, puzzle.shape)
    right = sum(a == b for a, b in zip(likeliest(result).givens, puzzle.givens, strict=True))
    assert right >= 223


@pytest.mark.long
def test_the_search_corrects_a_bad_image() -> None:
    how = Distortion(angle=5, tilt=20, towards=200, blur=1.9, noise=12, scale=0.75, quality=40)
    reading = read(scan_of(drawn(how=how).image), count)
    assert reading.unique
    assert reading.board == PUZZLE


@pytest.mark.long
def test_handwriting_is_separated_from_print_by_the_other_digits_of_the_board() -> None:
    logits = np.array([0.5, 0.6, 0.4, 0.5, 0.9, 0.8, 0.6, 0.7], dtype=np.float32)
    looks = np.array([[30, 0.6]] * 4 + [[20, 0.8], [22, 0.7], [19, 0.8], [23, 0.9]], np.float32)
    assert (handwriting(logits, looks) > 0.5).tolist() == [False] * 4 + [True] * 4
    assert not handwriting(np.full(8, 0.3, np.float32), looks).any()


# Ink that the solver cannot judge: a value that the others imply leaves one solution, too.


def cell_of(image: AnyArray, cell: int) -> AnyArray:
    """The pixels of a cell of an undistorted board, without its lines."""
    top, left = (LOOK.margin + LOOK.cell * at + 4 for at in divmod(cell, 9))
    return image[top : top + LOOK.cell - 7, left : left + LOOK.cell - 7]


def with_implied(cell: int) -> Puzzle:
    """`PUZZLE` with one more given, which its solution has."""
    solution = Native(PUZZLE.shape, Options()).solve(PUZZLE).grid
    assert solution is not None
    givens = (*PUZZLE.givens[:cell], solution[cell], *PUZZLE.givens[cell + 1 :])
    return Puzzle(PUZZLE.shape, givens)


@pytest.mark.parametrize(("cell", "share"), [(0, 0.08), (41, 0.12)])
def test_a_very_faint_value_is_uncertain(cell: int, share: float) -> None:
    image = drawn(with_implied(cell)).image.copy()
    faint = cell_of(image, cell)
    faint[:] = (faint.max() - share * (float(faint.max()) - faint)).astype(np.uint8)
    reading = read(scan_of(image), count)
    assert reading.unique
    assert not reading.certain
    assert PUZZLE.shape.cell_name(cell) in [c.cell for c in reading.doubtful if c.uncertain]


@pytest.mark.parametrize("cell", cases(41, 0, 80))
def test_a_small_note_in_a_corner_is_uncertain(cell: int) -> None:
    image = drawn().image.copy()
    value = cell_of(drawn(with_implied(cell)).image, cell)
    note = np.asarray(cv2.resize(value, None, fx=0.6, fy=0.6, interpolation=cv2.INTER_AREA))
    corner = cell_of(image, cell)[: note.shape[0], : note.shape[1]]
    np.minimum(corner, note, out=corner)
    reading = read(scan_of(image), count)
    assert reading.board in (PUZZLE, with_implied(cell))
    assert not reading.certain


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
