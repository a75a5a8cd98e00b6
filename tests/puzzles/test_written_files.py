"""The file that a conversion replaces: its target through links, and its permissions."""

from pathlib import Path

import pytest

from harness.errors import InputError
from harness.puzzles.formats.reading import Input, convert, format_named
from tests.puzzles.example import LINE


@pytest.fixture
def source(tmp_path: Path) -> Input:
    (tmp_path / "from.txt").write_text(f"{LINE}\n")
    return Input(str(tmp_path / "from.txt"))


def test_a_link_stays_and_its_target_is_written(source: Input, tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    real, link = tmp_path / "sub" / "real.txt", tmp_path / "link.txt"
    real.write_text("old\n")
    link.symlink_to("sub/real.txt")
    convert(source, str(link), format_named("line"))
    assert link.is_symlink()
    assert real.read_text() == f"{LINE}\n"
    assert sorted(path.name for path in real.parent.iterdir()) == ["real.txt"]


def test_a_link_to_a_missing_file_makes_it(source: Input, tmp_path: Path) -> None:
    (tmp_path / "link.txt").symlink_to("new.txt")
    convert(source, str(tmp_path / "link.txt"), format_named("line"))
    assert (tmp_path / "link.txt").is_symlink()
    assert (tmp_path / "new.txt").read_text() == f"{LINE}\n"


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o664])
def test_a_replaced_file_keeps_its_permissions(source: Input, tmp_path: Path, mode: int) -> None:
    target = tmp_path / "to.txt"
    target.touch()
    target.chmod(mode)
    convert(source, str(target), format_named("line"))
    assert target.stat().st_mode & 0o777 == mode
    assert target.read_text() == f"{LINE}\n"


def test_a_link_to_itself_is_an_error(source: Input, tmp_path: Path) -> None:
    (tmp_path / "loop.txt").symlink_to("loop.txt")
    with pytest.raises(InputError, match=r"loop\.txt: .*link"):
        convert(source, str(tmp_path / "loop.txt"), format_named("line"))
    assert (tmp_path / "loop.txt").is_symlink()


def test_all_lines_of_a_large_file_are_written(tmp_path: Path) -> None:
    source, target = tmp_path / "large.txt", tmp_path / "copy.txt"
    lines = [f"{number:04d}".replace("0", ".").ljust(81, ".") for number in range(3000)]
    source.write_text("".join(f"{line}\n" for line in lines))
    done = convert(Input(str(source)), str(target), format_named("line"))
    assert done.written == 3000
    assert target.read_text().splitlines() == lines


def test_a_compressed_file_has_no_time(source: Input, tmp_path: Path) -> None:
    convert(source, str(tmp_path / "to.txt.gz"), format_named("line"))
    assert (tmp_path / "to.txt.gz").read_bytes()[4:8] == bytes(4)
