"""Reading a small file takes little memory, whatever the size of the largest one is."""

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

SMALL = """
import sys
from pathlib import Path
from harness.engine.system.kernel import limit_address_space
from harness.puzzles.formats.reading import stream_file
from harness.records import run_files

path = Path(sys.argv[1])
limit_address_space(12 * 2**20)
{read}
"""


@pytest.mark.skipif(sys.platform != "linux", reason="address space is limited on Linux only")
@pytest.mark.parametrize(
    "read",
    [
        "assert len(run_files.read(path)) == path.stat().st_size",
        "assert len([*stream_file('-')]) == 9",
    ],
    ids=["file of a run", "archive on a stream"],
)
def test_a_small_file_is_read_with_little_memory(read: str, tmp_path: Path) -> None:
    path = tmp_path / "puzzles.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("puzzles.txt", "1...........2...\n" * 9)
    command = [sys.executable, "-c", SMALL.format(read=read), str(path)]
    cat = subprocess.Popen(["cat", str(path)], stdout=subprocess.PIPE)
    with cat:
        subprocess.run(command, stdin=cat.stdout, check=True)
