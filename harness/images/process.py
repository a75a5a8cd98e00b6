"""The process that decodes and scans an image of a stranger: see `harness.images.fence`.

    python -P -m harness.images.process NAME SHAPE MEMORY CPU PARENT

It reads the file on standard input, writes a scan or a refusal as JSON on standard output, and
ends, also when PARENT, the process that started it, is killed. NAME is for errors, SHAPE may be
empty, MEMORY is in bytes and CPU in seconds.
"""

import sys
from collections.abc import Sequence
from typing import Final

import msgspec

from harness.errors import InputError
from harness.images.scan import Refused, Scan
from harness.parent import die_with_parent

MOST_OUTPUT: Final = 4 * 2**20
"""Bytes of the longest scan."""


def main(arguments: Sequence[str]) -> None:
    """Scan the file on standard input."""
    name, shape, memory, cpu, parent = arguments
    die_with_parent(int(parent))
    _limit(int(memory), int(cpu))
    data = sys.stdin.buffer.read()
    sys.stdout.buffer.write(msgspec.json.encode(_scanned(data, name, shape)))
    sys.stdout.buffer.flush()


def _limit(memory: int, cpu: int) -> None:
    """Limit this process before it loads the libraries that decode images."""
    if sys.platform == "win32":
        return
    import resource

    for kind, limit, most in (
        (resource.RLIMIT_AS, memory, memory),
        (resource.RLIMIT_CPU, cpu, cpu + 1),  # a signal at the first, which names the reason
        (resource.RLIMIT_FSIZE, MOST_OUTPUT, MOST_OUTPUT),
        (resource.RLIMIT_CORE, 0, 0),
    ):
        try:
            resource.setrlimit(kind, (limit, most))
        except (OSError, ValueError):  # macOS has no limit of the address space
            if kind != resource.RLIMIT_AS:
                raise


def _scanned(data: bytes, name: str, shape: str) -> Scan | Refused:
    from harness.images.scanning import scan, use_one_thread
    from harness.puzzles.shape import Shape

    use_one_thread()
    try:
        return scan(data, Shape.parse(shape) if shape else None, name)
    except InputError as error:
        return Refused(error.what[:1000], error.expected[:1000])


if __name__ == "__main__":
    main(sys.argv[1:])
