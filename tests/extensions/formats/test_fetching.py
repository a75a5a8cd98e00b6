"""Public sets become datasets: from a clone, an archive, a file, or a server on this machine."""

import hashlib
import http.server
import re
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from threading import Thread

import pytest

from harness.base.errors import StorageError
from harness.extensions.formats.fetching import fetch
from harness.puzzles import load_dataset
from harness.puzzles.datasets.catalogue import (
    FOLDER_VARIABLE,
    PublicSet,
    find,
    imported_listings,
    public_sets,
    shipped_listings,
)
from tests.extensions.formats.texts import error_of
from tests.puzzles.example import LINE

OTHER = LINE.replace("3", ".")
TEXT = f"# from a forum\n{LINE}\r\n{OTHER}\n".encode()


def digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


ADDRESS = "https://example.org/repo/data/p"
ONE = PublicSet("one", "a title", ADDRESS, ("data/p",), "MIT", ("9x9",), 2, sha256=digest(TEXT))


def rows(first: int) -> bytes:
    return b"3\n1\n%d %s\n" % (first, b"-1 " * 8) + (b"-1 " * 9 + b"\n") * 8


MANY = PublicSet(
    "many",
    "a title",
    "https://example.org/zip/1234",
    ("data/p[29]_*.txt", "data/p1[0-9]_*.txt"),
    "none stated",
    ("9x9",),
    3,
    sha256=digest(rows(2) + rows(9) + rows(4)),
)


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of the user's datasets."""
    monkeypatch.setenv(FOLDER_VARIABLE, str(tmp_path / "sets"))
    return tmp_path / "sets"


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """A clone with the files of both sets."""
    files = {"p": TEXT, "p2_x.txt": rows(2), "p9_x.txt": rows(9), "p10_x.txt": rows(4)}
    (tmp_path / "clone/data").mkdir(parents=True)
    for name, data in {**files, "p1_x.txt": b"?"}.items():
        (tmp_path / "clone/data" / name).write_bytes(data)
    return tmp_path / "clone"


def archive_of(folder: Path, top: str, archive: Path) -> Path:
    with zipfile.ZipFile(archive, "w") as into:
        for file in sorted(folder.rglob("p*")):
            into.write(file, f"{top}{file.relative_to(folder)}")
    return archive


def quiet(_: str) -> None: ...


def fetch_names(entry: PublicSet, source: Path | None = None, again: bool = False) -> list[str]:
    """The names of the puzzles of the dataset."""
    assert fetch(entry, source, again, quiet).listing in imported_listings()
    return [instance.name for instance in load_dataset(entry.name).instances]


def test_a_set_comes_from_its_clone_its_folder_or_its_file(clone: Path, folder: Path) -> None:
    for place in (clone, clone / "data", clone / "data/p"):
        assert fetch_names(ONE, place, again=True) == ["1", "2"]
    (listing,) = imported_listings()
    assert (listing.title, listing.origin, listing.licence) == ("a title", ONE.address, "MIT")
    assert (listing.source, listing.source_sha256) == ("p", ONE.sha256)
    assert len([*folder.iterdir()]) == 2


def test_many_files_are_a_dataset_in_natural_order(clone: Path, tmp_path: Path) -> None:
    assert fetch_names(MANY, clone) == ["p2_x", "p9_x", "p10_x"]
    assert imported_listings()[0].source_sha256 == MANY.sha256
    archive = archive_of(clone, "repo-1234/", tmp_path / "a.zip")
    assert fetch_names(MANY, archive, again=True) == ["p2_x", "p9_x", "p10_x"]
    assert load_dataset("many/3").instances[0].puzzle.givens[:2] == (4, 0)


def test_a_clone_may_have_the_archive(clone: Path, tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    archive_of(clone, "", tmp_path / "other/data.zip")
    entry = replace(ONE, address="https://example.org/data.zip")
    assert fetch_names(entry, tmp_path / "other") == ["1", "2"]


def test_git_names_a_file_without_another_digest(clone: Path) -> None:
    blob = hashlib.sha1(b"blob %d\0" % len(TEXT) + TEXT).hexdigest()
    entry = replace(ONE, sha256="", git_blob=blob)
    assert fetch_names(entry, clone) == ["1", "2"]
    error = error_of(fetch_names, replace(entry, git_blob="0000"), clone, again=True)
    assert f"is {blob}; expected 0000" in error


def test_a_set_without_a_checksum_has_the_name_of_its_file(clone: Path, folder: Path) -> None:
    unknown = replace(ONE, sha256="")
    assert fetch_names(unknown, clone / "data/p") == ["1", "2"]
    assert imported_listings()[0].origin.endswith("p, not verified")
    place = clone / "data/p2_x.txt"
    assert "may be another set" in error_of(fetch_names, unknown, place, again=True)


def test_an_error_leaves_the_catalogue_as_it_was(clone: Path, tmp_path: Path, folder: Path) -> None:
    def error(entry: PublicSet, place: Path, again: bool = False) -> str:
        return error_of(fetch_names, entry, place, again)

    assert "clone: no data/q; expected a clone" in error(replace(ONE, paths=("data/q",)), clone)
    assert "nowhere: no such file" in error(ONE, tmp_path / "nowhere")
    assert "/dev/zero: is not a file" in error(ONE, Path("/dev/zero"))
    (tmp_path / "short").write_bytes(TEXT[:-1])
    message = error(ONE, tmp_path / "short")
    assert f"the checksum of 1 file is {digest(TEXT[:-1])}; expected {ONE.sha256}" in message
    content = archive_of(clone, "repo/", tmp_path / "a.zip").read_bytes().replace(b"\t-1", b"\t-2")
    (tmp_path / "a.zip").write_bytes(content.replace(LINE.encode(), LINE[::-1].encode()))
    assert "damaged or encrypted: Bad CRC-32" in error(ONE, tmp_path / "a.zip")
    with zipfile.ZipFile(tmp_path / "bomb.zip", "w", zipfile.ZIP_DEFLATED) as into:
        into.writestr("data/p", b"0" * 2**23)
    assert "expected a file that expands at most 200 times" in error(ONE, tmp_path / "bomb.zip")
    assert not [*folder.iterdir()]
    fetch_names(ONE, clone)
    assert "the dataset 'one' exists; expected --replace" in error(ONE, clone)
    assert error(replace(ONE, sha256="0"), clone, again=True)
    assert len(imported_listings()) == 1


# The download, from a server on this machine.


@pytest.fixture(scope="module")
def serve() -> Iterator[Callable[..., str]]:
    """The address of an answer: its content, its code and its headers."""
    answers: list[tuple[bytes, int, dict[str, str]]] = []

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            content, code, headers = answers[int(self.path.strip("/"))]
            self.send_response(code)
            for name, value in headers.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *_: object) -> None: ...

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    Thread(target=server.serve_forever, daemon=True).start()

    def address(content: bytes, code: int = 200, **headers: str) -> str:
        fields = {name.replace("_", "-"): value for name, value in headers.items()}
        answers.append((content, code, fields))
        return f"http://127.0.0.1:{server.server_port}/{len(answers) - 1}"

    yield address
    server.shutdown()
    server.server_close()


