"""The bundle of the chart libraries: made by another process, and by nothing else."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from harness.report.page import document


@pytest.fixture(autouse=True)
def _bundled_anew() -> Iterator[None]:
    document.chart_libraries.cache_clear()
    yield
    document.chart_libraries.cache_clear()


def test_the_other_process_bundles_them() -> None:
    assert document._bundled_elsewhere() == document._libraries()


def test_neither_the_working_folder_nor_startup_files_take_part(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "vl_convert.py").write_text("raise SystemExit(0)")
    (tmp_path / "sitecustomize.py").write_text("print('hello')")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    script = document._bundled_elsewhere()
    assert "vegaEmbed" in script
    assert "hello" not in script[:1000]


@pytest.mark.parametrize("executable", ["", None, "/bin/true", "/bin/false"])
def test_without_the_other_process_they_are_bundled_here(
    executable: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "executable", executable)
    assert document._bundled_elsewhere() == ""
    assert "vegaEmbed" in document._libraries()
