"""The conformance suite as pytest tests of another repository."""

import subprocess
import sys
from pathlib import Path

import pytest

from harness.extensions.conformance import Clause

BAD = """
from backends.native import Native
from harness.contract import Count, Unsupported
from harness.extensions.conformance.testing import conformance_of

class OneTooMany(Native):
    def count(self, puzzle, limit):
        if puzzle.shape.definition == "latin3":
            raise Unsupported("only latin4 can be counted")
        count = super().count(puzzle, limit)
        return Count(count.number + 1, count.exact)

test_mine = conformance_of(OneTooMany, shapes=("latin4", "latin3"))
"""
GOOD = BAD.replace("count.number + 1", "count.number")


def run_pytest(folder: Path, *arguments: str) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, "-W", "error", "-m", "pytest", "-p", "no:cacheprovider"]
    return subprocess.run(
        [*command, "--strict-markers", *arguments], cwd=folder, capture_output=True, text=True
    )


def test_each_part_is_a_test_that_reports_its_breaches_and_leaves_no_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    temporary = tmp_path / "tmp"
    temporary.mkdir()
    monkeypatch.setenv("TMPDIR", str(temporary))
    (tmp_path / "test_mine.py").write_text(BAD)
    result = run_pytest(tmp_path, "-q", "-rfs", "-m", "conformance", "-k", "a and count")
    assert result.returncode == 1
    assert "test_mine[latin4: a count of two]" in result.stdout
    assert Clause.COUNT.value in result.stdout
    assert "only latin4 can be counted" in result.stdout
    assert "Traceback" not in result.stdout + result.stderr
    assert not list(temporary.iterdir())


@pytest.mark.long
def test_a_sound_backend_passes_all_supported_parts(tmp_path: Path) -> None:
    (tmp_path / "test_mine.py").write_text(GOOD)
    result = run_pytest(tmp_path, "-q", "-k", "latin4")
    assert result.returncode == 0, result.stdout
    assert "skipped" not in result.stdout


def test_a_run_without_conformance_tests_imports_only_the_plugin(tmp_path: Path) -> None:
    (tmp_path / "test_other.py").write_text(
        "import sys\ndef test_other():\n"
        "    assert 'harness.extensions.conformance.pytest_plugin' in sys.modules\n"
        "    assert 'harness.contract' not in sys.modules\n"
        "    assert 'harness.extensions.conformance.examination' not in sys.modules\n"
        "    assert 'numpy' not in sys.modules\n"
    )
    result = run_pytest(tmp_path, "-q")
    assert result.returncode == 0, result.stdout
