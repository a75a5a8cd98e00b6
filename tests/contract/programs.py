"""Programs and libraries as backends for 4x4."""

import sys
from collections.abc import Callable
from pathlib import Path

from harness.contract import Backend, Options, registry
from harness.puzzles import Shape, parse_puzzle

BLANK = parse_puzzle("." * 16)


def backend_of(path: Path) -> Backend[Options]:
    """The backend of a command file or a library file, for 4x4."""
    backend, options = registry.load_backend(str(path))
    return backend(Shape.parse("4x4"), options)


def printing(output: str) -> list[str]:
    """A command that prints this text."""
    return [sys.executable, "-c", f"print({output!r})"]


def digests(path: Path, change: Callable[[], object]) -> tuple[dict[str, str], dict[str, str]]:
    """What identifies the code of a backend before and after a change."""
    first = registry.describe(registry.load_class(str(path)), str(path)).code
    change()
    return first, registry.describe(registry.load_class(str(path)), str(path)).code
