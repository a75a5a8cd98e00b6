"""Puzzle files as streams: compression, bombs, long lines, formats of other packages."""

import gzip
import io
import random
import sys
import zipfile
from collections.abc import Callable
from itertools import islice
from pathlib import Path

import pytest

from harness.errors import PuzzleError
from harness.plugins import plugins
from harness.puzzles.catalogue import load_dataset
from harness.puzzles.formats import ReadSettings, read_file, reading, stream_file
from tests.puzzles.example import LINE, SOLUTION

TEXT = f"# two puzzles\n{LINE}\n{SOLUTION}\n"


def gz(data: bytes) -> bytes:
    return gzip.compress(data)


def zipped(data: bytes, names: tuple[str, ...] = ("p.txt",)) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in names:
            archive.writestr(name, data)
    return file.getvalue()


def zstd(data: bytes) -> bytes:
    compressed: bytes = pytest.importorskip("zstandard").compress(data)
    return compressed


KINDS: dict[str, Callable[[bytes], bytes]] = {"gz": gz, "zip": zipped, "zst": zstd}


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
    assert [found.puzzle.line for found in read_file(path)] == [LINE, SOLUTION]
    assert load_dataset(path).name == "p"
    path.write_bytes(KINDS[kind](f"{LINE}\n{LINE[:-1]}?\n".encode()))
    assert error_of(path).where == f"{path}:2:81"


@pytest.mark.parametrize("kind", KINDS)
def test_the_suffix_before_that_of_a_compression_counts(tmp_path: Path, kind: str) -> None:
    path = tmp_path / f"p.toml.{kind}"
    path.write_bytes(KINDS[kind](f'[[puzzle]]\npuzzle = "{LINE}"\nid = "a"\n'.encode()))
    assert [found.name for found in read_file(path)] == ["a"]


class Pipe(io.BytesIO):
    """Standard input from a pipe, which cannot go back."""

    def seekable(self) -> bool:
        return False


@pytest.mark.parametrize("kind", KINDS)
def test_standard_input_may_be_compressed(monkeypatch: pytest.MonkeyPatch, kind: str) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(Pipe(KINDS[kind](TEXT.encode()))))
    assert [found.puzzle.line for found in read_file("-")] == [LINE, SOLUTION]


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
    path.write_bytes(zipped(TEXT.encode(), ("a.txt", "b.txt")))
    assert "2 files" in error_of(path).what
    path.write_bytes(zipped(TEXT.encode(), ("__MACOSX/a.txt", "a.txt")))
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
    refused: list[PuzzleError] = []
    found = list(stream_file(path, ReadSettings(refuse=refused.append)))
    assert [one.puzzle.line for one in found] == [LINE, SOLUTION]
    assert [error.where for error in refused] == [f"{path}:2:82"]


def test_a_format_of_another_package_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "reversed_puzzles.py").write_text(
        "from harness.puzzles.formats import Format, ParsedPuzzle, parse_puzzle\n"
        "def read(source, reading):\n"
        "    for line in source.lines():\n"
        "        if line.text:\n"
        "            yield ParsedPuzzle(parse_puzzle(line.text[::-1]), line.place(), 'x')\n"
        "def write(puzzles):\n"
        "    return (f'{parsed.puzzle.line[::-1]}\\n' for parsed in puzzles)\n"
        "FORMAT = Format('reversed', 'lines from the end', read, write, lambda _: None,\n"
        "                suffixes=('.rev',))\n"
    )
    info = tmp_path / "reversed_puzzles-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: reversed-puzzles\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(
        "[harness.formats]\nreversed = reversed_puzzles:FORMAT\nline = reversed_puzzles:FORMAT\n"
        "broken = reversed_puzzles:NOTHING\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    plugins.cache_clear()
    reading.format_named.cache_clear()
    try:
        assert reading.format_named("reversed").title == "lines from the end"
        assert reading.format_named("line").title.startswith("one puzzle per line")
        path = tmp_path / "p.rev"
        path.write_text(f"{LINE[::-1]}\n")
        assert next(stream_file(path, format_name="reversed")).puzzle.line == LINE
        with pytest.raises(PuzzleError, match="'broken' cannot be loaded"):
            reading.format_named("broken")
    finally:
        plugins.cache_clear()
        reading.format_named.cache_clear()
