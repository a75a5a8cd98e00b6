"""Fixtures that read malformed puzzle texts and files."""

from collections.abc import Callable
from pathlib import Path

import pytest

from harness.errors import InputError, PuzzleError
from harness.puzzles import Shape
from harness.puzzles.formats import read_file, read_text


@pytest.fixture(scope="session")
def error_of() -> Callable[..., InputError]:
    """Read a malformed text and return the error, whose message is one line."""

    def error(text: str, shape: Shape | None = None) -> InputError:
        with pytest.raises(PuzzleError) as caught:
            list(read_text(text, shape, where="p.txt"))
        assert "\n" not in str(caught.value)
        return caught.value

    return error


@pytest.fixture(scope="session")
def file_error() -> Callable[[Path], InputError]:
    """Read a malformed file and return the error, without the file's folder in `where`."""

    def error(path: Path) -> InputError:
        with pytest.raises(PuzzleError) as caught:
            read_file(path)
        assert "\n" not in str(caught.value)
        return caught.value.at(caught.value.where.replace(str(path), path.name))

    return error
