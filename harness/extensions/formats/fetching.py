"""Public puzzle sets become datasets: downloaded or from a local copy, checked and imported.

The files of a set are checked before they are read: if ``datasets/public.toml`` has a digest, it
must be that of the files, one after the other in the order of their names. A set of many files,
each with a puzzle, becomes one dataset whose puzzles have the names of the files.
"""

import hashlib
import re
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import replace
from fnmatch import fnmatchcase
from http.client import HTTPException, HTTPMessage
from itertools import count
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory
from time import monotonic
from typing import IO, Any, Final
from urllib.error import HTTPError, URLError
from urllib.parse import urlsplit
from urllib.request import HTTPRedirectHandler, Request, build_opener

from harness.base.compression import member_pieces
from harness.base.errors import PuzzleError
from harness.base.files import errors_named, writing
from harness.base.text import number_of
from harness.puzzles.datasets import (
    Imported,
    ImportRequest,
    PublicSet,
    import_file,
    imported_listings,
    user_folder,
)
from harness.puzzles.formats import JSON_LINES, Input, ParsedPuzzle, stream_file

_LARGEST: Final = 2**31
"""The most bytes of a download, and of all files of a set."""
_LONGEST_S: Final = 3600
_SILENCE_S: Final = 30
"""Seconds without a byte after which a download ends."""
_CHUNK: Final = 2**16
_REPORTED_EACH: Final = 1000
"""The number of puzzles after which progress is reported again."""


def fetch(
    entry: PublicSet, source: Path | None, replacing: bool, report: Callable[[str], None]
) -> Imported:
    """Make a dataset from a public set.

    Args:
        entry: the set.
        source: a local clone, folder, archive or file; None for a download.
        replacing: whether a dataset of this name is replaced.
        report: called with texts on the progress.

    Raises:
        PuzzleError: the dataset exists, there is no connection, or the files are missing
            or damaged, or differ from those of the entry.
        HarnessError: the folder of datasets cannot be written.
    """
    if not replacing and any(listing.name == entry.name for listing in imported_listings()):
        expected = f"--replace, or harness datasets show {entry.name}"
        raise PuzzleError(f"the dataset {entry.name!r} exists", expected=expected)
    folder = user_folder()
    with writing(str(folder)):
        folder.mkdir(parents=True, exist_ok=True)
        temporary = TemporaryDirectory(prefix=".fetch-", dir=folder)
    with temporary as name:
        work = Path(name)
        place = source or _download(entry, work / "download", report)
        origin = str(source or entry.address)
        files = _files(entry, place, origin, work)
        if source and not entry.has_digest:
            _require_name(entry, files[0], origin)
        digest = _check(entry, files, origin)
        read = Input(str(files[0]), name=PurePosixPath(entry.paths[0]).name)
        if len(files) > 1:
            whole = _join(files, work / "joined.jsonl")
            read = Input(str(whole), name=number_of(len(files), "file"))
        request = ImportRequest(
            read,
            name=entry.name,
            title=entry.title,
            origin=entry.address if entry.has_digest else f"{origin}, not verified",
            licence=entry.licence,
            source_sha256=digest,
            most_canonical=0,
            within_file=True,
            replace=replacing,
        )
        numbers = count(1)

        def watch(_: ParsedPuzzle) -> None:
            if (number := next(numbers)) % _REPORTED_EACH == 0:
                report(f"importing: {number:,} puzzles")

        return import_file(request, watch)


# The download.


class _Redirects(HTTPRedirectHandler):
    """Follows redirects to HTTPS or to the scheme of the request."""

    def http_error_302(
        self, req: Request, fp: IO[bytes], code: int, msg: str, headers: HTTPMessage
    ) -> Any:
        """The response at the new address; a refused or invalid address closes the connection."""
        try:
            return super().http_error_302(req, fp, code, msg, headers)
        except ValueError:
            fp.close()
            raise

    http_error_301 = http_error_303 = http_error_307 = http_error_308 = http_error_302

    def redirect_request(self, req: Request, *more: Any, **keywords: Any) -> Request | None:
        """The request to the address of a redirect, the last argument.

        Raises:
            PuzzleError: that address has neither HTTPS nor the scheme of the request.
        """
        if urlsplit(more[-1]).scheme not in ("https", req.type):
            raise PuzzleError(f"redirects to {more[-1]}", expected="an address with HTTPS")
        return super().redirect_request(req, *more, **keywords)


def _download(entry: PublicSet, target: Path, report: Callable[[str], None]) -> Path:
    """The file at the address of a set, as `target`.

    Raises:
        PuzzleError: the file cannot be downloaded completely.
        HarnessError: `target` cannot be written.
    """
    report(f"downloading {entry.address}")
    try:
        with writing(str(target)), target.open("wb") as file:
            for piece in _pieces(entry.address, report):
                file.write(piece)
    except PuzzleError as error:
        expected = error.expected or "a connection, or a local copy: --from FOLDER_OR_FILE"
        raise PuzzleError(error.what, where=entry.address, expected=expected) from None
    return target


