"""A file that never ends, is huge or is nested deeply is one line within a second."""

import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from harness.contract.command import read_command_file
from harness.errors import InputError, PuzzleError
from harness.files import parse_toml
from harness.puzzles.formats import read_file
from harness.records.environment import FILE as ENVIRONMENT
from harness.records.environment import read_invocations
from harness.runs.sweep import read_sweeps

BRACKETS = "[" * 200_000
DIGITS = "9" * 5_000
KEY = "a." * 100_000 + "b"


def quick_error(call: Callable[[], object]) -> InputError:
    """The error of a call, which takes a time that is linear in the text: minutes if it is not."""
    began = time.process_time()
    with pytest.raises(InputError) as caught:
        call()
    assert time.process_time() - began < 20
    assert len(str(caught.value)) < 500
    assert len(str(caught.value).splitlines()) == 1
    return caught.value


@pytest.mark.parametrize("suffix", ["txt", "toml", "json"])
def test_a_sparse_file_of_a_gigabyte_is_an_error_at_its_first_nul(
    tmp_path: Path, suffix: str
) -> None:
    path = tmp_path / f"sparse.{suffix}"
    path.write_text("1234............\n")
    os.truncate(path, 2**30)
    error = quick_error(lambda: read_file(path))
    assert str(error) == f"{path}:2:1: a NUL byte; expected a text file"


def test_a_device_of_zeros_is_an_error() -> None:
    error = quick_error(lambda: read_file("/dev/zero"))
    assert str(error) == "/dev/zero:1:1: a NUL byte; expected a text file"


def test_a_file_that_never_ends_is_read_up_to_a_size(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("harness.puzzles.formats.reading.LARGEST_BYTES", 2**20)
    path = tmp_path / "many.txt"
    path.write_text(f"{'.' * 81}\n" * 14_000)
    error = quick_error(lambda: read_file(path))
    assert str(error) == f"{path}: has more than 1 MiB; expected a smaller file"
    path.write_text(f"{'.' * 81}\n" * 100)
    assert len(read_file(path)) == 100


DEEP = {
    "json": (BRACKETS, "too many levels of brackets"),
    "toml": (f"puzzle = {BRACKETS}", "too many levels of brackets"),
}
LARGE = {
    "json": (f'[{{"puzzle": {DIGITS}}}]', "a number of more than 4,300 digits"),
    "toml": (f"puzzle = {DIGITS}", "a number of more than 4,300 digits"),
}


@pytest.mark.parametrize("suffix", ["json", "toml"])
@pytest.mark.parametrize("texts", [DEEP, LARGE], ids=["200,000 brackets", "5,000 digits"])
def test_nesting_and_numbers_are_bounded(
    tmp_path: Path, suffix: str, texts: dict[str, tuple[str, str]]
) -> None:
    text, message = texts[suffix]
    path = tmp_path / f"puzzles.{suffix}"
    path.write_text(text)
    error = quick_error(lambda: read_file(path))
    assert isinstance(error, PuzzleError)
    assert message in str(error)


@pytest.mark.parametrize("read", [lambda p: read_sweeps(p, {}), read_command_file])
def test_a_sweep_file_and_a_command_file_are_bounded(
    tmp_path: Path, read: Callable[[Path], object]
) -> None:
    path = tmp_path / "file.toml"
    for text, message in (
        (f"limit = {BRACKETS}", "invalid TOML: too many levels of brackets"),
        (f"{KEY} = 1", "invalid TOML: too many levels of keys"),
        (f"[{KEY}]", "invalid TOML: too many levels of keys"),
        (f"limit = {DIGITS}", "invalid TOML: a number of more than 4,300 digits"),
        ("#" * (2**20 + 1), "has more than 1 MiB"),
        ("limit = 2\0", "a NUL byte"),
    ):
        path.write_text(text)
        assert message in str(quick_error(lambda: read(path)))
    assert "a NUL byte" in str(quick_error(lambda: read(Path("/dev/zero"))))
    assert "directory" in str(quick_error(lambda: read(tmp_path)))


@pytest.mark.parametrize(
    "text",
    [
        f'{{"invocations": {BRACKETS}',
        f'{{"invocations": [{{"system": {{"cpus": {DIGITS}}}}}]}}',
        "[]",
        '{"invocations": [{"command": "x"}]}',
        '"\\ud800"',
    ],
    ids=lambda text: text[:50],
)
def test_the_record_of_the_invocations_is_bounded(tmp_path: Path, text: str) -> None:
    (tmp_path / ENVIRONMENT).write_text(text)
    error = quick_error(lambda: read_invocations(tmp_path))
    assert error.where == str(tmp_path / ENVIRONMENT)


def test_a_record_that_is_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / ENVIRONMENT)
    error = quick_error(lambda: read_invocations(tmp_path))
    assert str(error).startswith(f"{tmp_path / ENVIRONMENT}: is no regular file; expected")


def test_texts_and_comments_may_have_many_dots() -> None:
    line = "1.2.3.4." * 40
    text = f'# {line}\na = "{line}"\nb = \'{line}\'\nc = """\n{line}"""\n'
    text += f"d = [1.5, {'2.5, ' * 50}]\n"
    parsed = parse_toml(text, "p.toml")
    assert [parsed[name].strip() for name in "abc"] == [line] * 3
    endless = 'x = """' + 'a\\"' * 300_000
    for unfinished in ("'" * 900_000, '"\\' * 400_000, endless, "a " * 400_000):
        quick_error(lambda text=unfinished: parse_toml(text, "p.toml"))  # type: ignore[misc]


def test_a_number_of_solutions_beyond_64_bits_is_read_exactly(tmp_path: Path) -> None:
    grids = 6670903752021072936960
    (tmp_path / "p.toml").write_text(f'[[puzzle]]\npuzzle = "{"." * 81}"\nsolutions = {grids}\n')
    (tmp_path / "p.json").write_text(f'[{{"puzzle": "{"." * 81}", "solutions": ">={grids}"}}]')
    (toml,), (json,) = read_file(tmp_path / "p.toml"), read_file(tmp_path / "p.json")
    assert toml.expected_count is not None
    assert json.expected_count is not None
    assert (toml.expected_count.least, toml.expected_count.exact) == (grids, True)
    assert (json.expected_count.least, json.expected_count.exact) == (grids, False)
