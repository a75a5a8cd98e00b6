"""Files: read and parsed within limits, replaced atomically; and the user's folders.

A name may stand for a device that never ends, a sparse file of a terabyte or a text of
200,000 brackets. Each gives a one-line error within a second.

Numba caches compiled code in files and compares only the time stamp of the function's own
source file, so a change in an imported module would leave stale code in use. Therefore the
name of the folder contains a digest of all sources.
"""

import hashlib
import json
import os
import re
import shutil
import sys
import tempfile
import tomllib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from io import BufferedReader, BytesIO
from itertools import islice
from pathlib import Path
from stat import S_IMODE
from tempfile import TemporaryFile
from typing import Any, BinaryIO, Final
from uuid import uuid4

from harness.base.errors import InputError, suggestion, unwritable, with_home
from harness.base.text import MOST_DIGITS, short_repr

# Text files of the user: read up to a size, and parsed up to a depth.


NO_FOLLOW: Final = getattr(os, "O_NOFOLLOW", 0)
"""The flag with which opening a link fails, where the system has it."""
LARGEST_BYTES: Final = 256 * 2**20
"""Size of the largest puzzle file: three million lines of 9x9."""
LARGEST_SETTINGS: Final = 2**20
"""Size of the largest sweep file or command file in bytes."""
_CHUNK: Final = 2**20
_QUOTED: Final = re.compile(
    "|".join(
        (
            r'"""(?:\\.|[^\\])*?(?:"""|\Z)',
            r"'''.*?(?:'''|\Z)",
            r'"(?:\\.|[^"\\\n])*+"?',
            r"'[^'\n]*+'?",
            r"#[^\n]*+",
        )
    ),
    re.DOTALL,
)
"""Strings and comments of TOML, even unterminated ones, so that a search takes linear time."""
_DEEP_KEY: Final = re.compile(r"(?<![^\s.=,\[\]{}])(?:[^\s.=,\[\]{}]++[ \t]*+\.[ \t]*+){32}")
"""A key of more than 32 parts. The time of Python's parser grows with their square."""


def require_folder(folder: Path) -> None:
    """Check that files can be made in `folder`, or in the nearest folder above it that exists.

    Raises:
        HarnessError: they cannot.
    """
    existing = next((f for f in (folder, *folder.absolute().parents) if f.exists()), folder)
    try:
        with TemporaryFile(dir=existing):
            pass
    except OSError as error:
        raise unwritable(folder, error) from None


def read_file_text(path: Path, most: int = LARGEST_SETTINGS) -> str:
    """The text of a file in UTF-8.

    Args:
        path: the file; ``-`` is standard input.
        most: the largest size in bytes.

    Raises:
        InputError: the file cannot be read, is too large or is not text; the error names the place.
    """
    with opened(path) as file:
        return decoded(_read(file, most, name_of(path)), name_of(path))


@contextmanager
def opened(path: Path) -> Iterator[BufferedReader]:
    """The file at `path` for reading; ``-`` is standard input.

    Raises:
        InputError: the file cannot be read.
    """
    with errors_named(name_of(path), InputError):
        if str(path) == "-":
            yield standard_input(InputError)
            return
        with path.open("rb") as file:
            yield file


def decoded(data: bytes | bytearray, name: str) -> str:
    """The text of a file's content in UTF-8, with or without a byte order mark.

    Args:
        data: the content.
        name: the name of the file.

    Raises:
        InputError: the content is not text; the error names the place.
    """
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        before = error.object[: error.start].decode(error.encoding)
        problem, expected = no_text(data)
        raise InputError(problem, where=_end(before, name), expected=expected) from None
    if text.endswith("\0"):
        raise InputError("a NUL byte", where=_end(text[:-1], name), expected="a text file")
    return text


