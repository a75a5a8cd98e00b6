"""Scanning in a process of its own.

An untrusted file may make a decoder crash, hang or take all memory. The process has limits of
its own, and any failure becomes a one-line error here.

    python -m harness.extensions.images.fence NAME SHAPE MEMORY CPU

The process reads the file on standard input and writes a scan or a refusal as JSON on standard
output. NAME is for errors, SHAPE may be empty, MEMORY is in bytes and CPU in seconds.
"""

import os
import signal
import sys
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Final

import msgspec

from harness.base.child import SINGLE_THREADED, OutputTooLongError, module_command, output_of
from harness.base.errors import InputError
from harness.base.text import printable
from harness.extensions.images.scan import MOST_BYTES, Scan, ScanRefused
from harness.puzzles import Shape

EXTRA: Final = "pip install 'sudoku-harness[workbench]'"
_PACKAGES: Final = {"cv2": "opencv-python-headless", "PIL": "pillow"}
_MOST_OUTPUT: Final = 4 * 2**20
"""Bytes of the longest scan."""

# The harness's side.


@dataclass(frozen=True, slots=True)
class ScanLimits:
    """What the process may use."""

    memory_bytes: int = 3 * 2**30
    """Address space. The libraries alone take 1 GiB of it."""
    cpu_s: int = 60
    wall_s: float = 90.0


def require_installed() -> None:
    """Check that the packages that decode images are installed.

    Raises:
        InputError: a package is missing.
    """
    for module, package in _PACKAGES.items():
        if find_spec(module) is None:
            raise InputError(f"{package} is not installed", where="images", expected=EXTRA)


def scan_fenced(
    data: bytes, shape: Shape | None = None, name: str = "image", limits: ScanLimits | None = None
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
    answer = _answer(data, shape, name, limits or ScanLimits())
    if isinstance(answer, ScanRefused):
        raise InputError(printable(answer.what), where=name, expected=printable(answer.expected))
    return answer


def _answer(data: bytes, shape: Shape | None, name: str, limits: ScanLimits) -> Scan | ScanRefused:
    # The name of the file stays here: not every path is a valid argument of a process.
    words = ("image", shape.definition if shape else "", limits.memory_bytes, limits.cpu_s)
    try:
        end = output_of(
            module_command("harness.extensions.images.fence", *map(str, words)),
            data,
            most_bytes=_MOST_OUTPUT,
            seconds=limits.wall_s,
            environment=os.environ | SINGLE_THREADED,
        )
        if end.code:
            raise _refusal(name, _reason(end.code, limits))
        return msgspec.json.decode(end.output, type=Scan | ScanRefused)
    except TimeoutError:
        raise _refusal(name, f"not read within {limits.wall_s:g} s") from None
    except (OutputTooLongError, msgspec.DecodeError):
        raise _refusal(name, "the process that reads it wrote no scan") from None


def _reason(code: int, limits: ScanLimits) -> str:
    if code < 0 and -code == signal.SIGXCPU:
        return f"not read within {limits.cpu_s} s of CPU time"
    if code < 0:
        return f"the process that reads it ended by signal {-code} ({signal.strsignal(-code)})"
    mib = limits.memory_bytes // 2**20
    return f"the process that reads it failed with {mib:,} MiB of memory"


def _refusal(name: str, problem: str) -> InputError:
    return InputError(problem, where=name, expected="an image that a decoder can read")


# The process.


def main(name: str, shape: str, memory: str, cpu: str) -> None:
    """Scan the file on standard input."""
    _limit(int(memory), int(cpu))
    data = sys.stdin.buffer.read()
    sys.stdout.buffer.write(msgspec.json.encode(_scan(data, name, shape)))
    sys.stdout.buffer.flush()


def _limit(memory: int, cpu: int) -> None:
    """Limit this process before it loads the libraries that decode images."""
    if sys.platform == "win32":
        return
    import resource

    for kind, limit, most in (
        (resource.RLIMIT_AS, memory, memory),
        (resource.RLIMIT_CPU, cpu, cpu + 1),  # the first limit sends a signal that shows the reason
        (resource.RLIMIT_FSIZE, _MOST_OUTPUT, _MOST_OUTPUT),
        (resource.RLIMIT_CORE, 0, 0),
    ):
        try:
            resource.setrlimit(kind, (limit, most))
        except (OSError, ValueError):  # macOS has no limit on the address space
            if kind != resource.RLIMIT_AS:
                raise


def _scan(data: bytes, name: str, shape: str) -> Scan | ScanRefused:
    from harness.extensions.images.scanning import scan, use_one_thread

    use_one_thread()
    try:
        return scan(data, Shape.parse(shape) if shape else None, name)
    except InputError as error:
        return ScanRefused(error.what[:1000], error.expected[:1000])


if __name__ == "__main__":
    main(*sys.argv[1:])
