"""What the tests of puzzle texts, files and records need."""

from collections.abc import Callable
from pathlib import Path

import pytest

from harness.errors import InputError
from harness.puzzles import Shape
from harness.puzzles.formats import read_file, read_text


@pytest.fixture(scope="session")
def error_of() -> Callable[..., str]:
    """Reads a text that holds a mistake; gives the message, which is one line."""

    def error(text: str, shape: Shape | None = None) -> str:
        with pytest.raises(InputError) as caught:
            list(read_text(text, shape, where="p.txt"))
        message = str(caught.value)
        assert "\n" not in message
        return message

    return error


@pytest.fixture(scope="session")
def file_error() -> Callable[[Path], str]:
    """Reads a file that holds a mistake; gives the message without the file's folder."""

    def error(path: Path) -> str:
        with pytest.raises(InputError) as caught:
            read_file(path)
        message = str(caught.value)
        assert "\n" not in message
        return message.replace(str(path), path.name)

    return error
