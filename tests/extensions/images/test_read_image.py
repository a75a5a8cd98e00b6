"""`harness read-image`: a puzzle on standard output, doubts on standard error."""

import io
import json
import sys
from pathlib import Path

import msgspec
import numpy as np
import pytest

from harness.extensions.images import fence
from harness.extensions.images.documents import ImageRead
from harness.puzzles import Puzzle, Shape
from tests.conftest import Harness
from tests.extensions.images.drawn import PUZZLE, drawn, file_of
from tests.little_memory import require_little_memory

NATIVE = ("--backend", "native")


@pytest.fixture
def image(tmp_path: Path) -> Path:
    path = tmp_path / "board.png"
    path.write_bytes(file_of(drawn().image))
    return path


def test_the_puzzle_is_a_line(harness: Harness, image: Path) -> None:
    result = harness("read-image", image, *NATIVE)
    assert (result.code, result.out, result.err) == (0, f"{PUZZLE.line}\n", "")


@pytest.mark.long
def test_a_file_may_come_from_standard_input(
    harness: Harness, image: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(image.read_bytes())))
    result = harness("read-image", "-", *NATIVE)
    assert (result.code, result.out) == (0, f"{PUZZLE.line}\n")


def test_the_document_has_all_probabilities(harness: Harness, image: Path) -> None:
    result = harness("read-image", image, "--json", *NATIVE)
    read = msgspec.json.decode(result.out, type=ImageRead, strict=True)
    assert (result.code, read.puzzle, read.shape) == (0, PUZZLE.line, "9x9")
    assert (read.unique, read.reason, read.first_solutions, read.questions) == (True, "", 1, 1)
    assert len(read.probabilities) == 81
    assert min(read.probabilities) > 0.95
    assert (read.doubtful, read.shape_is_clear, read.letters) == ([], True, False)
    assert [round(x, 1) for x, _ in read.corners] == [0.1, 0.9, 0.9, 0.1]


@pytest.mark.long
def test_without_one_solution_the_exit_code_is_1(harness: Harness, tmp_path: Path) -> None:
    blank = Puzzle(Shape.parse("4x4"), (0,) * 16)
    path = tmp_path / "blank.png"
    path.write_bytes(file_of(drawn(blank).image))
    result = harness("read-image", path, *NATIVE)
    assert (result.code, result.out) == (1, f"# shape: 4x4\n{blank.line}\n")
    assert result.err == (
        "no likely reading has exactly one solution; the likeliest one has more than one solution\n"
    )
    data = json.loads(harness("read-image", path, "--json", "--quiet", *NATIVE).out)
    assert (data["unique"], data["first_solutions"]) == (False, 2)


@pytest.mark.long
def test_an_assumed_shape_is_reported(harness: Harness, tmp_path: Path) -> None:
    path = tmp_path / "equal.png"
    path.write_bytes(file_of(drawn(thin=2, thick=2).image))
    result = harness("read-image", path, *NATIVE)
    assert (result.code, result.out) == (0, f"{PUZZLE.line}\n")
    assert result.err.startswith("9x9 is assumed: the lines of the board show no boxes; --shape")
    assert harness("read-image", path, "--shape", "9x9", *NATIVE).err == ""


def test_invalid_arguments_are_errors_of_one_line(
    harness: Harness, image: Path, tmp_path: Path
) -> None:
    grey = tmp_path / "grey.png"
    grey.write_bytes(file_of(np.full((300, 300), 128, dtype=np.uint8)))
    for arguments, problem in (
        ((grey,), "grey.png: no board was found; expected lines around 4, 6, 8, 9, 10, 12, 16"),
        ((tmp_path / "none.png",), "cannot be read: No such file or directory"),
        ((image, "--shape", "9x8"), "expected a square"),
        ((image, "--to", "lines"), "unknown format 'lines' (did you mean 'line' or 'links'?)"),
        ((image, "--shape", "36x36"), "expected a shape of at most 25 rows"),
    ):
        result = harness("read-image", *arguments)
        assert (result.code, result.out) == (2, "")
        assert problem in result.err
        assert result.err.count("\n") == 1


def test_without_the_extra_one_line_names_it(
    harness: Harness, image: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fence, "_PACKAGES", {"a_missing_module": "opencv-python-headless"})
    result = harness("read-image", image)
    assert result.code == 2
    assert result.err == (
        "harness: images: opencv-python-headless is not installed; expected pip install "
        "'sudoku-harness[workbench]'\n"
    )


@pytest.mark.skipif(sys.platform != "linux", reason="address space is limited on Linux only")
@pytest.mark.parametrize("name", ["str(path)", "'-'"], ids=["file", "stream"])
def test_a_small_image_is_read_with_little_memory(name: str, tmp_path: Path) -> None:
    """The memory does not depend on the size of the largest image."""
    imports = "from harness.extensions.images import cli, scan"
    read = f"assert len(cli._content({name}, 'x')) == path.stat().st_size"
    require_little_memory(imports, read, tmp_path)
