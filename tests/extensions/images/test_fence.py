"""The process in which the files of strangers are decoded."""

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from time import monotonic, sleep

import pytest

from harness.base.errors import InputError
from harness.engine.system import processes
from harness.engine.system.processes import kill
from harness.extensions.images.fence import ScanLimits, scan_fenced
from harness.extensions.images.scanning import scan
from harness.puzzles import Shape
from tests.extensions.images.drawn import drawn, file_of

FILE = file_of(drawn().image)


def test_the_process_finds_the_same() -> None:
    diagonal = Shape.parse("9x9+diagonal")
    assert scan_fenced(FILE, diagonal) == scan(FILE, diagonal)


def test_an_error_of_the_process_names_the_file() -> None:
    with pytest.raises(InputError, match=r"^a photo: not an image; expected a PNG"):
        scan_fenced(b"no image", name="a photo")


@pytest.mark.parametrize(
    ("limits", "what"),
    [
        (ScanLimits(memory_bytes=150 * 2**20), "the process that reads it failed with 150 MiB"),
        (ScanLimits(cpu_s=0), "not read within 0 s of CPU time"),
        (ScanLimits(wall_s=0.02), "not read within 0.02 s"),
    ],
    ids=["memory", "CPU time", "wall time"],
)
def test_a_process_beyond_a_limit_is_an_error(limits: ScanLimits, what: str) -> None:
    begin = monotonic()
    with pytest.raises(InputError, match=what):
        scan_fenced(FILE, limits=limits)
    assert monotonic() - begin < 10


def test_too_many_bytes_start_no_process() -> None:
    with pytest.raises(InputError, match="20,000,001 bytes; expected an image of at most"):
        scan_fenced(bytes(20_000_001))


@pytest.mark.skipif(sys.platform != "linux", reason="the kernel is not Linux")
@pytest.mark.parametrize(
    "number", [pytest.param(signal.SIGTERM, marks=pytest.mark.long), signal.SIGKILL]
)
def test_the_process_ends_with_its_parent(
    number: signal.Signals, tmp_path: Path, has_ended: Callable[[int], bool]
) -> None:
    (tmp_path / "board.png").write_bytes(FILE)
    command = [sys.executable, "-m", "harness", "read-image", str(tmp_path / "board.png")]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL) as reader:
        deadline = monotonic() + 20
        while not (pids := decoders(reader.pid)) and monotonic() < deadline:
            sleep(0.005)
        (decoder,) = pids
        os.kill(decoder, signal.SIGSTOP)  # it does not end by itself
        reader.send_signal(number)
    try:
        assert has_ended(decoder)
    finally:
        kill(decoder)


def decoders(pid: int) -> list[int]:
    """The children of a process that decode an image, when they have loaded a library for it."""
    answers = []
    for child in processes.children(pid):
        with suppress(OSError):
            if "cv2" in Path(f"/proc/{child}/maps").read_text():
                answers.append(child)
    return answers


def test_help_and_the_fence_load_no_library_of_images() -> None:
    code = (
        "import sys, harness.cli; from harness.extensions.images import fence, reading; "
        "print([m for m in ('cv2', 'PIL', 'numpy') if m in sys.modules])"
    )
    process = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert process.stdout == "[]\n"
