"""Reading a small file takes little memory, however large the largest file may be."""

import sys
from pathlib import Path

import pytest

from tests.little_memory import require_little_memory

IMPORTS = """
from harness.puzzles.formats.reading import stream_file
from harness.records.folder import files
"""


@pytest.mark.skipif(sys.platform != "linux", reason="address space is limited on Linux only")
@pytest.mark.parametrize(
    "read",
    [
        "assert len(files.read_run_file(path)) == path.stat().st_size",
        "assert len([*stream_file('-')]) == 9",
    ],
    ids=["file of a run", "archive on a stream"],
)
def test_a_small_file_is_read_with_little_memory(read: str, tmp_path: Path) -> None:
    require_little_memory(IMPORTS, read, tmp_path)