def no_text(data: bytes | bytearray) -> tuple[str, str]:
    """The problem with content that is not UTF-8, by its first bytes, and what is expected."""
    if data.startswith((b"\x89PNG", b"\xff\xd8\xff")):
        return "an image", "a text file; harness read-image reads images"
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return "UTF-16", "UTF-8: save the file with this encoding"
    return "invalid UTF-8", "a text file"


def name_of(path: Path | str) -> str:
    """The name of a file for messages: ``standard input`` for ``-``."""
    return "standard input" if str(path) == "-" else str(path)


@contextmanager
def errors_named(name: str, kind: type[InputError]) -> Iterator[None]:
    """Turn errors of the file system into errors of class `kind` that name the file.

    Raises:
        InputError: the file system reports an error.
    """
    try:
        yield
    except FileNotFoundError:
        problem = "is a URL, not a file" if "://" in name else f"no such file{similar_file(name)}"
        raise kind(problem, where=name) from None
    except IsADirectoryError:
        raise kind("is a directory", where=name, expected="a file") from None
    except (OSError, ValueError) as error:
        if isinstance(error, InputError):
            raise
        reason = getattr(error, "strerror", None) or error  # a NUL in a path is a ValueError
        raise kind(f"cannot be read: {reason}", where=name) from None


def similar_file(name: str) -> str:
    """The existing files that a missing `name` may be a misspelling of, worded by `suggestion`."""
    path = Path(name)
    with suppress(OSError):
        names = (entry.name for entry in islice(path.parent.iterdir(), 1000))
        return suggestion(path.name, (name for name in names if name != path.name))
    return ""


def parse_toml(text: str, where: str, kind: type[InputError] = InputError) -> dict[str, Any]:
    """The table of a TOML text.

    Raises:
        InputError: the text is not TOML, is nested too deeply or has too large a number.
    """
    if _DEEP_KEY.search(_QUOTED.sub('""', text)):
        raise kind("invalid TOML: too many levels of keys", where=where)
    try:
        return tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        problem, place = _reason(error), where
        if at := re.fullmatch(r"(.*) \(at line (\d+), column (\d+)\)", problem):
            problem, place = at[1], f"{where}:{at[2]}:{at[3]}"
        raise kind(f"invalid TOML: {problem}", where=place) from None


def parse_json(text: str, where: str, kind: type[InputError] = InputError) -> Any:
    """The value of a JSON text.

    Raises:
        InputError: the text is not JSON, is nested too deeply, or has too large a number or an
            object with two equal keys.
    """
    try:
        return json.loads(text, object_pairs_hook=_object)
    except json.JSONDecodeError as error:
        place = f"{where}:{error.lineno}:{error.colno}"
        raise kind(f"invalid JSON: {error.msg}", where=place) from None
    except (ValueError, RecursionError) as error:
        raise kind(f"invalid JSON: {_reason(error)}", where=where) from None


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    table = dict(pairs)
    if len(table) != len(pairs):
        counts = Counter(key for key, _ in pairs)
        key = next(key for key, number in counts.items() if number > 1)
        raise ValueError(f"the key {short_repr(key)} occurs twice")
    return table


def standard_input(kind: type[InputError]) -> BufferedReader:
    """The bytes of standard input.

    Raises:
        InputError: the process was started without it.
    """
    if sys.stdin is None:
        raise kind("is closed", where="standard input", expected="a puzzle")
    binary = getattr(sys.stdin, "buffer", None)
    if binary is None:
        binary = BytesIO(sys.stdin.read().encode())
    return binary if isinstance(binary, BufferedReader) else BufferedReader(binary)


def read_beyond(file: BinaryIO, most: int) -> bytes:
    """The content of a file; a larger file is cut off soon after `most` bytes.

    Memory grows with the content, whereas ``file.read(most + 1)`` reserves all at once.
    """
    data = bytearray()
    while len(data) <= most and (chunk := file.read(_CHUNK)):
        data += chunk
    return bytes(data)