def test_a_download_is_imported(serve: Callable[..., str], clone: Path, tmp_path: Path) -> None:
    reports: list[str] = []
    there = serve(TEXT, Content_Length=str(len(TEXT)))
    entry = replace(ONE, address=serve(b"", 302, Location=there))
    assert fetch(entry, None, False, reports.append).listing.origin == entry.address
    assert reports == [f"downloading {entry.address}", "downloading: 0.0 of 0.0 MB"]
    archive = archive_of(clone, "repo-1234/", tmp_path / "a.zip").read_bytes()
    assert fetch_names(replace(MANY, address=serve(archive))) == ["p2_x", "p9_x", "p10_x"]


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        ((b"no", 404, {}), "answers with 404 Not Found; expected a connection, or a local copy"),
        ((b"<p>", 200, {"Content_Type": "text/html"}), "answers with a web page, not with a file"),
        ((TEXT, 200, {"Content_Length": "900"}), "the download ended after .* of 900 bytes"),
        ((TEXT, 200, {"Content_Length": "abc"}), "cannot be downloaded"),
        ((b"", 302, {"Location": "http://[::bad/"}), "cannot be downloaded|redirects to"),
        ((TEXT + b"\n", 200, {}), "the checksum of 1 file is .*; expected"),
        ((b"", 302, {"Location": "ftp://127.0.0.1/p"}), "redirects to ftp://127.0.0.1/p; exp"),
    ],
)
def test_another_answer_is_an_error_with_the_address(
    serve: Callable[..., str], folder: Path, answer: tuple[bytes, int, dict[str, str]], message: str
) -> None:
    content, code, headers = answer
    entry = replace(ONE, address=serve(content, code, **headers))
    assert re.match(f"{re.escape(entry.address)}: {message}", error_of(fetch_names, entry))
    assert not [*folder.iterdir()]


def test_without_a_connection_the_error_names_the_local_copy() -> None:
    entry = replace(ONE, address="http://127.0.0.1:9/p")
    assert "cannot be downloaded" in error_of(fetch_names, entry)


def test_a_download_has_a_limit(serve: Callable[..., str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("harness.extensions.formats.fetching._LARGEST", 100)
    entry = replace(ONE, address=serve(TEXT))
    assert "needs more than" in error_of(fetch_names, entry)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="the system has no /dev/full")
def test_a_full_disk_is_named(serve: Callable[..., str], monkeypatch: pytest.MonkeyPatch) -> None:
    open_file = Path.open

    def full(path: Path, *words: str, **more: str) -> object:
        return open_file(Path("/dev/full") if path.name == "download" else path, *words, **more)  # type: ignore[call-overload]

    monkeypatch.setattr(Path, "open", full)
    with pytest.raises(StorageError, match="No space left on device"):
        fetch_names(replace(ONE, address=serve(TEXT * 1000)))


# The entries of ``datasets/public.toml``.


def test_each_entry_is_complete_and_says_what_was_verified() -> None:
    names = {listing.name for listing in shipped_listings()}
    for entry in public_sets().values():
        assert entry.name not in names
        assert entry.address.startswith("https://")
        assert re.fullmatch("[0-9a-f]{64}|", entry.sha256)
        assert re.fullmatch("[0-9a-f]{40}|", entry.git_blob)
        assert all((entry.title, entry.licence, entry.shapes, entry.facts, entry.paths))
        assert bool(entry.sha256) != any("not counted here" in fact for fact in entry.facts)
        assert bool(entry.sha256) != entry.verified.startswith("not verified here")
        assert entry.puzzles or not entry.sha256
        commit = re.search("/[0-9a-f]{40}(/|$)", entry.address)
        assert commit or not (entry.sha256 or entry.git_blob)


def test_a_set_that_is_not_fetched_is_named_in_the_error() -> None:
    for name in ("serg", "serg/1-3", "serg:8"):
        assert "'serg' is not fetched; expected harness " in error_of(find, name)
