"""Puzzle files and streams: errors, bounds, compression, and the file that is written."""

import gzip
import io
import json
import os
import random
import sys
import time
import zipfile
from collections.abc import Callable
from itertools import islice
from pathlib import Path

import pytest

from harness.base.errors import InputError, PuzzleError
from harness.base.files import parse_toml
from harness.contract.command import read_command_file
from harness.puzzles.datasets.catalogue import load_dataset
from harness.puzzles.formats import ReadSettings, stream_file
from harness.puzzles.formats.reading import Input, convert, format_named, read_file
from harness.records.folder.environment import read_invocations
from harness.records.folder.files import RunFile
from harness.runs.sweep_files import read_sweeps
from tests.installed import needs
from tests.puzzles.example import GRID, LINE, MISTAKEN, SOLUTION, file_error

# Puzzle files and standard input, and their errors.


def write(path: Path, content: str | bytes) -> Path:
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def test_a_file_is_named_in_its_errors(tmp_path: Path) -> None:
    path = write(tmp_path / "p.txt", f"{LINE}\n{MISTAKEN}\n")
    error = file_error(path)
    assert error.where == "p.txt:2:41"
    assert "'?'" in error.what


def test_a_file_may_start_with_a_byte_order_mark_and_end_lines_as_on_windows(
    tmp_path: Path,
) -> None:
    text = write(tmp_path / "p.txt", b"\xef\xbb\xbf" + GRID.replace("\n", "\r\n").encode())
    assert [read.puzzle.line for read in read_file(text)] == [LINE]
    toml = write(tmp_path / "p.toml", f'\ufeff[[puzzle]]\r\npuzzle = "{LINE}"\r\n')
    assert [read.puzzle.line for read in read_file(toml)] == [LINE]
    records = write(tmp_path / "p.json", "\ufeff" + json.dumps([{"puzzle": LINE}]))
    assert [read.puzzle.line for read in read_file(records)] == [LINE]


@pytest.mark.parametrize("text", ["", "\n", "# only a comment\n", "-----\n"])
def test_a_file_without_a_puzzle_is_an_error(tmp_path: Path, text: str) -> None:
    path = write(tmp_path / "p.txt", text)
    assert file_error(path).where == "p.txt"


def test_a_path_without_a_file_is_an_error(tmp_path: Path) -> None:
    assert file_error(tmp_path / "p.txt").where == "p.txt"
    assert file_error(tmp_path).where == tmp_path.name
    assert "Not a directory" in file_error(write(tmp_path / "q.txt", LINE) / "p.txt").what


def test_a_path_that_no_system_allows_is_an_error() -> None:
    for path, reason in (("a\0b", "embedded null byte"), ("a" * 5000, "File name too long")):
        with pytest.raises(PuzzleError) as caught:
            read_file(path)
        assert caught.value.where == path
        assert reason in caught.value.what


@pytest.mark.parametrize(
    ("content", "place"),
    [
        (b"\xff", "1:1"),
        (LINE.encode("utf-16"), "1:1"),
        (b"# \xc3\xa9t\xe9\n", "1:5"),
        (f"{LINE}\n123".encode() + b"\xff", "2:4"),
    ],
)
def test_bytes_that_are_not_utf_8_are_an_error_at_their_place(
    tmp_path: Path, content: bytes, place: str
) -> None:
    path = write(tmp_path / "p.txt", content)
    assert file_error(path).where == f"p.txt:{place}"


def test_standard_input_is_read_as_a_file_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO(f"{LINE}\n"))
    assert [(read.puzzle.line, read.place) for read in read_file("-")] == [
        (LINE, "standard input:1")
    ]
    for content, where in (("", "standard input"), ("?", "standard input:1:1")):
        monkeypatch.setattr("sys.stdin", io.StringIO(content))
        with pytest.raises(PuzzleError) as caught:
            read_file("-")
        assert caught.value.where == where


def test_standard_input_that_is_not_utf_8_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"12\xff"), encoding="utf-8"))
    with pytest.raises(PuzzleError) as caught:
        read_file("-")
    assert caught.value.where == "standard input:1:3"


