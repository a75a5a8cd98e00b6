"""The output of a process, whatever it does to the file."""

import os
from pathlib import Path

import pytest

from harness.engine.system.files import OutputFile


def test_the_tail_is_the_end_of_what_was_written(tmp_path: Path) -> None:
    output = OutputFile(tmp_path)
    os.write(output.fileno(), b"first line\n" + b"x" * 3000 + b"\nlast line\n")
    assert output.tail() == "x" * (2000 - len("\nlast line\n")) + "\nlast line"
    output.close()


@pytest.mark.parametrize("replace", [os.mkfifo, lambda path: path.symlink_to("/dev/zero")])
def test_a_file_in_its_place_is_not_read(tmp_path: Path, replace: object) -> None:
    output = OutputFile(tmp_path)
    os.write(output.fileno(), b"reported")
    (tmp_path / "output").unlink()
    assert callable(replace)
    replace(tmp_path / "output")
    assert output.tail() == "reported"
    output.close()


def test_bytes_that_are_no_text_are_shown(tmp_path: Path) -> None:
    output = OutputFile(tmp_path)
    os.write(output.fileno(), b"\xff")
    assert output.tail() == "\N{REPLACEMENT CHARACTER}"
    output.close()
