"""Reading a small image takes little memory, whatever the size of the largest one is."""

import sys
from pathlib import Path

import pytest

from tests.little_memory import require_little_memory

IMPORTS = """
from harness.extensions.images import cli
from harness.extensions.images.scan import MOST_BYTES
"""


@pytest.mark.skipif(sys.platform != "linux", reason="address space is limited on Linux only")
@pytest.mark.parametrize(
    "read",
    [
        "assert len(cli._content(str(path), 'x')) == path.stat().st_size",
        "assert len(cli._content('-', 'x')) == path.stat().st_size",
    ],
    ids=["file", "stream"],
)
def test_a_small_image_is_read_with_little_memory(read: str, tmp_path: Path) -> None:
    require_little_memory(IMPORTS, read, tmp_path)