# Puzzle files as streams: compression, bombs, long lines, formats of other packages.


TEXT = f"# two puzzles\n{LINE}\n{SOLUTION}\n"


def gz(data: bytes) -> bytes:
    return gzip.compress(data)


def zip_of(data: bytes, names: tuple[str, ...] = ("p.txt",)) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in names:
            archive.writestr(name, data)
    return file.getvalue()


def zstd(data: bytes) -> bytes:
    content: bytes = pytest.importorskip("zstandard").compress(data)
    return content


KINDS: dict[str, Callable[[bytes], bytes]] = {"gz": gz, "zip": zip_of, "zst": zstd}


def error_of(path: Path) -> PuzzleError:
    with pytest.raises(PuzzleError) as caught:
        for _ in stream_file(path):
            pass
    assert "\n" not in str(caught.value)
    return caught.value


@pytest.mark.parametrize("kind", KINDS)
def test_a_compressed_file_is_read_and_named(tmp_path: Path, kind: str) -> None:
    path = tmp_path / f"p.txt.{kind}"
    path.write_bytes(KINDS[kind](TEXT.encode()))
    assert [parsed.puzzle.line for parsed in read_file(path)] == [LINE, SOLUTION]
    assert load_dataset(path).name == "p"
    path.write_bytes(KINDS[kind](f"{LINE}\n{LINE[:-1]}?\n".encode()))
    assert error_of(path).where == f"{path}:2:81"


@pytest.mark.parametrize("kind", KINDS)
def test_the_suffix_before_that_of_a_compression_counts(tmp_path: Path, kind: str) -> None:
    path = tmp_path / f"p.toml.{kind}"
    path.write_bytes(KINDS[kind](f'[[puzzle]]\npuzzle = "{LINE}"\nid = "a"\n'.encode()))
    assert [parsed.name for parsed in read_file(path)] == ["a"]


class Pipe(io.BytesIO):
    """Standard input from a pipe, which cannot go back."""

    def seekable(self) -> bool:
        return False


@pytest.mark.parametrize("kind", KINDS)
def test_standard_input_may_be_compressed(monkeypatch: pytest.MonkeyPatch, kind: str) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(Pipe(KINDS[kind](TEXT.encode()))))
    assert [parsed.puzzle.line for parsed in read_file("-")] == [LINE, SOLUTION]


