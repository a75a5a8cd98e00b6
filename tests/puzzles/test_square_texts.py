"""Texts with as many lines as each line is long: puzzles in lines, or one grid."""

from pathlib import Path

import pytest

from harness.errors import PuzzleError
from harness.puzzles import Puzzle, Shape
from harness.puzzles.formats import read_file
from harness.puzzles.formats.grids import read_text
from tests.cli.test_solve import Harness


@pytest.mark.parametrize("name", ["4x4", "4x4+diagonal", "6x6+antiknight", "latin5", "latin6"])
def test_the_comment_on_the_shape_decides(name: str, tmp_path: Path) -> None:
    size = Shape.parse(name).size
    path = tmp_path / "p.txt"
    path.write_text(f"# shape: {name}\n" + f"1{'.' * (size**2 - 1)}\n" * size**2)
    puzzles = [parsed.puzzle for parsed in read_file(path)]
    assert puzzles == [Puzzle(Shape.parse(name), (1, *[0] * (size**2 - 1)))] * size**2


def test_the_comment_may_name_the_shape_of_the_grid(tmp_path: Path) -> None:
    path = tmp_path / "p.txt"
    rows = f"1{'.' * 15}\n" + f"{'.' * 16}\n" * 15
    path.write_text("# shape: 16x16\n# symbols: letters\n" + rows)
    (parsed,) = read_file(path)
    assert parsed.puzzle.shape == Shape.parse("16x16")


def test_a_comment_below_the_first_row_does_not_decide() -> None:
    row = f"{'.' * 16}\n"
    with pytest.raises(PuzzleError, match="may be puzzles of 4x4"):
        list(read_text(row + "# shape: 4x4\n" + row * 15))


def test_the_message_proposes_a_comment_and_an_option() -> None:
    with pytest.raises(PuzzleError) as raised:
        list(read_text(f"{'.' * 36}\n" * 36))
    assert str(raised.value) == (
        "text:1: 36 lines of 36 symbols may be puzzles of 6x6 or one grid of 36x36; expected the "
        "shape by name, with variants if it has any: --shape 6x6 or --shape 36x36, or a first "
        "line such as # shape: 6x6"
    )


@pytest.mark.parametrize("name", ["4x4", "4x4+diagonal", "latin4"])
def test_generated_and_converted_files_are_read_back(
    name: str, harness: Harness, tmp_path: Path
) -> None:
    out, copy = tmp_path / "p.txt", tmp_path / "copy.txt"
    words = ("generate", "--shape", name, "--minimal", "--count", "16", "--out", str(out))
    assert harness(*words)[0] == 0
    assert harness("datasets", "convert", str(out), str(copy), "--to", "line")[0] == 0
    found, copied = ([parsed.puzzle for parsed in read_file(path)] for path in (out, copy))
    assert len(found) == 16
    assert found == copied
    assert {puzzle.shape for puzzle in found} == {Shape.parse(name)}
