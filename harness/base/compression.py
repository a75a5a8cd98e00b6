"""Files compressed with gzip, zip or Zstandard: recognized, expanded and written atomically.

A file that expands to much more than its size is refused (a "zip bomb"): a file of puzzles
shrinks to a third, and one of equal lines to a hundredth.
"""

import gzip
import io
import sys
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from io import BufferedReader
from pathlib import Path
from typing import Any, BinaryIO, Final, cast

from harness.base.errors import InputError, PuzzleError
from harness.base.files import errors_named, read_beyond, replacing

_COMPRESSIONS: Final = {".gz": "a gzip file", ".zip": "a zip archive", ".zst": "a Zstandard file"}
"""What a compressed file is, by its suffix."""
_MOST_RATIO: Final = 200
_MOST_SPOOLED: Final = 256 * 2**20
"""Largest archive on standard input, in bytes; it stays in memory: its index is at its end."""
_CHUNK: Final = 2**16
_MAGIC: Final = {b"\x1f\x8b": ".gz", b"PK\x03\x04": ".zip", b"\x28\xb5\x2f\xfd": ".zst"}

Read = Callable[[int], bytes]


def kind_of(first: bytes) -> str | None:
    """The suffix of the compression of a file with these first bytes; None for a plain file."""
    return next((kind for magic, kind in _MAGIC.items() if first.startswith(magic)), None)


def bare_name(name: str) -> str:
    """`name` without the suffix of a compression."""
    return next((name[: -len(s)] for s in _COMPRESSIONS if name.lower().endswith(s)), name)


def expand(file: BinaryIO, kind: str, name: str) -> Iterator[bytes]:
    """The pieces of a compressed file.

    Args:
        file: the file, at its start.
        kind: the suffix of the compression.
        name: the name of the file in errors.

    Raises:
        PuzzleError: the file is damaged, expands too much, or needs a missing library.
    """
    counter = _Counted(file)
    with _file_errors(kind, name):
        if kind == ".zip":
            yield from _member(file, name)
        else:
            reader: Any
            if kind == ".gz":
                reader = gzip.GzipFile(fileobj=cast("Any", counter))
            else:
                module = _zstandard(name)
                has_file = hasattr(module, "ZstdFile")  # that of Python 3.14
                reader = module.open(counter, "rb") if has_file else _Frames(module, counter)
            yield from _bound(reader.read, lambda: counter.number, name)


@contextmanager
def _compressing(file: BinaryIO, kind: str, member: str) -> Iterator[BinaryIO]:
    """A file that writes its bytes, compressed, to `file`.

    Args:
        file: the compressed file.
        kind: the suffix of the compression; empty for none.
        member: the name of the file inside a zip archive.

    Raises:
        PuzzleError: the library for `kind` is missing.
    """
    if kind == ".gz":
        # Without name and time the same puzzles give the same bytes.
        with gzip.GzipFile("", "wb", 6, file, mtime=0) as output:
            yield cast("BinaryIO", output)
    elif kind == ".zip":
        with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
            info = zipfile.ZipInfo(member)
            info.compress_type = zipfile.ZIP_DEFLATED
            with archive.open(info, "w", force_zip64=True) as output:
                yield cast("BinaryIO", output)
    elif kind == ".zst":
        with _zstandard(member).open(file, "wb") as output:
            yield output
    else:
        yield file


