"""Limits that a process sets for itself."""

import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the limits are those of Linux")

PROGRAM = """
import mmap, resource
from harness.engine.system.kernel import limited_data

before = resource.getrlimit(resource.RLIMIT_DATA)
machine = int(open("/proc/meminfo").read().split()[1]) * 1024
reserved = mmap.mmap(-1, machine // 50, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, mmap.PROT_READ)
try:
    with limited_data(0.01):
        held = bytearray(machine // 1000)
        reserved_too = mmap.mmap(
            -1, machine // 50, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, mmap.PROT_READ
        )
        del held
        bytearray(machine // 90)
except MemoryError:
    print("refused")
assert resource.getrlimit(resource.RLIMIT_DATA) == before
print(len(bytearray(machine // 90)) > 0)
"""


def test_private_memory_is_limited_within_the_block() -> None:
    """Memory that is only reserved does not count, and the limit ends with the block."""
    process = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True)
    assert (process.stdout, process.stderr) == ("refused\nTrue\n", "")


@pytest.mark.long
def test_an_import_that_leaks_is_unavailable_and_costs_no_other_process(tmp_path: Path) -> None:
    """It takes half of the machine's memory for a moment."""
    file = tmp_path / "leaking.py"
    file.write_text("held = []\nwhile True: held.append(bytearray(16 << 20))\n")
    command = [sys.executable, "-m", "harness", "solve", "1" + 15 * ".", "--backend", str(file)]
    process = subprocess.run(command, capture_output=True, text=True)
    assert process.returncode == 2
    assert f"backend {file} is not available: MemoryError" in process.stderr
