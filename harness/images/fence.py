"""Scanning in a process of its own.

A file of a stranger may make a decoder crash, hang or take all memory. The process has limits of
its own, and whatever happens to it is an error of one line here.
"""

import os
import signal
import subprocess
import sys
from dataclasses import dataclass
from importlib.util import find_spec
from tempfile import TemporaryFile
from typing import Final

import msgspec

from harness.errors import InputError
from harness.images.process import MOST_OUTPUT
from harness.images.scan import MOST_BYTES, Refused, Scan
from harness.puzzles.shape import Shape
from harness.text import printable

EXTRA: Final = "pip install 'sudoku-harness[workbench]'"
_PACKAGES: Final = {"cv2": "opencv-python-headless", "PIL": "pillow"}
_PROGRAM: Final = (
    "import json, sys; sys.path[:] = json.loads(sys.argv[1]); "
    "from harness.images.process import main; main(sys.argv[2:])"
)


@dataclass(frozen=True, slots=True)
class Limits:
    """What the process may use."""

    memory_bytes: int = 3 * 2**30
    """Address space. The libraries alone take 1 GiB of it."""
    cpu_s: int = 60
    wall_s: float = 90.0


def require_installed() -> None:
    """Check that the packages that decode images are installed.

    Raises:
        InputError: one is missing.
    """
    for module, package in _PACKAGES.items():
        if find_spec(module) is None:
            raise InputError(f"{package} is not installed", where="images", expected=EXTRA)


def scan_fenced(
    data: bytes, shape: Shape | None = None, name: str = "image", limits: Limits | None = None
) -> Scan:
    """Scan the bytes of an image file in a process of its own.

    Args:
        data: the content of the file.
        shape: the shape of the board; None to recognise it.
        name: the file, for errors.
        limits: what the process may use.

    Raises:
        InputError: the file is not an image, is too large or damaged, or shows no board;
            the process crashed or exceeded a limit; or a package is missing.
    """
    require_installed()
    if len(data) > MOST_BYTES:
        expected = f"an image of at most {MOST_BYTES:,} bytes"
        raise InputError(f"{len(data):,} bytes", where=name, expected=expected)
    answer = _answer(data, shape, name, limits or Limits())
    if isinstance(answer, Refused):
        raise InputError(printable(answer.what), where=name, expected=printable(answer.expected))
    return answer


def _answer(data: bytes, shape: Shape | None, name: str, limits: Limits) -> Scan | Refused:
    paths = msgspec.json.encode(sys.path).decode()
    definition = shape.definition if shape else ""
    numbers = (str(limits.memory_bytes), str(limits.cpu_s), str(os.getpid()))
    with TemporaryFile() as output:
        # The name of the file stays here: a path may be no valid argument of a process.
        child = subprocess.Popen(
            [sys.executable, "-P", "-c", _PROGRAM, paths, "image", definition, *numbers],
            stdin=subprocess.PIPE,
            stdout=output,
            stderr=subprocess.DEVNULL,
            env=os.environ | {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"},
            start_new_session=True,
        )
        try:
            child.communicate(data, timeout=limits.wall_s)
        except subprocess.TimeoutExpired:
            raise _ended(name, f"not read within {limits.wall_s:g} s") from None
        finally:
            child.kill()
            child.wait()
        if child.returncode:
            raise _ended(name, _reason(child.returncode, limits))
        output.seek(0)
        text = output.read(MOST_OUTPUT + 1)
    try:
        return msgspec.json.decode(text, type=Scan | Refused)
    except msgspec.DecodeError:
        raise _ended(name, "the process that reads it wrote no scan") from None


def _reason(code: int, limits: Limits) -> str:
    if code < 0 and -code == signal.SIGXCPU:
        return f"not read within {limits.cpu_s} s of CPU time"
    if code < 0:
        return f"the process that reads it ended by signal {-code}"
    mib = limits.memory_bytes // 2**20
    return f"the process that reads it failed with {mib:,} MiB of memory"


def _ended(name: str, what: str) -> InputError:
    return InputError(what, where=name, expected="an image that a decoder can read")
