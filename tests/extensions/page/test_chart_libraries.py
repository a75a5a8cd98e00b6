"""The chart libraries: bundled once, and kept in the user's cache."""

import hashlib
from collections.abc import Iterator
from pathlib import Path

import pytest
import vl_convert

from harness.extensions.page import document


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """An empty cache of the user, and nothing in the cache of this process."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    forget()
    yield tmp_path / "cache" / "sudoku-harness"
    forget()


forget = document.script.cache_clear


BUNDLE = "vegaEmbed = function () { /* \u00e9 */ }"


@pytest.fixture(autouse=True)
def bundle_only(monkeypatch: pytest.MonkeyPatch) -> None:
    """A bundle that is there at once, for tests of where it is kept."""
    monkeypatch.setattr(vl_convert, "javascript_bundle", lambda *_: BUNDLE)


def test_the_next_page_takes_them_from_the_cache(
    cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = document.script()
    assert [path.suffix for path in cache.iterdir()] == [".js"]
    forget()
    monkeypatch.setattr(vl_convert, "javascript_bundle", lambda *_: pytest.fail("bundled again"))
    assert document.script() == first


@pytest.mark.parametrize("change", ["cut", "changed", "empty", "no digest", "no text"])
def test_a_damaged_file_of_the_cache_is_made_again(cache: Path, change: str) -> None:
    first = document.script()
    (file,) = cache.iterdir()
    content = file.read_bytes()
    damages = {
        "cut": content[:-1],
        "changed": content.replace(b"vegaEmbed", b"vegaembed", 1),
        "empty": b"",
        "no digest": first.encode(),
        "no text": hashlib.sha256(b"\xff").hexdigest().encode() + b"\n\xff",
    }
    file.write_bytes(damages[change])
    forget()
    assert document.script() == first
    assert file.read_bytes() == content


def test_another_version_has_a_file_of_its_own(
    cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    document.script()
    monkeypatch.setattr(document, "version", lambda _: "0.0.1")
    forget()
    document.script()
    assert len(list(cache.iterdir())) == 2


def test_a_relative_cache_is_ignored(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", "here")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    document.script()
    assert [path.name for path in tmp_path.iterdir()] == ["home"]


def test_without_a_home_or_a_cache_they_are_bundled_for_each_page(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    assert document.script() == BUNDLE
    forget()
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setattr(Path, "home", no_home)
    assert document.script() == BUNDLE


def no_home() -> Path:
    raise RuntimeError("Could not determine home directory.")