def _read(file: BinaryIO, most: int, name: str) -> bytes:
    """The bytes of a file, up to and including the first NUL byte, which no text contains."""
    data = bytearray()
    while chunk := file.read(_CHUNK):
        data += chunk
        if b"\0" in chunk:
            del data[data.index(b"\0") + 1 :]
            break
        if len(data) > most:
            problem = f"has more than {most // 2**20} MiB"
            raise InputError(problem, where=name, expected="a smaller file")
    return bytes(data)


def _end(text: str, name: str) -> str:
    """The place just after `text` in the file `name`: ``name:line:column``."""
    lines = text.split("\n")
    return f"{name}:{len(lines)}:{len(lines[-1]) + 1}"


def _reason(error: Exception) -> str:
    """Why a text cannot be parsed."""
    if isinstance(error, RecursionError):
        return "too many levels of brackets"
    if "integer string conversion" in str(error):
        return f"a number of more than {MOST_DIGITS:,} digits"
    return str(error)


# Files that are written completely or not at all.


UNFINISHED: Final = ".part"
"""The suffix of a file that is not complete; a process that is killed leaves such a file."""


def is_unfinished(name: str) -> bool:
    """Whether this is the name of a file or folder that was not completed."""
    return name.startswith(".") and name.endswith(UNFINISHED)


def _new_name(path: Path) -> Path:
    """A temporary name beside `path`, for a file or folder that becomes `path` when complete."""
    return path.with_name(f".{path.name[:100]}.{uuid4().hex[:8]}{UNFINISHED}")


@contextmanager
def replacing(path: Path) -> Iterator[BinaryIO]:
    """A new file, which gets the name `path` when the block ends without an error.

    Its content is on the disk by then. A symbolic link stays, and its target is replaced. The new
    file has the permissions of the old one. A device or a pipe is written to directly.

    Raises:
        HarnessError: the file cannot be written. Errors of the block stay as they are.
    """
    name = str(path)
    with writing(name):  # a name may be too long to be looked up
        path = _end_of_links(path)
        is_device = path.exists() and not path.is_file()
    if is_device:
        with writing(name), path.open("wb") as device:
            yield device
        return
    part = _new_name(path)
    try:
        with writing(name):
            file = part.open("xb")
            if path.exists():
                part.chmod(S_IMODE(path.stat().st_mode))
        try:
            yield file
            with writing(name):
                file.flush()
                os.fsync(file.fileno())
        finally:
            with suppress(OSError):  # of content that could not be flushed
                file.close()
        with writing(name):
            part.replace(path)
    finally:
        with suppress(OSError):
            part.unlink(missing_ok=True)


def replace_file(path: Path, data: bytes) -> None:
    """Write a file completely or not at all, as `replacing` does.

    Raises:
        HarnessError: it cannot be written.
    """
    with replacing(path) as file, writing(str(path)):
        file.write(data)


@contextmanager
def new_folder(path: Path, replaces: Callable[[Path], bool] = lambda _: False) -> Iterator[Path]:
    """A folder to fill, which gets the name `path` when the block ends without an error.

    If the block ends without an error, it replaces an empty folder of that name.

    Args:
        path: the folder.
        replaces: decides whether a folder with content at this path may be replaced, too.

    Raises:
        InputError: something else has the name, or the folder cannot be made.
    """
    try:
        is_taken = path.exists() and any(path.iterdir() if path.is_dir() else [path])
    except OSError as error:
        raise InputError(f"cannot be created: {error.strerror}", where=str(path)) from None
    if is_taken and not replaces(path):
        raise InputError("already exists", where=str(path), expected="a new folder")
    part, old = _new_name(path), _new_name(path)
    above = [folder for folder in path.absolute().parents if not folder.exists()]
    try:
        try:
            part.mkdir(parents=True)
        except OSError as error:
            raise InputError(f"cannot be created: {error.strerror}", where=str(path)) from None
        yield part
        with writing(str(path)):
            if is_taken:
                path.replace(old)
            try:
                part.replace(path)
            except BaseException:
                if is_taken:
                    old.replace(path)
                raise
    finally:
        for folder in (part, old):
            shutil.rmtree(folder, ignore_errors=True)
        with suppress(OSError):  # not empty: the folder was made
            for folder in above:
                folder.rmdir()