class _Counted:
    """A file that counts the bytes read from it."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self.number = 0

    def read(self, size: int = -1) -> bytes:
        data = self._file.read(size)
        self.number += len(data)
        return data


def _bound(read: Read, input_size: Callable[[], int], name: str) -> Iterator[bytes]:
    """The pieces that `read` returns, bounded by what `input_size` bytes may expand to.

    Raises:
        PuzzleError: the pieces exceed the bound.
    """
    number = 0
    while piece := read(_CHUNK):
        number += len(piece)
        # Any file may expand to 4 MiB.
        if number > max(4 * 2**20, _MOST_RATIO * input_size()):
            problem = f"expands from {input_size():,} to more than {number:,} bytes"
            expected = f"a file that expands at most {_MOST_RATIO} times"
            raise PuzzleError(problem, where=name, expected=expected)
        yield piece


def _member(file: BinaryIO, name: str) -> Iterator[bytes]:
    """The pieces of the only file in a zip archive."""
    if not file.seekable():
        data = read_beyond(file, _MOST_SPOOLED)
        if len(data) > _MOST_SPOOLED:
            most = f"{_MOST_SPOOLED // 2**20} MiB"
            raise PuzzleError(f"has more than {most}", where=name, expected="a smaller archive")
        file = io.BytesIO(data)
    with zipfile.ZipFile(file) as archive:
        members = [
            member
            for member in archive.infolist()
            if not member.is_dir() and not member.filename.startswith("__MACOSX/")
        ]
        if len(members) != 1:
            raise PuzzleError(
                f"an archive of {len(members)} files", where=name, expected="one puzzle file"
            )
        yield from member_pieces(archive, members[0], name)


def member_pieces(archive: zipfile.ZipFile, member: zipfile.ZipInfo, name: str) -> Iterator[bytes]:
    """The pieces of a file in the zip archive called `name`.

    Raises:
        PuzzleError: the file expands too much, or is damaged.
    """
    with _file_errors(".zip", name), archive.open(member) as content:
        yield from _bound(content.read, lambda: member.compress_size, name)


@contextmanager
def _file_errors(kind: str, name: str) -> Iterator[None]:
    """Turn the errors of the libraries into errors that name the file.

    Raises:
        PuzzleError: a library reports damage.
    """
    try:
        yield
    except InputError:
        raise
    except (OSError, EOFError, zlib.error, zipfile.BadZipFile, RuntimeError, ValueError) as error:
        if isinstance(error, OSError) and error.errno is not None:
            raise
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise PuzzleError(
            f"damaged or encrypted: {reason}", where=name, expected=f"a {kind} file"
        ) from None
    except Exception as error:  # the libraries for Zstandard have errors of their own
        if "zstd" not in type(error).__module__ and "zstandard" not in type(error).__module__:
            raise
        raise PuzzleError(f"damaged: {error}", where=name, expected=f"a {kind} file") from None


class _Frames:
    """The frames of a file that the package zstandard expands.

    Its own reader does not notice that a file ends early.
    """

    def __init__(self, module: Any, file: _Counted) -> None:
        self._module = module
        self._file = file
        self._frame: Any = None
        self._rest = b""

    def read(self, _: int) -> bytes:
        """The next bytes, however many; empty at the end."""
        while True:
            # 256 compressed bytes expand to 8 MiB at most.
            data = self._rest or self._file.read(2**8)
            self._rest = b""
            if not data:
                if self._frame is not None:
                    raise EOFError("the file ends early")
                return b""
            if self._frame is None:
                self._frame = self._module.ZstdDecompressor().decompressobj()
            content: bytes = self._frame.decompress(data)
            if self._frame.eof:
                self._rest = self._frame.unused_data
                self._frame = None
            if content:
                return content


def _zstandard(name: str) -> Any:
    """The library for Zstandard: Python 3.14's own, or the package backports.zstd or zstandard.

    Raises:
        PuzzleError: none is installed.
    """
    for module in ("compression.zstd", "backports.zstd", "zstandard"):
        try:
            return import_module(module)
        except ImportError:
            continue
    problem = "Zstandard needs the package zstandard, which is not installed"
    raise PuzzleError(problem, where=name, expected="pip install zstandard, or a .gz file")


def pieces(file: BufferedReader, name: str) -> Iterator[bytes]:
    """The pieces of a file at its start, expanded if it is compressed.

    Raises:
        PuzzleError: as `expand`; or the file is not compressed although its `name` says so.
    """
    with errors_named(name, PuzzleError):
        if kind := kind_of(file.peek()):
            yield from expand(file, kind, name)
            return
        for suffix, compression in _COMPRESSIONS.items():
            if name.lower().endswith(suffix):
                expected = f"a name without {suffix}, or a compressed file"
                raise PuzzleError(f"is not {compression}", where=name, expected=expected)
        while chunk := file.read(_CHUNK):
            yield chunk


# A file that is written completely or not at all, perhaps compressed.


@contextmanager
def open_target(target: str) -> Iterator[BinaryIO]:
    """A file to write, which gets its name when the block ends without an error.

    It replaces an existing file as `harness.base.files.replacing` does.

    Args:
        target: the file; ``-`` for standard output. The suffix ``.gz``, ``.zip`` or
            ``.zst`` compresses it.

    Raises:
        HarnessError: the file cannot be written.
    """
    if target == "-":
        sys.stdout.flush()
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    path = Path(target)
    if path.is_dir():
        raise InputError("is a directory", where=target, expected="a file")
    kind = next((suffix for suffix in _COMPRESSIONS if target.lower().endswith(suffix)), "")
    with replacing(path) as file, _compressing(file, kind, Path(bare_name(target)).name) as output:
        yield output
