"""Reading a small file takes little memory, whatever the size of the largest one is."""

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

SMALL = """
import sys
from pathlib import Path
from harness.extensions.images import cli
from harness.extensions.images.scan import MOST_BYTES
from harness.engine.system.kernel import limit_address_space

path = Path(sys.argv[1])
limit_address_space(12 * 2**20)
{read}
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
    path = tmp_path / "puzzles.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("puzzles.txt", "1...........2...\n" * 9)
    command = [sys.executable, "-c", SMALL.format(read=read), str(path)]
    cat = subprocess.Popen(["cat", str(path)], stdout=subprocess.PIPE)
    with cat:
        subprocess.run(command, stdin=cat.stdout, check=True)
