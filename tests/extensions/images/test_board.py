"""The board in an image: corners, size, lines, shape."""

import cv2
import numpy as np
import pytest

from harness.base.errors import InputError
from harness.extensions.images.board import PhotographedBoard, find_board
from harness.extensions.images.scanning import shape_of
from harness.puzzles import Puzzle, Shape, load_dataset
from tests.extensions.images.drawn import LOOK, cases, drawn, some_givens
from training.boards import Rendered
from training.distortions import Distortion


def error_of(board: PhotographedBoard, drawing: Rendered) -> float:
    """The largest distance of a corner, in cells."""
    return float(np.abs(board.corners - drawing.corners).max()) / LOOK.cell


@pytest.mark.long
@pytest.mark.parametrize("size", [4, 6, 8, 9, 10, 12, 16, 25])
def test_sizes_are_recognised(size: int) -> None:
    drawing = drawn(some_givens(f"{size}x{size}"), cell=44 if size < 20 else 30)
    board = find_board(drawing.image)
    assert (board.size, board.is_light) == (size, False)
    assert error_of(board, drawing) < 0.1
    assert board.rectified.shape == ((size + 2) * 48,) * 2


@pytest.mark.parametrize("angle", cases(44, -45, -40, -20, -5, 3, 30))
def test_a_board_may_be_turned_by_any_angle_to_45_degrees(angle: float) -> None:
    drawing = drawn(how=Distortion(angle=angle))
    board = find_board(drawing.image)
    assert board.size == 9
    turns = np.stack([np.roll(drawing.corners, shift, axis=0) for shift in range(4)])
    errors = np.abs(turns - board.corners).max(axis=(1, 2)) / LOOK.cell
    assert errors[0] < 0.1 or (abs(angle) > 43 and errors.min() < 0.1)


@pytest.mark.long
@pytest.mark.parametrize("margin", [0, 1, 6])
def test_a_board_may_be_the_whole_image(margin: int) -> None:
    drawing = drawn(margin=margin)
    board = find_board(drawing.image)
    assert board.size == 9
    assert error_of(board, drawing) < 0.12


def test_without_a_board_there_is_an_error() -> None:
    plain = np.full((400, 400), 250, dtype=np.uint8)
    stripes = plain.copy()
    stripes[::40] = 0
    noise = np.random.default_rng(0).integers(0, 256, (300, 400), dtype=np.uint8)
    for image in (plain[:200, :300], noise, drawn(text=True, margin=400).image[:380], stripes):
        with pytest.raises(InputError, match="photo: no board was found; expected lines around"):
            find_board(image, None, "photo")


@pytest.mark.long
def test_a_board_with_too_few_pixels_is_refused() -> None:
    drawing = drawn(some_givens("25x25"), cell=10, thick=2)
    with pytest.raises(InputError, match="pixels; expected at least 12 x 12"):
        find_board(drawing.image)


@pytest.mark.parametrize("name", cases("box3x2", "6x6", "9x9", "8x8", "box4x2", "12x12", "box4x3"))
def test_thick_lines_show_boxes(name: str) -> None:
    shape, is_clear = shape_of(find_board(drawn(some_givens(name)).image))
    assert (str(shape), is_clear) == (name, True)


def test_thick_lines_show_the_regions_of_a_jigsaw() -> None:
    a_jigsaw = load_dataset("jigsaw").instances[0].puzzle
    drawing = drawn(a_jigsaw, Distortion(angle=5, noise=3))
    assert shape_of(find_board(drawing.image)) == (a_jigsaw.shape, True)


def test_equal_lines_mean_the_usual_boxes_and_this_is_reported() -> None:
    board = find_board(drawn(thin=2, thick=2).image)
    assert shape_of(board) == (Shape.parse("9x9"), False)


@pytest.mark.long
@pytest.mark.parametrize("bend", [0.15, -0.2])
def test_bent_paper_is_flattened(bend: float) -> None:
    drawing = drawn(some_givens("9x9"), thin=2)
    height, width = drawing.image.shape
    y, x = np.mgrid[0:height, 0:width].astype(np.float32)
    bent = cv2.remap(
        drawing.image,
        x,
        y + bend * LOOK.cell * np.sin(np.pi * x / width),
        cv2.INTER_LINEAR,
        borderMode=cv2.BORDER_REPLICATE,
    )
    inside = find_board(bent).rectified[48:-48, 48:-48]
    lines = [
        float(inside[line * 48 - 2 : line * 48 + 3].min(axis=0).mean()) for line in range(1, 9)
    ]
    assert max(lines) < 110


@pytest.mark.long
def test_the_large_board_of_a_page_is_read() -> None:
    large, small = drawn(cell=44), drawn(Puzzle(Shape.parse("9x9"), (5,) * 81), cell=26, margin=30)
    page = np.full((790, 520), 255, dtype=np.uint8)
    page[: large.image.shape[0], : large.image.shape[1]] = large.image
    page[480 : 480 + small.image.shape[0], : small.image.shape[1]] = small.image
    assert error_of(find_board(page), large) < 0.1


@pytest.mark.long
def test_a_full_board_is_found_too() -> None:
    drawing = drawn(Puzzle(Shape.parse("9x9"), tuple(1 + (7 * at) % 9 for at in range(81))))
    board = find_board(drawing.image)
    assert (board.size, error_of(board, drawing) < 0.1) == (9, True)