@contextmanager
def locked(folder: Path, waiting: Callable[[], None] = lambda: None) -> Iterator[None]:
    """Exclude other processes that lock this folder during the block, where folders can be locked.

    Args:
        folder: an existing folder.
        waiting: called before waiting for another process.

    Raises:
        HarnessError: the folder cannot be read.
    """
    try:
        import fcntl
    except ImportError:  # on Windows
        yield
        return
    with writing(str(folder)):
        descriptor = os.open(folder, os.O_RDONLY)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            waiting()
            fcntl.flock(descriptor, fcntl.LOCK_EX)
        except OSError:  # some network file systems lock no folder
            pass
        yield
    finally:
        os.close(descriptor)


def _end_of_links(path: Path) -> Path:
    """The file that symbolic links at `path` lead to, which may not exist.

    Raises:
        InputError: the links form a loop.
    """
    if not path.is_symlink():
        return path
    target = Path(os.path.realpath(path))
    if target.is_symlink():
        raise InputError("a circular symbolic link", where=str(path), expected="a file")
    return target


@contextmanager
def writing(target: str) -> Iterator[None]:
    """Turn errors of the file system into errors that name the target.

    Raises:
        HarnessError: the file system reports an error.
    """
    try:
        yield
    except BrokenPipeError:  # the reader of standard output closed it, as `head` does
        raise
    except OSError as error:
        raise unwritable(target, error) from None


def sha256_of(path: Path) -> str:
    """The SHA-256 digest of a file, in hexadecimal.

    Raises:
        OSError: the file cannot be read.
    """
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


# Folders of the user: data, and compiled code.


_PROJECT: Final = "sudoku-harness"


def user_folder(name: str, variable: str) -> Path:
    """The folder `name` for the user's data, or the folder that the environment variable gives.

    It need not exist. A relative ``XDG_DATA_HOME`` is ignored, as its specification demands.
    """
    if folder := os.environ.get(variable):
        return Path(with_home(folder, variable)).absolute()
    data = Path(os.environ.get("XDG_DATA_HOME") or "")
    if not data.is_absolute():
        data = Path(os.path.expanduser("~/.local/share"))  # noqa: PTH111  some users have no home
    return (data / _PROJECT / name).absolute()


def cache_folder(name: str, sources: Iterable[Path], parent: str = "") -> Path | None:
    """The folder for code compiled from these sources; None if no such folder can be written.

    Its contents can be deleted at any time.

    Args:
        name: the beginning of its name.
        sources: the source files; any change to their names or contents changes the folder.
        parent: the folder that replaces the user's cache folder.
    """
    digest = hashlib.sha256(f"{name}\0".encode())
    for path in sorted(sources):
        digest.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
    cache = Path(parent) / _PROJECT if parent else user_cache()
    if cache is None:
        return None
    folder = cache / f"{name}-{digest.hexdigest()[:16]}"
    with suppress(OSError):
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            return folder
    return None


def user_cache() -> Path | None:
    """This project's folder for files that can be made again; None for a user without a home.

    A relative ``XDG_CACHE_HOME`` is ignored, as its specification demands.
    """
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or tempfile.gettempdir()) / _PROJECT
    cache = Path(os.environ.get("XDG_CACHE_HOME") or "")
    if sys.platform != "darwin" and cache.is_absolute():
        return cache / _PROJECT
    try:
        home = Path.home()
    except RuntimeError:  # neither HOME nor an entry for the user
        return None
    return home / ("Library/Caches" if sys.platform == "darwin" else ".cache") / _PROJECT