def _pieces(address: str, report: Callable[[str], None]) -> Iterator[bytes]:
    """The content of an address.

    Raises:
        PuzzleError: the content cannot be downloaded completely.
    """
    request = Request(address, headers={"User-Agent": "sudoku-harness"})  # noqa: S310  of the catalogue
    size, begin = 0, monotonic()
    try:
        with build_opener(_Redirects).open(request, timeout=_SILENCE_S) as response:
            if response.headers.get_content_type() == "text/html":
                raise PuzzleError("answers with a web page, not with a file")
            whole = int(response.headers.get("Content-Length") or 0)
            total = f" of {whole / 1e6:.1f}" if whole else ""
            while chunk := response.read(_CHUNK):
                size += len(chunk)
                if size > _LARGEST or monotonic() > begin + _LONGEST_S:
                    most = f"{_LARGEST // 2**30} GiB or an hour"
                    raise PuzzleError(f"needs more than {most}")
                yield chunk
                report(f"downloading: {size / 1e6:.1f}{total} MB")
    except HTTPError as error:
        raise PuzzleError(f"answers with {error.code} {error.reason}") from None
    except PuzzleError:
        raise
    except (URLError, HTTPException, OSError, ValueError) as error:  # ValueError: a bad header
        reason = getattr(error, "reason", error)
        raise PuzzleError(f"cannot be downloaded: {reason}") from None
    if size < whole:
        raise PuzzleError(f"the download ended after {size:,} of {whole:,} bytes")


# The files of a set, checked.


def _files(entry: PublicSet, place: Path, origin: str, work: Path) -> list[Path]:
    """The files of a set in a folder or an archive, in the order of their names.

    Raises:
        PuzzleError: `place` does not exist or has none of the files, or the archive is damaged.
    """
    files = [place]
    with errors_named(origin, PuzzleError):
        if place.is_dir():
            files = [file for path in entry.paths for file in place.glob(path)]
            files = files or [f for path in entry.paths for f in place.glob(Path(path).name)]
            archive = place / PurePosixPath(urlsplit(entry.address).path).name
            if not files and archive.is_file():
                files = _unpack(entry, archive, str(archive), work)
        elif not place.exists():
            raise FileNotFoundError
        elif not place.is_file():
            raise PuzzleError("is not a file", where=origin, expected="a clone, a folder or a file")
        elif zipfile.is_zipfile(place):
            files = _unpack(entry, place, origin, work)
    if not files:
        problem = f"no {' or '.join(entry.paths)}"
        raise PuzzleError(problem, where=origin, expected="a clone, or the folder with the files")
    return sorted(files, key=lambda file: _natural(file.name))


def _natural(name: str) -> list[tuple[int, str]]:
    """A key for sorting names so that 2 comes before 10."""
    return [(int(part or 0), text) for text, part in re.findall(r"(\D*)(\d*)", name)]


def _unpack(entry: PublicSet, archive: Path, origin: str, work: Path) -> list[Path]:
    """The files of a set in a zip archive, unpacked.

    Raises:
        PuzzleError: the files expand to more than `_LARGEST` bytes, or the archive is damaged.
    """
    files, size = [], 0
    try:
        with zipfile.ZipFile(archive) as content:
            for member in content.infolist():
                if not any(fnmatchcase(f"/{member.filename}", f"*/{p}") for p in entry.paths):
                    continue
                files.append(work / PurePosixPath(member.filename).name)
                with writing(str(files[-1])), files[-1].open("wb") as file:
                    for piece in member_pieces(content, member, origin):
                        size += len(piece)
                        if size > _LARGEST:
                            raise _too_large(origin)
                        file.write(piece)
    except zipfile.BadZipFile as error:
        problem = f"damaged: {error}"
        raise PuzzleError(problem, where=origin, expected="a zip archive") from None
    return files


def _too_large(origin: str) -> PuzzleError:
    return PuzzleError(f"has more than {_LARGEST // 2**30} GiB", where=origin)


def _check(entry: PublicSet, files: list[Path], origin: str) -> str:
    """The SHA-256 digest of the files, after a check against the entry if it has a digest.

    Raises:
        PuzzleError: the files are too large, or their digest is another.
    """
    if sum(file.stat().st_size for file in files) > _LARGEST:
        raise _too_large(origin)
    digest = hashlib.sha256()
    blob = hashlib.sha1(b"blob %d\0" % files[0].stat().st_size, usedforsecurity=False)
    for file in files:
        with errors_named(str(file), PuzzleError), file.open("rb") as content:
            while chunk := content.read(_CHUNK):
                digest.update(chunk)
                blob.update(chunk)
    actual, expected = digest.hexdigest(), entry.sha256
    if not expected and entry.git_blob:
        actual, expected = blob.hexdigest(), entry.git_blob
    if expected and actual != expected:
        problem = f"the checksum of {number_of(len(files), 'file')} is {actual}"
        raise PuzzleError(problem, where=origin, expected=expected)
    return digest.hexdigest()


def _require_name(entry: PublicSet, file: Path, origin: str) -> None:
    """Require that a file has a name of the set, which has no checksum to identify it.

    Raises:
        PuzzleError: the file has another name.
    """
    names = [PurePosixPath(path).name for path in entry.paths]
    if not any(fnmatchcase(file.name, name) for name in names):
        problem = f"{file.name} may be another set: the catalogue has no checksum for {entry.name}"
        raise PuzzleError(problem, where=origin, expected=f"a file named {' or '.join(names)}")


def _join(files: list[Path], target: Path) -> Path:
    """Write the puzzles of all files to `target`, named after their files."""

    def puzzles() -> Iterator[ParsedPuzzle]:
        for file in files:
            for parsed in stream_file(file, name=file.name):
                single = parsed.name == "1"
                yield replace(parsed, name=file.stem if single else f"{file.stem}-{parsed.name}")

    with writing(str(target)), target.open("w", encoding="utf-8") as output:
        output.writelines(JSON_LINES.write(puzzles()))
    return target