@pytest.mark.long
@pytest.mark.parametrize("kind", KINDS)
def test_a_bomb_is_refused(tmp_path: Path, kind: str) -> None:
    path = tmp_path / f"bomb.{kind}"
    for line in (b"\n", b"." * 81 + b"\n"):
        path.write_bytes(KINDS[kind](line * (32 * 2**20 // len(line))))
        assert "expands from" in error_of(path).what


@pytest.mark.parametrize("kind", KINDS)
def test_a_damaged_file_is_an_error(tmp_path: Path, kind: str) -> None:
    rng = random.Random(0)
    data = "".join(rng.choices(".123456789", k=81 * 2000)).encode()
    whole = KINDS[kind](b"\n".join(data[at : at + 81] for at in range(0, len(data), 81)))
    path = tmp_path / f"p.{kind}"
    path.write_bytes(whole[: len(whole) // 2])
    assert "damaged" in error_of(path).what
    path.write_bytes(whole[: len(whole) // 2] + b"\xff" * 9 + whole[len(whole) // 2 + 9 :])
    assert error_of(path).where.startswith(str(path))


def test_an_archive_with_several_files_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "p.zip"
    path.write_bytes(zip_of(TEXT.encode(), ("a.txt", "b.txt")))
    assert "2 files" in error_of(path).what
    path.write_bytes(zip_of(TEXT.encode(), ("__MACOSX/a.txt", "a.txt")))
    assert len(read_file(path)) == 2


def test_without_a_library_for_zstandard_the_error_names_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in ("compression.zstd", "backports.zstd", "zstandard"):
        monkeypatch.setitem(sys.modules, module, None)
    path = tmp_path / "p.zst"
    path.write_bytes(b"\x28\xb5\x2f\xfd" + b"\0" * 20)
    assert "pip install zstandard" in error_of(path).expected


def test_a_line_without_end_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "p.txt"
    path.write_text(f"{LINE}\n" + "." * (2**20 + 2**17))
    error = error_of(path)
    assert "a line of more than 1 MiB" in error.what
    assert error.where == f"{path}:2"


@needs("formats")
def test_an_entity_bomb_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "p.opensudoku"
    entities = '<!ENTITY a "aaaaaaaaaa">' + "".join(
        f'<!ENTITY {chr(98 + n)} "{f"&{chr(97 + n)};" * 10}">' for n in range(9)
    )
    for name in ("opensudoku", "instance"):
        path.write_text(f'<?xml version="1.0"?>\n<!DOCTYPE x [{entities}]>\n<{name}>&j;</{name}>')
        assert "a document type or an entity" in error_of(path).what
        assert error_of(path).where.startswith(f"{path}:2:")


def test_a_file_is_read_as_a_stream(tmp_path: Path) -> None:
    path = tmp_path / "p.txt"
    path.write_text(f"{LINE}\n" * 5000 + "?\n")
    assert len(list(islice(stream_file(path), 4000))) == 4000
    assert error_of(path).where.startswith(f"{path}:5001:")


def test_skipped_puzzles_are_given_and_the_others_read(tmp_path: Path) -> None:
    path = tmp_path / "p.txt"
    path.write_text(f"{LINE}\n{LINE}?\n{SOLUTION}\n")
    errors: list[PuzzleError] = []
    puzzles = list(stream_file(path, ReadSettings(refuse=errors.append)))
    assert [parsed.puzzle.line for parsed in puzzles] == [LINE, SOLUTION]
    assert [error.where for error in errors] == [f"{path}:2:82"]


# A file that never ends, is huge or is nested deeply is one line within a second.


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


def test_a_record_that_is_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / RunFile.ENVIRONMENT)
    error = quick_error(lambda: read_invocations(tmp_path))
    assert str(error).startswith(
        f"{tmp_path / RunFile.ENVIRONMENT}: is not a regular file; expected"
    )


def test_texts_and_comments_may_have_many_dots() -> None:
    line = "1.2.3.4." * 40
    text = f'# {line}\na = "{line}"\nb = \'{line}\'\nc = """\n{line}"""\n'
    text += f"d = [1.5, {'2.5, ' * 50}]\n"
    parsed = parse_toml(text, "p.toml")
    assert [parsed[name].strip() for name in "abc"] == [line] * 3
    endless = 'x = """' + 'a\\"' * 100_000
    for start in ("'" * 300_000, '"\\' * 100_000, endless, "a " * 100_000):
        quick_error(lambda text=start: parse_toml(text, "p.toml"))  # type: ignore[misc]


def test_a_number_of_solutions_beyond_64_bits_is_read_exactly(tmp_path: Path) -> None:
    grids = 6670903752021072936960
    (tmp_path / "p.toml").write_text(f'[[puzzle]]\npuzzle = "{"." * 81}"\nsolutions = {grids}\n')
    (tmp_path / "p.json").write_text(f'[{{"puzzle": "{"." * 81}", "solutions": ">={grids}"}}]')
    (toml,), (json,) = read_file(tmp_path / "p.toml"), read_file(tmp_path / "p.json")
    assert toml.expected_count is not None
    assert json.expected_count is not None
    assert (toml.expected_count.least, toml.expected_count.exact) == (grids, True)
    assert (json.expected_count.least, json.expected_count.exact) == (grids, False)


# The file that a conversion replaces: its target through links, and its permissions.


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


def test_a_compressed_file_has_no_time(source: Input, tmp_path: Path) -> None:
    convert(source, str(tmp_path / "to.txt.gz"), format_named("line"))
    assert (tmp_path / "to.txt.gz").read_bytes()[4:8] == bytes(4)
